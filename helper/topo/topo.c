// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inventory.h"
#include "kind.h"
#include "say.h"
#include "sysfs.h"
#include "sysfs_folder.h"
#include "sysroot.h"
#include "topo.h"

/* Sub-classes of the PCI Code and ID Assignment Specification. */
#define CLASS_NVME		0x0108
#define CLASS_BRIDGE_OTHER	0x0680

#define VENDOR_PLX		0x10b5
/*
 * Vital product data, PCI r3.0 appendix I. rdma-core's rdma_topo pairs a NIC and its data-direct
 * function by field V3. A ConnectX that manages the NVLink switches of an HGX board (B200 and later)
 * has the word in a field of its own; its subsystem on Amazon's p6-b200 is in the tests of
 * ai-dynamo/nixl.
 */
#define VPD_BYTES		4096
#define VPD_FIELDS		0x90
#define VPD_SWITCH		"SW_MNG"
#define SUBSYSTEM_SWITCH	0x0087
/* Folder with the links between partitions of switches, which some kernels have (NCCL reads it, too). */
#define CHIP_LINKS		"/sys/kernel/pci_switch_link/virtual_switch_links"

#define DEPTH_MAX	64	/* longer than any path; bounds a loop of parents */

const char *const topo_kind_names[TOPO_KINDS] = {
	[TOPO_OTHER] = "other",
	[TOPO_PORT] = "port",
	[TOPO_GPU] = "gpu",
	[TOPO_NIC] = "nic",
	[TOPO_NVME] = "nvme",
	[TOPO_NVSWITCH] = "nvswitch",
	[TOPO_DATA_DIRECT] = "data-direct",
};

static enum topo_kind kind_of(const struct instinct_node *node)
{
	if (node->kind != INSTINCT_NODE_ENDPOINT)
		return TOPO_PORT;
	if (kind_is_data_direct(node->vendor, node->device))
		return TOPO_DATA_DIRECT;
	if (kind_is_nic(node->vendor, node->class))
		return TOPO_NIC;
	if (kind_is_gpu(node->vendor, node->device, node->class, node->bdf))
		return TOPO_GPU;
	switch (node->class >> 8) {
	case CLASS_NVME:
		return TOPO_NVME;
	case CLASS_BRIDGE_OTHER:
		return node->vendor == KIND_VENDOR_NVIDIA ? TOPO_NVSWITCH : TOPO_OTHER;
	default:
		return TOPO_OTHER;
	}
}

/* Finds a field of the vital product data. Returns its length, and sets @at to its first byte. */
static size_t find_field(const unsigned char *vpd, size_t size, const char *name, size_t *at)
{
	size_t i = 0, length, k;

	while (i + 3 <= size && vpd[i] & 0x80) {
		length = vpd[i + 1] | vpd[i + 2] << 8;
		i += 3;
		if (length > size - i)
			break;
		for (k = i; vpd[i - 3] == VPD_FIELDS && k + 3 <= i + length; k += 3 + vpd[k + 2])
			if (!memcmp(vpd + k, name, 2) && vpd[k + 2] <= i + length - k - 3) {
				*at = k + 3;
				return vpd[k + 2];
			}
		i += length;
	}
	return 0;
}

/**
 * struct card - what tells the roles of a ConnectX function
 * @pair: field V3 of its vital product data, the same for a NIC and its data-direct function; or ""
 * @manages: the function manages NVLink switches
 */
struct card {
	char pair[64];
	bool manages;
};

static struct card read_card(const char *bdf)
{
	unsigned char *vpd = array_new(VPD_BYTES, 1);
	int folder = sysfs_folder_open(bdf);
	struct card card = { .pair = "" };
	long long subsystem;
	ssize_t size = -1;
	size_t at, length;

	if (folder >= 0) {
		size = sysfs_folder_read(folder, "vpd", vpd, VPD_BYTES);
		card.manages = sysfs_folder_number(folder, "subsystem_device", &subsystem) &&
			       subsystem == SUBSYSTEM_SWITCH;
		close(folder);
	}
	if (size > 0) {
		length = find_field(vpd, size, "V3", &at);
		if (length)
			snprintf(card.pair, sizeof(card.pair), "%.*s", (int)length, vpd + at);
		card.manages |= !!memmem(vpd, size, VPD_SWITCH, strlen(VPD_SWITCH));
	}
	free(vpd);
	return card;
}

