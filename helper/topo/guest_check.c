// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_check.h"
#include "guest_fold.h"
#include "guest_path.h"

/* RCCL and NCCL recognise this vendor's switches by their IDs, and flatten them. */
#define VENDOR_BROADCOM	0x1000
/*
 * Limits of NCCL, and of RCCL up to 5.4 (NCCL_TOPO_XML_MAX_NODES in src/graph/topo.h,
 * MAX_NODES and MAX_SUBS in src/graph/xml.h). The libraries never fill the last element, and
 * RCCL does not check the number of elements below one.
 */
#define NCCL_ELEMENTS	255
#define RCCL_ELEMENTS	1023
#define RCCL_BELOW	32

static void tell(struct guest_check *check, bool fails, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Several findings of one kind about lines of the file are represented by the first. */
static void tell(struct guest_check *check, bool fails, const char *format, ...)
{
	struct guest_finding *finding;
	va_list args;
	size_t i;

	for (i = 0; i < check->findings && !strncmp(format, "line", 4); i++)
		if (check->finding[i].kind == format) {
			check->finding[i].more++;
			return;
		}
	finding = list_add((void **)&check->finding, &check->findings, sizeof(*finding));
	finding->fails = fails;
	finding->kind = format;
	check->fails |= fails;
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

static void check_version(struct guest_check *check, const struct guest_file *file,
			  enum guest_flavor flavor)
{
	enum guest_flavor found = guest_flavor_of_version(file->version);

	if (file->form)
		tell(check, true, "line %d has %s", file->form_line, file->form);
	if (found == GUEST_FLAVOR_UNKNOWN)
		tell(check, true,
		     "version=\"%u\" is none that RCCL (2) or NCCL (1) takes: they fail to start",
		     file->version);
	else if (flavor != GUEST_FLAVOR_UNKNOWN && found != flavor)
		tell(check, true,
		     "version=\"%u\" is for %s: %s wants %u, and fails to start", file->version,
		     name_of(&guest_flavor_names, found), name_of(&guest_flavor_names, flavor),
		     guest_flavor_version(flavor));
}

/* A library looks for the way back of each link, and fails without it. */
static void check_links(struct guest_check *check, const struct guest_file *file)
{
	size_t i, k;
	int at;

	for (i = 0; i < file->links; i++) {
		const struct guest_file_link *link = &file->link[i];

		at = guest_file_find(file, link->target);
		for (k = 0; at >= 0 && k < file->links; k++)
			if (file->link[k].part == at && link->part >= 0 &&
			    !strcmp(file->link[k].target, file->list[link->part].busid))
				break;
		if (at >= 0 && k == file->links)
			tell(check, true,
			     "switch %s has a pcilink to %s, which has none back: the libraries fail to start",
			     file->list[link->part].busid, link->target);
	}
}

/* @flavor: the library that will read the file, or that the file's version is for */
static void check_room(struct guest_check *check, const struct guest_file *file,
		       enum guest_flavor flavor)
{
	if (flavor == GUEST_FLAVOR_NCCL && file->elements > NCCL_ELEMENTS)
		tell(check, true, "%zu elements are more than NCCL has room for (%d)",
		     file->elements, NCCL_ELEMENTS);
	if (flavor == GUEST_FLAVOR_RCCL && file->elements > RCCL_ELEMENTS)
		tell(check, true, "%zu elements are more than RCCL up to 5.4 has room for (%d)",
		     file->elements, RCCL_ELEMENTS);
	if (flavor == GUEST_FLAVOR_RCCL && file->widest > RCCL_BELOW)
		tell(check, true,
		     "line %d: %zu elements right below one are more than RCCL up to 5.4 has room for (%d): it overruns",
		     file->widest_line, file->widest, RCCL_BELOW);
}

static bool is_fold(const struct guest_map *map, const char *busid)
{
	struct guest_folds folds;
	size_t i;
	int k;

	for (i = 0; i < map->count; i++) {
		guest_fold(&folds, map->list[i].guest);
		for (k = 0; k < folds.count; k++)
			if (!strcmp(folds.busid[k], busid))
				return true;
	}
	return false;
}

static bool is_lower(const char *text)
{
	while (*text && !isupper((unsigned char)*text))
		text++;
	return !*text;
}

static bool has_bridges(const struct guest_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		if (guest_path_is_bridge(file, i))
			return true;
	return false;
}

/* @in_guest: the guest has the switch, so the libraries read from sysfs what the file omits */
static void check_bridge(struct guest_check *check, const struct guest_file *file, size_t index,
			 bool in_guest)
{
	const struct guest_file_part *part = &file->list[index];

	if (!*part->class && !in_guest && guest_path_is_bridge(file, index) && !check->is_guest)
		tell(check, false,
		     "line %d: switch %s has no class: the libraries fail to start unless the guest has a switch there",
		     part->line, part->busid);
	else if (!*part->class && !in_guest)
		tell(check, true, "line %d: switch %s has no class: the libraries fail to start",
		     part->line, part->busid);
	if (part->vendor == VENDOR_BROADCOM)
		tell(check, false,
		     "line %d: switch %s has a Broadcom ID, by which the libraries may merge it with another: leave it out",
		     part->line, part->busid);
	if (!in_guest && (!*part->speed || !part->link.max_width))
		tell(check, false,
		     "line %d: switch %s has no link_speed and link_width: the libraries take it for 8 GT/s x16",
		     part->line, part->busid);
}

static void check_pci(struct guest_check *check, const struct topo *topo,
		      const struct guest_file *file, size_t index)
{
	const struct guest_file_part *part = &file->list[index];
	bool in_guest = check->is_guest && guest_path_port(topo, file, index) >= 0;
	bool bridge = in_guest || guest_path_has_below(file, index) ||
		      guest_path_is_bridge(file, index);

	if (!*part->busid)
		tell(check, true, "line %d: a pci element without busid", part->line);
	else if (guest_file_find(file, part->busid) != (int)index)
		tell(check, true, "line %d: %s is there twice; the first one counts", part->line,
		     part->busid);
	if (!is_lower(part->busid))
		tell(check, true,
		     "line %d: busid %s has capital letters: the libraries compare it as text, and do not find the device",
		     part->line, part->busid);
	if (bridge)
		check_bridge(check, file, index, in_guest);
	if (*part->speed && !part->link.max_speed)
		tell(check, true,
		     "line %d: link_speed \"%s\" of %s is none that the libraries understand, such as \"32.0 GT/s PCIe\": they take it for 8 GT/s",
		     part->line, part->speed, part->busid);
	if (!bridge && *part->busid && !guest_map_has(check->map, part->busid) &&
	    !is_fold(check->map, part->busid))
		tell(check, false, "line %d: %s is no device of the map", part->line, part->busid);
}

static bool is_guest_node(int numa)
{
	return numa >= 0 && numa < NUMA_NODES_MAX;
}

static void check_node(struct guest_check *check, const struct guest_file *file, size_t index)
{
	const struct guest_file_part *part = &file->list[index];
	size_t i;

	if (!part->has_numa) {
		tell(check, true, "line %d: a cpu without numaid: the libraries fail to start",
		     part->line);
		return;
	}
	if (!is_guest_node(part->numa))
		tell(check, false, "line %d: numaid %d is no NUMA node of a guest: nothing is pinned",
		     part->line, part->numa);
	for (i = 0; i < index; i++)
		if (file->list[i].has_numa && file->list[i].numa == part->numa)
			tell(check, true, "line %d: numaid %d is there twice", part->line,
			     part->numa);
}

static void check_parts(struct guest_check *check, const struct topo *topo,
			const struct guest_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++) {
		if (file->list[i].is_node)
			check_node(check, file, i);
		else
			check_pci(check, topo, file, i);
	}
}

static int node_above(const struct guest_file *file, int index)
{
	while (index >= 0 && !file->list[index].is_node)
		index = file->list[index].parent;
	return index >= 0 ? file->list[index].numa : NUMA_NONE;
}

/*
 * Checks whether the file has none of the guest's GPUs, or no device of the guest at all (@gpus false),
 * and leaves these to the library's own detection: it describes the NICs or the VM's bridges.
 */
static bool leaves(const struct guest_check *check, const struct topo *topo,
		   const struct guest_file *file, bool gpus)
{
	size_t i, others = 0;

	for (i = 0; i < check->map->count; i++) {
		if (guest_file_find(file, check->map->list[i].guest) < 0)
			continue;
		if (!gpus || topo->kind[check->map->list[i].index] == TOPO_GPU)
			return false;
		others++;
	}
	return others || has_bridges(file);
}

static unsigned long link_speed(const struct host_link *link)
{
	return (unsigned long)link->max_speed * link->max_width;
}

/*
 * Returns the bandwidth that a device can use: that of its own link, or of the fastest partner that
 * is slower. A file that gives it no less costs nothing. A NIC's partners are GPUs.
 */
static unsigned long speed_needed(const struct guest_map *map, const struct topo *topo,
				  const struct guest_device *dev)
{
	struct host_link own = topo_link(topo, dev->index), other;
	unsigned long most = 0, limit = link_speed(&own);
	size_t i;

	for (i = 0; i < map->count; i++) {
		enum topo_kind kind = topo->kind[map->list[i].index];

		other = topo_link(topo, map->list[i].index);
		if (&map->list[i] != dev && link_speed(&other) > most &&
		    (kind == TOPO_GPU || (topo_is_nic(kind) && topo->kind[dev->index] == TOPO_GPU)))
			most = link_speed(&other);
	}
	return most && most < limit ? most : limit;
}

/* Compares a device's place and link in the file with the hardware. */
static void check_device(struct guest_check *check, const struct topo *topo,
			 const struct guest_device *dev, const struct guest_file *wanted,
			 const struct guest_file *found)
{
	const char *what = topo->kind[dev->index] == TOPO_GPU ? "GPU" : "NIC";
	int w = guest_file_find(wanted, dev->guest), f = guest_file_find(found, dev->guest);
	int node;

	if (w < 0)
		return;
	if (f < 0) {
		if (leaves(check, topo, found, topo->kind[dev->index] == TOPO_GPU))
			return;
		tell(check, true,
		     "%s %s (host %s) is not in the file: the libraries place it where the VMM shows it",
		     what, dev->guest, dev->host);
		return;
	}
	node = node_above(found, f);
	if (is_guest_node(node) && node != node_above(wanted, w) &&
	    !guest_tree_is_guessed(topo, check->map, dev))
		tell(check, true, "%s %s (host %s) is in NUMA node %d of the file, not %d", what,
		     dev->guest, dev->host, node, node_above(wanted, w));
	if (!found->list[f].link.max_speed || !found->list[f].link.max_width)
		found->list[f].link = wanted->list[w].link;
	else if (wanted->list[w].link.max_speed &&
		 (found->list[f].link.max_speed != wanted->list[w].link.max_speed ||
		  found->list[f].link.max_width != wanted->list[w].link.max_width))
		tell(check, link_speed(&found->list[f].link) <
			    speed_needed(check->map, topo, dev),
		     "%s %s (host %s) has %u MT/s x%u in the file, and can do %u MT/s x%u", what,
		     dev->guest, dev->host, found->list[f].link.max_speed,
		     found->list[f].link.max_width, wanted->list[w].link.max_speed,
		     wanted->list[w].link.max_width);
}

/* Returns the node that the file puts a device into if the map does not tell, else NUMA_NONE. */
static int untold_node(const struct guest_check *check, const struct topo *topo,
		       const struct guest_device *dev, const struct guest_file *file)
{
	int at = guest_file_find(file, dev->guest), node;

	if (at < 0 || topo->host.function[dev->index].numa < 0 ||
	    !guest_tree_is_guessed(topo, check->map, dev))
		return NUMA_NONE;
	node = node_above(file, at);
	return is_guest_node(node) ? node : NUMA_NONE;
}

/*
 * If nothing says which nodes the guest has, the file may number them in any way: compare which
 * devices share a node. The guest may have been given other nodes than the host has.
 */
static void check_shared_nodes(struct guest_check *check, const struct topo *topo,
			       const struct guest_file *file)
{
	const struct guest_map *map = check->map;
	size_t i, k;

	for (i = 0; i < map->count; i++)
		for (k = i + 1; k < map->count; k++) {
			const struct guest_device *a = &map->list[i], *b = &map->list[k];
			int x = untold_node(check, topo, a, file);
			int y = untold_node(check, topo, b, file);
			bool host = topo->host.function[a->index].numa ==
				    topo->host.function[b->index].numa;
			bool same = x == y;

			if (x == NUMA_NONE || y == NUMA_NONE || same == host)
				continue;
			tell(check, false,
			     "%s and %s (host %s and %s) are in %s of the file, and in %s of the host; the map does not say which nodes the guest has",
			     a->guest, b->guest, a->host, b->host,
			     x == y ? "one NUMA node" : "two NUMA nodes",
			     host ? "one" : "two");
			return;
		}
}

/* Reports NICs that the libraries look for at another address and do not find there. */
static void check_folds(struct guest_check *check, const struct topo *topo,
			const struct guest_file *file)
{
	const struct guest_map *map = check->map;
	struct guest_folds folds;
	size_t i;

	for (i = 0; i < map->count; i++) {
		const struct guest_device *nic = &map->list[i];

		if (topo->kind[nic->index] != TOPO_NIC)
			continue;
		guest_fold(&folds, nic->guest);
		if (folds.count && (guest_file_find(file, folds.busid[0]) < 0 ||
				    !guest_fold_helps(topo, map, nic, folds.busid[0])))
			tell(check, false,
			     "NIC %s will be looked for at %s, and not found, unless NCCL_IB_MERGE_VFS=0 is set in the guest",
			     nic->guest, folds.busid[0]);
	}
}

static const struct guest_device *first_used(const struct guest_map *map, const bool *used)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (used[i])
			return &map->list[i];
	return NULL;
}

