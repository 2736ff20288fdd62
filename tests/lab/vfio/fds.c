// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fds.h"

#define HUGE_PAGE	(2ul << 20)

/* Open the group of a device. Return: its fd, or -1 with errno set. */
int vfio_open_group(const char *bdf)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group", bdf);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -1;
	target[n] = '\0';
	snprintf(path, sizeof(path), "/dev/vfio/%.200s", basename(target));
	return open(path, O_RDWR | O_CLOEXEC);
}

static int attach(struct vfio_fds *fds, const char *bdf)
{
	fds->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (fds->container < 0)
		return -1;
	fds->group = vfio_open_group(bdf);
	if (fds->group < 0 || ioctl(fds->group, VFIO_GROUP_SET_CONTAINER, &fds->container) ||
	    ioctl(fds->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return -1;
	return 0;
}

/* Open the group, in a container of its own. Return: 0, or a negative errno with no fd open. */
int vfio_attach(struct vfio_fds *fds, const char *bdf)
{
	int ret;

	*fds = VFIO_FDS_NONE;
	if (!attach(fds, bdf))
		return 0;
	ret = -errno;
	vfio_close(fds);
	return ret;
}

/* Open the device of an attached group. Return: 0 or a negative errno; the group stays open. */
int vfio_open_device(struct vfio_fds *fds, const char *bdf)
{
	fds->fd = ioctl(fds->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	return fds->fd < 0 ? -errno : 0;
}

/* Open group and device. Return: 0, or a negative errno with no fd open. */
int vfio_open(struct vfio_fds *fds, const char *bdf)
{
	int ret = vfio_attach(fds, bdf) ?: vfio_open_device(fds, bdf);

	if (ret)
		vfio_close(fds);
	return ret;
}

/* Close all open fds. */
void vfio_close(struct vfio_fds *fds)
{
	if (fds->fd >= 0)
		close(fds->fd);
	if (fds->group >= 0)
		close(fds->group);
	if (fds->container >= 0)
		close(fds->container);
	*fds = VFIO_FDS_NONE;
}

/* Ask for a region of an open device. Return: 0 or a negative errno. */
int vfio_region(const struct vfio_fds *fds, unsigned int index, struct vfio_region_info *info)
{
	*info = (struct vfio_region_info) { .argsz = sizeof(*info), .index = index };
	return ioctl(fds->fd, VFIO_DEVICE_GET_REGION_INFO, info) ? -errno : 0;
}

/*
 * Map a BAR for reads and writes as a VMM does: at an address that lets the kernel use huge
 * pages. Return: the mapping, or MAP_FAILED with errno set.
 */
void *vfio_map(const struct vfio_fds *fds, uint64_t offset, size_t bytes)
{
	char *room = mmap(NULL, bytes + HUGE_PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before = -(uintptr_t)room % HUGE_PAGE;
	char *at = room + before;

	if (room == MAP_FAILED)
		return MAP_FAILED;
	munmap(room, before);
	munmap(at + bytes, HUGE_PAGE - before);
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fds->fd,
		 offset) != MAP_FAILED)
		return at;
	munmap(at, bytes);
	return MAP_FAILED;
}
