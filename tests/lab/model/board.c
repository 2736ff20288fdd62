// SPDX-License-Identifier: GPL-2.0-only
/*
 * Roles of QEMU's functions, and the rescan that makes Linux see them in their roles.
 *
 * The topology alone decides the roles:
 *
 *	root port -> [ switch up -> switch down -> ] [ SWUS -> SWDS -> ] GPU
 *
 * A switch is the package's if it has one downstream port, with the GPU alone below it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "model.h"

#define QEMU_NVME		0x1b360010u	/* vendor:device */
#define QEMU_NVME_REGISTERS	SZ_16K		/* size of its BAR 0 */

LIST_HEAD(im_trees);
LIST_HEAD(im_gpus);

/* Index of the nvme BAR behind each of the GPU's BARs. */
static const int nvme_bar[IM_BARS] = {
	[IM_DOORBELLS] = 0,
	[IM_REGS] = 2,
	[IM_VRAM] = 4,
};

static bool plays_gpu(struct pci_dev *pdev)
{
	return (pdev->vendor << 16 | pdev->device) == QEMU_NVME &&
	       pci_resource_len(pdev, 2) == SZ_2M && pci_resource_len(pdev, 4) >= SZ_1M;
}

static struct pci_dev *only_child(struct pci_dev *port)
{
	struct pci_bus *bus = port->subordinate;

	if (!bus || !list_is_singular(&bus->devices))
		return NULL;
	return list_first_entry(&bus->devices, struct pci_dev, bus_list);
}

static bool plays_swus(struct pci_dev *pdev)
{
	struct pci_dev *down = only_child(pdev);
	struct pci_dev *gpu = down ? only_child(down) : NULL;

	return gpu && plays_gpu(gpu);
}

/* Return: true if the function is modelled at all. */
static bool role_of(struct pci_dev *pdev, struct im_func *parent, enum im_role *role)
{
	switch (pci_pcie_type(pdev)) {
	case PCI_EXP_TYPE_ROOT_PORT:
		*role = IM_ROOT;
		return true;
	case PCI_EXP_TYPE_UPSTREAM:
		*role = plays_swus(pdev) ? IM_SWUS : IM_SWITCH_UP;
		return true;
	case PCI_EXP_TYPE_DOWNSTREAM:
		*role = parent && parent->role == IM_SWUS ? IM_SWDS : IM_SWITCH_DOWN;
		return true;
	}
	*role = plays_gpu(pdev) ? IM_GPU : IM_NIC;
	return *role == IM_GPU || pdev->class >> 16 == PCI_BASE_CLASS_NETWORK;
}

static void free_func(struct im_func *f)
{
	if (f->gpu)
		list_del(&f->gpu->node);
	if (f->gpu) {
		kfree(f->gpu->kept);
		kvfree(f->gpu->sw);
	}
	kfree(f->gpu);
	kfree(f->path);
	kfree(f);
}

static void free_trees(void)
{
	struct im_tree *tree, *next_tree;
	struct im_func *f, *next;

	list_for_each_entry_safe(tree, next_tree, &im_trees, node) {
		list_for_each_entry_safe(f, next, &tree->funcs, node)
			free_func(f);
		list_del(&tree->node);
		kfree(tree);
	}
}

static struct im_func *new_func(struct im_tree *tree, struct im_func *parent,
				struct pci_dev *pdev, enum im_role role)
{
	struct im_func *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->path = kzalloc(sizeof(*f->path), GFP_KERNEL);
	if (!f->path) {
		kfree(f);
		return NULL;
	}

	f->path->number = pdev->bus->number;
	f->path->sysdata = pdev->bus->sysdata;
	f->path->ops = tree->ops;
#ifdef CONFIG_PCI_DOMAINS_GENERIC
	f->path->domain_nr = pdev->bus->domain_nr;
#endif
	f->tree = tree;
	f->parent = parent;
	f->role = role;
	f->devfn = pdev->devfn;
	f->real_id = pdev->device << 16 | pdev->vendor;
	list_add_tail(&f->node, &tree->funcs);
	return f;
}

