// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dice.h"
#include "vfio_open.h"

#define VFIO_DEVICES_MAX	4096

/* Debian 12's headers lack these ioctls. */
#define BIND_IOMMUFD		_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ATTACH_IOMMUFD_PT	_IO(VFIO_TYPE, VFIO_BASE + 19)
#define IOAS_ALLOC		_IO(VFIO_TYPE, 0x81)

static int open_cdev(const char *bdf)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < VFIO_DEVICES_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vfio-dev/vfio%d", bdf, i);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/vfio/devices/vfio%d", i);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	return -1;
}

static bool open_by_cdev(struct vfio_fds *fds, const char *bdf)
{
	struct {
		uint32_t argsz, flags;
		int32_t iommufd;
		uint32_t devid;
	} bind = { .argsz = sizeof(bind) };
	struct {
		uint32_t argsz, flags, pt_id;
	} attach = { .argsz = sizeof(attach) };
	struct {
		uint32_t size, flags, id;
	} ioas = { .size = sizeof(ioas) };

	fds->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	fds->fd = open_cdev(bdf);
	bind.iommufd = fds->container;
	if (fds->fd < 0 || ioctl(fds->fd, BIND_IOMMUFD, &bind) ||
	    ioctl(fds->container, IOAS_ALLOC, &ioas))
		return false;
	attach.pt_id = ioas.id;
	return !ioctl(fds->fd, ATTACH_IOMMUFD_PT, &attach);
}

unsigned int opened_by_cdev;

/* Opens a device by its group, or by its character device and iommufd. */
bool open_somehow(struct vfio_fds *fds, const char *bdf, uint64_t *state)
{
	if (!once_in(state, 3) || access("/dev/iommu", F_OK))
		return !vfio_open(fds, bdf);
	*fds = VFIO_FDS_NONE;
	if (open_by_cdev(fds, bdf)) {
		opened_by_cdev++;
		return true;
	}
	vfio_close(fds);
	return false;
}