static size_t count_used(const struct guest_map *map, const bool *used)
{
	size_t count = 0, i;

	for (i = 0; i < map->count; i++)
		count += used[i];
	return count;
}

/* Returns the bandwidth between a GPU and a NIC by the hardware, in any unit. */
static unsigned long speed_of(const struct topo *topo, int gpu, int nic)
{
	struct host_link a = topo_link(topo, gpu), b = topo_link(topo, nic);
	unsigned long x = link_speed(&a), y = link_speed(&b);

	return x && (!y || x < y) ? x : y;
}

/* Checks whether a NIC is as near to the GPU and as fast as one that the GPU should use. */
static bool is_as_good(const struct guest_map *map, const struct topo *topo,
		       const struct guest_choice *choice, size_t nic)
{
	int gpu = map->list[choice->gpu].index, index = map->list[nic].index;
	size_t i;

	for (i = 0; i < map->count; i++)
		if (choice->wanted[i] &&
		    rank_of(topo, gpu, index) <= rank_of(topo, gpu, map->list[i].index) &&
		    speed_of(topo, gpu, index) >= speed_of(topo, gpu, map->list[i].index))
			return true;
	return false;
}

static bool is_right(const struct guest_map *map, const struct topo *topo,
		     const struct guest_choice *choice)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (choice->found[i] && !is_as_good(map, topo, choice, i))
			return false;
	return true;
}

