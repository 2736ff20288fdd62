// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_fold.h"
#include "guest_tree.h"
#include "say.h"

/*
 * Limits of NCCL 2.29 and RCCL 5.4, the tightest of all: elements of a file including those
 * that the library adds, and children of one element.
 */
#define NODES_MAX	256
#define NODES_PER_GPU	9	/* a GPU, its links to seven others, and one spare */
#define NODES_PER_NIC	2
#define CHILDREN_MAX	30
#define SLOT_BYTES	10	/* "0000:05:00", an address without its function */

/* The topology of a guest contains GPUs and NICs only. */
static bool is_told(const struct topo *topo, const struct guest_device *dev)
{
	return topo->kind[dev->index] == TOPO_GPU || topo_is_nic(topo->kind[dev->index]);
}

static struct guest_part_of *add(struct guest_tree *tree, enum guest_part part, int parent)
{
	struct guest_part_of *one = list_add((void **)&tree->list, &tree->count, sizeof(*one));

	one->part = part;
	one->parent = parent;
	one->host = -1;
	one->bridge = -1;
	return one;
}

/* Numbers the host's NUMA nodes that the guest has devices of, from 0. */
static int dense_node(const struct topo *topo, const struct guest_map *map, int numa)
{
	bool before[NUMA_NODES_MAX] = { false };
	int count = 0, i;
	size_t k;

	for (k = 0; k < map->count; k++) {
		int other = topo->host.function[map->list[k].index].numa;

		if (is_told(topo, &map->list[k]) && other >= 0 && other < numa &&
		    other < NUMA_NODES_MAX)
			before[other] = true;
	}
	for (i = 0; i < NUMA_NODES_MAX; i++)
		count += before[i];
	return count;
}

/* Returns the guest's node that the map gives, NUMA_NONE if it gives none. */
static int told_node(const struct topo *topo, const struct guest_map *map,
		     const struct guest_device *dev)
{
	int numa = topo->host.function[dev->index].numa;

	if (dev->node != NUMA_NONE)
		return dev->node;
	if (map->nodes == 1)
		return 0;
	if (numa >= 0 && numa < NUMA_NODES_MAX && map->cell_of[numa] > 0)
		return map->cell_of[numa] - 1;
	return NUMA_NONE;
}

/**
 * guest_tree_is_guessed() - tell whether the tree only guesses a device's NUMA node
 * @topo: host
 * @map: devices of the guest, settled
 * @dev: a device of @map
 *
 * Return: true if nothing says which node of the guest the device is in.
 */
bool guest_tree_is_guessed(const struct topo *topo, const struct guest_map *map,
			   const struct guest_device *dev)
{
	return told_node(topo, map, dev) == NUMA_NONE;
}

static int node_of(const struct topo *topo, const struct guest_map *map,
		   const struct guest_device *dev)
{
	int node = told_node(topo, map, dev);

	if (node != NUMA_NONE)
		return node;
	return dense_node(topo, map, topo->host.function[dev->index].numa);
}

static int find_node(struct guest_tree *tree, int numa)
{
	struct guest_part_of *node;
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (tree->list[i].part == GUEST_NODE && tree->list[i].numa == numa)
			return i;
	node = add(tree, GUEST_NODE, -1);
	node->numa = numa;
	return tree->count - 1;
}

static int count_switches(const struct guest_tree *tree)
{
	int count = 0;
	size_t i;

	for (i = 0; i < tree->count; i++)
		count += tree->list[i].part == GUEST_SWITCH;
	return count;
}

static struct guest_part_of *add_switch(struct guest_tree *tree, int parent)
{
	struct guest_part_of *made = add(tree, GUEST_SWITCH, parent);

	snprintf(made->busid, sizeof(made->busid), GUEST_SWITCHES "%02x.0",
		 count_switches(tree) & 0xff);
	return made;
}

/*
 * The libraries know no root complex, and would share the NICs of a NUMA node out to all of its
 * GPUs. Checks whether a switch has to stand for a root complex: a GPU and a NIC meet in it, and
 * its NUMA node of the guest has devices elsewhere.
 */
static bool needs_switch(const struct topo *topo, const struct guest_map *map, int bridge, int numa)
{
	bool meets = false, elsewhere = false;
	size_t i, k;

	for (i = 0; i < map->count; i++) {
		const struct guest_device *dev = &map->list[i];
		bool inside = topo->host.function[dev->index].bridge == bridge;

		if (!is_told(topo, dev))
			continue;
		if (inside && node_of(topo, map, dev) != numa)
			return false;
		elsewhere |= !inside && node_of(topo, map, dev) == numa;
		for (k = 0; inside && k < i; k++)
			meets |= is_told(topo, &map->list[k]) &&
				 topo_is_nic(topo->kind[map->list[k].index]) !=
				 topo_is_nic(topo->kind[dev->index]) &&
				 rank_of(topo, map->list[k].index, dev->index) ==
				 RANK_ROOT_COMPLEX;
	}
	return meets && elsewhere && bridge >= 0;
}

