// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/pid.h>

#include "compat/iommufd.h"
#include "device/config_reconcile.h"
#include "device/owner.h"
#include "isolation/isolation.h"
#include "reset/reset.h"
#include "vfio/driver.h"

/* A sysfs reset holds the device lock, so an open may have to wait for as long as a reset takes. */
#define OPEN_RETRY_US	(20 * USEC_PER_MSEC)

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
		.zapped = true,
	};
	struct instinct_request request;
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
	instinct_request_begin(dev, &request, NULL);
	/* vfio-pci-core hands the device over with memory decoding on and bus mastering off. */
	mutex_lock(&dev->reset_lock);
	*command = (*command & ~PCI_COMMAND_MASTER) | PCI_COMMAND_MEMORY;
	mutex_unlock(&dev->reset_lock);
	/* remove() holds the lock that this waits for, and waits for this open. */
	read_poll_timeout(vfio_pci_core_enable, ret,
			  ret != -EAGAIN || READ_ONCE(dev->status.life) >= INSTINCT_LIFE_LEAVING ||
			  fatal_signal_pending(current),
			  OPEN_RETRY_US, (u64)INSTINCT_VFIO_READY_TIMEOUT_MAX * USEC_PER_MSEC, false, &variant->core);
	instinct_request_end(dev, &request, false);
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

/**
 * instinct_session_open() - open a GPU for a user
 * @vdev: the GPU's VFIO device
 *
 * The user gets the GPU only after a reset, and after the isolation that policy requires was
 * checked.
 *
 * Context: may sleep, as long as a reset takes.
 *
 * Return: 0 or a negative errno.
 */
int instinct_session_open(struct vfio_device *vdev)
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
		instinct_owner_fail_open(dev);
		return ret;
	}
	vfio_pci_core_finish_enable(&variant->core);
	return 0;
}

/**
 * instinct_session_close() - close a GPU when its user has closed it for the last time
 * @vdev: the GPU's VFIO device
 *
 * vfio-pci-core would end the close with an FLR that bypasses reset_prepare(), so the driver tells
 * it that no reset works. The engine resets once vfio-pci-core has let go, by default in the
 * background: the next open waits for it.
 *
 * Context: may sleep.
 */
void instinct_session_close(struct vfio_device *vdev)
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

	instinct_owner_end_close(dev);
	instinct_work_start(dev, &(struct instinct_reset) {
					.cause = INSTINCT_VFIO_CAUSE_CLOSE, .requester = status.user });
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_NONE)
		instinct_work_flush(dev);
	put_pid(status.user.process);
}
