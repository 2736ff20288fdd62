// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "interpose.h"

#define LEAVE_POLL_MS	200
#define LEAVE_TELL_EVERY	50

#define OUT_LOOKS	3
#define OUT_LOOK_MS	10

/* Guards changes of the table and of bus->ops; taken before nothing. */
DEFINE_MUTEX(instinct_interposers_lock);
struct hlist_head instinct_interposers[256];

/*
 * Do accesses of the bus come this way, at the top or below somebody else? One
 * that restores what stood there before him throws out who came after him. The
 * access to find out ends here, in an answer that nobody takes for one.
 */
static bool interposer_is_asked(struct instinct_interposer *interposer)
{
	u32 ignored;

	interposer->seen = false;
	WRITE_ONCE(interposer->looker, current);
	pci_bus_read_config_dword(interposer->bus, 0, PCI_VENDOR_ID, &ignored);
	WRITE_ONCE(interposer->looker, NULL);
	return interposer->seen;
}

/*
 * Have we been thrown out? Who interposes above us, or below us, may take himself off the
 * bus for the time of an access (aer_inject does), or be on his way on it or off it: only
 * if we are not on it and nobody asks us, time after time.
 */
static bool interposer_is_out(struct instinct_interposer *interposer)
{
	int i;

	for (i = 0; i < OUT_LOOKS; i++) {
		if (i)
			msleep(OUT_LOOK_MS);
		if (READ_ONCE(interposer->bus->ops) == &interposer->top ||
		    interposer_is_asked(interposer))
			return false;
	}
	return true;
}

/*
 * What stands on the bus is below us from here on. If that is us after all, since somebody
 * has put back what he had found, what was below still is.
 */
static void interposer_step_in(struct instinct_interposer *interposer)
{
	struct pci_ops *below = READ_ONCE(interposer->bus->ops), *lower = interposer->lower;

	if (below == &interposer->top)
		return;
	/* What stood there may be gone: not to be called once we are. */
	WRITE_ONCE(interposer->lower, below);
	below = pci_bus_set_ops(interposer->bus, &interposer->top);
	WRITE_ONCE(interposer->lower, below == &interposer->top ? lower : below);
}

/*
 * Config accesses take no lock on x86, so another CPU may be inside our
 * accessors or about to enter them: wait for those that cannot be preempted
 * (RCU) and those that can (RCU tasks).
 */
static void interposer_wait_for_readers(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu();
}

/**
 * instinct_interposer_above() - what a bus below one of ours has in place of our accessors
 * @bus: bus that has no interposer
 *
 * Until interposer_add_bus() has seen to it, the PCI core has given it ours.
 *
 * Context: any, with preemption off.
 *
 * Return: the operations below ours of the bus above, or NULL if they are not ours.
 */
struct pci_ops *instinct_interposer_above(struct pci_bus *bus)
{
	struct instinct_interposer *interposer =
		bus->parent ? instinct_interposer_find(bus->parent) : NULL;

	return interposer ? READ_ONCE(interposer->lower) : NULL;
}

/*
 * The PCI core gives a new bus the operations of the bus above it. There ours would stay
 * after us, and know no interposer.
 */
static int interposer_add_bus(struct pci_bus *bus)
{
	struct pci_ops *lower;

	rcu_read_lock_sched();
	lower = instinct_interposer_above(bus) ?: READ_ONCE(bus->parent->ops);
	rcu_read_unlock_sched();
	pci_bus_set_ops(bus, lower);
	return lower->add_bus ? lower->add_bus(bus) : 0;
}

/* Take our accessors off the bus, unless somebody has interposed above us. */
static bool interposer_leave(struct instinct_interposer *interposer)
{
	struct pci_bus *bus = interposer->bus;
	struct pci_ops *top;

	if (interposer_is_out(interposer))
		return true;
	if (READ_ONCE(bus->ops) != &interposer->top)
		return false;
	top = pci_bus_set_ops(bus, interposer->lower);
	if (top == &interposer->top)
		return true;
	/* Somebody came between the lines above. */
	pci_bus_set_ops(bus, top);
	return false;
}

static bool interposer_remove(struct instinct_interposer *interposer)
{
	if (!interposer_leave(interposer))
		return false;
	interposer_wait_for_readers();
	/* Who was just asking the one below may have put back what he had found: us. */
	if (!interposer_is_out(interposer))
		return false;
	hlist_del_rcu(&interposer->node);
	synchronize_rcu();
	put_device(&interposer->bus->dev);
	kfree(interposer);
	return true;
}

