// SPDX-License-Identifier: GPL-2.0-only
#include <linux/file.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>

#include "compat/fault.h"
#include "compat/hot_reset.h"
#include "compat/iommufd.h"
#include "compat/vfio_ops.h"
#include "errand.h"
#include "isolation.h"
#include "owner.h"
#include "reconcile.h"
#include "request.h"
#include "reset.h"
#include "session.h"
#include "variant.h"

/* As many group fds as could be asked of one function, and some more. */
#define GROUPS_MAX	16

static struct instinct_device *device_of(struct vfio_device *vdev)
{
	return instinct_variant_of(vdev)->dev;
}

static int user_reset(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_held held = { .done = COMPLETION_INITIALIZER_ONSTACK(held.done) };
	struct instinct_request request;
	struct instinct_status status;

	if (instinct_reset_spare(dev, cause))
		return 0;
	instinct_device_status(dev, &status);
	/*
	 * overlap = all: return once the device is held. But who tries to bring a lost device
	 * back wants to know whether it worked.
	 */
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_ALL &&
	    status.state == INSTINCT_VFIO_STATE_READY) {
		if (!status.user || !instinct_owner_take(dev, status.user))
			return -EAGAIN;
		instinct_errand_start(dev, cause, NULL, task_tgid(current), &held);
		wait_for_completion(&held.done);
		return held.error;
	}
	instinct_request_begin(dev, &request, cause);
	return instinct_request_reset(dev, &request);
}

