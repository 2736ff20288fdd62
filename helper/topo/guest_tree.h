/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest is to believe of its topology: NUMA nodes, made-up switches, its devices. */
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
 * @part: what it is
 * @parent: index of the one above, which comes before it; -1 of a NUMA node
 * @numa: number of a NUMA node in the guest
 * @busid: of a device in the guest, of a switch one that is made up
 * @host: index of the function on the host that it is, or stands for; of a switch its
 *	upstream port
 * @link: the link upwards
 */
struct guest_part_of {
	enum guest_part part;
	int parent;
	int numa;
	char busid[BDF_BYTES];
	int host;
	struct host_link link;
};

/**
 * struct guest_tree - all of it
 * @list: parts; each after the one above it
 * @count: how many
 */
struct guest_tree {
	struct guest_part_of *list;
	size_t count;
};

int guest_tree_make(struct guest_tree *tree, const struct topo *topo,
		    const struct guest_map *map, bool merged);
void guest_tree_free(struct guest_tree *tree);

#endif /* GUEST_TREE_H */
