// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "model.h"
#include "nl_replay.h"
#include "say.h"

#define SERIAL_BASE	0x5e71a10000000000ull	/* no vendor's */
#define SLOTS		64

/* FNV-1a, in which upper and lower case are the same. */
static size_t hash_of(const char *thing)
{
	uint32_t hash = 2166136261u;

	for (; *thing; thing++)
		hash = (hash ^ (unsigned char)tolower((unsigned char)*thing)) * 16777619u;
	return hash;
}

/* The slot that has a thing's number, or that is free for it. */
static size_t *slot_of(const struct mask_table *table, const char *thing)
{
	size_t at = hash_of(thing), number;

	for (;; at++) {
		number = table->slot[at & (table->slots - 1)];
		if (!number || !strcasecmp(table->list[number - 1], thing))
			return &table->slot[at & (table->slots - 1)];
	}
}

static void make_room(struct mask_table *table)
{
	size_t i;

	free(table->slot);
	table->slots = table->slots ? 4 * table->slots : SLOTS;
	table->slot = calloc(table->slots, sizeof(*table->slot));
	table->list = realloc(table->list, table->slots / 2 * sizeof(*table->list));
	if (!table->slot || !table->list) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	for (i = 0; i < table->count; i++)
		*slot_of(table, table->list[i]) = i + 1;
}

/**
 * mask_knows() - was a thing met before?
 * @table: of its kind
 * @thing: it
 *
 * Return: true if so.
 */
bool mask_knows(const struct mask_table *table, const char *thing)
{
	return table->slots && *slot_of(table, thing);
}

/**
 * mask_number() - the number of a thing
 * @table: of its kind; added to if it is new
 * @thing: it
 *
 * Return: it, from 1 on.
 */
size_t mask_number(struct mask_table *table, const char *thing)
{
	size_t *slot;

	if (2 * table->count >= table->slots)
		make_room(table);
	slot = slot_of(table, thing);
	if (!*slot) {
		table->list[table->count++] = text_copy(thing);
		*slot = table->count;
	}
	return *slot;
}

static void serial_text(uint64_t serial, char *text, size_t size)
{
	snprintf(text, size, "%016" PRIx64, serial);
}

/**
 * mask_serial() - what a serial number becomes
 * @mask: it
 * @serial: number
 *
 * Return: its pseudonym; of what is none, itself.
 */
uint64_t mask_serial(struct mask *mask, uint64_t serial)
{
	char text[32];

	if (!serial || serial == UINT64_MAX || serial >> 40 == SERIAL_BASE >> 40)
		return serial;
	serial_text(serial, text, sizeof(text));
	return SERIAL_BASE + mask_number(&mask->serials, text);
}

/**
 * mask_knows_serial() - was a serial number met before?
 * @mask: it
 * @serial: number
 *
 * Return: true if so.
 */
bool mask_knows_serial(const struct mask *mask, uint64_t serial)
{
	char text[32];

	/* As most numbers of sysfs are, and no serial number is. */
	if (!serial)
		return false;
	serial_text(serial, text, sizeof(text));
	return mask_knows(&mask->serials, text);
}

/**
 * mask_add_host() - a name of the host
 * @mask: it
 * @name: with or without its domain; one that could be any host's is let be
 */
void mask_add_host(struct mask *mask, const char *name)
{
	char brief[TEXT_BYTES];

	snprintf(brief, sizeof(brief), "%.*s", (int)strcspn(name, ".\n"), name);
	if (*brief && strcmp(brief, "localhost"))
		mask_number(&mask->host, brief);
}

static bool ends(const char *path, const char *name)
{
	size_t length = strlen(path), tail = strlen(name);

	return length > tail && path[length - tail - 1] == '/' &&
	       !strcmp(path + length - tail, name);
}

static bool is_below(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

/* Only the kernel and its module have any: in what else has a NUL texts are looked for. */
static bool is_binary(const struct tree_entry *entry)
{
	return is_below(entry->path, NL_RECORDS "/") ||
	       (is_below(entry->path, "sys/") &&
		memchr(entry->data.data, '\0', entry->data.size));
}

/* Where it is, and where a link leads: together, so that what leads there still does. */
static void mask_place(struct mask *mask, struct tree_entry *entry)
{
	bool named_by_people = !is_below(entry->path, "sys/") &&
			       !is_below(entry->path, "proc/") &&
			       !is_below(entry->path, "instinct-vfio/");
	struct bytes path = { 0 };

	if (entry->kind == TREE_LINK)
		mask_path(mask, &entry->data, named_by_people);
	bytes_add(&path, entry->path, strlen(entry->path));
	mask_path(mask, &path, named_by_people);
	free(entry->path);
	entry->path = path.data;
}

/* Those that hold serial numbers as such: so that they are known in texts. */
static void mask_numbers(struct mask *mask, struct tree_entry *entry)
{
	if (is_below(entry->path, NL_RECORDS "/"))
		mask_netlink(mask, &entry->data);
	else if (ends(entry->path, "config") && is_below(entry->path, "sys/"))
		mask_config(mask, &entry->data);
}

static bool is_compressed(const struct bytes *data)
{
	return data->size >= 2 && !memcmp(data->data, "\x1f\x8b", 2);
}

static void mask_rest(struct mask *mask, struct tree_entry *entry)
{
	if (!strcmp(entry->path, "proc/cmdline"))
		mask_cmdline(&entry->data);
	else if (mask_is_settings(entry->path))
		mask_settings(entry->path, &entry->data);
	if (is_binary(entry)) {
		mask_sweep(mask, &entry->data);
	} else if (is_compressed(&entry->data)) {
		bytes_free(&entry->data);
		entry->why = text_copy("compressed: what it says cannot be masked");
	} else {
		mask_text(mask, &entry->data);
	}
}

/**
 * mask_tree() - mask all of a capture
 * @mask: it, with the names of the host
 * @tree: capture
 */
void mask_tree(struct mask *mask, struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->count; i++) {
		mask_place(mask, &tree->list[i]);
		if (tree->list[i].kind == TREE_FILE && tree->list[i].data.size)
			mask_numbers(mask, &tree->list[i]);
	}
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].kind == TREE_FILE && tree->list[i].data.size)
			mask_rest(mask, &tree->list[i]);
}

static void table_free(struct mask_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->list[i]);
	free(table->list);
	free(table->slot);
}

/**
 * mask_free() - forget all of it
 * @mask: it
 */
void mask_free(struct mask *mask)
{
	table_free(&mask->serials);
	table_free(&mask->addresses);
	table_free(&mask->uuids);
	table_free(&mask->ips);
	free(mask->pattern);
	table_free(&mask->host);
	*mask = (struct mask) { 0 };
}
