// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known GPU may not survive the PCI core's own resets. The guard keeps these from each that no driver
 * has, and from each whose driver hands it to a user: this one, the drop-in, the kernel's vfio-pci. A
 * driver that uses the GPU itself, such as amdgpu, gets back what the PCI core needs to reset it.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "device/device.h"
#include "device/record.h"
#include "isolation/isolation.h"
#include "vfio/driver.h"

/**
 * struct guarded - a GPU that the guard keeps resets from
 * @node: links all of them
 * @pdev: the function, referenced
 * @flags: its PCI_DEV_FLAGS_* before
 * @methods: its list of reset methods, "reset_method" in sysfs, at that time
 */
struct guarded {
	struct list_head node;
	struct pci_dev *pdev;
	pci_dev_flags_t flags;
	u8 methods[PCI_NUM_RESET_METHODS];
};

/* Guards the list and the flags. Taken after the device lock, under which a function's driver changes. */
static DEFINE_MUTEX(guard_lock);
static LIST_HEAD(guarded_gpus);

static struct guarded *guarded_find(const struct pci_dev *pdev)
{
	struct guarded *guarded;

	lockdep_assert_held(&guard_lock);
	list_for_each_entry(guarded, &guarded_gpus, node)
		if (guarded->pdev == pdev)
			return guarded;
	return NULL;
}

/* Gives the PCI core back what the guard has taken, and what it has lost meanwhile. */
static void guarded_free(struct guarded *guarded)
{
	struct pci_dev *pdev = guarded->pdev;

	pdev->dev_flags = (pdev->dev_flags & ~INSTINCT_NO_RESETS) |
			  (guarded->flags & INSTINCT_NO_RESETS);
	list_del(&guarded->node);
	pci_dev_put(pdev);
	kfree(guarded);
}

/* Guards a GPU from now on, or no longer. */
static void guard_set(struct pci_dev *pdev, bool on)
{
	struct guarded *guarded;

	mutex_lock(&guard_lock);
	guarded = guarded_find(pdev);
	/* "echo default >reset_method" finds no method under the flags, and empties the list for good. */
	if (guarded && !pdev->reset_methods[0])
		memcpy(pdev->reset_methods, guarded->methods, sizeof(guarded->methods));
	if (guarded && !on)
		guarded_free(guarded);
	guarded = guarded || !on ? NULL : kmalloc(sizeof(*guarded), GFP_KERNEL);
	if (guarded) {
		guarded->pdev = pci_dev_get(pdev);
		guarded->flags = pdev->dev_flags;
		memcpy(guarded->methods, pdev->reset_methods, sizeof(guarded->methods));
		list_add(&guarded->node, &guarded_gpus);
		pdev->dev_flags |= INSTINCT_NO_RESETS;
	}
	mutex_unlock(&guard_lock);
}

/* The kernel's vfio-pci would scrub a GPU by the resets that the guard keeps from it. */
static void guard_tell(struct pci_dev *pdev)
{
	struct instinct_device *dev = instinct_device_find(pci_name(pdev));
	struct instinct_event event = {
		.kind = INSTINCT_VFIO_EVENT_DEVICE_UNSCRUBBED,
		.reason = "the kernel's vfio-pci has it: nothing resets or scrubs it between its users",
	};

	if (dev) {
		instinct_device_put(dev);
	} else if (pdev->dev.driver && !strcmp(pdev->dev.driver->name, "vfio-pci")) {
		pci_warn(pdev, "the kernel's vfio-pci has it: nothing resets or scrubs it between its users (see instinctctl bind)\n");
		instinct_device_emit_of(pci_name(pdev), &event);
	}
}

static bool is_known(const struct pci_dev *pdev)
{
	return !pdev->is_virtfn && instinct_profile_find(pdev->vendor, pdev->device);
}

static int on_bus_event(struct notifier_block *block, unsigned long action, void *device)
{
	struct pci_dev *pdev = to_pci_dev(device);
	struct device_driver *driver = pdev->dev.driver;

	instinct_isolation_notice(pdev, action);
	if (!is_known(pdev))
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_BIND_DRIVER:
		guard_set(pdev, !driver || to_pci_driver(driver)->driver_managed_dma);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		guard_tell(pdev);
		break;
	case BUS_NOTIFY_ADD_DEVICE:
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
	case BUS_NOTIFY_UNBOUND_DRIVER:
		guard_set(pdev, true);
		break;
	case BUS_NOTIFY_REMOVED_DEVICE:
		guard_set(pdev, false);
		instinct_record_leave(pci_name(pdev));
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block bus_listener = {
	.notifier_call = on_bus_event,
};

/**
 * instinct_guard_init() - keep the PCI core's resets from GPUs, from now on
 *
 * Return: 0 or a negative errno.
 */
int instinct_guard_init(void)
{
	int ret = bus_register_notifier(&pci_bus_type, &bus_listener);
	struct pci_dev *pdev = NULL;

	if (ret)
		return ret;
	for_each_pci_dev(pdev) {
		if (!is_known(pdev))
			continue;
		/* Under the lock no driver comes or goes; the unbind of one from a GPU in use may hold it. */
		device_lock(&pdev->dev);
		if (device_is_registered(&pdev->dev)) {
			on_bus_event(NULL, BUS_NOTIFY_BIND_DRIVER, &pdev->dev);
			on_bus_event(NULL, BUS_NOTIFY_BOUND_DRIVER, &pdev->dev);
		}
		device_unlock(&pdev->dev);
	}
	return 0;
}

/**
 * instinct_guard_exit() - give the PCI core back all that the guard has taken
 */
void instinct_guard_exit(void)
{
	struct guarded *guarded, *next;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	mutex_lock(&guard_lock);
	list_for_each_entry_safe(guarded, next, &guarded_gpus, node)
		guarded_free(guarded);
	mutex_unlock(&guard_lock);
}
