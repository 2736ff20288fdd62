// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pm_runtime.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>

#include "compat/fault.h"
#include "compat/iommufd.h"
#include "compat/vfio_ops.h"
#include "claim.h"
#include "errand.h"
#include "guards.h"
#include "hot_reset.h"
#include "isolation.h"
#include "request.h"
#include "rescan.h"
#include "reset.h"
#include "user.h"

/* An open finds the device lock taken for as long as a sysfs reset takes. */
#define OPEN_RETRY_MS	20

static struct instinct_variant *variant_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct instinct_variant, core.vdev);
}

static struct instinct_device *device_of(struct vfio_device *vdev)
{
	return variant_of(vdev)->dev;
}

/* The capabilities are looked at while nobody else can reset it. */
static int user_reset_to_open(struct instinct_device *dev)
{
	struct instinct_reset reset = {
		.cause = INSTINCT_VFIO_CAUSE_OPEN,
		.requester = task_tgid(current),
		.zapped = true,
	};
	int ret;

	pci_cfg_access_lock(dev->pdev);
	ret = instinct_reset_run(dev, &reset);
	if (!ret)
		ret = instinct_guard_hold_caps(dev->guard);
	pci_cfg_access_unlock(dev->pdev);
	return ret;
}

static int user_enable(struct instinct_variant *variant)
{
	u32 timeout = INSTINCT_VFIO_READY_TIMEOUT_MAX, waited = 0;
	int ret;

	for (;;) {
		ret = vfio_pci_core_enable(&variant->core);
		/* Who unbinds it has the lock that this waits for, and waits for this. */
		if (ret != -EAGAIN || waited >= timeout || READ_ONCE(variant->leaving) ||
		    fatal_signal_pending(current))
			return ret;
		msleep(OPEN_RETRY_MS);
		waited += OPEN_RETRY_MS;
	}
}

/*
 * The reset comes first: vfio-pci-core would go on with a device that the reset
 * has lost, and tell the kernel log of each capability that it makes of all ones.
 * Until this has returned, nobody but us can write to the device.
 */
static int user_open_reset(struct instinct_variant *variant)
{
	struct instinct_device *dev = variant->dev;
	struct device *gpu = &dev->pdev->dev;
	struct instinct_request request;
	int ret;

	pm_runtime_get_sync(gpu);
	ret = user_reset_to_open(dev);
	if (ret) {
		ret = ret == -EACCES || ret == -ENOMEM ? ret : -EIO;
		goto out;
	}
	instinct_request_begin(dev, &request, INSTINCT_VFIO_CAUSE_OPEN);
	request.settled = true;
	ret = user_enable(variant);
	instinct_request_end(dev, &request);
	instinct_guard_let_caps(dev->guard);
	/* Whatever "reset_method" says, this driver resets. */
	if (!ret)
		variant->core.reset_works = true;
out:
	pm_runtime_put_autosuspend(gpu);
	return ret;
}

/* What the PCI core does then is held back, as at a close. */
static void user_disable(struct instinct_variant *variant)
{
	struct instinct_device *dev = variant->dev;

	instinct_guard_hold_d3(dev->guard, true);
	vfio_pci_core_disable(&variant->core);
	instinct_guard_hold_d3(dev->guard, false);
}

static int user_open(struct vfio_device *vdev)
{
	struct instinct_variant *variant = variant_of(vdev);
	struct instinct_device *dev = variant->dev;
	int ret;

	ret = instinct_claim_begin_open(dev);
	if (ret)
		return ret;
	ret = instinct_isolation_admit(dev, !instinct_compat_awaits_ioas(vdev));
	if (ret) {
		instinct_claim_end_open(dev, false);
		return ret;
	}

	instinct_guard_own_begin(dev->guard);
	ret = user_open_reset(variant);
	if (!ret) {
		ret = instinct_claim_hand_over(dev);
		if (ret)
			user_disable(variant);
	}
	instinct_guard_own_end(dev->guard);
	if (ret) {
		instinct_claim_end_open(dev, false);
		instinct_rescan_start(dev);
		return ret;
	}
	vfio_pci_core_finish_enable(&variant->core);
	return 0;
}

