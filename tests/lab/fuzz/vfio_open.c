// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dice.h"
#include "vfio_open.h"

#define VFIO_DEVICES_MAX	4096

/* Newer than Debian 12's linux/vfio.h and linux/iommufd.h. */
#define BIND_IOMMUFD		_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ATTACH_IOMMUFD_PT	_IO(VFIO_TYPE, VFIO_BASE + 19)
#define IOAS_ALLOC		_IO(VFIO_TYPE, 0x81)

static int group_number(const char *bdf)
{
	char link[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s/iommu_group", bdf);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -1;
	target[n] = '\0';
	return atoi(basename(target));
}

static bool open_by_group(struct device *device, const char *bdf)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/vfio/%d", group_number(bdf));
	device->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	device->group = open(path, O_RDWR | O_CLOEXEC);
	if (device->group < 0 || ioctl(device->group, VFIO_GROUP_SET_CONTAINER, &device->container) ||
	    ioctl(device->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return false;
	device->fd = ioctl(device->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	return device->fd >= 0;
}

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

static bool open_by_cdev(struct device *device, const char *bdf)
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

	device->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	device->fd = open_cdev(bdf);
	bind.iommufd = device->container;
	if (device->fd < 0 || ioctl(device->fd, BIND_IOMMUFD, &bind) ||
	    ioctl(device->container, IOAS_ALLOC, &ioas))
		return false;
	attach.pt_id = ioas.id;
	return !ioctl(device->fd, ATTACH_IOMMUFD_PT, &attach);
}

/* Those that are open; from then on none is. */
void close_all(struct device *device)
{
	if (device->fd >= 0)
		close(device->fd);
	if (device->group >= 0)
		close(device->group);
	if (device->container >= 0)
		close(device->container);
	*device = (struct device) { -1, -1, -1 };
}

/* By its group, or by its character device and iommufd. */
bool open_somehow(struct device *device, const char *bdf, uint64_t *state)
{
	bool cdev = once_in(state, 3) && !access("/dev/iommu", F_OK);

	*device = (struct device) { -1, -1, -1 };
	if (cdev ? open_by_cdev(device, bdf) : open_by_group(device, bdf))
		return true;
	close_all(device);
	return false;
}
