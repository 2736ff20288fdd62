// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inventory.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "topo.h"

/* Sub-classes of the PCI Code and ID Assignment Specification. */
#define CLASS_NVME		0x0108
#define CLASS_NETWORK		0x02
#define CLASS_VGA		0x0300
#define CLASS_3D		0x0302
#define CLASS_BRIDGE_OTHER	0x0680
#define CLASS_ACCELERATOR	0x1200

#define VENDOR_AMD	0x1002
#define VENDOR_NVIDIA	0x10de
#define VENDOR_INTEL	0x8086
#define DEPTH_MAX	64	/* longer than any path; a loop of parents ends here */

const char *const topo_kind_names[TOPO_KINDS] = {
	[TOPO_OTHER] = "other",
	[TOPO_PORT] = "port",
	[TOPO_GPU] = "gpu",
	[TOPO_NIC] = "nic",
	[TOPO_NVME] = "nvme",
	[TOPO_NVSWITCH] = "nvswitch",
};

static enum topo_kind kind_of(const struct instinct_node *node)
{
	if (node->kind != INSTINCT_NODE_ENDPOINT)
		return TOPO_PORT;
	if (node->class >> 16 == CLASS_NETWORK)
		return TOPO_NIC;
	switch (node->class >> 8) {
	case CLASS_NVME:
		return TOPO_NVME;
	case CLASS_ACCELERATOR:
	case CLASS_3D:
		return TOPO_GPU;
	case CLASS_VGA:
		/* Of others it is the console, such as a BMC's. */
		return node->vendor == VENDOR_AMD || node->vendor == VENDOR_NVIDIA ||
		       node->vendor == VENDOR_INTEL ? TOPO_GPU : TOPO_OTHER;
	case CLASS_BRIDGE_OTHER:
		return node->vendor == VENDOR_NVIDIA ? TOPO_NVSWITCH : TOPO_OTHER;
	default:
		return TOPO_OTHER;
	}
}

static void read_function(struct topo *topo, int i)
{
	char physfn[BDF_BYTES];

	topo->kind[i] = kind_of(&topo->host.node[i]);
	topo->physfn[i] = -1;
	if (topo_is_device(topo->kind[i]) &&
	    sysfs_read_link(topo->host.function[i].bdf, "physfn", physfn, sizeof(physfn)))
		topo->physfn[i] = host_find(&topo->host, physfn);
}

/* Backwards, so that each list is in order of address. */
static void link_up(struct topo *topo)
{
	int i, *first;

	topo->top = -1;
	for (i = 0; i < topo->host.count; i++)
		topo->child[i] = -1;
	for (i = topo->host.count - 1; i >= 0; i--) {
		int parent = topo->host.node[i].parent;

		first = parent == INSTINCT_NODE_NONE ? &topo->top : &topo->child[parent];
		topo->sibling[i] = *first;
		*first = i;
	}
}

/**
 * topo_read() - read this host, or that of --sysroot
 * @topo: set; topo_free() is owed in any case
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int topo_read(struct topo *topo)
{
	int code, i;

	*topo = (struct topo) { .top = -1 };
	inventory_managed(&topo->managed);
	code = host_read(&topo->host, &topo->managed);
	if (code)
		return code;
	numa_read(&topo->numa);
	host_links_read(&topo->host);
	topo->kind = array_new(topo->host.count, sizeof(*topo->kind));
	topo->name = array_new(topo->host.count, sizeof(*topo->name));
	topo->physfn = array_new(topo->host.count, sizeof(*topo->physfn));
	topo->child = array_new(topo->host.count, sizeof(*topo->child));
	topo->sibling = array_new(topo->host.count, sizeof(*topo->sibling));
	for (i = 0; i < topo->host.count; i++) {
		read_function(topo, i);
		/* A captured host may have no folder of it. */
		if (topo->host.function[i].numa >= 0)
			numa_add(&topo->numa, topo->host.function[i].numa);
	}
	link_up(topo);
	return EXIT_OK;
}

/**
 * topo_free() - let go of it
 * @topo: topo
 */