/*
 * vfio-pci-core ends a close with an FLR that goes past reset_prepare(). The
 * guard holds it back; the engine resets once the core has let go, by default
 * in the background: the next open waits for it.
 */
static void user_close(struct vfio_device *vdev)
{
	struct instinct_device *dev = device_of(vdev);
	struct instinct_status status;
	struct pid *owner;

	instinct_claim_begin_close(dev);
	instinct_device_status(dev, &status);
	owner = get_pid(status.owner);
	instinct_errand_note_domain(dev);

	/* Else the device could be in D3hot when the engine comes. */
	pm_runtime_get_sync(&dev->pdev->dev);
	instinct_guards_check(dev);
	instinct_guard_own_begin(dev->guard);
	/* Nor is it reset by way of D3hot, whatever "reset_method" says. */
	instinct_guard_hold_d3(dev->guard, true);
	vfio_pci_core_close_device(vdev);
	instinct_guard_hold_d3(dev->guard, false);
	instinct_guard_own_end(dev->guard);

	instinct_claim_end_open(dev, true);
	instinct_errand_start(dev, INSTINCT_VFIO_CAUSE_CLOSE, NULL, owner, NULL);
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_NONE)
		instinct_errand_flush(dev);
	put_pid(owner);
}

/* overlap = all: return once the device is held. */
static int user_reset_overlapped(struct instinct_device *dev,
				 enum instinct_vfio_cause cause)
{
	struct instinct_status status;
	struct instinct_held held;

	instinct_device_status(dev, &status);
	if (!instinct_claim_held(dev, status.owner))
		return -EAGAIN;
	held.error = 0;
	init_completion(&held.done);
	instinct_errand_start(dev, cause, NULL, task_tgid(current), &held);
	wait_for_completion(&held.done);
	return held.error;
}

static int user_reset_now(struct instinct_device *dev,
			  enum instinct_vfio_cause cause)
{
	struct instinct_request request;

	instinct_request_begin(dev, &request, cause);
	return instinct_request_reset(dev, &request);
}

static int user_reset(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_status status;

	if (instinct_reset_spare(dev, cause))
		return 0;
	instinct_device_status(dev, &status);
	/* Who tries to bring a lost device back wants to know whether it worked. */
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_ALL &&
	    status.state == INSTINCT_VFIO_STATE_READY)
		return user_reset_overlapped(dev, cause);
	return user_reset_now(dev, cause);
}

static int user_hot_reset(struct vfio_device *vdev, unsigned long arg)
{
	int ret = instinct_hot_reset_check(vdev, (void __user *)arg);

	return ret ?: user_reset(device_of(vdev), INSTINCT_VFIO_CAUSE_HOT_RESET);
}

/* What a user has written to the config space has landed when he goes on. */
static long user_landed(struct instinct_device *dev, long ret)
{
	int settled = ret < 0 ? 0 : instinct_guard_settle(dev->guard);

	return settled ?: ret;
}

static long user_ioctl(struct vfio_device *vdev, unsigned int cmd,
		       unsigned long arg)
{
	struct instinct_device *dev = device_of(vdev);
	int ret = instinct_claim_wait_idle(dev);

	/* A reset may bring a lost device back. */
	if (ret == -EIO)
		ret = 0;
	if (ret)
		return ret;

	switch (cmd) {
	case VFIO_DEVICE_RESET:
		return user_landed(dev, user_reset(dev, INSTINCT_VFIO_CAUSE_VFIO_RESET));
	case VFIO_DEVICE_GET_PCI_HOT_RESET_INFO:
		return instinct_hot_reset_info(vdev, (void __user *)arg);
	case VFIO_DEVICE_PCI_HOT_RESET:
		return user_landed(dev, user_hot_reset(vdev, arg));
	case VFIO_DEVICE_IOEVENTFD:
		/*
		 * vfio-pci-core takes an offset from 2^63 on for that of a BAR before
		 * the first one, and reads beside its tables; checking it here would
		 * leave its user the time to change it. And what it sets up writes to
		 * a BAR at any time, in a reset as well. No VMM needs it for a GPU.
		 */
		return -ENOTTY;
	}
	return user_landed(dev, vfio_pci_core_ioctl(vdev, cmd, arg));
}