static void tell_choice(struct guest_check *check, const struct topo *topo,
			const struct guest_choice *choice)
{
	const struct guest_device *gpu = &check->map->list[choice->gpu];
	const struct guest_device *wanted = first_used(check->map, choice->wanted);
	size_t count = count_used(check->map, choice->found), i;
	const struct guest_device *found = first_used(check->map, choice->found);
	char many[48] = "";

	/* The message names the NIC that costs most. */
	for (i = 0; i < check->map->count; i++)
		if (choice->found[i] && !is_as_good(check->map, topo, choice, i) &&
		    (is_as_good(check->map, topo, choice, found - check->map->list) ||
		     rank_of(topo, gpu->index, check->map->list[i].index) >
		     rank_of(topo, gpu->index, found->index)))
			found = &check->map->list[i];
	if (count > 1)
		snprintf(many, sizeof(many), "any of %zu NICs, even ", count);
	tell(check, true, "GPU %s (host %s) would use %s%s (%s) in place of %s (%s)", gpu->guest,
	     gpu->host, many, found->guest,
	     rank_texts[rank_of(topo, gpu->index, found->index)], wanted->guest,
	     rank_texts[rank_of(topo, gpu->index, wanted->index)]);
}

static void choose(const struct topo *topo, const struct guest_map *map,
		   const struct guest_file *file, size_t gpu, bool *used)
{
	int *nic = array_new(map->count, sizeof(*nic));
	size_t *which = array_new(map->count, sizeof(*which)), count = 0, i;
	bool *flags = array_new(map->count, sizeof(bool));

	for (i = 0; i < map->count; i++) {
		if (!topo_is_nic(topo->kind[map->list[i].index]))
			continue;
		nic[count] = guest_file_find(file, map->list[i].guest);
		which[count++] = i;
	}
	guest_path_nics(file, guest_file_find(file, map->list[gpu].guest), nic, flags, count);
	for (i = 0; i < count; i++)
		used[which[i]] = flags[i];
	free(nic);
	free(which);
	free(flags);
}

