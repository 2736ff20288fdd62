// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "guest_path.h"

#define DEPTH_MAX	64
/* The libraries assume 8 GT/s and 16 lanes for a link without data. */
#define DEFAULT_SPEED	8000u
#define DEFAULT_WIDTH	16u

/* Kinds of paths between two devices: PIX, PXB, PHB and SYS of the libraries. */
enum path {
	PATH_SWITCH,
	PATH_SWITCHES,
	PATH_NODE,
	PATH_NODES,
};

/**
 * guest_path_file() - convert a tree to the form of a parsed topology file
 * @tree: topology of a guest
 * @topo: host
 *
 * Return: the file; the caller calls guest_file_free().
 */
struct guest_file guest_path_file(const struct guest_tree *tree, const struct topo *topo)
{
	struct guest_file file = { .name = "" };
	size_t i, k;

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
		for (k = 0; k < tree->count; k++)
			if (guest_tree_is_linked(tree, topo, i, k))
				guest_file_add_link(&file, i, tree->list[k].busid);
	}
	return file;
}

/**
 * guest_path_has_below() - tell whether an element has others below it
 * @file: topology
 * @index: index of the element
 *
 * Return: true for a NUMA node or a switch with devices.
 */
bool guest_path_has_below(const struct guest_file *file, size_t index)
{
	size_t i;

	for (i = index + 1; i < file->count; i++)
		if (file->list[i].parent == (int)index)
			return true;
	return false;
}

/**
 * guest_path_is_bridge() - tell whether an element is a bridge of the VM
 * @file: topology
 * @index: index of the element
 *
 * Return: true for a switch, with devices or by its class, whose address is not invented.
 */
bool guest_path_is_bridge(const struct guest_file *file, size_t index)
{
	const struct guest_file_part *part = &file->list[index];

	return !part->is_node && *part->busid &&
	       (guest_path_has_below(file, index) || !strncmp(part->class, "0x06", 4)) &&
	       strncmp(part->busid, GUEST_SWITCHES, strlen(GUEST_SWITCHES));
}

/**
 * guest_path_port() - find the port that an element of the file names
 * @topo: host, which is the guest itself
 * @file: topology
 * @index: index of the element
 *
 * Return: index of the port on the host, or -1.
 */
int guest_path_port(const struct topo *topo, const struct guest_file *file, size_t index)
{
	int port = file->list[index].is_node ? -1 :
		   host_find(&topo->host, file->list[index].busid);

	return port >= 0 && topo->kind[port] == TOPO_PORT ? port : -1;
}

/**
 * guest_path_is_guest() - tell whether the host is the guest itself, or runs the library itself
 * @topo: host
 * @map: devices of the guest, settled
 * @file: topology
 *
 * Return: true if each device of the map, and a bridge of the file, have their addresses there.
 */
bool guest_path_is_guest(const struct topo *topo, const struct guest_map *map,
			 const struct guest_file *file)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (strcmp(map->list[i].host, map->list[i].guest))
			return false;
	for (i = 0; i < file->count; i++)
		if (guest_path_port(topo, file, i) >= 0)
			return true;
	return false;
}

static int add_part(struct guest_file *file, const char *busid, int parent)
{
	struct guest_file_part *part = list_add((void **)&file->list, &file->count, sizeof(*part));

	part->parent = parent;
	snprintf(part->busid, sizeof(part->busid), "%s", busid);
	return file->count - 1;
}

/* Returns the element below which a library puts a function that the file omits. */
static int place_above(struct guest_file *file, const struct topo *topo, int index)
{
	int above = topo_switch(topo, index), numa = topo->host.function[index].numa, at;
	size_t i;

	if (above != INSTINCT_NODE_NONE) {
		at = guest_file_find(file, topo->host.function[above].bdf);
		if (at >= 0)
			return at;
		at = add_part(file, topo->host.function[above].bdf, place_above(file, topo, above));
		snprintf(file->list[at].class, sizeof(file->list[at].class), "0x060400");
		file->list[at].link = topo_link(topo, above);
		return at;
	}
	for (i = 0; i < file->count; i++)
		if (file->list[i].is_node && file->list[i].numa == numa)
			return i;
	at = add_part(file, "", -1);
	file->list[at].is_node = true;
	file->list[at].has_numa = true;
	file->list[at].numa = numa;
	return at;
}