/* Tells the NICs among ConnectX functions, and pairs them with their data-direct functions. */
static void read_cards(struct topo *topo)
{
	struct card *card = array_new(topo->host.count, sizeof(*card));
	int i, k;

	for (i = 0; i < topo->host.count; i++) {
		topo->partner[i] = -1;
		if (!topo_is_nic(topo->kind[i]) || topo->physfn[i] >= 0 ||
		    topo->host.node[i].vendor != KIND_VENDOR_MELLANOX)
			continue;
		card[i] = read_card(topo->host.function[i].bdf);
		if (card[i].manages && topo->kind[i] == TOPO_NIC)
			topo->kind[i] = TOPO_NVSWITCH;
	}
	for (i = 0; i < topo->host.count; i++)
		for (k = 0; topo->kind[i] == TOPO_DATA_DIRECT && *card[i].pair &&
			    topo->partner[i] < 0 && k < topo->host.count; k++)
			if (topo->kind[k] == TOPO_NIC && topo->partner[k] < 0 &&
			    !strcmp(card[i].pair, card[k].pair)) {
				topo->partner[i] = k;
				topo->partner[k] = i;
			}
	free(card);
}

/* Checks whether the kernel knows a link between two partitions of a switch, or ("", "") any. */
static bool is_chip_link(const char *a, const char *b)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" CHIP_LINKS "/%s/%s", opt_sysroot, a, b);
	return !sysroot_stat(path, false, &st);
}

/*
 * Partitions of one switch chip have one serial number. PLX's switches have the same in all chips,
 * and partitions in different NUMA nodes are no partitions of one.
 */
static bool is_same_chip(const struct topo *topo, bool links, int a, int b)
{
	const struct instinct_node *x = &topo->host.node[a], *y = &topo->host.node[b];

	return (x->serial && x->serial == y->serial && x->vendor == y->vendor &&
		x->vendor != VENDOR_PLX &&
		topo->host.function[a].numa == topo->host.function[b].numa) ||
	       (links && (is_chip_link(topo->host.function[a].bdf, topo->host.function[b].bdf) ||
			  is_chip_link(topo->host.function[b].bdf, topo->host.function[a].bdf)));
}

