/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topology that a guest is told: NUMA nodes, invented switches, and its devices. */
#ifndef GUEST_TREE_H
#define GUEST_TREE_H

#include "guest_map.h"
#include "rank.h"

enum guest_part {
	GUEST_NODE,
	GUEST_SWITCH,
	GUEST_DEVICE,
};

/**
 * struct guest_part_of - a part of the tree
 * @part: kind of the part
 * @parent: index of the part above, which precedes this one; -1 for a NUMA node
 * @numa: for a NUMA node, its number in the guest
 * @busid: for a device, its address in the guest; for a switch, an invented address
 * @host: index of the function on the host that the part represents; for a switch, its
 *	upstream port; -1 for a switch that stands for a root complex
 * @bridge: for a switch that stands for a root complex, the host bridge as in struct
 *	host_function; else -1
 * @link: the upstream link
 */
struct guest_part_of {
	enum guest_part part;
	int parent;
	int numa;
	char busid[BDF_BYTES];
	int host;
	int bridge;
	struct host_link link;
};

/**
 * struct guest_tree - the topology of a guest
 * @list: parts, each after the one above it
 * @count: number of entries in @list
 */
struct guest_tree {
	struct guest_part_of *list;
	size_t count;
};

int guest_tree_make(struct guest_tree *tree, const struct topo *topo,
		    const struct guest_map *map, bool merged);
bool guest_tree_is_linked(const struct guest_tree *tree, const struct topo *topo, size_t a, size_t b);
int guest_tree_check_room(const struct topo *topo, const struct guest_tree *tree);
bool guest_tree_is_guessed(const struct topo *topo, const struct guest_map *map,
			   const struct guest_device *dev);
void guest_tree_free(struct guest_tree *tree);

#endif /* GUEST_TREE_H */