static int user_feature(struct vfio_device *vdev, u32 flags, void __user *arg,
			size_t argsz)
{
	if (instinct_touch_feature(flags))
		instinct_device_touch(device_of(vdev), INSTINCT_TOUCHED_SHARED);
	return vfio_pci_core_ioctl_feature(vdev, flags, arg, argsz);
}

static bool is_config(loff_t pos)
{
	return VFIO_PCI_OFFSET_TO_INDEX(pos) == VFIO_PCI_CONFIG_REGION_INDEX;
}

/*
 * Before an access: a device in reset is waited for where that can be killed,
 * and what goes to its BARs touches it. The config space of a lost device may
 * be looked at, it reads all ones; the guard refuses what is written to it.
 */
static int user_access(struct instinct_device *dev, loff_t pos)
{
	int ret = 0;

	if (unlikely(!instinct_claim_unhindered(dev)))
		ret = instinct_claim_wait_idle(dev);
	if (is_config(pos))
		return ret == -EIO ? 0 : ret;
	if (!ret)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return ret;
}

static ssize_t user_read(struct vfio_device *vdev, char __user *buf,
			 size_t count, loff_t *ppos)
{
	int ret = user_access(device_of(vdev), *ppos);

	return ret ?: vfio_pci_core_read(vdev, buf, count, ppos);
}

/*
 * To a BAR. A reset may come between any two words of it, so that the device is touched
 * after it too.
 */
static ssize_t user_write_bar(struct vfio_device *vdev, const char __user *buf,
			      size_t count, loff_t *ppos)
{
	ssize_t ret = vfio_pci_core_write(vdev, buf, count, ppos);

	instinct_device_touch(device_of(vdev), INSTINCT_TOUCHED_DIRTY);
	return ret;
}

static bool overlaps(u64 at, size_t count, unsigned int from, unsigned int len)
{
	return at < from + len && at + count > from;
}

/* Could this write reach the virtual Device Control register, with its FLR? */
static bool may_be_flr(struct pci_dev *pdev, u64 at, size_t count)
{
	return overlaps(at, count, pci_pcie_cap(pdev) + PCI_EXP_DEVCTL,
			sizeof(u16));
}

/* Which vfio-pci-core hands to the PCI core, and then to nobody if "reset_method" is empty. */
static bool asks_for_flr(struct pci_dev *pdev, const char __user *buf, u64 at,
			 size_t count)
{
	u64 high = pci_pcie_cap(pdev) + PCI_EXP_DEVCTL + 1;
	u8 bits;

	return at <= high && high < at + count && !get_user(bits, buf + (high - at)) &&
	       bits & (PCI_EXP_DEVCTL_BCR_FLR >> 8);
}

/* The guard lets Linux switch power states; a user who does touches the device. */
static bool is_power_state(struct pci_dev *pdev, u64 at, size_t count)
{
	return pdev->pm_cap && overlaps(at, count, pdev->pm_cap, PCI_PM_SIZEOF);
}