/**
 * guest_path_complete() - complete a file as the libraries do
 * @file: topology; the function adds devices and links that it omits
 * @topo: host, which is the guest itself
 * @map: devices of the guest, settled
 *
 * The libraries read what a file omits from the guest's sysfs: devices, and the links of its bridges
 * (ncclTopoGetXmlFromSys() in src/graph/xml.cc).
 */
void guest_path_complete(struct guest_file *file, const struct topo *topo,
			 const struct guest_map *map)
{
	size_t i;
	int at;

	for (i = 0; i < file->count; i++) {
		int port = guest_path_port(topo, file, i);

		if (port >= 0 && !*file->list[i].speed && !file->list[i].link.max_width)
			file->list[i].link = topo_link(topo, port);
	}
	for (i = 0; i < map->count; i++) {
		int index = map->list[i].index;

		if ((topo->kind[index] != TOPO_GPU && !topo_is_nic(topo->kind[index])) ||
		    guest_file_find(file, map->list[i].guest) >= 0)
			continue;
		at = add_part(file, map->list[i].guest, place_above(file, topo, index));
		file->list[at].link = topo_link(topo, index);
	}
}

static unsigned long bandwidth(const struct guest_file_part *part)
{
	unsigned long speed = part->link.max_speed ? part->link.max_speed : DEFAULT_SPEED;
	unsigned long width = part->link.max_width ? part->link.max_width : DEFAULT_WIDTH;

	return speed * width;
}

/* Checks whether @above is @index or an element above it; -1 is above all elements. */
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

/*
 * Returns the bandwidth of the slowest link on the way from a device up to @meet, and sets
 * @steps to the number of links.
 */
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

/*
 * Returns the bandwidth by a link between switches, one above each device, or 0 without such a link.
 * The libraries make a link of two switches only if both name each other, and fail otherwise.
 */
static unsigned long by_link(const struct guest_file *file, int gpu, int nic)
{
	unsigned long best = 0, a, b;
	size_t i;

	for (i = 0; i < file->links; i++) {
		int from = file->link[i].part, to = guest_file_find(file, file->link[i].target);
		int steps;

		if (from < 0 || to < 0 || !is_above(file, from, gpu) || !is_above(file, to, nic))
			continue;
		a = way_up(file, gpu, from, &steps);
		b = way_up(file, nic, to, &steps);
		a = a < b ? a : b;
		best = a > best ? a : best;
	}
	return best;
}

/* The libraries see a device that the file omits where the VMM puts it: at a root port. */
static enum path path_of(const struct guest_file *file, int gpu, int nic, unsigned long *speed)
{
	int meet = gpu, up = 0, down = 0;
	unsigned long a, b;

	*speed = (unsigned long)DEFAULT_SPEED * DEFAULT_WIDTH;
	if (gpu < 0 || nic < 0)
		return PATH_NODE;
	while (meet >= 0 && !is_above(file, meet, nic))
		meet = file->list[meet].parent;
	if (meet < 0 || file->list[meet].is_node) {
		*speed = by_link(file, gpu, nic);
		if (*speed)
			return PATH_SWITCHES;
	}
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
 * guest_path_nics() - find the NICs that a GPU would use
 * @file: topology
 * @gpu: index of the GPU, -1 if the file omits it
 * @nic: index of each NIC, -1 if the file omits it
 * @used: set for each NIC to whether the GPU would use it
 * @count: number of NICs
 *
 * The libraries prefer the highest bandwidth, and then the shortest path
 * (ncclTopoGetLocalNet() in src/graph/topo.cc). They distribute GPUs among equal NICs.
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
