/* SPDX-License-Identifier: GPL-2.0-only */
/* A device opened by either of VFIO's ways. */
#ifndef VFIO_OPEN_H
#define VFIO_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "../vfio/fds.h"

/* How often it was the character device. */
extern unsigned int opened_by_cdev;

bool open_somehow(struct vfio_fds *fds, const char *bdf, uint64_t *state);

#endif
