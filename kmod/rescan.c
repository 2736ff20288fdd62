// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/workqueue.h>

#include "compat/override.h"
#include "device.h"
#include "errand.h"
#include "identity.h"
#include "owner.h"
#include "record.h"
#include "rescan.h"

/* Lost, nobody has it, policy allows it, and it was not tried for this loss. */
static bool rescan_is_due(const struct instinct_status *status)
{
	return status->state == INSTINCT_VFIO_STATE_LOST && !status->user && !status->rescanned &&
	       status->policy.rescan == INSTINCT_VFIO_RESCAN_YES;
}

/* From here on nobody can open it, so its removal waits for no user. */
static bool rescan_take(struct instinct_device *dev)
{
	struct instinct_status *status = &dev->status;
	bool taken;

	spin_lock(&dev->status_lock);
	taken = rescan_is_due(status) && status->owner == INSTINCT_OWNER_NONE &&
		status->life <= INSTINCT_LIFE_LEAVING;
	if (taken)
		instinct_device_renews(dev);
	spin_unlock(&dev->status_lock);
	return taken;
}

static bool has_one_below(const struct pci_dev *port)
{
	return port->subordinate && list_is_singular(&port->subordinate->devices);
}

/* Nothing but SWDS and the GPU goes with it. */
static bool rescan_concerns_gpu_only(const struct instinct_fabric *fabric)
{
	struct pci_dev *swus = fabric->swus->pdev;

	return device_is_registered(&swus->dev) && has_one_below(swus) &&
	       has_one_below(fabric->swds->pdev);
}

/* The same driver is to take it, though nobody has asked for that again. */
static void rescan_override(struct instinct_device *old)
{
	struct pci_dev *was = old->pdev, *pdev = instinct_identity_get(pci_name(was));

	if (!pdev)
		return;
	if (pdev->vendor == was->vendor && pdev->device == was->device &&
	    instinct_compat_set_override(pdev, KBUILD_MODNAME))
		pci_err(pdev, "no memory to bind it to this driver again\n");
	pci_dev_put(pdev);
}

/* As pci_rescan_bus(), with a stop before drivers look at what is new. */
static void rescan_package(struct instinct_device *dev, struct pci_dev *swus)
{
	struct pci_bus *bus = swus->bus;

	pci_stop_and_remove_bus_device(swus);
	pci_scan_child_bus(bus);
	pci_assign_unassigned_bus_resources(bus);
	rescan_override(dev);
	pci_bus_add_devices(bus);
}

static void rescan_tell_absent(struct instinct_device *old)
{
	struct instinct_event event = {
		.kind = INSTINCT_VFIO_EVENT_DEVICE_LOST,
		.error = ENODEV,
		.reason = "did not come back when its package was enumerated anew",
	};

	/* Whatever is plugged in there later is not what left. */
	instinct_record_lock();
	instinct_record_unrule(pci_name(old->pdev));
	instinct_record_unlock();
	pr_err("%s: %s\n", pci_name(old->pdev), event.reason);
	instinct_device_emit(old, &event);
}

/* The GPU has another object now, if it has one at all. */
static void rescan_settle(struct instinct_device *old)
{
	struct instinct_device *dev = instinct_device_find(pci_name(old->pdev));

	if (!dev) {
		rescan_tell_absent(old);
		return;
	}
	if (instinct_owner_take(dev, NULL))
		instinct_errand_start(dev, INSTINCT_VFIO_CAUSE_RECOVERY, NULL, NULL, NULL);
	instinct_device_put(dev);
}

/**
 * instinct_rescan_run() - the work of instinct_rescan_start()
 * @work: of the lost device, which is referenced for it
 *
 * Context: may sleep, as long as enumeration takes; waits for a reset under way.
 */
void instinct_rescan_run(struct work_struct *work)
{
	struct instinct_device *dev = container_of(work, struct instinct_device, rescan);
	struct pci_dev *swus = dev->fabric.swus->pdev;
	bool done = false;

	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	pci_lock_rescan_remove();
	if (rescan_concerns_gpu_only(&dev->fabric) && rescan_take(dev)) {
		pci_warn(dev->pdev, "lost: its package is removed from %s down and enumerated anew, as policy allows\n",
			 pci_name(swus));
		rescan_package(dev, swus);
		done = true;
	}
	pci_unlock_rescan_remove();
	if (done)
		rescan_settle(dev);
	instinct_device_put(dev);
}

/**
 * instinct_rescan_start() - remove a lost GPU's package and enumerate it anew
 * @dev: device, lost or not
 *
 * In the background, if policy allows it, nobody has the device open, it is
 * lost and still is then, and this was not tried since it was last ready.
 *
 * Context: may sleep; any locks may be held.
 */
void instinct_rescan_start(struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (!rescan_is_due(&status) || !instinct_fabric_has_package(&dev->fabric))
		return;
	kref_get(&dev->ref);
	if (!queue_work(instinct_wq, &dev->rescan))
		instinct_device_put(dev);
}
