/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a device by its group or by its character device. */
#ifndef VFIO_OPEN_H
#define VFIO_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "../../lab/vfio/fds.h"

/* Number of opens by the character device. */
extern unsigned int opened_by_cdev;

bool open_somehow(struct vfio_fds *fds, const char *bdf, uint64_t *state);

#endif
