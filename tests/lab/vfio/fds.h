/* SPDX-License-Identifier: GPL-2.0-only */
/* The fds of a VFIO device. */
#ifndef VFIO_FDS_H
#define VFIO_FDS_H

#include <linux/vfio.h>
#include <stddef.h>
#include <stdint.h>

/* The mark that "dma" sends. */
#define DMA_MARK	0x4d61726b4d61726bull

/**
 * struct vfio_fds - fds of one device; -1: not open
 * @fd: fd of the device
 * @group: fd of its group; -1 if the user opened the character device instead
 * @container: fd of the container or of iommufd
 */
struct vfio_fds {
	int fd;
	int group;
	int container;
};

#define VFIO_FDS_NONE	((struct vfio_fds) { -1, -1, -1 })

int vfio_open_group(const char *bdf);
int vfio_attach(struct vfio_fds *fds, const char *bdf);
int vfio_open_device(struct vfio_fds *fds, const char *bdf);
int vfio_open(struct vfio_fds *fds, const char *bdf);
void vfio_close(struct vfio_fds *fds);
int vfio_region(const struct vfio_fds *fds, unsigned int index, struct vfio_region_info *info);
void *vfio_map(const struct vfio_fds *fds, uint64_t offset, size_t bytes);

#endif