static void find_chips(struct topo *topo)
{
	const struct instinct_node *node = topo->host.node;
	bool links = is_chip_link("", "");
	int i, k;

	for (i = 0; i < topo->host.count; i++) {
		topo->chip[i] = -1;
		if (node[i].kind != INSTINCT_NODE_UPSTREAM || node[i].package)
			continue;
		for (k = 0; k < i && (topo->chip[k] < 0 || !is_same_chip(topo, links, k, i)); k++)
			;
		topo->chip[i] = k < i ? topo->chip[k] : i;
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

/* The loop runs backwards, so that each list is sorted by address. */
static void link_up(struct topo *topo)
{
	int i, *first;

	topo->top = -1;
	for (i = 0; i < topo->host.count; i++) {
		topo->child[i] = -1;
		topo->vf[i] = -1;
	}
	for (i = topo->host.count - 1; i >= 0; i--) {
		int parent = topo->host.node[i].parent, pf = topo->physfn[i];

		/* In a damaged capture a VF may be the PF of another one, or of itself. */
		if (pf >= 0 && topo->physfn[pf] < 0) {
			topo->vf[i] = topo->vf[pf];
			topo->vf[pf] = i;
		}
		first = parent == INSTINCT_NODE_NONE ? &topo->top : &topo->child[parent];
		topo->sibling[i] = *first;
		*first = i;
	}
}

/* A capture of lstopo has the product of a link's speed and width instead. */
static double read_speed(const char *bdf)
{
	int folder = *opt_sysroot ? sysfs_folder_open(bdf) : -1;
	char text[32];
	ssize_t size;

	if (folder < 0)
		return 0;
	size = sysfs_folder_read(folder, HOST_LINK_LSTOPO, text, sizeof(text) - 1);
	close(folder);
	text[size > 0 ? size : 0] = '\0';
	return strtod(text, NULL);
}

/* Tells what each NIC is worth, with its driver or without one. */
static void read_nics(struct topo *topo)
{
	int i;

	for (i = 0; i < topo->host.count; i++) {
		const struct instinct_node *node = &topo->host.node[i];
		const char *bdf = topo->host.function[i].bdf;
		struct host_link link = topo_link(topo, i);

		if (topo->kind[i] != TOPO_NIC)
			continue;
		topo->nic[i].rdma = sysfs_exists(bdf, "infiniband") ||
				    kind_has_rdma(node->vendor, node->device, node->class);
		topo->nic[i].speed = link.max_speed ? link.max_speed / 8000.0 * link.max_width :
				     read_speed(bdf);
	}
	/* A VF's Device ID may be that of VFs with and without RDMA. */
	for (i = 0; i < topo->host.count; i++)
		if (topo->kind[i] == TOPO_NIC && topo->physfn[i] >= 0)
			topo->nic[i].rdma |= topo->nic[topo->physfn[i]].rdma;
}

/**
 * topo_read() - read the hardware of this host, or of the one below --sysroot
 * @topo: set; the caller calls topo_free() even on failure
 *
 * Return: 0, or an exit code after printing the reason.
 */
int topo_read(struct topo *topo)
{
	char unread[TEXT_BYTES];
	int code, i;

	*topo = (struct topo) { .top = -1 };
	inventory_managed(&topo->managed);
	code = host_read(&topo->host, &topo->managed);
	if (code)
		return code;
	host_unread_text(&topo->host, unread, sizeof(unread));
	if (*unread)
		say_warning("%s", unread);
	numa_read(&topo->numa);
	host_links_read(&topo->host);
	topo->kind = array_new(topo->host.count, sizeof(*topo->kind));
	topo->name = array_new(topo->host.count, sizeof(*topo->name));
	topo->physfn = array_new(topo->host.count, sizeof(*topo->physfn));
	topo->vf = array_new(topo->host.count, sizeof(*topo->vf));
	topo->partner = array_new(topo->host.count, sizeof(*topo->partner));
	topo->chip = array_new(topo->host.count, sizeof(*topo->chip));
	topo->nic = array_new(topo->host.count, sizeof(*topo->nic));
	topo->child = array_new(topo->host.count, sizeof(*topo->child));
	topo->sibling = array_new(topo->host.count, sizeof(*topo->sibling));
	for (i = 0; i < topo->host.count; i++) {
		read_function(topo, i);
		/* A captured host may lack the folder of a NUMA node. */
		if (topo->host.function[i].numa >= 0)
			numa_add(&topo->numa, topo->host.function[i].numa);
	}
	read_cards(topo);
	find_chips(topo);
	read_nics(topo);
	link_up(topo);
	return EXIT_OK;
}

/**
 * topo_free() - free all lists, and leave them empty
 * @topo: host
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
	free(topo->vf);
	free(topo->partner);
	free(topo->chip);
	free(topo->nic);
	free(topo->child);
	free(topo->sibling);
	*topo = (struct topo) { .top = -1 };
}

/**
 * topo_is_device() - check whether functions of a kind are passed to guests
 * @kind: kind of a function
 *
 * Return: true if guests get such functions.
 */
bool topo_is_device(enum topo_kind kind)
{
	return kind > TOPO_PORT;
}

/**
 * topo_is_nic() - check whether NCCL and RCCL may take a function's place for that of a NIC
 * @kind: kind of a function
 *
 * Return: true for NICs and their data-direct functions.
 */
bool topo_is_nic(enum topo_kind kind)
{
	return kind == TOPO_NIC || kind == TOPO_DATA_DIRECT;
}

/**
 * topo_vfs() - list the virtual functions of a function
 * @topo: host
 * @pf: index of the function
 * @vf: set to the indexes of the VFs, sorted by address
 * @count: number of entries that fit into @vf
 *
 * Return: the number of VFs, which may exceed @count.
 */
int topo_vfs(const struct topo *topo, int pf, int *vf, int count)
{
	int i, found = 0;

	for (i = topo->vf[pf]; i >= 0; i = topo->vf[i]) {
		if (found < count)
			vf[found] = i;
		found++;
	}
	return found;
}

/**
 * topo_switch() - find the nearest switch above a function or another switch
 * @topo: host
 * @index: index of the function, or of the other switch's upstream port
 *
 * Return: index of the switch's upstream port, or INSTINCT_NODE_NONE. Switches in GPU
 * packages do not count.
 */
int topo_switch(const struct topo *topo, int index)
{
	return instinct_topology_switch(&topo->host.topology, index);
}

/**
 * topo_same_chip() - tell whether two functions are below partitions of one switch chip
 * @topo: host
 * @a: index of one function
 * @b: index of the other function
 *
 * Return: true if a switch above one and a switch above the other are one chip.
 */
bool topo_same_chip(const struct topo *topo, int a, int b)
{
	int x, y;

	for (x = topo_switch(topo, a); x != INSTINCT_NODE_NONE; x = topo_switch(topo, x))
		for (y = topo_switch(topo, b); y != INSTINCT_NODE_NONE; y = topo_switch(topo, y))
			if (topo->chip[x] == topo->chip[y])
				return true;
	return false;
}

static unsigned int narrower(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/**
 * topo_link() - get the narrowest link between a function and the switch or root port above it
 * @topo: host
 * @index: index of the function
 *
 * Links inside a GPU's package count. A VF has its PF's link.
 *
 * Return: max_speed and max_width, the most that the ends support; speed and width, the
 * current values.
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
 * topo_names() - get the kernel's names of a device
 * @topo: host
 * @index: index of the function
 *
 * Return: names such as "eth2 mlx5_0", or "".
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