static int define_gpu(struct im_func *f, struct pci_dev *pdev)
{
	struct im_gpu *g = kzalloc(sizeof(*g), GFP_KERNEL);
	int i, vfs;

	if (!g)
		return -ENOMEM;
	f->gpu = g;
	g->sw = kvzalloc(sizeof(*g->sw), GFP_KERNEL);
	g->kept = kcalloc(IM_KEPT_MAX, sizeof(*g->kept), GFP_KERNEL);
	if (!g->sw || !g->kept)
		return -ENOMEM;
	g->func = f;
	g->index = list_empty(&im_gpus) ? 0 :
		   list_last_entry(&im_gpus, struct im_gpu, node)->index + 1;
	list_add_tail(&g->node, &im_gpus);
	im_knob_init(g);
	/*
	 * After kexec nvme's own BAR 0 has an address from a window of the wrong kind, the GPU's
	 * doorbells. Linux then leaves it out.
	 */
	for (i = 0; i < IM_BARS; i++)
		g->bar_size[i] = pci_resource_len(pdev, nvme_bar[i]) ?: QEMU_NVME_REGISTERS;
	if (f->parent->role == IM_SWDS) {
		g->swds = f->parent;
		g->swus = f->parent->parent;
	}
	g->generation = 1;
	g->blocked = true;
	vfs = im_gpu_vfs(f);
	im_gpu_define(f);
	for (i = 1; i <= vfs; i++) {
		struct im_func *vf = new_func(f->tree, f->parent, pdev, IM_VF);

		if (!vf)
			return -ENOMEM;
		vf->devfn = f->devfn + i;
		vf->pf = f;
		im_vf_define(vf);
	}
	return 0;
}

static int add_func(struct im_tree *tree, struct im_func *parent, struct pci_dev *pdev)
{
	struct pci_dev *child;
	enum im_role role;
	struct im_func *f;
	int err = 0;

	if (!role_of(pdev, parent, &role))
		return 0;
	f = new_func(tree, parent, pdev, role);
	if (!f)
		return -ENOMEM;

	switch (role) {
	case IM_ROOT:
		tree->root = f;
		im_root_define(f, pdev->pcie_cap);
		break;
	case IM_GPU:
		err = define_gpu(f, pdev);
		break;
	case IM_NIC:
		im_nic_define(f, pdev);
		break;
	default:
		im_port_define(f);
		break;
	}

	if (pdev->subordinate)
		list_for_each_entry(child, &pdev->subordinate->devices, bus_list)
			err = err ?: add_func(tree, f, child);
	return err;
}

static int add_tree(struct pci_dev *root)
{
	struct im_tree *tree = kzalloc(sizeof(*tree), GFP_KERNEL);

	if (!tree)
		return -ENOMEM;
	raw_spin_lock_init(&tree->lock);
	INIT_LIST_HEAD(&tree->funcs);
	tree->root_bus = root->bus;
	tree->ops = root->bus->ops;
	tree->index = list_empty(&im_trees) ? 0 :
		      list_last_entry(&im_trees, struct im_tree, node)->index + 1;
	tree->changes = 1;
	list_add_tail(&tree->node, &im_trees);
	return add_func(tree, NULL, root);
}

static struct im_tree *tree_of(struct pci_dev *root)
{
	struct im_tree *tree;

	list_for_each_entry(tree, &im_trees, node)
		if (tree->root_bus == root->bus && tree->root->devfn == root->devfn)
			return tree;
	return NULL;
}

