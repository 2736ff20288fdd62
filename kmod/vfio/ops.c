// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>

#include "compat/fault.h"
#include "compat/iommufd.h"
#include "device/config_reconcile.h"
#include "device/owner.h"
#include "isolation/isolation.h"
#include "reset/reset.h"
#include "vfio/driver.h"

/* A late write to PM Control is looked for so often, so far apart. */
#define SLEEP_TRIES	50
#define SLEEP_PAUSE_MS	20
/* A sysfs reset holds the device lock, so an open may have to wait for as long as a reset takes. */
#define OPEN_RETRY_US	(20 * USEC_PER_MSEC)

static struct instinct_device *device_of(struct vfio_device *vdev)
{
	return instinct_variant_of(vdev)->dev;
}

/*
 * Announces a call into the PCI core that will reset the device. @request stays on the caller's stack
 * until request_end(), and its outcome can be read afterwards.
 */
static void request_begin(struct instinct_device *dev, struct instinct_request *request,
			  struct instinct_reset *reset)
{
	*request = (struct instinct_request) { .task = current, .reset = reset, .outcome = 1 };
	spin_lock(&dev->status_lock);
	/*
	 * The PCI core calls reset_prepare() only if "reset_method" is not empty, which an operator may
	 * have made it.
	 */
	if (!dev->pdev->reset_methods[0])
		dev->pdev->reset_methods[0] = INSTINCT_METHOD_REFUSES;
	list_add(&request->node, &dev->requests);
	spin_unlock(&dev->status_lock);
}

static void request_end(struct instinct_device *dev, struct instinct_request *request)
{
	spin_lock(&dev->status_lock);
	list_del(&request->node);
	if (list_empty(&dev->requests) && dev->pdev->reset_methods[0] == INSTINCT_METHOD_REFUSES)
		dev->pdev->reset_methods[0] = 0;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_request_reset() - reset an open device in the same way as its user's own request
 * @dev: device
 * @reset: the reset to do; its outcome is set
 *
 * VFIO zaps the user's mappings, and holds the user off during the reset.
 *
 * Context: may sleep, up to the end of the reset.
 *
 * Return: 0 or a negative errno.
 */
int instinct_request_reset(struct instinct_device *dev, struct instinct_reset *reset)
{
	struct instinct_request request;
	long ret;

	request_begin(dev, &request, reset);
	ret = vfio_pci_core_ioctl(dev->vdev, VFIO_DEVICE_RESET, 0);
	request_end(dev, &request);
	return request.outcome > 0 ? ret : request.outcome;
}

/*
 * Lets vfio-pci-core disable the device without a reset: the PCI core's methods would refuse, and
 * the engine resets once VFIO has let go.
 */
static void session_disable(struct instinct_variant *variant)
{
	variant->core.reset_works = false;
	vfio_pci_core_disable(&variant->core);
}

/*
 * Resets the device, and then enables it. In the other order vfio-pci-core would go on with a
 * device that the reset has lost, and log each capability that it makes of all ones. Until this
 * function returns, no user can write to the device.
 */
static int session_reset(struct instinct_variant *variant)
{
	struct instinct_device *dev = variant->dev;
	u32 *command = instinct_config_command(&dev->config);
	struct instinct_reset reset = {
		.cause = INSTINCT_VFIO_CAUSE_OPEN,
		.requester = instinct_owner_asks(dev),
	};
	int ret;

	ret = instinct_owner_hold_config(dev, INSTINCT_VFIO_READY_TIMEOUT_MAX);
	if (ret)
		return ret;
	ret = instinct_reset_run(dev, &reset);
	pci_cfg_access_unlock(dev->pdev);
	if (ret) {
		if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_QUARANTINED)
			ret = -EACCES;
		return ret == -EACCES || ret == -EBUSY || ret == -ENOMEM ? ret : -EIO;
	}
	/* vfio-pci-core hands the device over with memory decoding on and bus mastering off. */
	mutex_lock(&dev->reset_lock);
	*command = (*command & ~PCI_COMMAND_MASTER) | PCI_COMMAND_MEMORY;
	mutex_unlock(&dev->reset_lock);
	/* remove() holds the lock that this waits for, and waits for this open. */
	read_poll_timeout(vfio_pci_core_enable, ret,
			  ret != -EAGAIN || READ_ONCE(variant->leaving) ||
			  fatal_signal_pending(current),
			  OPEN_RETRY_US, (u64)INSTINCT_VFIO_READY_TIMEOUT_MAX * USEC_PER_MSEC, false, &variant->core);
	if (ret)
		return ret;
	/* The PCI core has found no method that works, but this driver can reset the device. */
	variant->core.reset_works = true;
	/* The registers that both cores have written meanwhile must hold: decoding, no DMA. */
	ret = instinct_owner_hold_config(dev, INSTINCT_OWNER_CONFIG_MS);
	if (!ret) {
		ret = instinct_reconcile_all(dev);
		pci_cfg_access_unlock(dev->pdev);
	}
	if (ret)
		session_disable(variant);
	return ret;
}