/* Returns the part below which a device or switch is that has no switch above it. */
static int find_top(struct guest_tree *tree, const struct topo *topo, const struct guest_map *map,
		    int host, int numa)
{
	int bridge = topo->host.function[host].bridge, parent;
	size_t i;

	if (!needs_switch(topo, map, bridge, numa))
		return find_node(tree, numa);
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].part == GUEST_SWITCH && tree->list[i].bridge == bridge)
			return i;
	parent = find_node(tree, numa);
	add_switch(tree, parent)->bridge = bridge;
	return tree->count - 1;
}

/* A root complex is no narrower than the widest link below it. */
static void widen(struct guest_part_of *above, const struct host_link *link)
{
	if (above->bridge < 0)
		return;
	if (link->max_speed > above->link.max_speed)
		above->link.max_speed = link->max_speed;
	if (link->max_width > above->link.max_width)
		above->link.max_width = link->max_width;
}

/*
 * Returns the part that is right above a function of the host: its switch, after the switches
 * above that, or its root complex or NUMA node.
 */
static int find_above(struct guest_tree *tree, const struct topo *topo,
		      const struct guest_map *map, int index, int numa)
{
	int host = topo_switch(topo, index), parent;
	struct guest_part_of *made;
	size_t i;

	if (host == INSTINCT_NODE_NONE)
		return find_top(tree, topo, map, index, numa);
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].part == GUEST_SWITCH && tree->list[i].host == host)
			return i;
	parent = find_above(tree, topo, map, host, numa);
	made = add_switch(tree, parent);
	made->host = host;
	made->link = topo_link(topo, host);
	widen(&tree->list[parent], &made->link);
	return tree->count - 1;
}

static bool has_busid(const struct guest_tree *tree, const char *busid)
{
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (!strcmp(tree->list[i].busid, busid))
			return true;
	return false;
}

static void add_device(struct guest_tree *tree, const struct topo *topo,
		       const struct guest_map *map, const struct guest_device *dev,
		       const char *busid)
{
	int parent = find_above(tree, topo, map, dev->index, node_of(topo, map, dev));
	struct guest_part_of *device = add(tree, GUEST_DEVICE, parent);

	device->host = dev->index;
	device->link = topo_link(topo, dev->index);
	memcpy(device->busid, busid, sizeof(device->busid));
	widen(&tree->list[parent], &device->link);
}

/* Adds a NIC once more at each other address at which the libraries look for it. */
static void add_folds(struct guest_tree *tree, const struct topo *topo,
		      const struct guest_map *map, const struct guest_device *nic)
{
	struct guest_folds folds;
	int i;

	guest_fold(&folds, nic->guest);
	for (i = 0; i < folds.count && topo->kind[nic->index] == TOPO_NIC; i++)
		if (guest_fold_is_free(topo, map, nic, folds.busid[i]) &&
		    !has_busid(tree, folds.busid[i]))
			add_device(tree, topo, map, nic, folds.busid[i]);
}

/* RCCL takes the functions of one device for one NIC, wherever the file places them. */
static int check_slots(const struct topo *topo, const struct guest_map *map)
{
	size_t i, k;

	for (i = 0; i < map->count; i++)
		for (k = 0; k < i; k++) {
			const struct guest_device *a = &map->list[k], *b = &map->list[i];

			if (topo->kind[a->index] != TOPO_NIC || topo->kind[b->index] != TOPO_NIC ||
			    strncmp(a->guest, b->guest, SLOT_BYTES) ||
			    topo_switch(topo, a->index) == topo_switch(topo, b->index))
				continue;
			say_error(ERROR_INPUT, "%s and %s of the guest are functions of one device, and on the host the NICs %s and %s are below different switches: RCCL would take them for one NIC; give each a device number of its own",
				  a->guest, b->guest, a->host, b->host);
			return EXIT_ERROR;
		}
	return EXIT_OK;
}

/* Returns the topmost switch above a function. */
static int topmost_switch(const struct topo *topo, int index)
{
	int top = INSTINCT_NODE_NONE, above = topo_switch(topo, index);

	while (above != INSTINCT_NODE_NONE) {
		top = above;
		above = topo_switch(topo, above);
	}
	return top;
}

/* The host's nodes can stand for the guest's only if the guest has as many. */
static int check_guessed_nodes(const struct topo *topo, const struct guest_map *map)
{
	size_t i;

	for (i = 0; i < map->count; i++) {
		if (!map->nodes || !is_told(topo, &map->list[i]) ||
		    node_of(topo, map, &map->list[i]) < map->nodes)
			continue;
		say_error(ERROR_INPUT, "the guest has %d NUMA nodes, and its devices are in more of the host's: say in a map which node of the guest each is in",
			  map->nodes);
		return EXIT_ERROR;
	}
	return EXIT_OK;
}

