// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/pid.h>
#include <linux/workqueue.h>

#include "compat/runtime_pm.h"
#include "compat/workqueue.h"
#include "device/owner.h"
#include "reset/hive.h"
#include "reset/reset.h"

/* The PCI core waits for a device for a minute, and looks for a link before. */
#define CORE_RECOVERS_MS	70000
#define CORE_LOOK_MS		20

/* A VMM detaches the IOMMU right after it has closed the device. */
#define DETACH_RETRY_US	1000
#define DETACH_WAIT_US	(400 * USEC_PER_MSEC)

/* Takes no device lock, since the driver's remove() holds it while it waits for reset work. */
static int work_reset_free(struct instinct_device *dev, struct instinct_reset_work *reset_work)
{
	struct instinct_reset reset = {
		.cause = reset_work->cause,
		.hive = reset_work->hive,
		.requester = reset_work->requester,
	};
	int ret = instinct_owner_hold_config(dev, INSTINCT_OWNER_CONFIG_MS);

	if (ret)
		return ret;
	ret = instinct_reset_run(dev, &reset);
	pci_cfg_access_unlock(dev->pdev);
	return ret;
}

/*
 * Takes the same way as the user's own request, so that VFIO zaps the user's mappings and holds the
 * user off during the reset.
 */
static int work_reset_held(struct instinct_device *dev, struct instinct_reset_work *reset_work)
{
	struct instinct_request request;
	int ret;

	instinct_request_begin(dev, &request, reset_work->cause);
	request.reset.hive = reset_work->hive;
	request.reset.requester = reset_work->requester;
	request.reset.held = reset_work->held;
	ret = instinct_request_reset(dev, &request);
	reset_work->held = request.reset.held;
	return ret;
}