/*
 * The user gets the GPU only after a reset, and after the isolation that policy requires was
 * checked.
 */
static int session_open(struct vfio_device *vdev)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	struct instinct_device *dev = variant->dev;
	int ret;

	ret = instinct_owner_open(dev);
	if (ret)
		return ret;
	ret = instinct_isolation_admit(dev, !instinct_compat_awaits_ioas(vdev)) ?:
	      session_reset(variant);
	if (!ret) {
		ret = instinct_owner_hand_over(dev);
		if (ret)
			session_disable(variant);
	}
	if (ret) {
		instinct_owner_leave(dev);
		return ret;
	}
	vfio_pci_core_finish_enable(&variant->core);
	return 0;
}

/*
 * The user's last close. vfio-pci-core would end it with an FLR that bypasses reset_prepare(), so
 * the driver tells it that no reset works. The engine resets once vfio-pci-core has let go, by
 * default in the background: the next open waits for it.
 */
static void session_close(struct vfio_device *vdev)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	struct instinct_device *dev = variant->dev;
	struct instinct_status status;

	instinct_owner_begin_close(dev);
	instinct_device_status(dev, &status);
	get_pid(status.user.process);
	dev->reset_work.domain = iommu_get_domain_for_dev(&dev->pdev->dev);

	variant->core.reset_works = false;
	vfio_pci_core_close_device(vdev);

	instinct_owner_leave(dev);
	instinct_reset_start(dev, &(struct instinct_reset) {
					.cause = INSTINCT_VFIO_CAUSE_CLOSE, .requester = status.user });
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_NONE)
		flush_work(&dev->reset_work.work);
	put_pid(status.user.process);
}

static int user_reset(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_held held = { .done = COMPLETION_INITIALIZER_ONSTACK(held.done) };
	struct instinct_reset reset = { .cause = cause };
	struct instinct_status status;
	int ret;

	/*
	 * This is the fast path for a clean device. The module does nothing to the device, so it neither
	 * holds the user off nor zaps mappings. An access at the same time counts as one after the reset.
	 */
	if (!test_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched) && pci_cfg_access_trylock(dev->pdev)) {
		reset.spare_only = true;
		ret = instinct_reset_run(dev, &reset);
		pci_cfg_access_unlock(dev->pdev);
		if (!ret)
			return 0;
		reset = (struct instinct_reset) { .cause = cause };
	}
	reset.requester = instinct_owner_asks(dev);
	instinct_device_status(dev, &status);
	/*
	 * With overlap = all, return once the device is held. The reset of a lost device is waited
	 * for all the same, since its user needs the outcome.
	 */
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_ALL &&
	    status.state == INSTINCT_VFIO_STATE_READY) {
		if (!instinct_owner_take(dev, &reset.requester))
			return -EAGAIN;
		reset.held = &held;
		instinct_reset_start(dev, &reset);
		wait_for_completion(&held.done);
		return held.error;
	}
	return instinct_request_reset(dev, &reset);
}