static ssize_t user_write(struct vfio_device *vdev, const char __user *buf,
			  size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK;
	struct instinct_request request;
	ssize_t ret = user_access(dev, *ppos);

	if (ret)
		return ret;
	if (!is_config(*ppos))
		return user_write_bar(vdev, buf, count, ppos);
	/* Capabilities come after the header. */
	if (at + count <= PCI_STD_HEADER_SIZEOF)
		return user_landed(dev, vfio_pci_core_write(vdev, buf, count,
							    ppos));
	if (is_power_state(dev->pdev, at, count))
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	if (likely(!may_be_flr(dev->pdev, at, count)))
		return user_landed(dev, vfio_pci_core_write(vdev, buf, count,
							    ppos));

	instinct_request_begin(dev, &request, INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ret = vfio_pci_core_write(vdev, buf, count, ppos);
	instinct_request_end(dev, &request);
	if (ret > 0 && !request.seen && !dev->pdev->reset_methods[0] &&
	    asks_for_flr(dev->pdev, buf, at, count))
		instinct_request_directly(dev, &request);
	return user_landed(dev, ret);
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

static struct instinct_variant *variant_of_vma(struct vm_area_struct *vma)
{
	struct vfio_pci_core_device *core = vma->vm_private_data;

	return container_of(core, struct instinct_variant, core);
}

/*
 * A BAR is about to be mapped. Who waits for a reset does so without the
 * mmap_lock, which zapping the mappings needs, and can be killed.
 */
static vm_fault_t user_before_fault(struct vm_fault *vmf)
{
	struct instinct_device *dev = variant_of_vma(vmf->vma)->dev;
	struct instinct_status status;
	struct file *file;

	if (!instinct_claim_is_idle(dev) &&
	    vmf->flags & FAULT_FLAG_ALLOW_RETRY) {
		if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
			return VM_FAULT_RETRY;
		/* Neither the mapping nor the device is held by anything else then. */
		file = get_file(vmf->vma->vm_file);
		instinct_compat_release_fault_lock(vmf);
		instinct_claim_wait_idle(dev);
		fput(file);
		return VM_FAULT_RETRY;
	}
	instinct_device_status(dev, &status);
	if (status.state == INSTINCT_VFIO_STATE_LOST)
		return VM_FAULT_SIGBUS;
	instinct_device_touch(dev, INSTINCT_TOUCHED_MAPPED);
	instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return 0;
}

/* It may have waited for a reset, and have the BAR mapped only after it. */
static vm_fault_t user_after_fault(struct vm_fault *vmf, vm_fault_t ret)
{
	if (!(ret & VM_FAULT_ERROR))
		instinct_device_touch(variant_of_vma(vmf->vma)->dev,
				      INSTINCT_TOUCHED_DIRTY);
	return ret;
}

static vm_fault_t user_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = user_before_fault(vmf);

	return ret ?: user_after_fault(vmf, variant_of_vma(vmf->vma)->mmap_ops->fault(vmf));
}

static vm_fault_t __maybe_unused user_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	const struct vm_operations_struct *ops =
		variant_of_vma(vmf->vma)->mmap_ops;
	vm_fault_t ret;

	if (!instinct_compat_has_huge_fault(ops))
		return VM_FAULT_FALLBACK;
	ret = user_before_fault(vmf);
	return ret ?: user_after_fault(vmf, instinct_compat_huge_fault(ops, vmf, order));
}

static void user_vma_open(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->open)
		ops->open(vma);
}

static void user_vma_close(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->close)
		ops->close(vma);
}

static const struct vm_operations_struct user_mmap_ops = {
	.open = user_vma_open,
	.close = user_vma_close,
	.fault = user_fault,
	INSTINCT_COMPAT_HUGE_FAULT(user_huge_fault)
};

static int user_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct instinct_variant *variant = variant_of(vdev);
	int ret = vfio_pci_core_mmap(vdev, vma);

	/* Regions other than BARs have no faults, and there are none here. */
	if (ret || !vma->vm_ops || !vma->vm_ops->fault ||
	    vma->vm_private_data != &variant->core)
		return ret;
	/* The same for all BARs of all devices. */
	WRITE_ONCE(variant->mmap_ops, vma->vm_ops);
	vma->vm_ops = &user_mmap_ops;
	return 0;
}

const struct vfio_device_ops instinct_user_ops = {
	.name = KBUILD_MODNAME,
	.init = vfio_pci_core_init_dev,
	.release = vfio_pci_core_release_dev,
	.open_device = user_open,
	.close_device = user_close,
	.ioctl = user_ioctl,
	.device_feature = user_feature,
	.read = user_read,
	.write = user_write,
	.mmap = user_mmap,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS(user_attach_ioas)
};
