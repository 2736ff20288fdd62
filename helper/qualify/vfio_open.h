/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a device through VFIO, as a VMM does. */
#ifndef VFIO_OPEN_H
#define VFIO_OPEN_H

#include <stddef.h>

int vfio_open_try(const char *bdf, char *why, size_t size);

#endif /* VFIO_OPEN_H */
