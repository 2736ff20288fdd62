// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accessors that the model puts on buses, and the lookup of the accessed function.
 *
 * The lookup follows the topology (bus, devfn), not bus->ops: another interposer may sit
 * above the model, and new buses inherit the model's ops.
 */
#include <linux/pci.h>

#include "model.h"

#define DEPTH_MAX	16

static struct pci_ops model_ops;

static struct im_func *find_child(struct im_tree *tree, struct im_func *parent, u8 devfn)
{
	struct im_func *f;

	list_for_each_entry(f, &tree->funcs, node)
		if (f->parent == parent && f->devfn == devfn)
			return f;
	return NULL;
}

static struct im_tree *find_tree(struct pci_bus *root_bus, u8 devfn)
{
	struct im_tree *tree;

	list_for_each_entry(tree, &im_trees, node)
		if (tree->root_bus == root_bus && tree->root->devfn == devfn)
			return tree;
	return NULL;
}

static struct im_func *find_func(struct pci_bus *bus, u8 devfn)
{
	u8 way[DEPTH_MAX];
	struct im_tree *tree;
	struct im_func *f;
	int depth = 0;

	for (; !pci_is_root_bus(bus); bus = bus->parent) {
		if (!bus->self || depth == DEPTH_MAX)
			return NULL;
		way[depth++] = devfn;
		devfn = bus->self->devfn;
	}

	tree = find_tree(bus, devfn);
	if (!tree)
		return NULL;
	for (f = tree->root; f && depth; depth--)
		f = find_child(tree, f, way[depth - 1]);
	return f;
}

static struct pci_ops *host_ops(struct pci_bus *bus)
{
	struct im_tree *tree;

	while (!pci_is_root_bus(bus))
		bus = bus->parent;
	list_for_each_entry(tree, &im_trees, node)
		if (tree->root_bus == bus)
			return tree->ops;
	return NULL;
}

/* A caller that trusts a false capability at the end of config space reads past the end. */
static int refuse(struct im_func *f)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&f->tree->lock, flags);
	if (f->gpu)
		f->gpu->count[IM_N_BEHIND_END]++;
	raw_spin_unlock_irqrestore(&f->tree->lock, flags);
	return PCIBIOS_BAD_REGISTER_NUMBER;
}

static int model_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	struct im_func *f = find_func(bus, devfn);
	unsigned long flags;

	if (!f)
		return host_ops(bus)->read(bus, devfn, where, size, val);
	if (where < 0 || where + size > IM_SPACE)
		return refuse(f);

	raw_spin_lock_irqsave(&f->tree->lock, flags);
	f->path->number = bus->number;
	*val = im_access_read(f, where, size);
	raw_spin_unlock_irqrestore(&f->tree->lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

static int model_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	struct im_func *f = find_func(bus, devfn);
	unsigned long flags;

	if (!f)
		return host_ops(bus)->write(bus, devfn, where, size, val);
	if (where < 0 || where + size > IM_SPACE)
		return refuse(f);

	raw_spin_lock_irqsave(&f->tree->lock, flags);
	f->path->number = bus->number;
	im_access_write(f, where, size, val);
	raw_spin_unlock_irqrestore(&f->tree->lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

/**
 * im_hook() - put the model's accessors on a bus
 * @bus: the bus
 * @below: the bus's own accessors; all buses have the host's
 *
 * Context: process; buses found later inherit the ops of their parent.
 */
void im_hook(struct pci_bus *bus, struct pci_ops *below)
{
	if (!model_ops.read) {
		model_ops = *below;
		model_ops.read = model_read;
		model_ops.write = model_write;
	}
	if (bus->ops != &model_ops)
		pci_bus_set_ops(bus, &model_ops);
}

/**
 * im_hook_check() - look for another interposer's accessors above the model's
 * @bus: the topmost bus; the function checks the buses below it too
 *
 * Context: process, with the rescan lock held.
 * Return: 0, or -EBUSY if there are any.
 */
int im_hook_check(struct pci_bus *bus)
{
	struct pci_bus *below;
	int err = 0;

	if (bus->ops != &model_ops && bus->ops->read != host_ops(bus)->read)
		return -EBUSY;
	list_for_each_entry(below, &bus->children, node)
		err = err ?: im_hook_check(below);
	return err;
}

/**
 * im_unhook() - take the model's accessors off a bus
 * @bus: the bus
 * @below: the accessors to restore
 *
 * Context: process; callers may still be inside the model's accessors on return.
 */
void im_unhook(struct pci_bus *bus, struct pci_ops *below)
{
	if (bus->ops == &model_ops)
		pci_bus_set_ops(bus, below);
}