static void check_choices(struct guest_check *check, const struct topo *topo,
			  const struct guest_file *wanted, const struct guest_file *found)
{
	bool unknown = leaves(check, topo, found, true);
	const struct guest_map *map = check->map;
	struct guest_choice *choice;
	size_t i;

	if (unknown)
		tell(check, false,
		     "the file has no GPU of the guest, so the library places each where the VMM shows it: instinctctl doctor --guest, in the guest, looks at that");
	for (i = 0; i < map->count; i++) {
		if (topo->kind[map->list[i].index] != TOPO_GPU)
			continue;
		choice = list_add((void **)&check->choice, &check->choices, sizeof(*choice));
		choice->gpu = i;
		choice->wanted = array_new(map->count, sizeof(bool));
		choice->found = array_new(map->count, sizeof(bool));
		choose(topo, map, wanted, i, choice->wanted);
		choose(topo, map, found, i, choice->found);
		choice->unknown = unknown;
		choice->right = unknown || is_right(map, topo, choice);
		if (!choice->right)
			tell_choice(check, topo, choice);
	}
}

/**
 * guest_check() - compare a topology file with the hardware
 * @check: set; the caller calls guest_check_free()
 * @topo: host
 * @map: devices of the guest, settled; must outlive @check
 * @tree: the guest's topology by the hardware
 * @file: the guest's topology by the file; the function fills in what the file omits
 * @flavor: the library that reads the file; GUEST_FLAVOR_UNKNOWN for either
 */