void topo_free(struct topo *topo)
{
	int i;

	for (i = 0; topo->name && i < topo->host.count; i++)
		free(topo->name[i]);
	free(topo->name);
	host_free(&topo->host);
	devices_free(&topo->managed);
	free(topo->kind);
	free(topo->physfn);
	free(topo->child);
	free(topo->sibling);
	*topo = (struct topo) { .top = -1 };
}

/**
 * topo_is_device() - is it something that people give to guests?
 * @kind: of a function
 *
 * Return: true if so.
 */
bool topo_is_device(enum topo_kind kind)
{
	return kind > TOPO_PORT;
}

/**
 * topo_vfs() - the virtual functions of a function
 * @topo: host
 * @pf: index of the function
 * @vf: set to their indices, in order of address
 * @count: how many fit
 *
 * Return: how many there are.
 */
int topo_vfs(const struct topo *topo, int pf, int *vf, int count)
{
	int i, found = 0;

	for (i = 0; i < topo->host.count; i++) {
		if (topo->physfn[i] != pf)
			continue;
		if (found < count)
			vf[found] = i;
		found++;
	}
	return found;
}

/**
 * topo_switch() - the switch that a function, or another switch, is below
 * @topo: host
 * @index: of the function, or of the upstream port of the other
 *
 * Return: index of the upstream port of the nearest one that is not in a GPU's package, or
 * INSTINCT_NODE_NONE.
 */
int topo_switch(const struct topo *topo, int index)
{
	return instinct_topology_switch(&topo->host.topology, index);
}

static unsigned int narrower(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/**
 * topo_link() - the narrowest link between a function and the switch or root port above it
 * @topo: host
 * @index: of the function
 *
 * Links inside a GPU's package count; of a VF it is its PF's.
 *
 * Return: max_speed and max_width: the most that the ends can do; speed and width: as they
 * are.
 */
struct host_link topo_link(const struct topo *topo, int index)
{
	struct host_link whole = { 0 }, one;
	int at = topo->physfn[index] >= 0 ? topo->physfn[index] : index, depth;

	for (depth = 0; at != INSTINCT_NODE_NONE && depth < DEPTH_MAX; depth++) {
		int above = topo->host.node[at].parent;

		one = host_link_best(&topo->host, at);
		whole.speed = narrower(one.speed, whole.speed);
		whole.width = narrower(one.width, whole.width);
		whole.max_speed = narrower(one.max_speed, whole.max_speed);
		whole.max_width = narrower(one.max_width, whole.max_width);
		if (above == INSTINCT_NODE_NONE || !topo->host.node[above].package)
			break;
		at = above;
	}
	return whole;
}

static int is_name(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static size_t add_names(const char *bdf, const char *folder, char *text, size_t size)
{
	struct dirent **entries;
	char path[PATH_MAX];
	size_t at = 0;
	int count, i;

	sysfs_device_path(bdf, folder, path, sizeof(path));
	count = sysroot_scandir(path, &entries, is_name, alphasort);
	for (i = 0; i < count; i++) {
		if (at < size)
			at += snprintf(text + at, size - at, " %s", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return at < size ? at : size - 1;
}

/**
 * topo_names() - what the kernel calls a device
 * @topo: host
 * @index: of the function
 *
 * Return: "eth2 mlx5_0", say, or "".
 */
const char *topo_names(const struct topo *topo, int index)
{
	const char *bdf = topo->host.function[index].bdf;
	char text[TEXT_BYTES] = "";
	size_t at = 0;

	if (topo->name[index])
		return topo->name[index];
	if (topo->kind[index] == TOPO_NIC) {
		at += add_names(bdf, "net", text, sizeof(text));
		add_names(bdf, "infiniband", text + at, sizeof(text) - at);
	} else if (topo->kind[index] == TOPO_NVME) {
		add_names(bdf, "nvme", text, sizeof(text));
	}
	sysfs_make_plain(text);
	topo->name[index] = text_copy(text + strspn(text, " "));
	return topo->name[index];
}
