// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/workqueue.h>

#include "compat/override.h"
#include "device/device.h"
#include "device/identity.h"
#include "device/owner.h"
#include "device/record.h"
#include "reset/reset.h"

/* Is the device lost and closed, does policy allow a rescan, and is it the first for this loss? */
static bool rescan_is_due(const struct instinct_status *status)
{
	return status->state == INSTINCT_VFIO_STATE_LOST && !status->user && !status->rescanned &&
	       status->policy.rescan == INSTINCT_VFIO_RESCAN_YES;
}

/* After this no user can open the device, so its removal waits for none. */
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

/* Removes a placeholder, with which the switch above may answer in place of the package. */
static void rescan_expel(const struct pci_dev *was, const struct pci_dev *above)
{
	struct pci_dev *pdev = instinct_identity_get(pci_name(was));

	if (pdev && pdev->vendor == INSTINCT_PLACEHOLDER_VENDOR &&
	    pdev->device == INSTINCT_PLACEHOLDER_DEVICE) {
		pr_err(INSTINCT_PLACEHOLDER_TEXT "\n", pci_name(was), pci_name(above));
		pci_stop_and_remove_bus_device(pdev);
	}
	pci_dev_put(pdev);
}

/* Lets this driver take the same GPU again: nobody else sets the new object's driver_override. */
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

/* Does the steps of pci_rescan_bus(), but checks the new functions before drivers probe them. */
static void rescan_package(struct instinct_device *dev, struct pci_dev *swus)
{
	struct pci_bus *bus = swus->bus;

	pci_stop_and_remove_bus_device(swus);
	pci_scan_child_bus(bus);
	rescan_expel(swus, bus->self);
	rescan_expel(dev->path.swds->pdev, bus->self);
	rescan_expel(dev->pdev, bus->self);
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

	/* A GPU that is plugged in there later is another one, and must not get this policy. */
	instinct_record_lock();
	instinct_record_unset_policy(pci_name(old->pdev));
	instinct_record_unlock();
	pr_err("%s: %s\n", pci_name(old->pdev), event.reason);
	instinct_device_emit(old, &event);
}

/* Starts a recovery of the GPU's new object, or reports that there is none. */
static void rescan_settle(struct instinct_device *old)
{
	struct instinct_device *dev = instinct_device_find(pci_name(old->pdev));

	if (!dev) {
		rescan_tell_absent(old);
		return;
	}
	if (instinct_owner_take(dev, NULL))
		instinct_work_start(dev, INSTINCT_VFIO_CAUSE_RECOVERY, NULL, NULL, NULL);
	instinct_device_put(dev);
}

/**
 * instinct_rescan_run() - do the background work of instinct_rescan_start()
 * @work: the lost device's rescan, which holds a reference of the device
 *
 * Context: may sleep, as long as enumeration takes; waits for a reset under way.
 */
void instinct_rescan_run(struct work_struct *work)
{
	struct instinct_device *dev = container_of(work, struct instinct_device, rescan);
	struct pci_dev *swus = dev->path.swus->pdev;
	char why[INSTINCT_REASON_BYTES];
	bool done = false;

	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	pci_lock_rescan_remove();
	if (instinct_path_stand_in(&dev->path, dev->pdev, why)) {
		pci_warn(dev->pdev, "not enumerated anew: %s\n", why);
	} else if (device_is_registered(&swus->dev) && has_one_below(swus) &&
		   has_one_below(dev->path.swds->pdev) && rescan_take(dev)) {
		/* The package's upstream port takes only SWDS and the GPU with it. */
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
 * The rescan runs in the background if policy allows it, the device is lost and nobody has it open,
 * and this is the first rescan since it was ready. The background work checks all of that again.
 *
 * Context: may sleep; any locks may be held.
 */
void instinct_rescan_start(struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (!rescan_is_due(&status) || !instinct_path_has_package(&dev->path))
		return;
	kref_get(&dev->ref);
	if (!queue_work(instinct_wq, &dev->rescan))
		instinct_device_put(dev);
}