static u64 place(const struct pci_dev *pdev)
{
	return (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id((struct pci_dev *)pdev);
}

/* Return: the first root port without a tree that has a GPU below. */
static struct pci_dev *next_root(void)
{
	struct pci_dev *pdev = NULL, *first = NULL;
	struct pci_dev *root;

	for_each_pci_dev(pdev) {
		if (!plays_gpu(pdev))
			continue;
		root = pcie_find_root_port(pdev);
		if (!root || !pci_is_root_bus(root->bus) || tree_of(root))
			continue;
		if (!first || place(root) < place(first))
			first = root;
	}
	return first;
}

static int find_trees(void)
{
	struct pci_dev *root;
	int err = 0;

	while (!err && (root = next_root()))
		err = add_tree(root);
	return err;
}

static void remove_below(struct pci_dev *root)
{
	struct pci_dev *pdev, *next;

	list_for_each_entry_safe_reverse(pdev, next, &root->subordinate->devices, bus_list)
		pci_stop_and_remove_bus_device(pdev);
}

static void scan_below(struct pci_dev *root)
{
	pci_scan_child_bus(root->subordinate);
	pci_assign_unassigned_bridge_resources(root);
	pci_bus_add_devices(root->subordinate);
}

/* A port keeps the state in which the firmware left it; other functions start as reset. */
static void adopt(struct im_func *f)
{
	int i;

	if (f->gpu) {
		pr_info("GPU %u is found with Command %04x, VRAM at %08x%08x, registers at %08x\n",
			f->gpu->index, im_real_read(f, PCI_COMMAND, 2),
			im_real_read(f, PCI_BASE_ADDRESS_5, 4),
			im_real_read(f, PCI_BASE_ADDRESS_4, 4) & (u32)PCI_BASE_ADDRESS_MEM_MASK,
			im_real_read(f, PCI_BASE_ADDRESS_2, 4) & (u32)PCI_BASE_ADDRESS_MEM_MASK);
		/* The kernel before a kexec may have left Bus Master on. */
		im_space_write(f, PCI_COMMAND, 2,
			       im_real_read(f, PCI_COMMAND, 2) & PCI_COMMAND_MASTER);
		im_real_write(f, PCI_COMMAND, 2, 0);
		return;
	}
	for (i = 0; i < PCI_CFG_SPACE_SIZE; i += 2)
		if (f->through[i] && f->role != IM_NIC)
			im_space_write(f, i, 2, im_real_read(f, i, 2));
}

static void dress(struct im_tree *tree)
{
	struct pci_dev *root = pci_get_slot(tree->root_bus, tree->root->devfn);
	struct im_func *f;

	remove_below(root);
	list_for_each_entry(f, &tree->funcs, node)
		adopt(f);
	im_hook(tree->root_bus, tree->ops);
	im_hook(root->subordinate, tree->ops);
	scan_below(root);
	list_for_each_entry(f, &tree->funcs, node)
		if (f->gpu)
			im_regs_power_on(f->gpu);
	pci_dev_put(root);
}

/**
 * im_func_below() - whether a function lies below a port
 * @f: the function
 * @port: the port
 *
 * Return: true if it does; a port does not lie below itself.
 */
bool im_func_below(const struct im_func *f, const struct im_func *port)
{
	for (f = f->parent; f; f = f->parent)
		if (f == port)
			return true;
	return false;
}

/**
 * im_board_start() - find QEMU's functions and give them their roles
 *
 * Context: process.
 * Return: 0, -ENODEV if there is nothing to model, or -ENOMEM.
 */
int im_board_start(void)
{
	struct im_tree *tree;
	int err;

	pci_lock_rescan_remove();
	err = find_trees();
	if (!err && list_empty(&im_gpus))
		err = -ENODEV;
	if (err)
		free_trees();
	list_for_each_entry(tree, &im_trees, node)
		dress(tree);
	pci_unlock_rescan_remove();
	return err;
}

/**
 * im_board_stop() - give QEMU's functions their own identity back
 *
 * Context: process; waits for all callers inside the model's accessors.
 * Return: 0, or -EBUSY if another interposer sits above the model.
 */
int im_board_stop(void)
{
	struct im_tree *tree;
	struct pci_dev *root;
	int err = 0;

	pci_lock_rescan_remove();
	list_for_each_entry(tree, &im_trees, node)
		err = err ?: im_hook_check(tree->root_bus);
	if (err)
		goto out;

	list_for_each_entry(tree, &im_trees, node) {
		root = pci_get_slot(tree->root_bus, tree->root->devfn);
		if (root && root->subordinate) {
			remove_below(root);
			im_unhook(root->subordinate, tree->ops);
		}
		im_unhook(tree->root_bus, tree->ops);
		pci_dev_put(root);
	}

	/* A caller may have been preempted inside the accessors. */
	synchronize_rcu_tasks();
	im_regs_stop();

	list_for_each_entry(tree, &im_trees, node) {
		root = pci_get_slot(tree->root_bus, tree->root->devfn);
		if (root && root->subordinate)
			scan_below(root);
		pci_dev_put(root);
	}
out:
	pci_unlock_rescan_remove();
	return err;
}

/**
 * im_board_free() - release all trees, functions and GPUs
 *
 * Context: process, after the last use of the GPUs.
 */
void im_board_free(void)
{
	free_trees();
}
