// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/pid.h>
#include <linux/vfio_pci_core.h>
#include <linux/workqueue.h>

#include "compat/runtime_pm.h"
#include "compat/workqueue.h"
#include "device/owner.h"
#include "reset/hive.h"
#include "reset/reset.h"

/* A recovery that cannot begin is tried again after this time. */
#define RECOVERY_LATER_MS	3000
/* The PCI core waits for a device for a minute, and looks for a link before. */
#define CORE_RECOVERS_MS	70000
#define CORE_LOOK_MS		20

/* A VMM detaches the IOMMU right after it has closed the device. */
#define DETACH_RETRY_US	1000
#define DETACH_WAIT_US	(400 * USEC_PER_MSEC)

/**
 * instinct_request_begin() - announce a call into the PCI core that will reset a device
 * @dev: device
 * @request: set; stays on the caller's stack until instinct_request_end()
 * @reset: the reset to do in that call; NULL if the engine has done it before
 */
void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    struct instinct_reset *reset)
{
	*request = (struct instinct_request) { .task = current, .reset = reset };
	spin_lock(&dev->status_lock);
	list_add(&request->node, &dev->requests);
	spin_unlock(&dev->status_lock);
}

static void request_run(struct instinct_device *dev, struct instinct_request *request, bool zapped)
{
	request->reset->zapped = zapped;
	request->error = instinct_reset_run(dev, request->reset);
	request->seen = true;
}

/*
 * Does a reset that the PCI core has not prepared. The user's mappings stay in place. memory_lock keeps
 * the user's interrupts as they are, as it does in a reset by vfio-pci-core, which takes it before the
 * config space too.
 */
static void request_directly(struct instinct_device *dev, struct instinct_request *request)
{
	struct vfio_pci_core_device *core = container_of(dev->vdev, struct vfio_pci_core_device, vdev);

	request->seen = true;
	request->error = down_write_killable(&core->memory_lock);
	if (request->error)
		return;
	request->error = instinct_owner_hold_config(dev, INSTINCT_VFIO_READY_TIMEOUT_MAX);
	if (!request->error) {
		request_run(dev, request, false);
		pci_cfg_access_unlock(dev->pdev);
	}
	up_write(&core->memory_lock);
}

/**
 * instinct_request_end() - withdraw a request after the call
 * @dev: device
 * @request: request, whose @error and @seen the caller can read afterwards
 * @asked: the call has asked for a reset. With an empty "reset_method" the PCI core has no method, and
 *	so does not call reset_prepare(): the function does the reset then.
 *
 * Context: may sleep, up to the end of the reset if @asked.
 */
void instinct_request_end(struct instinct_device *dev, struct instinct_request *request, bool asked)
{
	spin_lock(&dev->status_lock);
	list_del(&request->node);
	spin_unlock(&dev->status_lock);
	if (asked && !request->seen && !dev->pdev->reset_methods[0])
		request_directly(dev, request);
}

/**
 * instinct_request_serve() - do the reset for which the current task has called the PCI core
 * @dev: device
 *
 * The function leaves the outcome in the task's request; the PCI core's own methods then refuse. A task
 * has at most one request, since no call into the PCI core is made inside another.
 *
 * Context: may sleep; the PCI core holds the device lock and pci_cfg_access_lock().
 *
 * Return: the request; NULL if somebody else than this driver has called the PCI core, as sysfs does.
 */
const struct instinct_request *instinct_request_serve(struct instinct_device *dev)
{
	struct instinct_request *request, *found = NULL;

	spin_lock(&dev->status_lock);
	list_for_each_entry(request, &dev->requests, node)
		if (request->task == current)
			found = request;
	spin_unlock(&dev->status_lock);
	if (found && found->reset)
		request_run(dev, found, true);
	return found;
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

	instinct_request_begin(dev, &request, reset);
	ret = vfio_pci_core_ioctl(dev->vdev, VFIO_DEVICE_RESET, 0);
	instinct_request_end(dev, &request, ret == -ENOTTY);
	return request.seen ? request.error : ret;
}

static void recovery_after(struct instinct_device *dev, unsigned int ms)
{
	mod_delayed_work(system_dfl_wq, &dev->recovery, msecs_to_jiffies(ms));
}

