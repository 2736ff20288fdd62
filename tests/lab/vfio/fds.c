// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fds.h"

static int open_group(const char *bdf)
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

static int open_all(struct vfio_fds *fds, const char *bdf)
{
	fds->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (fds->container < 0)
		return -1;
	fds->group = open_group(bdf);
	if (fds->group < 0 || ioctl(fds->group, VFIO_GROUP_SET_CONTAINER, &fds->container) ||
	    ioctl(fds->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return -1;
	fds->fd = ioctl(fds->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	return fds->fd;
}

/* By its group, in a container of its own. Return: 0 or a negative errno, and none is open. */
int vfio_open(struct vfio_fds *fds, const char *bdf)
{
	int ret;

	*fds = VFIO_FDS_NONE;
	if (open_all(fds, bdf) >= 0)
		return 0;
	ret = -errno;
	vfio_close(fds);
	return ret;
}

/* Those that are open; from then on none is. */
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
