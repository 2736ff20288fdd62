// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "guest_path.h"

#define DEPTH_MAX	64
/* A link of which nothing is known, to the libraries: 8 GT/s, 16 lanes. */
#define DEFAULT_SPEED	8000u
#define DEFAULT_WIDTH	16u

/* How two devices reach each other: the libraries' PIX, PXB, PHB and SYS. */
enum path {
	PATH_SWITCH,
	PATH_SWITCHES,
	PATH_NODE,
	PATH_NODES,
};

/**
 * guest_path_file() - the file that a tree makes
 * @tree: what a guest should believe
 *
 * Return: it; guest_file_free() is owed.
 */
struct guest_file guest_path_file(const struct guest_tree *tree)
{
	struct guest_file file = { .name = "" };
	size_t i;

	for (i = 0; i < tree->count; i++) {
		const struct guest_part_of *from = &tree->list[i];
		struct guest_file_part *part;

		part = list_add((void **)&file.list, &file.count, sizeof(*part));
		part->parent = from->parent;
		part->is_node = from->part == GUEST_NODE;
		part->has_numa = part->is_node;
		part->numa = from->numa;
		part->link = from->link;
		memcpy(part->busid, from->busid, sizeof(part->busid));
	}
	return file;
}

static unsigned long bandwidth(const struct guest_file_part *part)
{
	unsigned long speed = part->link.max_speed ? part->link.max_speed : DEFAULT_SPEED;
	unsigned long width = part->link.max_width ? part->link.max_width : DEFAULT_WIDTH;

	return speed * width;
}

/* @above is @index or an element above it; -1 is above all. */
static bool is_above(const struct guest_file *file, int above, int index)
{
	int depth;

	for (depth = 0; index >= 0 && depth < DEPTH_MAX; depth++) {
		if (index == above)
			return true;
		index = file->list[index].parent;
	}
	return above < 0;
}

/* Links on the way up from a device until below @meet: the slowest, and how many. */
static unsigned long way_up(const struct guest_file *file, int index, int meet, int *steps)
{
	unsigned long slowest = ULONG_MAX, one;

	for (*steps = 0; index >= 0 && index != meet && *steps < DEPTH_MAX; (*steps)++) {
		if (file->list[index].is_node)
			break;
		one = bandwidth(&file->list[index]);
		slowest = one < slowest ? one : slowest;
		index = file->list[index].parent;
	}
	return slowest;
}

/* A device that is not in the file is where a flattened guest has it: at a root port. */
static enum path path_of(const struct guest_file *file, int gpu, int nic, unsigned long *speed)
{
	int meet = gpu, up = 0, down = 0;
	unsigned long a, b;

	*speed = (unsigned long)DEFAULT_SPEED * DEFAULT_WIDTH;
	if (gpu < 0 || nic < 0)
		return PATH_NODE;
	while (meet >= 0 && !is_above(file, meet, nic))
		meet = file->list[meet].parent;
	a = way_up(file, gpu, meet, &up);
	b = way_up(file, nic, meet, &down);
	*speed = a < b ? a : b;
	if (meet < 0)
		return PATH_NODES;
	if (file->list[meet].is_node)
		return PATH_NODE;
	return up <= 1 && down <= 1 ? PATH_SWITCH : PATH_SWITCHES;
}

/**
 * guest_path_nics() - the NICs that a GPU would use
 * @file: topology
 * @gpu: index of the GPU, -1: it is not in the file
 * @nic: index of each NIC, likewise
 * @used: of each, set to whether it is one of them
 * @count: how many NICs
 *
 * The libraries look for the most bandwidth, and then for the shortest path
 * (ncclTopoGetLocalNet() in src/graph/topo.cc); of those that are equal they deal out.
 */
void guest_path_nics(const struct guest_file *file, int gpu, const int *nic, bool *used,
		     size_t count)
{
	unsigned long best = 0, speed;
	enum path nearest = PATH_NODES, path;
	size_t i;

	for (i = 0; i < count; i++) {
		path = path_of(file, gpu, nic[i], &speed);
		if (speed > best || (speed == best && path < nearest)) {
			best = speed;
			nearest = path;
		}
	}
	for (i = 0; i < count; i++) {
		path = path_of(file, gpu, nic[i], &speed);
		used[i] = speed == best && path == nearest;
	}
}
