/* SPDX-License-Identifier: GPL-2.0-only */
/* The fds that VFIO gives for a device. */
#ifndef VFIO_FDS_H
#define VFIO_FDS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct vfio_fds - of one device; -1: not open
 * @fd: the device's
 * @group: its group's; not open if the device was opened by its character device
 * @container: the container's or iommufd's
 */
struct vfio_fds {
	int fd;
	int group;
	int container;
};

#define VFIO_FDS_NONE	((struct vfio_fds) { -1, -1, -1 })

int vfio_attach(struct vfio_fds *fds, const char *bdf);
int vfio_open_device(struct vfio_fds *fds, const char *bdf);
int vfio_open(struct vfio_fds *fds, const char *bdf);
void vfio_close(struct vfio_fds *fds);
void *vfio_map(const struct vfio_fds *fds, uint64_t offset, size_t bytes);

#endif