/*
 * VFIO_DEVICE_GET_PCI_HOT_RESET_INFO. vfio-pci-core would offer a reset of the slot or bus, but this
 * driver does not let the PCI core do that. The engine resets all functions below the package's SWDS,
 * so the driver offers a hot reset only if the GPU is the only function on its bus.
 */
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

	if (copy_from_user(&header, arg, minsz))
		return -EFAULT;
	if (header.argsz < minsz)
		return -EINVAL;
	if (!list_is_singular(&pdev->bus->devices))
		return -ENODEV;

	header.flags = 0;
	header.count = 1;
	if (header.argsz - sizeof(header) < sizeof(info))
		return copy_to_user(arg, &header, minsz) ? -EFAULT : -ENOSPC;

	if (instinct_compat_cdev_opened(vdev))
		header.flags = instinct_compat_dependent_id(vdev, &info);
	else
		info.group_id = iommu_group_id(pdev->dev.iommu_group);
	return copy_to_user(user->devices, &info, sizeof(info)) ||
	       copy_to_user(arg, &header, minsz) ? -EFAULT : 0;
}

/*
 * Checks a VFIO_DEVICE_PCI_HOT_RESET by VFIO's rules. A caller that has opened the device through
 * its group has to pass the group's fd, and no more fds than there are functions. A caller that has
 * opened it by its character device passes no fd, and owns the device.
 */
static int hot_reset_check(struct vfio_device *vdev, void __user *arg)
{
	struct vfio_pci_hot_reset __user *user = arg;
	unsigned long minsz = offsetofend(struct vfio_pci_hot_reset, count);
	bool cdev = instinct_compat_cdev_opened(vdev), owned;
	struct vfio_pci_hot_reset header;
	struct file *file;
	s32 fd;

	if (copy_from_user(&header, arg, minsz))
		return -EFAULT;
	if (header.argsz < minsz || header.flags)
		return -EINVAL;
	if (!list_is_singular(&device_of(vdev)->pdev->bus->devices))
		return -ENODEV;
	if (header.count != !cdev)
		return -EINVAL;
	if (cdev)
		return 0;

	if (get_user(fd, user->group_fds))
		return -EFAULT;
	file = fget(fd);
	if (!file)
		return -EBADF;
	owned = vfio_file_is_group(file) && vfio_file_has_dev(file, vdev);
	fput(file);
	return owned ? 0 : -EINVAL;
}

static long user_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct instinct_device *dev = device_of(vdev);
	long ret = instinct_owner_wait_idle(dev);

	/* A reset may bring a lost device back, so -EIO must not end the ioctl. */
	if (ret && ret != -EIO)
		return ret;

	switch (cmd) {
	case VFIO_DEVICE_RESET:
		return user_reset(dev, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	case VFIO_DEVICE_GET_PCI_HOT_RESET_INFO:
		return hot_reset_info(vdev, (void __user *)arg);
	case VFIO_DEVICE_PCI_HOT_RESET:
		return hot_reset_check(vdev, (void __user *)arg) ?:
		       user_reset(dev, INSTINCT_VFIO_CAUSE_HOT_RESET);
	case VFIO_DEVICE_IOEVENTFD:
		/*
		 * A defect in vfio-pci-core makes this ioctl dangerous for the host's kernel
		 * (docs/upstream.md), and a check here would not help. An ioeventfd also writes to a
		 * BAR at any time, even during a reset. No VMM needs it for a GPU.
		 */
		return -ENOTTY;
	}
	ret = vfio_pci_core_ioctl(vdev, cmd, arg);
	if (ret || cmd != VFIO_DEVICE_SET_IRQS)
		return ret;
	if (dev->pdev->msi_enabled || dev->pdev->msix_enabled)
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	return instinct_reconcile_user(dev, INSTINCT_CONFIG_IRQS);
}

/*
 * Features up to MIG_DEVICE_STATE only read on GET. A later one, such as DMA_BUF or a feature
 * unknown to this driver, counts as a way for others to reach the device.
 */
