// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_fold.h"
#include "guest_tree.h"
#include "say.h"

/*
 * What the libraries have room for, as of NCCL 2.29 and RCCL 5.4, the tightest: elements of
 * a file with those that the library adds, and children of one.
 */
#define NODES_MAX	256
#define NODES_PER_GPU	9	/* the GPU and its links to seven others, and one spare */
#define NODES_PER_NIC	2
#define CHILDREN_MAX	30
#define SLOT_BYTES	10	/* "0000:05:00", of an address without its function */

/* Of what a guest is told nothing else. */
static bool is_told(const struct topo *topo, const struct guest_device *dev)
{
	return topo->kind[dev->index] == TOPO_GPU || topo->kind[dev->index] == TOPO_NIC;
}

static struct guest_part_of *add(struct guest_tree *tree, enum guest_part part, int parent)
{
	struct guest_part_of *one = list_add((void **)&tree->list, &tree->count, sizeof(*one));

	one->part = part;
	one->parent = parent;
	one->host = -1;
	return one;
}

/* Nodes of the host that the guest has devices of, which it numbers from 0. */
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

static int node_of(const struct topo *topo, const struct guest_map *map,
		   const struct guest_device *dev)
{
	if (dev->node != NUMA_NONE)
		return dev->node;
	if (map->nodes == 1)
		return 0;
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

/* The one that stands for a switch of the host; those above it are made first. */
static int find_switch(struct guest_tree *tree, const struct topo *topo, int host, int numa)
{
	struct guest_part_of *made;
	int above, parent;
	size_t i;

	if (host == INSTINCT_NODE_NONE)
		return find_node(tree, numa);
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].part == GUEST_SWITCH && tree->list[i].host == host)
			return i;
	above = topo_switch(topo, host);
	parent = find_switch(tree, topo, above, numa);
	made = add(tree, GUEST_SWITCH, parent);
	made->host = host;
	made->link = topo_link(topo, host);
	snprintf(made->busid, sizeof(made->busid), GUEST_SWITCHES "%02x.0",
		 count_switches(tree) & 0xff);
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
	int above = topo_switch(topo, dev->index);
	int parent = find_switch(tree, topo, above, node_of(topo, map, dev));
	struct guest_part_of *device = add(tree, GUEST_DEVICE, parent);

	device->host = dev->index;
	device->link = topo_link(topo, dev->index);
	memcpy(device->busid, busid, sizeof(device->busid));
}

/* A NIC once more at each address at which it is looked for. */
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

/* RCCL takes the functions of one device for one NIC, wherever its file has them. */
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
			say_error("%s and %s of the guest are functions of one device, and on the host the NICs %s and %s are below different switches: RCCL would take them for one NIC; give each a device number of its own",
				  a->guest, b->guest, a->host, b->host);
			return EXIT_ERROR;
		}
	return EXIT_OK;
}

/* The switch above all others that a function is below. */
static int topmost_switch(const struct topo *topo, int index)
{
	int top = INSTINCT_NODE_NONE, above = topo_switch(topo, index);

	while (above != INSTINCT_NODE_NONE) {
		top = above;
		above = topo_switch(topo, above);
	}
	return top;
}

/* Nodes of the host stand for those of the guest only if it has as many. */
static int check_guessed_nodes(const struct topo *topo, const struct guest_map *map)
{
	size_t i;

	for (i = 0; i < map->count; i++) {
		if (!map->nodes || !is_told(topo, &map->list[i]) ||
		    node_of(topo, map, &map->list[i]) < map->nodes)
			continue;
		say_error("the guest has %d NUMA nodes, and its devices are in more of the host's: say in a map which node of the guest each is in",
			  map->nodes);
		return EXIT_ERROR;
	}
	return EXIT_OK;
}

/* A switch of the host is in one node, so what is below it cannot be in two of the guest's. */
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
			say_error("%s and %s are below one switch of the host, but in the guest %s is in NUMA node %d and %s in %d: no topology can show that",
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

static int check_room(const struct topo *topo, const struct guest_tree *tree)
{
	size_t nodes = tree->count + 1, i;

	for (i = 0; i < tree->count; i++) {
		const struct guest_part_of *part = &tree->list[i];

		if (children_of(tree, i) > CHILDREN_MAX) {
			say_error("more than %d devices would be below one %s, which is more than the libraries have room for",
				  CHILDREN_MAX, part->part == GUEST_NODE ? "NUMA node" : "switch");
			return EXIT_UNSUPPORTED;
		}
		if (part->part == GUEST_DEVICE)
			nodes += topo->kind[part->host] == TOPO_GPU ? NODES_PER_GPU : NODES_PER_NIC;
	}
	if (nodes < NODES_MAX)
		return EXIT_OK;
	say_error("the topology would have %zu elements with those that the libraries add, and they have room for %d",
		  nodes, NODES_MAX);
	return EXIT_UNSUPPORTED;
}

/**
 * guest_tree_make() - the topology of a guest, as the host's is
 * @tree: set; guest_tree_free() is owed in any case
 * @topo: host
 * @map: devices of the guest, settled
 * @merged: NICs are wanted at other addresses, too, at which they are looked for
 *
 * GPUs and NICs are in it, below a switch for each of the host's that they are below, and
 * below the NUMA nodes of the guest. Where nobody knows these, the guest's are those of
 * the host that it has devices of, numbered from 0.
 *
 * Return: 0, or an exit code, and then it has said why.
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
	return code ?: check_room(topo, tree);
}

/**
 * guest_tree_free() - let go of it
 * @tree: set or zeroed
 */
void guest_tree_free(struct guest_tree *tree)
{
	free(tree->list);
	*tree = (struct guest_tree) { 0 };
}
