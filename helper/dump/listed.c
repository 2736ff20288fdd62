// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "host_link.h"
#include "listed.h"

#define FOLDER_BYTES	1024	/* room for more bridges than DEPTH_MAX */
#define PATH_BYTES	(2 * FOLDER_BYTES)
#define DEPTH_MAX	32

/**
 * listed_add() - append a function
 * @listing: functions
 * @bdf: address with the domain
 *
 * Return: the new function, of which nothing else is known.
 */
struct listed *listed_add(struct listing *listing, const char *bdf)
{
	struct listed *listed = list_add((void **)&listing->list, &listing->count, sizeof(*listed));

	snprintf(listed->bdf, sizeof(listed->bdf), "%s", bdf);
	listed->number = bdf_number(bdf);
	listed->secondary = -1;
	listed->numa = -1;
	listed->group = -1;
	return listed;
}

/**
 * listed_is_word() - check that a word can be the name of a driver or of a device in sysfs
 * @word: the word
 *
 * Return: true if it holds letters, digits, "_", "-" and inner dots only.
 */
bool listed_is_word(const char *word)
{
	const char *at = word;

	while (isalnum((unsigned char)*at) || *at == '_' || *at == '-' || (*at == '.' && at > word))
		at++;
	return at > word && !*at;
}

/**
 * listed_name() - add a kernel name of a function
 * @listed: function
 * @folder: folder of such names, such as "net"
 * @name: the name, ignored if it cannot be one
 */
void listed_name(struct listed *listed, const char *folder, const char *name)
{
	if (listed->names < LISTED_NAMES && listed_is_word(name) && strlen(name) < 32)
		snprintf(listed->name[listed->names++], sizeof(listed->name[0]), "%s/%s", folder,
			 name);
}

static int by_number(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Finds the bridge with the fewest buses among those above a bus; VFs may be past the first one. */
static void find_parents(struct listing *listing)
{
	size_t i, k;

	for (i = 0; i < listing->count; i++) {
		struct listed *below = &listing->list[i];
		int bus = below->number >> 8 & 0xff, best = INT_MAX;

		below->parent = -1;
		for (k = 0; k < listing->count; k++) {
			const struct listed *bridge = &listing->list[k];
			int buses = bridge->subordinate - bridge->secondary;

			if (bridge->secondary <= 0 || bridge->number >> 16 != below->number >> 16 ||
			    bus < bridge->secondary || bus > bridge->subordinate || buses >= best ||
			    k == i || (int)(bridge->number >> 8 & 0xff) >= bus)
				continue;
			best = buses;
			below->parent = k;
		}
	}
}

/* Writes the folder of a function below those of the bridges above it. */
static void folder_of(const struct listing *listing, int index, char *path, size_t size)
{
	int chain[DEPTH_MAX], depth = 0;
	size_t at;

	for (; index >= 0 && depth < DEPTH_MAX; index = listing->list[index].parent)
		chain[depth++] = index;
	at = snprintf(path, size, "sys/devices/pci%04x:%02x",
		      (unsigned int)(listing->list[chain[depth - 1]].number >> 16),
		      (unsigned int)(listing->list[chain[depth - 1]].number >> 8 & 0xff));
	while (depth--)
		at += snprintf(path + at, size - at, "/%s", listing->list[chain[depth]].bdf);
}

static void add_text(struct tree *tree, enum tree_kind kind, const char *text, const char *folder,
		     const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%.*s/%s", FOLDER_BYTES, folder, name);
	bytes_add(&tree_add(tree, path, kind)->data, text, strlen(text));
}

static void add_number(struct tree *tree, const char *folder, const char *name,
		       const char *format, unsigned int value)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	add_text(tree, TREE_FILE, text, folder, name);
}

