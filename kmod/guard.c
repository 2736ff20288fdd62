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

/**
 * struct instinct_guard - the interposition on one bus, for one function
 * @node: in guards, under guards_lock; readers walk it under RCU
 * @bus: whose accesses are interposed; referenced
 * @ops: ours, in place of @lower
 * @lower: what stood there before, called for every access
 * @devfn: the guarded function
 * @devctl: offset of its Device Control register
 * @pass_flr: an FLR may reach the function: the engine is doing it
 * @active: guards @devfn; else only stays until it can be taken out
 * @held: called for each FLR held back
 * @data: for @held
 */
struct instinct_guard {
	struct list_head node;
	struct pci_bus *bus;
	struct pci_ops ops;
	struct pci_ops *lower;
	unsigned int devfn;
	u16 devctl;
	bool pass_flr;
	bool active;
	instinct_guard_flr_t held;
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

	if (READ_ONCE(guard->active) && devfn == guard->devfn &&
	    !READ_ONCE(guard->pass_flr) &&
	    instinct_guard_rule_is_flr(guard->devctl, where, size, val)) {
		val = instinct_guard_rule_without_flr(guard->devctl, where, val);
		guard->held(guard->data);
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

/**
 * instinct_guard_attach() - begin to guard a function
 * @pdev: function, with a PCIe capability
 * @held: called for each FLR held back
 * @data: for @held
 *
 * Context: may sleep; the device lock of @pdev is held, which keeps its bus.
 *
 * Return: the guard, ERR_PTR(-ENOMEM), or ERR_PTR(-EBUSY) if another function
 * of the same bus is guarded.
 */
struct instinct_guard *instinct_guard_attach(struct pci_dev *pdev,
					     instinct_guard_flr_t held,
					     void *data)
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
	guard->devctl = pci_pcie_cap(pdev) + PCI_EXP_DEVCTL;
	guard->held = held;
	guard->data = data;
	guard->pass_flr = false;
	/* Pairs with nothing: an FLR before this is not ours to hold back. */
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