static int user_feature(struct vfio_device *vdev, u32 flags, void __user *arg, size_t argsz)
{
	int ret = vfio_pci_core_ioctl_feature(vdev, flags, arg, argsz);

	/* A VMM may ask for a newer kernel's feature. One that vfio-pci-core lacks changes nothing. */
	if (ret >= 0 && !(flags & VFIO_DEVICE_FEATURE_PROBE) &&
	    (flags & VFIO_DEVICE_FEATURE_SET ||
	     (flags & VFIO_DEVICE_FEATURE_MASK) > VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE))
		set_bit(INSTINCT_TOUCHED_SHARED, &device_of(vdev)->touched);
	return ret;
}

static bool is_config(loff_t pos)
{
	return VFIO_PCI_OFFSET_TO_INDEX(pos) == VFIO_PCI_CONFIG_REGION_INDEX;
}

/*
 * Before an access, waits for a reset under way, killably, and marks the device dirty if the
 * access is to a BAR. Reads of a lost device's config space pass, and give all ones.
 */
static int user_access(struct instinct_device *dev, loff_t pos, bool write)
{
	int ret = instinct_owner_wait_idle(dev);

	if (is_config(pos))
		return ret == -EIO && !write ? 0 : ret;
	if (!ret)
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	return ret;
}

static ssize_t user_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *ppos)
{
	int ret = user_access(device_of(vdev), *ppos, false);

	return ret ?: vfio_pci_core_read(vdev, buf, count, ppos);
}

/* Does the user write the byte at @where so that its bits under @mask equal @bits? */
static bool writes(const char __user *buf, u64 at, size_t count, u64 where, u8 mask, u8 bits)
{
	u8 val;

	return where >= at && where < at + count && !get_user(val, buf + (where - at)) &&
	       (val & mask) == bits;
}

/*
 * vfio-pci-core does not check that a write to PM Control took the GPU into D3hot, or out of it;
 * this does. Behind a switch that delays writes the PCI core finds a GPU in D0 that falls asleep
 * afterwards, so the write is repeated. A GPU that stays in D0 stays awake, as with stock.
 */
static ssize_t user_write_config(struct vfio_device *vdev, const char __user *buf,
				 size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK, control = dev->pdev->pm_cap + PCI_PM_CTRL;
	bool sleeps = dev->pdev->pm_cap && writes(buf, at, count, control,
						  PCI_PM_CTRL_STATE_MASK, (__force u8)PCI_D3hot);
	ssize_t ret = vfio_pci_core_write(vdev, buf, count, ppos);
	unsigned int tries = SLEEP_TRIES;

	while (ret > 0 && sleeps && READ_ONCE(dev->pdev->current_state) != PCI_D3hot && tries--) {
		msleep(SLEEP_PAUSE_MS);
		*ppos -= ret;
		ret = instinct_owner_wait_idle(dev) ?: vfio_pci_core_write(vdev, buf, count, ppos);
	}
	if (ret <= 0 || READ_ONCE(dev->pdev->current_state) != PCI_D3hot ||
	    !writes(buf, at, count, control, PCI_PM_CTRL_STATE_MASK, 0))
		return ret;
	*ppos -= ret;
	ret = instinct_reconcile_user(dev, ~INSTINCT_CONFIG_IRQS);
	return ret ?: vfio_pci_core_write(vdev, buf, count, ppos);
}