static void add_bars(struct tree *tree, const struct listed *listed, const char *folder)
{
	char text[LISTED_BARS * 64];
	size_t at = 0, i;

	for (i = 0; i < LISTED_BARS; i++) {
		const struct listed_bar *bar = &listed->bar[i];

		at += snprintf(text + at, sizeof(text) - at,
			       "0x%016" PRIx64 " 0x%016" PRIx64 " 0x%016" PRIx64 "\n", bar->start,
			       bar->bytes ? bar->start + bar->bytes - 1 : 0, bar->flags);
	}
	add_text(tree, TREE_FILE, text, folder, "resource");
}

static void write_one(struct tree *tree, const struct listing *listing, size_t index)
{
	const struct listed *listed = &listing->list[index];
	char folder[FOLDER_BYTES], text[PATH_BYTES];
	int i;

	folder_of(listing, index, folder, sizeof(folder));
	tree_add(tree, folder, TREE_FOLDER);
	snprintf(text, sizeof(text), "../../../%s", folder + strlen("sys/"));
	add_text(tree, TREE_LINK, text, "sys/bus/pci/devices", listed->bdf);
	if (listed->has_ids) {
		add_number(tree, folder, "vendor", "0x%04x\n", listed->vendor & 0xffff);
		add_number(tree, folder, "device", "0x%04x\n", listed->device & 0xffff);
		add_number(tree, folder, "subsystem_vendor", "0x%04x\n", listed->subvendor & 0xffff);
		add_number(tree, folder, "subsystem_device", "0x%04x\n", listed->subdevice & 0xffff);
	}
	if (listed->has_class)
		add_number(tree, folder, "class", "0x%06x\n", listed->class & 0xffffff);
	if (listed->numa >= 0)
		add_number(tree, folder, "numa_node", "%u\n", listed->numa);
	if (*listed->driver) {
		snprintf(text, sizeof(text), "../../../bus/pci/drivers/%s", listed->driver);
		add_text(tree, TREE_LINK, text, folder, "driver");
	}
	if (*listed->physfn) {
		snprintf(text, sizeof(text), "../%s", listed->physfn);
		add_text(tree, TREE_LINK, text, folder, "physfn");
	}
	if (listed->vfs)
		add_number(tree, folder, "sriov_numvfs", "%u\n", listed->vfs);
	if (listed->group >= 0) {
		snprintf(text, sizeof(text), "../../../kernel/iommu_groups/%d", listed->group);
		add_text(tree, TREE_LINK, text, folder, "iommu_group");
	}
	if (*listed->speed)
		add_text(tree, TREE_FILE, listed->speed, folder, HOST_LINK_LSTOPO);
	if (listed->config.size) {
		snprintf(text, sizeof(text), "%s/config", folder);
		bytes_add(&tree_add(tree, text, TREE_FILE)->data, listed->config.data,
			  listed->config.size);
	}
	if (listed->bars)
		add_bars(tree, listed, folder);
	for (i = 0; i < listed->names; i++) {
		snprintf(text, sizeof(text), "%s/%s", folder, listed->name[i]);
		tree_add(tree, text, TREE_FOLDER);
	}
}

/**
 * listed_write() - write the sysfs of a listing
 * @listing: functions; sorted
 * @tree: receives the files; the caller sorts it
 */
void listed_write(struct listing *listing, struct tree *tree)
{
	size_t i;

	if (listing->count)
		qsort(listing->list, listing->count, sizeof(*listing->list), by_number);
	find_parents(listing);
	tree_add(tree, "sys/bus/pci/devices", TREE_FOLDER);
	if (listing->drivers)
		tree_add(tree, "sys/bus/pci/drivers", TREE_FOLDER);
	for (i = 0; i < listing->count; i++)
		if (!i || listing->list[i].number != listing->list[i - 1].number)
			write_one(tree, listing, i);
}

/**
 * listed_free() - free the functions
 * @listing: functions
 */
void listed_free(struct listing *listing)
{
	size_t i;

	for (i = 0; i < listing->count; i++)
		bytes_free(&listing->list[i].config);
	free(listing->list);
	*listing = (struct listing) { 0 };
}