static int count_function(struct pci_dev *pdev, void *data)
{
	unsigned int *count = data;

	(*count)++;
	return 0;
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

/* VFIO_DEVICE_GET_PCI_HOT_RESET_INFO. */
static int hot_reset_info(struct vfio_device *vdev, void __user *arg)
{
	struct vfio_pci_hot_reset_info __user *user = arg;
	unsigned long minsz = offsetofend(struct vfio_pci_hot_reset_info, count);
	struct pci_dev *pdev = device_of(vdev)->pdev;
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

/*
 * May the caller of VFIO_DEVICE_PCI_HOT_RESET? By vfio's rules: who has opened the device
 * through its group shows the group; who has opened it by its character device shows
 * nothing, and owns the device by having it.
 */
static int hot_reset_check(struct vfio_device *vdev, void __user *arg)
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
	ret = hot_reset_possible(device_of(vdev)->pdev);
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

static long user_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct instinct_device *dev = device_of(vdev);
	long ret = instinct_owner_wait_idle(dev);

	/* A reset may bring a lost device back. */
	if (ret && ret != -EIO)
		return ret;

	switch (cmd) {
	case VFIO_DEVICE_RESET:
		return user_reset(dev, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	case VFIO_DEVICE_GET_PCI_HOT_RESET_INFO:
		return hot_reset_info(vdev, (void __user *)arg);
	case VFIO_DEVICE_PCI_HOT_RESET:
		ret = hot_reset_check(vdev, (void __user *)arg);
		return ret ?: user_reset(dev, INSTINCT_VFIO_CAUSE_HOT_RESET);
	case VFIO_DEVICE_IOEVENTFD:
		/*
		 * vfio-pci-core takes an offset from 2^63 on for that of a BAR before
		 * the first one, and reads beside its tables; checking it here would
		 * leave its user the time to change it. And what it sets up writes to
		 * a BAR at any time, in a reset as well. No VMM needs it for a GPU.
		 */
		return -ENOTTY;
	}
	ret = vfio_pci_core_ioctl(vdev, cmd, arg);
	if (!ret && cmd == VFIO_DEVICE_SET_IRQS)
		ret = instinct_reconcile_irqs(dev);
	return ret;
}

/*
 * Up to MIG_DEVICE_STATE a "get" only tells; DMA-BUF comes after it. A feature that this
 * driver has never heard of is taken to let others at the device.
 */
static bool may_share(u32 flags)
{
	return !(flags & VFIO_DEVICE_FEATURE_PROBE) &&
	       (flags & VFIO_DEVICE_FEATURE_SET ||
		(flags & VFIO_DEVICE_FEATURE_MASK) > VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE);
}

static int user_feature(struct vfio_device *vdev, u32 flags, void __user *arg, size_t argsz)
{
	if (may_share(flags))
		instinct_device_touch(device_of(vdev), INSTINCT_TOUCHED_SHARED);
	return vfio_pci_core_ioctl_feature(vdev, flags, arg, argsz);
}

static bool is_config(loff_t pos)
{
	return VFIO_PCI_OFFSET_TO_INDEX(pos) == VFIO_PCI_CONFIG_REGION_INDEX;
}

/*
 * Before an access: the caller waits for a reset where it can be killed, and an access to
 * a BAR makes the device dirty. A lost device's config space may be read, as all ones.
 */
static int user_access(struct instinct_device *dev, loff_t pos, bool write)
{
	int ret = instinct_owner_wait_idle(dev);

	if (is_config(pos))
		return ret == -EIO && !write ? 0 : ret;
	if (!ret)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return ret;
}

static ssize_t user_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *ppos)
{
	int ret = user_access(device_of(vdev), *ppos, false);

	return ret ?: vfio_pci_core_read(vdev, buf, count, ppos);
}

/* Does the user write a byte of the config space so that its bits under a mask are these? */
static bool writes(const char __user *buf, u64 at, size_t count, u64 where, u8 mask, u8 bits)
{
	u8 val;

	return where >= at && where < at + count && !get_user(val, buf + (where - at)) &&
	       (val & mask) == bits;
}

/* vfio-pci-core does not look at whether the PCI core got the GPU out of D3hot. */
static ssize_t user_write_config(struct vfio_device *vdev, const char __user *buf,
				 size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK;
	ssize_t ret = vfio_pci_core_write(vdev, buf, count, ppos);

	if (ret <= 0 || READ_ONCE(dev->pdev->current_state) != PCI_D3hot ||
	    !writes(buf, at, count, dev->pdev->pm_cap + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 0))
		return ret;
	*ppos -= ret;
	ret = instinct_reconcile_power(dev);
	return ret ?: vfio_pci_core_write(vdev, buf, count, ppos);
}

/* What the user has written holds when the user goes on. */
static ssize_t user_written(struct instinct_device *dev, const char __user *buf, u64 at,
			    ssize_t written)
{
	int ret = written > 0 ? instinct_reconcile_written(dev, at, written, buf) : 0;

	return ret ?: written;
}

static ssize_t user_write(struct vfio_device *vdev, const char __user *buf,
			  size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 control = pci_pcie_cap(dev->pdev) + PCI_EXP_DEVCTL;
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK;
	struct instinct_request request;
	ssize_t ret = user_access(dev, *ppos, true);
	bool touches;

	if (ret)
		return ret;
	if (!is_config(*ppos)) {
		ret = vfio_pci_core_write(vdev, buf, count, ppos);
		/* A reset may come between any two words of it. */
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
		return ret;
	}
	touches = instinct_config_table_touches(&dev->config.table, at, count);
	if (touches)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	/* It cannot reach the virtual Device Control register, with its FLR. */
	if (likely(at >= control + sizeof(u16) || at + count <= control)) {
		ret = user_write_config(vdev, buf, count, ppos);
		/* A reset may have come in between. */
		if (touches)
			instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
		return user_written(dev, buf, at, ret);
	}

	instinct_request_begin(dev, &request, INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ret = vfio_pci_core_write(vdev, buf, count, ppos);
	instinct_request_end(dev, &request);
	/* vfio-pci-core hands it to the PCI core, and that to nobody if "reset_method" is empty. */
	if (ret > 0 && !request.seen && !dev->pdev->reset_methods[0] &&
	    writes(buf, at, count, control + 1, PCI_EXP_DEVCTL_BCR_FLR >> 8,
		   PCI_EXP_DEVCTL_BCR_FLR >> 8))
		instinct_request_directly(dev, &request);
	if (!request.seen)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return user_written(dev, buf, at, ret);
}

static struct instinct_variant *variant_of_vma(struct vm_area_struct *vma)
{
	struct vfio_pci_core_device *core = vma->vm_private_data;

	return container_of(core, struct instinct_variant, core);
}

/*
 * A BAR is about to be mapped, by a page of this order. Who waits for a reset does so
 * without the mmap_lock, which zapping the mappings needs, and can be killed.
 */
static vm_fault_t mapping_serve(struct vm_fault *vmf, unsigned int order)
{
	struct instinct_variant *variant = variant_of_vma(vmf->vma);
	struct instinct_device *dev = variant->dev;
	struct file *file;
	vm_fault_t ret;

	if (!instinct_owner_is_idle(dev) && vmf->flags & FAULT_FLAG_ALLOW_RETRY) {
		if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
			return VM_FAULT_RETRY;
		/* Neither the mapping nor the device is held by anything else then. */
		file = get_file(vmf->vma->vm_file);
		instinct_compat_release_fault_lock(vmf);
		instinct_owner_wait_idle(dev);
		fput(file);
		return VM_FAULT_RETRY;
	}
	if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
		return VM_FAULT_SIGBUS;
	/* What is mapped for the processor can be mapped by the IOMMU without another fault. */
	instinct_device_touch(dev, INSTINCT_TOUCHED_REACHED);
	instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	ret = order ? instinct_compat_huge_fault(variant->mmap_ops, vmf, order) :
		      variant->mmap_ops->fault(vmf);
	/* It may have waited for a reset, and have the BAR mapped only after it. */
	if (!(ret & VM_FAULT_ERROR)) {
		instinct_device_touch(dev, INSTINCT_TOUCHED_REACHED);
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	}
	return ret;
}

static vm_fault_t mapping_fault(struct vm_fault *vmf)
{
	return mapping_serve(vmf, 0);
}

static vm_fault_t __maybe_unused mapping_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	return instinct_compat_has_huge_fault(variant_of_vma(vmf->vma)->mmap_ops) ?
	       mapping_serve(vmf, order) : VM_FAULT_FALLBACK;
}

static void mapping_vma_open(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->open)
		ops->open(vma);
}

