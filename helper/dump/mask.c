// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "model.h"
#include "say.h"

#define SERIAL_BASE	0x5e71a10000000000ull	/* no vendor uses this prefix */
#define SLOTS		64

/* FNV-1a without regard to case. */
static size_t hash_of(const char *thing)
{
	uint32_t hash = 2166136261u;

	for (; *thing; thing++)
		hash = (hash ^ (unsigned char)tolower((unsigned char)*thing)) * 16777619u;
	return hash;
}

/* Find the slot that holds the number of a text, or else the free slot for it. */
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
 * mask_knows() - check whether a text is in a table
 * @table: table to search
 * @thing: text
 *
 * Return: true if so.
 */
bool mask_knows(const struct mask_table *table, const char *thing)
{
	return table->slots && *slot_of(table, thing);
}

/**
 * mask_number() - look up the number of a text, or give it the next one
 * @table: table to search and extend
 * @thing: text
 *
 * Return: the number, from 1 on.
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
 * mask_serial() - replace a serial number by its pseudonym
 * @mask: pseudonyms so far; extended
 * @serial: serial number
 *
 * Return: the pseudonym; @serial itself if it is 0, all ones or a pseudonym already.
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
 * mask_knows_serial() - check whether a number is a serial number met before
 * @mask: pseudonyms so far
 * @serial: number to look up
 *
 * Return: true if so.
 */
bool mask_knows_serial(const struct mask *mask, uint64_t serial)
{
	char text[32];

	/* Most numbers in sysfs are 0, and no serial number is. */
	if (!serial)
		return false;
	serial_text(serial, text, sizeof(text));
	return mask_knows(&mask->serials, text);
}

/**
 * mask_add_host() - register a name of the host for masking
 * @mask: pseudonyms so far; extended
 * @name: hostname with or without its domain; "localhost" is ignored, as it names no host
 */
void mask_add_host(struct mask *mask, const char *name)
{
	char brief[TEXT_BYTES];

	snprintf(brief, sizeof(brief), "%.*s", (int)strcspn(name, ".\n"), name);
	if (*brief && strcmp(brief, "localhost"))
		mask_number(&mask->host, brief);
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
 * mask_free() - free all pseudonyms and leave the mask empty
 * @mask: mask to free
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
