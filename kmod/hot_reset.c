// SPDX-License-Identifier: GPL-2.0-only
#include <linux/file.h>
#include <linux/iommu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vfio_pci_core.h>

#include "compat/hot_reset.h"
#include "hot_reset.h"

/* As many group fds as could be asked of one function, and some more. */
#define GROUPS_MAX	16

static int count_function(struct pci_dev *pdev, void *data)
{
	unsigned int *count = data;

	(*count)++;
	return 0;
}

static struct pci_dev *function_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct vfio_pci_core_device, vdev)->pdev;
}

/*
 * vfio-pci-core would offer a reset of the slot or bus, which this driver does
 * not let the PCI core do. The engine's reset concerns what is below the
 * package's SWDS: the GPU alone, unless there is something else on its bus.
 */
static int hot_reset_possible(struct pci_dev *pdev)
{
	unsigned int functions = 0;

	pci_walk_bus(pdev->bus, count_function, &functions);
	return functions == 1 ? 0 : -ENODEV;
}

static int dependent_group(struct pci_dev *pdev, struct vfio_pci_dependent_device *info)
{
	struct iommu_group *group = iommu_group_get(&pdev->dev);

	if (!group)
		return -EPERM;
	info->group_id = iommu_group_id(group);
	iommu_group_put(group);
	return 0;
}

/**
 * instinct_hot_reset_info() - VFIO_DEVICE_GET_PCI_HOT_RESET_INFO
 * @vdev: device
 * @arg: struct vfio_pci_hot_reset_info of the caller's
 *
 * Context: may sleep.
 *
 * Return: 0, -ENOSPC if there is no room for the list, or as the ioctl.
 */
int instinct_hot_reset_info(struct vfio_device *vdev, void __user *arg)
{
	struct vfio_pci_hot_reset_info __user *user = arg;
	unsigned long minsz = offsetofend(struct vfio_pci_hot_reset_info, count);
	struct pci_dev *pdev = function_of(vdev);
	struct vfio_pci_dependent_device info = {
		.segment = pci_domain_nr(pdev->bus),
		.bus = pdev->bus->number,
		.devfn = pdev->devfn,
	};
	struct vfio_pci_hot_reset_info header;
	int ret;

	if (copy_from_user(&header, arg, minsz))
		return -EFAULT;
	if (header.argsz < minsz)
		return -EINVAL;
	ret = hot_reset_possible(pdev);
	if (ret)
		return ret;

	header.flags = 0;
	header.count = 1;
	if (header.argsz - sizeof(header) < sizeof(info))
		return copy_to_user(arg, &header, minsz) ? -EFAULT : -ENOSPC;

	if (instinct_compat_cdev_opened(vdev))
		header.flags = instinct_compat_dependent_id(vdev, &info);
	else
		ret = dependent_group(pdev, &info);
	if (ret)
		return ret;
	if (copy_to_user(user->devices, &info, sizeof(info)) || copy_to_user(arg, &header, minsz))
		return -EFAULT;
	return 0;
}

/* One of the caller's fds must be the device's group. */
static int owns_group(struct vfio_device *vdev, const s32 *fds, u32 count)
{
	bool owned = false;
	u32 i;

	for (i = 0; i < count; i++) {
		struct file *file = fget(fds[i]);
		bool is_group;

		if (!file)
			return -EBADF;
		is_group = vfio_file_is_group(file);
		if (is_group && vfio_file_has_dev(file, vdev))
			owned = true;
		fput(file);
		if (!is_group)
			return -EINVAL;
	}
	return owned ? 0 : -EINVAL;
}

/**
 * instinct_hot_reset_check() - may the caller of VFIO_DEVICE_PCI_HOT_RESET?
 * @vdev: device
 * @arg: struct vfio_pci_hot_reset of the caller's
 *
 * By vfio's rules: who has opened the device through its group shows the
 * group; who has opened it by its character device shows nothing, and owns the
 * device by having it.
 *
 * Context: may sleep.
 *
 * Return: 0 if he may, or a negative errno.
 */
int instinct_hot_reset_check(struct vfio_device *vdev, void __user *arg)
{
	struct vfio_pci_hot_reset __user *user = arg;
	unsigned long minsz = offsetofend(struct vfio_pci_hot_reset, count);
	bool cdev = instinct_compat_cdev_opened(vdev);
	struct vfio_pci_hot_reset header;
	s32 *fds;
	int ret;

	if (copy_from_user(&header, arg, minsz))
		return -EFAULT;
	if (header.argsz < minsz || header.flags)
		return -EINVAL;
	ret = hot_reset_possible(function_of(vdev));
	if (ret)
		return ret;
	if (!!header.count == cdev || header.count > GROUPS_MAX)
		return -EINVAL;
	if (cdev)
		return 0;

	fds = memdup_user(user->group_fds, header.count * sizeof(*fds));
	if (IS_ERR(fds))
		return PTR_ERR(fds);
	ret = owns_group(vdev, fds, header.count);
	kfree(fds);
	return ret;
}