static void work_run(struct work_struct *work)
{
	struct instinct_reset_work *reset_work = container_of(work, struct instinct_reset_work, work);
	struct instinct_device *dev = container_of(reset_work, struct instinct_device, reset_work);
	struct instinct_status status;
	struct iommu_domain *domain;
	int ret;

	/*
	 * When VFIO detaches a user's IOMMU domain, the IOMMU driver invalidates the device's ATS
	 * cache. A device in reset does not answer that, and some IOMMU drivers do not cope. So
	 * a reset after a close first waits for the detach.
	 */
	if (reset_work->cause == INSTINCT_VFIO_CAUSE_CLOSE && dev->pdev->ats_enabled)
		read_poll_timeout(iommu_get_domain_for_dev, domain, domain != dev->reset_work.domain,
				  DETACH_RETRY_US, DETACH_WAIT_US, false, &dev->pdev->dev);
	instinct_device_status(dev, &status);
	if (status.owner == INSTINCT_OWNER_USER)
		ret = work_reset_held(dev, reset_work);
	else
		ret = work_reset_free(dev, reset_work);

	if (reset_work->held) {
		reset_work->held->error = ret;
		complete(&reset_work->held->done);
	}
	if (reset_work->hive)
		instinct_hive_end(reset_work->hive, "a GPU of the hive could not be held");
	put_pid(reset_work->requester.process);
	/*
	 * A holder of the device lock may be waiting for the user. Another reset that is under way
	 * does not wait for the package to come back, as a recovery does. So try again later.
	 */
	if ((ret == -EAGAIN || ret == -EBUSY) && reset_work->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_recovery_start(dev, INSTINCT_RECOVERY_LATER_MS);
	else if (ret == -EBUSY && reset_work->cause == INSTINCT_VFIO_CAUSE_CLOSE)
		pci_warn(dev->pdev, "not reset after its last user: its config space stays in use; the next open resets it\n");
	instinct_owner_give_back(dev, INSTINCT_BORROWED_WORKER);
}

/**
 * instinct_work_start() - reset a device in the background
 * @dev: device, which the caller has claimed for reset work; the reset work ends the claim
 * @cause: cause of the reset
 * @hive: reset of the hive that the reset work takes part in, with a reference for it; or NULL
 * @requester: user that asked, or NULL
 * @held: completed once the device is held, until when the caller keeps it; or NULL
 *
 * Context: any but @dev's reset work itself.
 */
void instinct_work_start(struct instinct_device *dev, enum instinct_vfio_cause cause,
			 struct instinct_hive *hive, const struct instinct_user *requester,
			 struct instinct_held *held)
{
	struct instinct_reset_work *reset_work = &dev->reset_work;

	reset_work->cause = cause;
	reset_work->hive = hive;
	reset_work->requester = requester ? *requester : (struct instinct_user) { };
	get_pid(reset_work->requester.process);
	reset_work->held = held;
	queue_work(instinct_wq, &reset_work->work);
}

/**
 * instinct_work_flush() - wait until a device's reset work is over
 * @dev: device that no new reset work can claim any more
 *
 * Context: may sleep, up to the end of a reset.
 */
void instinct_work_flush(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	flush_work(&dev->reset_work.work);
}

/**
 * instinct_recovery_start() - recover a device in the background after an error
 * @dev: device, whose recovery is not cancelled for good yet
 * @ms: delay in ms, 0 for none
 *
 * The PCI core may give up on a slot without another call, since this driver does not let it reset
 * the package behind the engine's back. So the engine recovers the device on its own. It does so in
 * the background, because the PCI core holds pci_bus_sem while it waits for its callbacks, and
 * nobody else on the host can take it meanwhile.
 *
 * Context: any.
 */
void instinct_recovery_start(struct instinct_device *dev, unsigned int ms)
{
	mod_delayed_work(system_dfl_wq, &dev->recovery, msecs_to_jiffies(ms));
}

/**
 * instinct_recovery_after() - recover a device once the PCI core's own recovery is over
 * @dev: device, for which the PCI core has just called error_detected()
 *
 * The PCI core may take a minute, for a slot that does not come back, and tells a driver neither that
 * it has given up nor that it has ended. Until then it writes to the ports of the package, and waits
 * for the lock of each device while it holds pci_bus_sem. So the engine waits until the PCI core has let
 * go of the runtime PM references that it holds meanwhile on all functions below the port.
 *
 * Context: any; under the device lock.
 */
void instinct_recovery_after(struct instinct_device *dev)
{
	struct instinct_path *path = &dev->path;

	/* The GPU's count changes with its user too, so it serves only where no other is raised. */
	dev->erred = path->swus && pci_channel_offline(path->swus->pdev) ? path->swds->pdev :
									       dev->pdev;
	dev->erred_usage = instinct_compat_pm_usage(&dev->erred->dev);
	dev->erred_until = jiffies + msecs_to_jiffies(CORE_RECOVERS_MS);
	instinct_recovery_start(dev, CORE_LOOK_MS);
}

/* Claims the device, from its user if need be, and starts the reset; tries again if it cannot. */
static void recovery_look(struct work_struct *work)
{
	struct instinct_device *dev =
		container_of(to_delayed_work(work), struct instinct_device, recovery);
	struct instinct_status status;

	if (dev->erred && time_before(jiffies, dev->erred_until) &&
	    instinct_compat_pm_usage(&dev->erred->dev) >= dev->erred_usage) {
		instinct_recovery_start(dev, CORE_LOOK_MS);
		return;
	}
	dev->erred = NULL;
	/* The driver may have lifted it for the PCI core, which calls nothing if it gives up. */
	dev->pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	instinct_device_status(dev, &status);
	if (instinct_owner_take(dev, NULL) || instinct_owner_take(dev, &status.user))
		instinct_work_start(dev, INSTINCT_VFIO_CAUSE_RECOVERY, NULL, NULL, NULL);
	else if (status.life != INSTINCT_LIFE_ABSENT)
		instinct_recovery_start(dev, INSTINCT_RECOVERY_LATER_MS);
}

/**
 * instinct_work_setup() - prepare a device for reset work and for error recovery
 * @dev: device, new
 */
void instinct_work_setup(struct instinct_device *dev)
{
	INIT_WORK(&dev->reset_work.work, work_run);
	INIT_DELAYED_WORK(&dev->recovery, recovery_look);
}
