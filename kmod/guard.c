// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "guard.h"
#include "guard_rule.h"
#include "touch.h"

/**
 * struct instinct_guard - the interposition on one bus, for one function
 * @node: in guards, under guards_lock; readers walk it under RCU
 * @bus: whose accesses are interposed; referenced
 * @ops: ours, in place of @lower
 * @lower: what stood there before, called for every access
 * @devfn: the guarded function
 * @devctl: offset of its Device Control register
 * @map: where the function has what does not touch it
 * @command: Command register as it was written last
 * @pass_flr: an FLR may reach the function: the engine is doing it
 * @hold_d3: nor may D3hot: the PCI core is resetting by power management what
 *	the engine has reset already
 * @active: guards @devfn; else only stays until it can be taken out
 * @own: writes are Linux's own, and nobody else's are possible, while not 0
 * @watch: whom it tells
 * @data: for @watch
 */
struct instinct_guard {
	struct list_head node;
	struct pci_bus *bus;
	struct pci_ops ops;
	struct pci_ops *lower;
	unsigned int devfn;
	u16 devctl;
	struct instinct_touch_map map;
	u16 command;
	bool pass_flr;
	bool hold_d3;
	bool active;
	atomic_t own;
	const struct instinct_guard_watch *watch;
	void *data;
};

/* Guards changes of the list and of bus->ops; taken before nothing. */
static DEFINE_MUTEX(guards_lock);
static LIST_HEAD(guards);

/*
 * Found by bus and not through bus->ops: who interposes above us may call our
 * accessors while bus->ops is his, or for the time being the one below.
 */
static struct instinct_guard *guard_find(struct pci_bus *bus)
{
	struct instinct_guard *guard;

	list_for_each_entry_rcu(guard, &guards, node,
				lockdep_is_held(&guards_lock))
		if (guard->bus == bus)
			return guard;
	return NULL;
}

/* Atomic context; the config space's own locks may be held. */
static int guard_read(struct pci_bus *bus, unsigned int devfn, int where,
		      int size, u32 *val)
{
	struct instinct_guard *guard;
	int ret = PCIBIOS_DEVICE_NOT_FOUND;

	rcu_read_lock();
	guard = guard_find(bus);
	if (guard)
		ret = guard->lower->read(bus, devfn, where, size, val);
	rcu_read_unlock();
	return ret;
}

/* What of a write may reach the function. */
static u32 guard_filter(struct instinct_guard *guard, int where, int size,
			u32 val)
{
	if (!READ_ONCE(guard->pass_flr) &&
	    instinct_guard_rule_is_flr(guard->devctl, where, size, val)) {
		val = instinct_guard_rule_without_flr(guard->devctl, where, val);
		guard->watch->flr_held(guard->data);
	}
	if (READ_ONCE(guard->hold_d3))
		val = instinct_guard_rule_without_d3(guard->map.pmcsr, where,
						     size, val);
	return val;
}

/* Before the write, so that who clears the mark afterwards misses nothing. */
static void guard_watch(struct instinct_guard *guard, int where, int size,
			u32 val)
{
	if (!atomic_read(&guard->own) &&
	    instinct_touch_config(&guard->map, READ_ONCE(guard->command),
				  where, size, val))
		guard->watch->touched(guard->data);
	if (where <= PCI_COMMAND && where + size > PCI_COMMAND)
		WRITE_ONCE(guard->command, val >> (8 * (PCI_COMMAND - where)));
}

/* Atomic context; the config space's own locks may be held. */
static int guard_write(struct pci_bus *bus, unsigned int devfn, int where,
		       int size, u32 val)
{
	struct instinct_guard *guard;
	int ret = PCIBIOS_DEVICE_NOT_FOUND;

	rcu_read_lock();
	guard = guard_find(bus);
	if (!guard)
		goto out;

	/* Pairs with instinct_guard_attach(). */
	if (smp_load_acquire(&guard->active) && devfn == guard->devfn) {
		val = guard_filter(guard, where, size, val);
		guard_watch(guard, where, size, val);
	}
	ret = guard->lower->write(bus, devfn, where, size, val);
out:
	rcu_read_unlock();
	return ret;
}

/*
 * Take a guard out if nobody has interposed above it. Config accesses take no
 * lock on x86, so another CPU may be inside guard_read() or about to enter:
 * wait for those that cannot be preempted (RCU) and those that can (RCU
 * tasks).
 */
static bool guard_remove(struct instinct_guard *guard)
{
	struct pci_ops *top = READ_ONCE(guard->bus->ops);

	if (top == &guard->ops)
		top = pci_bus_set_ops(guard->bus, guard->lower);
	else
		return false;
	if (top != &guard->ops) {
		/* Somebody came between the two lines above. */
		pci_bus_set_ops(guard->bus, top);
		return false;
	}
	synchronize_rcu_tasks();
	synchronize_rcu();
	list_del_rcu(&guard->node);
	synchronize_rcu();
	put_device(&guard->bus->dev);
	kfree(guard);
	return true;
}