void guest_check(struct guest_check *check, const struct topo *topo, const struct guest_map *map,
		 const struct guest_tree *tree, struct guest_file *file, enum guest_flavor flavor)
{
	struct guest_file wanted = guest_path_file(tree, topo);
	size_t i;

	*check = (struct guest_check) { .map = map, .is_guest = guest_path_is_guest(topo, map, file) };
	check_version(check, file, flavor);
	check_room(check, file, flavor != GUEST_FLAVOR_UNKNOWN ? flavor :
		   guest_flavor_of_version(file->version));
	check_parts(check, topo, file);
	check_links(check, file);
	if (check->is_guest)
		guest_path_complete(file, topo, map);
	for (i = 0; i < map->count; i++)
		check_device(check, topo, &map->list[i], &wanted, file);
	check_shared_nodes(check, topo, file);
	check_folds(check, topo, file);
	check_choices(check, topo, &wanted, file);
	guest_file_free(&wanted);
}

/**
 * guest_check_free() - free the lists of a check
 * @check: set or zeroed
 */
void guest_check_free(struct guest_check *check)
{
	size_t i;

	for (i = 0; i < check->choices; i++) {
		free(check->choice[i].wanted);
		free(check->choice[i].found);
	}
	free(check->choice);
	free(check->finding);
	*check = (struct guest_check) { 0 };
}
