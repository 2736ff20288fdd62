// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat/override.h"
#include "device.h"
#include "errand.h"
#include "owner.h"
#include "record.h"
#include "rescan.h"

/* SWDS and the GPU: what may be below SWUS. */
#define PACKAGE_FUNCTIONS	2

/**
 * struct rescan - one removal and rescan
 * @work: does it
 * @dev: the lost device, referenced
 */
struct rescan {
	struct work_struct work;
	struct instinct_device *dev;
};

static struct workqueue_struct *rescans;

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

static int count_function(struct pci_dev *pdev, void *data)
{
	unsigned int *count = data;

	(*count)++;
	return 0;
}

/* Nothing but the GPU goes with it. */
static bool rescan_concerns_gpu_only(struct pci_dev *swus)
{
	unsigned int count = 0;

	if (!device_is_registered(&swus->dev) || !swus->subordinate)
		return false;
	pci_walk_bus(swus->subordinate, count_function, &count);
	return count == PACKAGE_FUNCTIONS;
}

/* The same driver is to take it, though nobody has asked for that again. */
static void rescan_override(struct instinct_device *old)
{
	struct pci_dev *was = old->pdev, *pdev;

	pdev = pci_get_domain_bus_and_slot(pci_domain_nr(was->bus), was->bus->number, was->devfn);
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
		.state = INSTINCT_VFIO_STATE_LOST,
		.serial = old->serial,
		.error = ENODEV,
		.reason = "did not come back when its package was enumerated anew",
	};

	strscpy(event.bdf, pci_name(old->pdev), sizeof(event.bdf));
	/* Whatever is plugged in there later is not what left. */
	instinct_record_lock();
	instinct_record_unrule(event.bdf);
	instinct_record_unlock();
	pr_err("%s: %s\n", event.bdf, event.reason);
	instinct_event_emit(&event);
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

static void rescan_run(struct work_struct *work)
{
	struct rescan *rescan = container_of(work, struct rescan, work);
	struct instinct_device *dev = rescan->dev;
	struct pci_dev *swus = dev->fabric.swus->pdev;
	bool done = false;

	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	pci_lock_rescan_remove();
	if (rescan_concerns_gpu_only(swus) && rescan_take(dev)) {
		pci_warn(dev->pdev, "lost: its package is removed from %s down and enumerated anew, as policy allows\n",
			 pci_name(swus));
		rescan_package(dev, swus);
		done = true;
	}
	pci_unlock_rescan_remove();
	if (done)
		rescan_settle(dev);
	instinct_device_put(dev);
	kfree(rescan);
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
	struct rescan *rescan;

	instinct_device_status(dev, &status);
	if (!rescan_is_due(&status) || !instinct_fabric_has_package(&dev->fabric))
		return;
	rescan = kzalloc(sizeof(*rescan), GFP_KERNEL);
	if (!rescan) {
		pci_err(dev->pdev, "no memory to enumerate its package anew\n");
		return;
	}
	kref_get(&dev->ref);
	rescan->dev = dev;
	INIT_WORK(&rescan->work, rescan_run);
	queue_work(rescans, &rescan->work);
}

/**
 * instinct_rescan_init() - prepare for rescans
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_rescan_init(void)
{
	rescans = alloc_ordered_workqueue("instinct_vfio_rescan", 0);
	return rescans ? 0 : -ENOMEM;
}

/**
 * instinct_rescan_exit() - after the driver has let go of all devices
 */
void instinct_rescan_exit(void)
{
	destroy_workqueue(rescans);
}