/* A switch is in one NUMA node, so the devices below it cannot be in two of the guest's. */
static int check_nodes(const struct topo *topo, const struct guest_map *map)
{
	size_t i, k;

	for (i = 0; i < map->count; i++)
		for (k = 0; k < i; k++) {
			const struct guest_device *a = &map->list[k], *b = &map->list[i];
			int above = topmost_switch(topo, a->index);

			if (!is_told(topo, a) || !is_told(topo, b) ||
			    above == INSTINCT_NODE_NONE ||
			    above != topmost_switch(topo, b->index) ||
			    node_of(topo, map, a) == node_of(topo, map, b))
				continue;
			say_error(ERROR_INPUT, "%s and %s are below one switch of the host, but in the guest %s is in NUMA node %d and %s in %d: no topology can show that",
				  a->host, b->host, a->guest, node_of(topo, map, a), b->guest,
				  node_of(topo, map, b));
			return EXIT_ERROR;
		}
	return EXIT_OK;
}

static int children_of(const struct guest_tree *tree, size_t parent)
{
	int count = 0;
	size_t i;

	for (i = 0; i < tree->count; i++)
		count += tree->list[i].parent == (int)parent;
	return count;
}

static bool is_above(const struct guest_tree *tree, int above, int part)
{
	while (part >= 0 && part != above)
		part = tree->list[part].parent;
	return part >= 0;
}

/**
 * guest_tree_is_linked() - tell whether two switches are partitions of one switch chip
 * @tree: topology of a guest
 * @topo: host
 * @a: index of a part
 * @b: index of another part
 *
 * Return: true for such switches; the libraries want to be told (pcilink).
 */
bool guest_tree_is_linked(const struct guest_tree *tree, const struct topo *topo, size_t a, size_t b)
{
	const struct guest_part_of *x = &tree->list[a], *y = &tree->list[b];

	return a != b && x->part == GUEST_SWITCH && y->part == GUEST_SWITCH && x->host >= 0 &&
	       y->host >= 0 && topo->chip[x->host] == topo->chip[y->host] &&
	       !is_above(tree, a, b) && !is_above(tree, b, a);
}

/**
 * guest_tree_check_room() - check that the libraries have room for a tree
 * @topo: host
 * @tree: topology of a guest
 *
 * Return: 0, or EXIT_UNSUPPORTED after printing the reason.
 */
int guest_tree_check_room(const struct topo *topo, const struct guest_tree *tree)
{
	size_t nodes = tree->count + 1, i, k;

	for (i = 0; i < tree->count; i++) {
		const struct guest_part_of *part = &tree->list[i];

		if (children_of(tree, i) > CHILDREN_MAX) {
			say_error(ERROR_UNSUPPORTED, "more than %d devices would be below one %s, which is more than the libraries have room for",
				  CHILDREN_MAX, part->part == GUEST_NODE ? "NUMA node" : "switch");
			return EXIT_UNSUPPORTED;
		}
		for (k = 0; k < tree->count; k++)
			nodes += guest_tree_is_linked(tree, topo, i, k);
		if (part->part == GUEST_DEVICE)
			nodes += topo->kind[part->host] == TOPO_GPU ? NODES_PER_GPU : NODES_PER_NIC;
	}
	if (nodes < NODES_MAX)
		return EXIT_OK;
	say_error(ERROR_UNSUPPORTED, "the topology would have %zu elements with those that the libraries add, and they have room for %d",
		  nodes, NODES_MAX);
	return EXIT_UNSUPPORTED;
}

/**
 * guest_tree_make() - derive the topology of a guest from the host's
 * @tree: set; the caller calls guest_tree_free() even on failure
 * @topo: host
 * @map: devices of the guest, settled
 * @merged: also add NICs at the other addresses at which the libraries look for them
 *
 * The tree holds the guest's GPUs and NICs, below a switch for each switch of the host above
 * them, and below the NUMA nodes of the guest. A switch also stands for a root complex in which
 * GPUs and NICs meet, if the NUMA node has devices elsewhere, too. If the map does not give these nodes, the
 * function numbers the host's nodes that the guest has devices of from 0. The tree may be larger than
 * the libraries have room for.
 *
 * Return: 0, or an exit code after printing the reason.
 */
int guest_tree_make(struct guest_tree *tree, const struct topo *topo,
		    const struct guest_map *map, bool merged)
{
	int code;
	size_t i;

	*tree = (struct guest_tree) { 0 };
	code = check_slots(topo, map) ?: check_guessed_nodes(topo, map) ?: check_nodes(topo, map);
	for (i = 0; i < map->count && !code; i++)
		if (is_told(topo, &map->list[i]))
			add_device(tree, topo, map, &map->list[i], map->list[i].guest);
	for (i = 0; i < map->count && !code && merged; i++)
		add_folds(tree, topo, map, &map->list[i]);
	return code;
}

/**
 * guest_tree_free() - free the parts of a tree
 * @tree: set or zeroed
 */
void guest_tree_free(struct guest_tree *tree)
{
	free(tree->list);
	*tree = (struct guest_tree) { 0 };
}
