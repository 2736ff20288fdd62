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

static bool failed(const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", what, strerror(errno));
	return false;
}

static bool attach(struct vfio_user *user, char *why, size_t size)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };

	if (user->container < 0)
		return failed("/dev/vfio/vfio", why, size);
	if (ioctl(user->group, VFIO_GROUP_GET_STATUS, &status))
		return failed("the status of the IOMMU group", why, size);
	if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE)) {
		snprintf(why, size, "another device of the IOMMU group has a driver that is not VFIO's");
		return false;
	}
	if (ioctl(user->group, VFIO_GROUP_SET_CONTAINER, &user->container))
		return failed("adding the IOMMU group to a container", why, size);
	if (ioctl(user->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return failed("setting an IOMMU for the container", why, size);
	return true;
}

/* Read only the config space: an access to a BAR would make the GPU need a scrub. */
static bool look(const struct vfio_user *user, char *why, size_t size)
{
	struct vfio_region_info info = {
		.argsz = sizeof(info), .index = VFIO_PCI_CONFIG_REGION_INDEX,
	};
	uint32_t id = ~0u;

	if (ioctl(user->device, VFIO_DEVICE_GET_REGION_INFO, &info) ||
	    pread(user->device, &id, sizeof(id), info.offset + PCI_VENDOR_ID) != sizeof(id))
		return failed("reading the config space through VFIO", why, size);
	if (id == ~0u)
		snprintf(why, size, "the config space reads all ones through VFIO");
	return id != ~0u;
}

static int use(struct vfio_user *user, const char *bdf, char *why, size_t size)
{
	/* A failure up to here is one of the host's setup and says nothing about the GPU. */
	if (!attach(user, why, size))
		return -1;
	user->device = ioctl(user->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	if (user->device >= 0)
		return look(user, why, size);
	if (errno != EACCES)
		return failed("opening the GPU", why, size);
	/* The module refuses to open a ready GPU without a policy, see its require_policy. */
	snprintf(why, size, "no user can open the GPU before a policy has been applied (instinctctl apply)");
	return -1;
}

/**
 * vfio_open_begin() - open a device as a VFIO user
 * @user: receives the descriptors; the caller must call vfio_open_end() if the open succeeded
 * @bdf: address of a device that is bound to a VFIO driver
 * @why: receives the reason if the open failed or could not be tried
 * @size: bytes of @why
 *
 * Return: 1 if the open succeeded, 0 if it failed, -1 if this host does not allow to try it.
 */
int vfio_open_begin(struct vfio_user *user, const char *bdf, char *why, size_t size)
{
	char group[NAME_MAX + 1], path[NAME_MAX + 16];
	int opened;

	*why = '\0';
	*user = (struct vfio_user) { -1, -1, -1 };
	if (!sysfs_read_link(bdf, "iommu_group", group, sizeof(group))) {
		snprintf(why, size, "the GPU is in no IOMMU group");
		return -1;
	}
	snprintf(path, sizeof(path), "/dev/vfio/%s", group);
	user->group = open(path, O_RDWR | O_CLOEXEC);
	if (user->group < 0) {
		failed(path, why, size);
		return -1;
	}
	user->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	opened = use(user, bdf, why, size);
	if (opened <= 0)
		vfio_open_end(user);
	return opened;
}

/**
 * vfio_open_end() - close a device
 * @user: descriptors of the device
 */
void vfio_open_end(const struct vfio_user *user)
{
	if (user->device >= 0)
		close(user->device);
	close(user->group);
	if (user->container >= 0)
		close(user->container);
}

/**
 * vfio_open_try() - try to open a device as a VFIO user
 * @bdf: address of a device that is bound to a VFIO driver
 * @why: receives the reason if the open failed or could not be tried
 * @size: bytes of @why
 *
 * The function opens the device, reads its IDs and closes it. The module does not reset a clean
 * GPU for that.
 *
 * Return: 1 if the open succeeded, 0 if it failed, -1 if this host does not allow to try it.
 */
int vfio_open_try(const char *bdf, char *why, size_t size)
{
	struct vfio_user user;
	int opened = vfio_open_begin(&user, bdf, why, size);

	if (opened > 0)
		vfio_open_end(&user);
	return opened;
}
