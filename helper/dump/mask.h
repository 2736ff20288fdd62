/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What says whose host it is becomes something that does not: the same the same. */
#ifndef MASK_H
#define MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "tree.h"

/**
 * struct mask_table - things of one kind, each with a number from 1 on
 * @list: they
 * @count: how many
 * @slot: numbers, each where the hash of its thing says, or in the next free one behind
 *	that; 0: free
 * @slots: how many, a power of 2, and @list has room for half as many
 */
struct mask_table {
	char **list;
	size_t count;
	size_t *slot;
	size_t slots;
};

/**
 * struct mask_pattern - eight bytes that are a serial number, in one of both orders
 * @bytes: they
 * @becomes: those that take their place
 */
struct mask_pattern {
	uint64_t bytes;
	uint64_t becomes;
};

/**
 * struct mask - what has been masked so far
 * @serials: PCIe Device Serial Numbers
 * @pattern: of each of them, sorted, as far as mask_sweep() has gone
 * @patterns: how many
 * @addresses: MAC addresses, GUIDs and the like, without what separates their digits
 * @uuids: the same
 * @ips: IP addresses
 * @host: names of the host, as they are
 *
 * A pseudonym is a number in the order in which things were met. So nothing can be
 * computed back from it, and two archives have nothing in common.
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
