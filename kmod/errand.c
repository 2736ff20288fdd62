// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/pid.h>
#include <linux/pm_runtime.h>
#include <linux/workqueue.h>

#include "compat/workqueue.h"
#include "errand.h"
#include "hive.h"
#include "owner.h"
#include "request.h"
#include "reset.h"

/* A VMM lets go of the IOMMU right after the device. */
#define DETACH_RETRY_US	1000
#define DETACH_WAIT_US	(400 * USEC_PER_MSEC)

/*
 * A user's IOMMU domain goes with invalidations of the device's ATS cache, which
 * a device in reset does not answer, and some IOMMU drivers take that badly. So
 * a reset after a close waits until vfio has taken the device out of it.
 */
static void errand_wait_detached(struct instinct_device *dev)
{
	struct iommu_domain *domain;

	if (dev->pdev->ats_enabled)
		read_poll_timeout(iommu_get_domain_for_dev, domain, domain != dev->errand.domain,
				  DETACH_RETRY_US, DETACH_WAIT_US, false, &dev->pdev->dev);
}

/* Without the device lock: the driver's remove holds it while it waits for errands. */
static int errand_reset_free(struct instinct_device *dev, struct instinct_errand *errand)
{
	struct instinct_reset reset = {
		.cause = errand->cause,
		.hive = errand->hive,
		.requester = errand->requester,
	};
	int ret;

	ret = instinct_owner_hold_config(dev);
	if (!ret) {
		ret = instinct_reset_run(dev, &reset);
		pci_cfg_access_unlock(dev->pdev);
	}
	return ret;
}

/*
 * By the same way that the user's own request would take, so that vfio zaps
 * his mappings and holds him off meanwhile.
 */
static int errand_reset_held(struct instinct_device *dev, struct instinct_errand *errand)
{
	struct instinct_request request;
	int ret;

	instinct_request_begin(dev, &request, errand->cause);
	request.reset.hive = errand->hive;
	request.reset.requester = errand->requester;
	request.reset.held = errand->held;
	ret = instinct_request_reset(dev, &request);
	errand->held = request.reset.held;
	return ret;
}

static void errand_run(struct work_struct *work)
{
	struct instinct_errand *errand = container_of(work, struct instinct_errand, work);
	struct instinct_device *dev = container_of(errand, struct instinct_device, errand);
	struct instinct_status status;
	int ret;

	/*
	 * At close the power reference of the closing user is handed on. Who has it open may
	 * have it in low power.
	 */
	if (errand->cause == INSTINCT_VFIO_CAUSE_CLOSE)
		errand_wait_detached(dev);
	else
		pm_runtime_get_sync(&dev->pdev->dev);
	instinct_device_status(dev, &status);
	if (instinct_owner_session(&status) == INSTINCT_OWNER_USER)
		ret = errand_reset_held(dev, errand);
	else
		ret = errand_reset_free(dev, errand);
	pm_runtime_mark_last_busy(&dev->pdev->dev);
	pm_runtime_put_autosuspend(&dev->pdev->dev);

	if (errand->held) {
		errand->held->error = ret;
		complete(&errand->held->done);
	}
	if (errand->hive)
		instinct_hive_end(errand->hive, "a GPU of the hive could not be held");
	put_pid(errand->requester);
	/*
	 * Who holds the device lock may be waiting for its user; who resets it now, for
	 * whatever reason, does not wait for its package as a recovery does.
	 */
	if ((ret == -EAGAIN || ret == -EBUSY) && errand->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_recovery_start(dev, INSTINCT_RECOVERY_LATER_MS);
	else if (ret == -EBUSY && errand->cause == INSTINCT_VFIO_CAUSE_CLOSE)
		pci_warn(dev->pdev, "not reset after its last user: its config space stays in use; the next open resets it\n");
	instinct_owner_give_back(dev);
}

/**
 * instinct_errand_start() - reset a device in the background
 * @dev: device, claimed; the claim ends with the errand
 * @cause: why
 * @hive: reset of the hive that it is part of, whose reference goes with it, or NULL
 * @requester: process that asked, or NULL
 * @held: completed once the device is held, or NULL; kept until then
 *
 * Context: any that may not be inside @dev's errand.
 */
void instinct_errand_start(struct instinct_device *dev, enum instinct_vfio_cause cause,
			   struct instinct_hive *hive, struct pid *requester,
			   struct instinct_held *held)
{
	struct instinct_errand *errand = &dev->errand;

	errand->cause = cause;
	errand->hive = hive;
	errand->requester = get_pid(requester);
	errand->held = held;
	queue_work(instinct_wq, &errand->work);
}

/**
 * instinct_errand_flush() - wait until a device's errand is over
 * @dev: device that nothing can claim any more
 *
 * Context: may sleep, up to the end of a reset.
 */
void instinct_errand_flush(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	flush_work(&dev->errand.work);
}

/**
 * instinct_recovery_start() - look whether error recovery has left a device unfit for use
 * @dev: device; not once its recovery is cancelled for good
 * @ms: when, or 0 for at once
 *
 * The PCI core cannot reset the slot itself, since this driver does not let it reset the
 * package behind the engine's back, so it may give up without another call: the engine then
 * looks after the device by itself. In the background: the core waits with pci_bus_sem held,
 * which nobody else on the host gets meanwhile.
 *
 * Context: any.
 */
void instinct_recovery_start(struct instinct_device *dev, unsigned int ms)
{
	mod_delayed_work(system_dfl_wq, &dev->recovery, msecs_to_jiffies(ms));
}

/* A device that its user holds is reset by the way that zaps his mappings. */
static void recovery_look(struct work_struct *work)
{
	struct instinct_device *dev =
		container_of(to_delayed_work(work), struct instinct_device, recovery);
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (instinct_owner_take(dev, NULL) || (status.user && instinct_owner_take(dev, status.user)))
		instinct_errand_start(dev, INSTINCT_VFIO_CAUSE_RECOVERY, NULL, NULL, NULL);
	else if (status.life <= INSTINCT_LIFE_LEAVING)
		instinct_recovery_start(dev, INSTINCT_RECOVERY_LATER_MS);
}

/**
 * instinct_errand_setup() - prepare a device for errands, and for error recovery
 * @dev: device, new
 */
void instinct_errand_setup(struct instinct_device *dev)
{
	INIT_WORK(&dev->errand.work, errand_run);
	INIT_DELAYED_WORK(&dev->recovery, recovery_look);
}