static ssize_t user_write(struct vfio_device *vdev, const char __user *buf,
			  size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK, control = pci_pcie_cap(dev->pdev) + PCI_EXP_DEVCTL;
	ssize_t ret = user_access(dev, *ppos, true);
	bool touches;

	if (ret)
		return ret;
	if (!is_config(*ppos)) {
		ret = vfio_pci_core_write(vdev, buf, count, ppos);
		/* A reset may have come between any two words of the access. */
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
		return ret;
	}
	touches = instinct_config_table_touches(&dev->config.table, at, count);
	if (touches)
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	/* This access cannot reach Initiate FLR in the virtual Device Control register. */
	if (likely(at >= control + sizeof(u16) || at + count <= control)) {
		ret = user_write_config(vdev, buf, count, ppos);
	} else {
		struct instinct_reset reset = {
			.cause = INSTINCT_VFIO_CAUSE_GUEST_FLR,
			.requester = instinct_owner_asks(dev),
		};
		struct instinct_request request;

		request_begin(dev, &request, &reset);
		ret = vfio_pci_core_write(vdev, buf, count, ppos);
		request_end(dev, &request);
		touches = request.outcome > 0;
	}
	/* A reset may have come between the mark above and the write. */
	if (touches)
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	/* The user can rely on what it wrote: the registers hold it now. */
	return ret > 0 ? instinct_reconcile_written(dev, at, ret, buf) ?: ret : ret;
}

static struct instinct_variant *variant_of_vma(struct vm_area_struct *vma)
{
	return container_of(vma->vm_private_data, struct instinct_variant, core);
}

/*
 * Maps a page of this order of a BAR. A fault waits for a reset killably, and without the
 * mmap_lock, which VFIO needs to zap the mappings.
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
		/* Without the lock, only this reference keeps the mapping and the device. */
		file = get_file(vmf->vma->vm_file);
		instinct_compat_release_fault_lock(vmf);
		instinct_owner_wait_idle(dev);
		fput(file);
		return VM_FAULT_RETRY;
	}
	if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
		return VM_FAULT_SIGBUS;
	/* The IOMMU can map the pages of a CPU mapping without another fault. */
	set_bit(INSTINCT_TOUCHED_REACHED, &dev->touched);
	set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	ret = order ? instinct_compat_huge_fault(variant->mmap_ops, vmf, order) :
		      variant->mmap_ops->fault(vmf);
	/* The handler may have waited for a reset, and have mapped the BAR after it. */
	if (!(ret & VM_FAULT_ERROR)) {
		set_bit(INSTINCT_TOUCHED_REACHED, &dev->touched);
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	}
	return ret;
}

static vm_fault_t mapping_fault(struct vm_fault *vmf)
{
	return mapping_serve(vmf, 0);
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
	INSTINCT_COMPAT_HUGE_FAULT(mapping_serve)};

/*
 * The driver has to see the first access by a mapping: until then the device counts as clean, and
 * the driver may spare resets. So it refuses a mapping whose faults it cannot intercept.
 */
static int user_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	int ret;

	set_bit(INSTINCT_TOUCHED_MAPPED, &variant->dev->touched);
	ret = vfio_pci_core_mmap(vdev, vma);
	if (ret)
		return ret;
	if (!vma->vm_ops || !vma->vm_ops->fault || vma->vm_private_data != &variant->core) {
		dev_err_ratelimited(&variant->dev->pdev->dev,
				    "a mapping of a BAR is refused: this kernel's vfio-pci-core makes it in a way that this driver cannot follow (see docs/kernels.md)\n");
		return -EOPNOTSUPP;
	}
	/* vfio-pci-core uses the same operations for all BARs of all devices. */
	WRITE_ONCE(variant->mmap_ops, vma->vm_ops);
	vma->vm_ops = &mapping_ops;
	return 0;
}

/* With iommufd, a user's IOMMU domain, and ATS with it, may come after the open. */
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

static int user_init(struct vfio_device *vdev)
{
	instinct_compat_set_pci_ops(&instinct_variant_of(vdev)->core);
	return vfio_pci_core_init_dev(vdev);
}

const struct vfio_device_ops instinct_user_ops = {
	.name = KBUILD_MODNAME,
	.init = user_init,
	.release = vfio_pci_core_release_dev,
	.open_device = session_open,
	.close_device = session_close,
	.ioctl = user_ioctl,
	.device_feature = user_feature,
	.read = user_read,
	.write = user_write,
	.mmap = user_mmap,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS(user_attach_ioas, user_pasid_attach_ioas)};