static struct instinct_interposer *
interposer_insert(struct pci_bus *bus, const struct pci_ops *accessors)
{
	struct instinct_interposer *interposer =
		kzalloc(sizeof(*interposer), GFP_KERNEL);

	if (!interposer)
		return NULL;
	get_device(&bus->dev);
	interposer->bus = bus;
	interposer->devfn = INSTINCT_INTERPOSER_IDLE;
	interposer->lower = bus->ops;
	interposer->top = *bus->ops;
	interposer->top.read = accessors->read;
	interposer->top.write = accessors->write;
	interposer->top.add_bus = interposer_add_bus;
	hlist_add_head_rcu(&interposer->node, &instinct_interposers[bus->number]);
	pci_bus_set_ops(bus, &interposer->top);
	return interposer;
}

/**
 * instinct_interpose() - begin to stand before a function
 * @pdev: function
 * @guard: of the function
 * @accessors: read and write, which find their interposer by bus and call what is
 *	below it; one that the interposer's @looker makes ends there, in @seen
 * @slot: set to the interposer before the first access comes this way
 *
 * Context: may sleep; the device lock of @pdev, or of one below it, is held,
 * which keeps its bus.
 *
 * Return: 0, -ENOMEM, or -EBUSY if another function of the same bus has one.
 */
int instinct_interpose(struct pci_dev *pdev, struct instinct_guard *guard,
		       const struct pci_ops *accessors,
		       struct instinct_interposer **slot)
{
	struct instinct_interposer *interposer;
	int ret = 0;

	mutex_lock(&instinct_interposers_lock);
	interposer = instinct_interposer_find(pdev->bus);
	if (interposer && interposer->devfn != INSTINCT_INTERPOSER_IDLE) {
		ret = -EBUSY;
		goto out;
	}
	if (interposer) {
		/* It outlived its device, see instinct_interpose_end(). */
		module_put(THIS_MODULE);
	} else {
		interposer = interposer_insert(pdev->bus, accessors);
		if (!interposer) {
			ret = -ENOMEM;
			goto out;
		}
	}
	*slot = interposer;
	interposer->guard = guard;
	interposer->function = pdev->devfn;
	/* Who sees it for this function sees its guard: pairs with the accessors. */
	smp_store_release(&interposer->devfn, pdev->devfn);
out:
	mutex_unlock(&instinct_interposers_lock);
	return ret;
}

/* A module that is being unloaded cannot leave its accessors behind. */
static void interposer_remove_in_the_end(struct instinct_interposer *interposer)
{
	unsigned int waited = 0;

	while (!interposer_remove(interposer)) {
		if (!(waited++ % LEAVE_TELL_EVERY))
			dev_warn(&interposer->bus->dev,
				 "config accesses of this bus are interposed above this driver too; unload who does that, this driver's unloading waits for it\n");
		msleep(LEAVE_POLL_MS);
	}
}

/**
 * instinct_interpose_end() - no longer stand before a function
 * @interposer: not to be used after this
 *
 * If somebody has interposed above us on this bus since, our accessors must
 * stay below his: they then only pass on, and the module cannot be unloaded
 * until a device of this bus has been bound and unbound again without him.
 * Where the module is being unloaded already, that waits for him to go.
 *
 * Context: may sleep; the device lock is held.
 */
void instinct_interpose_end(struct instinct_interposer *interposer)
{
	struct pci_bus *bus = interposer->bus;

	mutex_lock(&instinct_interposers_lock);
	WRITE_ONCE(interposer->devfn, INSTINCT_INTERPOSER_IDLE);
	synchronize_rcu();
	if (interposer_remove(interposer)) {
		/* As if nobody had been here. */
	} else if (!try_module_get(THIS_MODULE)) {
		interposer_remove_in_the_end(interposer);
	} else {
		dev_warn(&bus->dev,
			 "config accesses of this bus are interposed above this driver too; it stays loaded until that is gone and a device here has been bound and unbound again\n");
	}
	mutex_unlock(&instinct_interposers_lock);
}

/**
 * instinct_interpose_check() - step in again if we were thrown out
 * @interposer: of the function
 *
 * Who restores what stood on the bus before him, without a look at who has come
 * since, throws those out, as aer_inject does when it is unloaded.
 *
 * Context: may sleep; what keeps the function's bus is held.
 */
void instinct_interpose_check(struct instinct_interposer *interposer)
{
	struct pci_bus *bus = interposer->bus;

	if (READ_ONCE(bus->ops) == &interposer->top)
		return;
	mutex_lock(&instinct_interposers_lock);
	if (interposer_is_out(interposer)) {
		dev_warn(&bus->dev,
			 "somebody has taken this driver off the bus's config accesses; it is back on them\n");
		interposer_step_in(interposer);
	}
	mutex_unlock(&instinct_interposers_lock);
}
