/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Masking: each serial number, address and name becomes a pseudonym, always the same one. */
#ifndef MASK_H
#define MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "tree.h"

/**
 * struct mask_table - texts of one kind, each with a number from 1 on
 * @list: texts; the number of the first is 1
 * @count: number of texts
 * @slot: hash table with linear probing: numbers of the texts, 0 for a free slot
 * @slots: number of slots, a power of 2; @list has room for half as many texts
 */
struct mask_table {
	char **list;
	size_t count;
	size_t *slot;
	size_t slots;
};

/**
 * struct mask_pattern - a serial number in one of the two byte orders
 * @bytes: its eight bytes
 * @becomes: eight bytes of the pseudonym
 */
struct mask_pattern {
	uint64_t bytes;
	uint64_t becomes;
};

/**
 * struct mask - the pseudonyms of a capture
 * @serials: PCIe Device Serial Numbers
 * @pattern: patterns of the serial numbers, sorted; mask_sweep() builds them
 * @patterns: number of patterns
 * @addresses: MAC addresses, GUIDs and the like, as digits without separators
 * @uuids: UUIDs, as digits without separators
 * @ips: IP addresses
 * @host: names of the host
 *
 * A pseudonym counts the originals in the order of their first use. So no original can be
 * computed from it, and pseudonyms of two archives are unrelated.
 */
struct mask {
	struct mask_table serials;
	struct mask_pattern *pattern;
	size_t patterns;
	struct mask_table addresses;
	struct mask_table uuids;
	struct mask_table ips;
	struct mask_table host;
};

size_t mask_number(struct mask_table *table, const char *thing);
bool mask_knows(const struct mask_table *table, const char *thing);
uint64_t mask_serial(struct mask *mask, uint64_t serial);
bool mask_knows_serial(const struct mask *mask, uint64_t serial);
void mask_add_host(struct mask *mask, const char *name);
void mask_config(struct mask *mask, struct bytes *config);
void mask_sweep(struct mask *mask, struct bytes *binary);
void mask_netlink(struct mask *mask, struct bytes *messages);
void mask_text(struct mask *mask, struct bytes *text);
void mask_path(struct mask *mask, struct bytes *path, bool named_by_people);
void mask_cmdline(struct bytes *text);
bool mask_is_settings(const char *path);
void mask_settings(const char *path, struct bytes *text);
void mask_tree(struct mask *mask, struct tree *tree);
void mask_free(struct mask *mask);

#endif /* MASK_H */
