/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a device through VFIO, as a VMM does. */
#ifndef VFIO_OPEN_H
#define VFIO_OPEN_H

#include <stddef.h>

/**
 * struct vfio_user - descriptors of a VFIO user, -1 if closed
 * @container: container
 * @group: IOMMU group of the device
 * @device: device
 */
struct vfio_user {
	int container;
	int group;
	int device;
};

int vfio_open_begin(struct vfio_user *user, const char *bdf, char *why, size_t size);
void vfio_open_end(const struct vfio_user *user);
int vfio_open_try(const char *bdf, char *why, size_t size);

#endif /* VFIO_OPEN_H */
