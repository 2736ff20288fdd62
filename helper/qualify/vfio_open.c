// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sysfs.h"
#include "vfio_open.h"

/* What is open, -1 for what is not. */
struct user {
	int container;
	int group;
	int device;
};

static bool failed(const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", what, strerror(errno));
	return false;
}

static bool attach(struct user *user, char *why, size_t size)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };

	if (user->container < 0)
		return failed("/dev/vfio/vfio", why, size);
	if (ioctl(user->group, VFIO_GROUP_GET_STATUS, &status))
		return failed("its IOMMU group", why, size);
	if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE)) {
		snprintf(why, size, "another device of its IOMMU group has a driver that is not VFIO's");
		return false;
	}
	if (ioctl(user->group, VFIO_GROUP_SET_CONTAINER, &user->container))
		return failed("its IOMMU group in a container", why, size);
	if (ioctl(user->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return failed("an IOMMU for the container", why, size);
	return true;
}

/* Only the config space is looked at: a BAR that is touched would be owed a reset. */
static bool look(const struct user *user, char *why, size_t size)
{
	struct vfio_region_info info = {
		.argsz = sizeof(info), .index = VFIO_PCI_CONFIG_REGION_INDEX,
	};
	uint32_t id = ~0u;

	if (ioctl(user->device, VFIO_DEVICE_GET_REGION_INFO, &info) ||
	    pread(user->device, &id, sizeof(id), info.offset + PCI_VENDOR_ID) != sizeof(id))
		return failed("its config space through VFIO", why, size);
	if (id == ~0u)
		snprintf(why, size, "its config space reads all ones through VFIO");
	return id != ~0u;
}

static int use(struct user *user, const char *bdf, char *why, size_t size)
{
	/* Up to here it is the host that does not let it, whatever the GPU is like. */
	if (!attach(user, why, size))
		return -1;
	user->device = ioctl(user->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	if (user->device >= 0)
		return look(user, why, size);
	if (errno != EACCES)
		return failed("opening it", why, size);
	/* Of a GPU that is ready, see the module's require_policy. */
	snprintf(why, size, "nobody may open it before a policy has been applied (instinctctl apply)");
	return -1;
}

/**
 * vfio_open_try() - can a VFIO user open a device?
 * @bdf: device, bound to a VFIO driver
 * @why: set to the reason, for people, if not, or if that cannot be tried
 * @size: of @why in bytes
 *
 * Opens it, reads its IDs and closes it, which a clean GPU is not reset for.
 *
 * Return: 1 if so, 0 if not, -1 if that cannot be tried here.
 */
int vfio_open_try(const char *bdf, char *why, size_t size)
{
	struct user user = { -1, -1, -1 };
	char group[NAME_MAX + 1], path[NAME_MAX + 16];
	int opened;

	*why = '\0';
	if (!sysfs_read_link(bdf, "iommu_group", group, sizeof(group))) {
		snprintf(why, size, "it is in no IOMMU group");
		return -1;
	}
	snprintf(path, sizeof(path), "/dev/vfio/%s", group);
	user.group = open(path, O_RDWR | O_CLOEXEC);
	if (user.group < 0) {
		failed(path, why, size);
		return -1;
	}
	user.container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	opened = use(&user, bdf, why, size);
	if (user.device >= 0)
		close(user.device);
	close(user.group);
	if (user.container >= 0)
		close(user.container);
	return opened;
}