static struct instinct_guard *guard_insert(struct pci_bus *bus)
{
	struct instinct_guard *guard = kzalloc(sizeof(*guard), GFP_KERNEL);

	if (!guard)
		return NULL;
	get_device(&bus->dev);
	guard->bus = bus;
	guard->lower = bus->ops;
	guard->ops = *bus->ops;
	guard->ops.read = guard_read;
	guard->ops.write = guard_write;
	list_add_rcu(&guard->node, &guards);
	pci_bus_set_ops(bus, &guard->ops);
	return guard;
}

static void guard_map(struct instinct_guard *guard, struct pci_dev *pdev)
{
	guard->map = (struct instinct_touch_map) {
		.pmcsr = pdev->pm_cap ? pdev->pm_cap + PCI_PM_CTRL : 0,
		.msi = pci_find_capability(pdev, PCI_CAP_ID_MSI),
		.msix = pci_find_capability(pdev, PCI_CAP_ID_MSIX),
		.iommu = {
			pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_ATS),
			pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_PRI),
			pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_PASID),
		},
	};
	guard->devctl = pci_pcie_cap(pdev) + PCI_EXP_DEVCTL;
	guard->command = 0;
}

/**
 * instinct_guard_attach() - begin to guard a function
 * @pdev: function, with a PCIe capability
 * @watch: whom it tells
 * @data: for @watch
 *
 * Context: may sleep; the device lock of @pdev is held, which keeps its bus.
 *
 * Return: the guard, ERR_PTR(-ENOMEM), or ERR_PTR(-EBUSY) if another function
 * of the same bus is guarded.
 */
struct instinct_guard *
instinct_guard_attach(struct pci_dev *pdev,
		      const struct instinct_guard_watch *watch, void *data)
{
	struct instinct_guard *guard;

	mutex_lock(&guards_lock);
	guard = guard_find(pdev->bus);
	if (guard && guard->active) {
		guard = ERR_PTR(-EBUSY);
		goto out;
	}
	if (guard) {
		/* It outlived its device, see instinct_guard_detach(). */
		module_put(THIS_MODULE);
	} else {
		guard = guard_insert(pdev->bus);
		if (!guard) {
			guard = ERR_PTR(-ENOMEM);
			goto out;
		}
	}
	guard->devfn = pdev->devfn;
	guard_map(guard, pdev);
	guard->watch = watch;
	guard->data = data;
	guard->pass_flr = false;
	guard->hold_d3 = false;
	atomic_set(&guard->own, 0);
	/* Pairs with guard_write(). */
	smp_store_release(&guard->active, true);
out:
	mutex_unlock(&guards_lock);
	return guard;
}

/**
 * instinct_guard_detach() - stop guarding a function
 * @guard: not to be used after this
 *
 * If somebody has interposed above us on this bus since, our accessors must
 * stay below his: they then only pass on, and the module cannot be unloaded
 * until a device of this bus has been bound and unbound again without him.
 *
 * Context: may sleep, up to some RCU grace periods; the device lock is held.
 */
void instinct_guard_detach(struct instinct_guard *guard)
{
	struct pci_bus *bus = guard->bus;

	mutex_lock(&guards_lock);
	WRITE_ONCE(guard->active, false);
	synchronize_rcu();
	if (!guard_remove(guard)) {
		__module_get(THIS_MODULE);
		dev_warn(&bus->dev,
			 "config accesses of this bus are interposed above this driver too; it stays loaded until that is gone and a device here has been bound and unbound again\n");
	}
	mutex_unlock(&guards_lock);
}

/**
 * instinct_guard_pass_flr() - let the next FLR through, or no longer
 * @guard: of the function
 * @pass: whether
 *
 * Context: the caller serialises resets.
 */
void instinct_guard_pass_flr(struct instinct_guard *guard, bool pass)
{
	WRITE_ONCE(guard->pass_flr, pass);
}

/**
 * instinct_guard_own_begin() - Linux itself is going to write
 * @guard: of the function
 *
 * Between this and instinct_guard_own_end() no write counts as a touch: either
 * nobody can use the device yet or any more, or all others' writes wait.
 */
void instinct_guard_own_begin(struct instinct_guard *guard)
{
	atomic_inc(&guard->own);
}

/**
 * instinct_guard_own_end() - undo instinct_guard_own_begin()
 * @guard: of the function
 */
void instinct_guard_own_end(struct instinct_guard *guard)
{
	atomic_dec(&guard->own);
}

/**
 * instinct_guard_hold_d3() - keep the function in D0, or no longer
 * @guard: of the function
 * @hold: whether
 *
 * Context: the caller serialises resets.
 */
void instinct_guard_hold_d3(struct instinct_guard *guard, bool hold)
{
	WRITE_ONCE(guard->hold_d3, hold);
}
