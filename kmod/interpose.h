/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standing between Linux and the config space of a function: the accessors of
 * its bus are ours, and call those that stood there before.
 */
#ifndef _INSTINCT_INTERPOSE_H
#define _INSTINCT_INTERPOSE_H

#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rculist.h>

struct instinct_guard;

/**
 * struct instinct_interposer - on one bus, for one function
 * @node: in interposers, under interposers_lock; readers walk it under RCU
 * @bus: whose accesses are interposed; referenced
 * @top: ours, in place of @lower
 * @lower: what stood there before, called for every access
 * @devfn: the function, INSTINCT_INTERPOSER_IDLE if it only stays until it can be
 *	taken out
 * @function: the function, also for an access that is under way when @devfn becomes idle
 * @looker: task that looks whether accesses of this bus still come this way
 * @seen: they do
 * @guard: of the function, for the accessors
 */
struct instinct_interposer {
	struct hlist_node node;
	struct pci_bus *bus;
	struct pci_ops top;
	struct pci_ops *lower;
	unsigned int devfn;
	unsigned int function;
	struct task_struct *looker;
	bool seen;
	struct instinct_guard *guard;
};

#define INSTINCT_INTERPOSER_IDLE	(~0u)

/* Guards changes of the table and of bus->ops; taken before nothing. */
extern struct mutex instinct_interposers_lock;
/* By bus number. */
extern struct hlist_head instinct_interposers[256];

/**
 * instinct_interposer_find() - who stands before the functions of a bus
 * @bus: bus
 *
 * By bus and not through bus->ops: who interposes above us may call our accessors
 * while bus->ops is his, or for the time being the one below.
 *
 * Context: any, with preemption off.
 *
 * Return: the interposer, or NULL.
 */
static inline struct instinct_interposer *
instinct_interposer_find(struct pci_bus *bus)
{
	struct instinct_interposer *interposer;

	hlist_for_each_entry_rcu(interposer, &instinct_interposers[bus->number],
				 node, rcu_read_lock_sched_held() ||
				 lockdep_is_held(&instinct_interposers_lock))
		if (interposer->bus == bus)
			return interposer;
	return NULL;
}

/**
 * instinct_interposer_read() - read what the function answers
 * @interposer: of the function
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @val: set
 *
 * Context: any.
 *
 * Return: PCIBIOS_*.
 */
static inline int instinct_interposer_read(struct instinct_interposer *interposer,
					   int where, int size, u32 *val)
{
	return READ_ONCE(interposer->lower)->read(interposer->bus,
						  interposer->function, where,
						  size, val);
}

/**
 * instinct_interposer_write() - write to the function
 * @interposer: of the function
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @val: the value
 *
 * Context: any.
 *
 * Return: PCIBIOS_*.
 */
static inline int instinct_interposer_write(struct instinct_interposer *interposer,
					    int where, int size, u32 val)
{
	return READ_ONCE(interposer->lower)->write(interposer->bus,
						   interposer->function, where,
						   size, val);
}

struct pci_ops *instinct_interposer_above(struct pci_bus *bus);
int instinct_interpose(struct pci_dev *pdev, struct instinct_guard *guard,
		       const struct pci_ops *accessors,
		       struct instinct_interposer **slot);
void instinct_interpose_end(struct instinct_interposer *interposer);
void instinct_interpose_check(struct instinct_interposer *interposer);

#endif /* _INSTINCT_INTERPOSE_H */
