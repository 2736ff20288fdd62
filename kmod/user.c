// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>

#include "compat/iommufd.h"
#include "compat/vfio_ops.h"
#include "errand.h"
#include "hot_reset.h"
#include "isolation.h"
#include "mapping.h"
#include "owner.h"
#include "reconcile.h"
#include "request.h"
#include "reset.h"
#include "session.h"
#include "user.h"
#include "variant.h"

static struct instinct_device *device_of(struct vfio_device *vdev)
{
	return instinct_variant_of(vdev)->dev;
}

/* overlap = all: return once the device is held. */
static int user_reset_overlapped(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_status status;
	struct instinct_held held;

	instinct_device_status(dev, &status);
	if (!instinct_owner_take(dev, status.user))
		return -EAGAIN;
	held.error = 0;
	init_completion(&held.done);
	instinct_errand_start(dev, cause, NULL, task_tgid(current), &held);
	wait_for_completion(&held.done);
	return held.error;
}

static int user_reset_now(struct instinct_device *dev, enum instinct_vfio_cause cause)
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

static long user_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct instinct_device *dev = device_of(vdev);
	int ret = instinct_owner_wait_idle(dev);
	long done;

	/* A reset may bring a lost device back. */
	if (ret == -EIO)
		ret = 0;
	if (ret)
		return ret;

	switch (cmd) {
	case VFIO_DEVICE_RESET:
		return user_reset(dev, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	case VFIO_DEVICE_GET_PCI_HOT_RESET_INFO:
		return instinct_hot_reset_info(vdev, (void __user *)arg);
	case VFIO_DEVICE_PCI_HOT_RESET:
		return user_hot_reset(vdev, arg);
	case VFIO_DEVICE_IOEVENTFD:
		/*
		 * vfio-pci-core takes an offset from 2^63 on for that of a BAR before
		 * the first one, and reads beside its tables; checking it here would
		 * leave its user the time to change it. And what it sets up writes to
		 * a BAR at any time, in a reset as well. No VMM needs it for a GPU.
		 */
		return -ENOTTY;
	}
	done = vfio_pci_core_ioctl(vdev, cmd, arg);
	if (!done && cmd == VFIO_DEVICE_SET_IRQS)
		done = instinct_reconcile_irqs(dev);
	return done;
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
	return overlaps(at, count, pci_pcie_cap(pdev) + PCI_EXP_DEVCTL, sizeof(u16));
}

/* Return: what the user writes to an offset of the config space, negative if nothing. */
static int byte_written(const char __user *buf, u64 at, size_t count, u64 where)
{
	u8 bits;

	return where < at || where >= at + count || get_user(bits, buf + (where - at)) ? -1 : bits;
}

/* Which vfio-pci-core hands to the PCI core, and then to nobody if "reset_method" is empty. */
static bool asks_for_flr(struct pci_dev *pdev, const char __user *buf, u64 at, size_t count)
{
	int bits = byte_written(buf, at, count, pci_pcie_cap(pdev) + PCI_EXP_DEVCTL + 1);

	return bits >= 0 && bits & (PCI_EXP_DEVCTL_BCR_FLR >> 8);
}

static bool asks_for_d0(struct pci_dev *pdev, const char __user *buf, u64 at, size_t count)
{
	int bits = byte_written(buf, at, count, pdev->pm_cap + PCI_PM_CTRL);

	return bits >= 0 && !(bits & PCI_PM_CTRL_STATE_MASK);
}

/* vfio-pci-core does not look at whether the PCI core got the GPU out of D3hot. */
static ssize_t user_write_config(struct vfio_device *vdev, const char __user *buf,
				 size_t count, loff_t *ppos)
{
	struct instinct_device *dev = device_of(vdev);
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK;
	ssize_t ret = vfio_pci_core_write(vdev, buf, count, ppos);

	if (ret <= 0 || READ_ONCE(dev->pdev->current_state) != PCI_D3hot ||
	    !asks_for_d0(dev->pdev, buf, at, count))
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
	u64 at = *ppos & VFIO_PCI_OFFSET_MASK;
	struct instinct_request request;
	ssize_t ret = user_access(dev, *ppos, true);
	bool touches;

	if (ret)
		return ret;
	if (!is_config(*ppos))
		return user_write_bar(vdev, buf, count, ppos);
	touches = instinct_config_table_touches(&dev->config.table, at, count);
	if (touches)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	if (likely(!may_be_flr(dev->pdev, at, count))) {
		ret = user_write_config(vdev, buf, count, ppos);
		/* A reset may have come in between. */
		if (touches)
			instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
		return user_written(dev, buf, at, ret);
	}

	instinct_request_begin(dev, &request, INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ret = vfio_pci_core_write(vdev, buf, count, ppos);
	instinct_request_end(dev, &request);
	if (ret > 0 && !request.seen && !dev->pdev->reset_methods[0] &&
	    asks_for_flr(dev->pdev, buf, at, count))
		instinct_request_directly(dev, &request);
	if (!request.seen)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return user_written(dev, buf, at, ret);
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
	.mmap = instinct_mapping_make,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS(user_attach_ioas, user_pasid_attach_ioas)};