static void work_run(struct work_struct *work)
{
	struct instinct_reset_work *reset_work = container_of(work, struct instinct_reset_work, work);
	struct instinct_device *dev = container_of(reset_work, struct instinct_device, reset_work);
	struct instinct_reset *reset = &reset_work->reset;
	struct instinct_status status;
	struct iommu_domain *domain;
	int ret;

	/*
	 * When VFIO detaches a user's IOMMU domain, the IOMMU driver invalidates the device's ATS
	 * cache. A device in reset does not answer that, and some IOMMU drivers do not cope. So
	 * a reset after a close first waits for the detach.
	 */
	if (reset->cause == INSTINCT_VFIO_CAUSE_CLOSE && dev->pdev->ats_enabled)
		read_poll_timeout(iommu_get_domain_for_dev, domain, domain != reset_work->domain,
				  DETACH_RETRY_US, DETACH_WAIT_US, false, &dev->pdev->dev);
	instinct_device_status(dev, &status);
	if (status.owner == INSTINCT_OWNER_USER) {
		ret = instinct_request_reset(dev, reset);
	} else {
		/* remove() may hold the device lock while it waits for reset work. */
		ret = instinct_owner_hold_config(dev, INSTINCT_OWNER_CONFIG_MS);
		if (!ret) {
			ret = instinct_reset_run(dev, reset);
			pci_cfg_access_unlock(dev->pdev);
		}
	}

	if (reset->held) {
		reset->held->error = ret;
		complete(&reset->held->done);
	}
	if (reset->hive)
		instinct_hive_end(reset->hive, "a GPU of the hive could not be held");
	put_pid(reset->requester.process);
	/*
	 * A holder of the device lock may be waiting for the user. Another reset that is under way
	 * does not wait for the package to come back, as a recovery does. So try again later.
	 */
	if ((ret == -EAGAIN || ret == -EBUSY) && reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		recovery_after(dev, RECOVERY_LATER_MS);
	else if (ret == -EBUSY && reset->cause == INSTINCT_VFIO_CAUSE_CLOSE)
		pci_warn(dev->pdev, "not reset after its last user: its config space stays in use; the next open resets it\n");
	instinct_owner_give_back(dev, INSTINCT_BORROWED_WORKER);
}

/**
 * instinct_work_start() - reset a device in the background
 * @dev: device, which the caller has claimed for reset work; the reset work ends the claim
 * @reset: the reset to do, copied; with a reference for its hive, if it has one
 *
 * Context: any but @dev's reset work itself.
 */
void instinct_work_start(struct instinct_device *dev, const struct instinct_reset *reset)
{
	dev->reset_work.reset = *reset;
	get_pid(reset->requester.process);
	queue_work(instinct_wq, &dev->reset_work.work);
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
 * @erred: the PCI core has just called error_detected(), and its own recovery comes first
 *
 * The PCI core may give up on a slot without another call, since this driver does not let it reset
 * the package behind the engine's back. So the engine recovers the device on its own. It does so in
 * the background, because the PCI core holds pci_bus_sem while it waits for its callbacks, and
 * nobody else on the host can take it meanwhile.
 *
 * The PCI core may take a minute, for a slot that does not come back, and tells a driver neither that
 * it has given up nor that it has ended. Until then it writes to the ports of the package, and waits
 * for the lock of each device while it holds pci_bus_sem. So the engine waits until the PCI core has let
 * go of the runtime PM references that it holds meanwhile on all functions below the port.
 *
 * Context: any; with @erred under the device lock.
 */
void instinct_recovery_start(struct instinct_device *dev, bool erred)
{
	struct instinct_path *path = &dev->path;

	if (erred) {
		/* The GPU's count changes with its user too, so it serves only where no other is raised. */
		dev->erred = path->swus && pci_channel_offline(path->swus->pdev) ? path->swds->pdev :
										       dev->pdev;
		dev->erred_usage = instinct_compat_pm_usage(&dev->erred->dev);
		dev->erred_until = jiffies + msecs_to_jiffies(CORE_RECOVERS_MS);
	}
	recovery_after(dev, erred ? CORE_LOOK_MS : 0);
}

/* Claims the device, from its user if need be, and starts the reset; tries again if it cannot. */
static void recovery_look(struct work_struct *work)
{
	struct instinct_device *dev =
		container_of(to_delayed_work(work), struct instinct_device, recovery);
	struct instinct_status status;

	if (dev->erred && time_before(jiffies, dev->erred_until) &&
	    instinct_compat_pm_usage(&dev->erred->dev) >= dev->erred_usage) {
		recovery_after(dev, CORE_LOOK_MS);
		return;
	}
	dev->erred = NULL;
	/* The driver may have lifted it for the PCI core, which calls nothing if it gives up. */
	dev->pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	instinct_device_status(dev, &status);
	if (instinct_owner_take(dev, NULL) || instinct_owner_take(dev, &status.user))
		instinct_work_start(dev, &(struct instinct_reset) {
						.cause = INSTINCT_VFIO_CAUSE_RECOVERY });
	else if (status.life != INSTINCT_LIFE_ABSENT)
		recovery_after(dev, RECOVERY_LATER_MS);
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