static void mapping_vma_close(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->close)
		ops->close(vma);
}

static const struct vm_operations_struct mapping_ops = {
	.open = mapping_vma_open,
	.close = mapping_vma_close,
	.fault = mapping_fault,
	INSTINCT_COMPAT_HUGE_FAULT(mapping_huge_fault)};

/*
 * A first access has to be seen: until it the device may be clean still, and every later
 * reset depends on it. So a mapping that this driver cannot follow is refused.
 */
static int user_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	int ret;

	instinct_device_touch(variant->dev, INSTINCT_TOUCHED_MAPPED);
	ret = vfio_pci_core_mmap(vdev, vma);
	if (ret)
		return ret;
	if (!vma->vm_ops || !vma->vm_ops->fault || vma->vm_private_data != &variant->core) {
		dev_err_ratelimited(&variant->dev->pdev->dev,
				    "a mapping of a BAR is refused: this kernel's vfio-pci-core makes it in a way that this driver cannot follow (see docs/kernels.md)\n");
		return -EOPNOTSUPP;
	}
	/* The same for all BARs of all devices. */
	WRITE_ONCE(variant->mmap_ops, vma->vm_ops);
	vma->vm_ops = &mapping_ops;
	return 0;
}

/* The domain that its user brings, and with it ATS, may come only now. */
static int __maybe_unused user_attach_ioas(struct vfio_device *vdev, u32 *id)
{
	int ret = instinct_compat_attach_ioas(vdev, id);

	if (ret)
		return ret;
	ret = instinct_isolation_admit(device_of(vdev), true);
	if (ret)
		instinct_compat_detach_ioas(vdev);
	return ret;
}

static int __maybe_unused user_pasid_attach_ioas(struct vfio_device *vdev, u32 pasid, u32 *id)
{
	int ret = instinct_compat_pasid_attach_ioas(vdev, pasid, id);

	if (ret)
		return ret;
	ret = instinct_isolation_admit(device_of(vdev), true);
	if (ret)
		instinct_compat_pasid_detach_ioas(vdev, pasid);
	return ret;
}

const struct vfio_device_ops instinct_user_ops = {
	.name = KBUILD_MODNAME,
	.init = vfio_pci_core_init_dev,
	.release = vfio_pci_core_release_dev,
	.open_device = instinct_session_open,
	.close_device = instinct_session_close,
	.ioctl = user_ioctl,
	.device_feature = user_feature,
	.read = user_read,
	.write = user_write,
	.mmap = user_mmap,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS(user_attach_ioas, user_pasid_attach_ioas)};
