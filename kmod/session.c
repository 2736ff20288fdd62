// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/pid.h>
#include <linux/pm_runtime.h>

#include "compat/iommufd.h"
#include "errand.h"
#include "isolation.h"
#include "owner.h"
#include "reconcile.h"
#include "request.h"
#include "rescan.h"
#include "reset.h"
#include "session.h"
#include "variant.h"

/* An open finds the device lock taken for as long as a sysfs reset takes. */
#define OPEN_RETRY_US	(20 * USEC_PER_MSEC)
#define OPEN_WAIT_US	((u64)INSTINCT_VFIO_READY_TIMEOUT_MAX * USEC_PER_MSEC)

static int session_reset_to_open(struct instinct_device *dev)
{
	struct instinct_reset reset = {
		.cause = INSTINCT_VFIO_CAUSE_OPEN,
		.requester = task_tgid(current),
		.zapped = true,
	};
	int ret;

	pci_cfg_access_lock(dev->pdev);
	ret = instinct_reset_run(dev, &reset);
	pci_cfg_access_unlock(dev->pdev);
	return ret;
}

static int session_enable(struct instinct_variant *variant)
{
	enum instinct_life *life = &variant->dev->status.life;
	int ret;

	/* Who unbinds it has the lock that this waits for, and waits for this. */
	read_poll_timeout(vfio_pci_core_enable, ret,
			  ret != -EAGAIN || READ_ONCE(*life) >= INSTINCT_LIFE_LEAVING ||
			  fatal_signal_pending(current),
			  OPEN_RETRY_US, OPEN_WAIT_US, false, &variant->core);
	return ret;
}

/*
 * Without a reset. The PCI core's own would come to nothing, and the engine's comes once
 * vfio has let go.
 */
static void session_disable(struct instinct_variant *variant)
{
	variant->core.reset_works = false;
	vfio_pci_core_disable(&variant->core);
}

/*
 * The reset comes first: vfio-pci-core would go on with a device that the reset
 * has lost, and tell the kernel log of each capability that it makes of all ones.
 * Until this has returned, nobody but us can write to the device.
 */
static int session_reset(struct instinct_variant *variant)
{
	struct instinct_device *dev = variant->dev;
	u32 *command = instinct_config_command(&dev->config);
	struct device *gpu = &dev->pdev->dev;
	struct instinct_request request;
	int ret;

	pm_runtime_get_sync(gpu);
	ret = session_reset_to_open(dev);
	if (ret) {
		if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_QUARANTINED)
			ret = -EACCES;
		ret = ret == -EACCES || ret == -ENOMEM ? ret : -EIO;
		goto out;
	}
	instinct_request_begin(dev, &request, INSTINCT_VFIO_CAUSE_OPEN);
	request.settled = true;
	/* As vfio-pci-core hands it over. */
	mutex_lock(&dev->reset_lock);
	*command = (*command & ~PCI_COMMAND_MASTER) | PCI_COMMAND_MEMORY;
	mutex_unlock(&dev->reset_lock);
	ret = session_enable(variant);
	instinct_request_end(dev, &request);
	if (ret)
		goto out;
	/* The PCI core has found no method that works; this driver resets. */
	variant->core.reset_works = true;
	/* What vfio-pci-core and the PCI core have written meanwhile holds: decoding, no DMA. */
	ret = instinct_owner_hold_config(dev);
	if (!ret) {
		ret = instinct_reconcile_all(dev);
		pci_cfg_access_unlock(dev->pdev);
	}
	if (ret)
		session_disable(variant);
out:
	pm_runtime_put_autosuspend(gpu);
	return ret;
}

/**
 * instinct_session_open() - a user opens a GPU
 * @vdev: it
 *
 * Nobody has it before it was reset, and looked at.
 *
 * Context: may sleep, as long as a reset takes.
 *
 * Return: 0, or a negative errno.
 */
int instinct_session_open(struct vfio_device *vdev)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	struct instinct_device *dev = variant->dev;
	int ret;

	ret = instinct_owner_open(dev);
	if (ret)
		return ret;
	ret = instinct_isolation_admit(dev, !instinct_compat_awaits_ioas(vdev));
	if (ret) {
		instinct_owner_fail_open(dev);
		return ret;
	}

	ret = session_reset(variant);
	if (!ret) {
		ret = instinct_owner_hand_over(dev);
		if (ret)
			session_disable(variant);
	}
	if (ret) {
		instinct_owner_fail_open(dev);
		instinct_rescan_start(dev);
		return ret;
	}
	vfio_pci_core_finish_enable(&variant->core);
	return 0;
}

/**
 * instinct_session_close() - its user has closed it for the last time
 * @vdev: the GPU
 *
 * vfio-pci-core would end a close with an FLR that goes past reset_prepare(); it is told
 * that no reset works. The engine resets once the core has let go, by default in the
 * background: the next open waits for it.
 *
 * Context: may sleep.
 */
void instinct_session_close(struct vfio_device *vdev)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	struct instinct_device *dev = variant->dev;
	struct instinct_status status;
	struct pid *owner;

	instinct_owner_begin_close(dev);
	instinct_device_status(dev, &status);
	owner = get_pid(status.user);
	dev->errand.domain = iommu_get_domain_for_dev(&dev->pdev->dev);

	/* Else the device could be in D3hot when the engine comes. */
	pm_runtime_get_sync(&dev->pdev->dev);
	variant->core.reset_works = false;
	vfio_pci_core_close_device(vdev);

	instinct_owner_end_close(dev);
	instinct_errand_start(dev, INSTINCT_VFIO_CAUSE_CLOSE, NULL, owner, NULL);
	if (status.policy.overlap == INSTINCT_VFIO_OVERLAP_NONE)
		instinct_errand_flush(dev);
	put_pid(owner);
}
