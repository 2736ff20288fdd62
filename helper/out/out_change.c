// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "isolation/plan.h"
#include "out.h"
#include "out_change.h"
#include "peers.h"
#include "wrap.h"

#define LINES_MAX	20	/* more are printed by groups */
#define WHOM_BYTES	64

static bool differs(const struct conf_key *key, const struct change *change)
{
	return key->attr && conf_key_get(key, &change->found) !=
			    conf_key_get(key, &change->wanted);
}

static size_t lines_of(const struct change *change)
{
	size_t lines = 0, i;

	for (i = 0; i < CONF_KEYS; i++)
		lines += differs(&conf_keys[i], change);
	return lines ? lines : 1;
}

/* Tell whether the same text would be printed for two changes. */
static bool alike(const struct change *a, const struct change *b)
{
	return a->unmanaged == b->unmanaged && a->pending == b->pending && a->policy_set == b->policy_set &&
	       policy_equal(&a->found, &b->found) && policy_equal(&a->wanted, &b->wanted);
}

/* A change of a key takes one line if it fits. */
static void print_key(const char *whom, const struct conf_key *key,
		      const struct change *change)
{
	char found[PEERS_BYTES], wanted[PEERS_BYTES];
	size_t length;

	conf_key_format(key, conf_key_get(key, &change->found), found, sizeof(found));
	conf_key_format(key, conf_key_get(key, &change->wanted), wanted, sizeof(wanted));
	length = strlen(whom) + strlen(key->name) + strlen(found) + strlen(wanted);
	if (length + strlen(": :  -> ") <= wrap_width())
		printf("%s: %s: %s -> %s\n", whom, key->name, found, wanted);
	else
		printf("%s: %s:\n  %s\n  -> %s\n", whom, key->name, found, wanted);
}

static void print_change(const char *whom, const struct change *change)
{
	bool any = false;
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		if (!differs(&conf_keys[i], change))
			continue;
		print_key(whom, &conf_keys[i], change);
		any = true;
	}
	if (!any)
		printf("%s: policy: not set -> set; its values are the defaults that the module has used\n", whom);
}

/* Print the addresses of a group, on as many lines as they need. */
static void print_members(const struct changes *changes, const struct change *first)
{
	size_t column = 0, i;

	for (i = first - changes->list; i < changes->count; i++) {
		if (!alike(&changes->list[i], first))
			continue;
		if (column && column + 1 + strlen(changes->list[i].bdf) > wrap_width() - 1) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%s", column ? " " : "", changes->list[i].bdf);
	}
	puts(":");
}

static void print_group(const struct changes *changes, const struct change *first,
			size_t members)
{
	char whom[WHOM_BYTES];

	if (members == 1) {
		print_change(first->bdf, first);
		return;
	}
	if (members < changes->count)
		print_members(changes, first);
	snprintf(whom, sizeof(whom), "%zu %s", members, first->unmanaged ? "devices" : "GPUs");
	print_change(whom, first);
}

/* Devices with the same change form a group, which is printed once. */
static void print_groups(const struct changes *changes)
{
	size_t i, j, before, members;

	for (i = 0; i < changes->count; i++) {
		before = 0;
		members = 0;
		for (j = 0; j < changes->count; j++)
			if (alike(&changes->list[j], &changes->list[i])) {
				before += j < i;
				members++;
			}
		if (!before)
			print_group(changes, &changes->list[i], members);
	}
}

/**
 * out_changes() - print a plan, a line for each key that changes
 * @changes: plan
 *
 * If the plan has more than LINES_MAX lines, devices with the same change share them.
 */
void out_changes(const struct changes *changes)
{
	size_t lines = 0, i;

	for (i = 0; i < changes->count; i++)
		lines += lines_of(&changes->list[i]);
	if (lines > LINES_MAX)
		print_groups(changes);
	for (i = 0; i < changes->count && lines <= LINES_MAX; i++)
		print_change(changes->list[i].bdf, &changes->list[i]);
}

/**
 * out_change_json() - convert the change of a device to JSON
 * @change: change
 *
 * Return: an object.
 */
json_t *out_change_json(const struct change *change)
{
	return json_pack("{s:s, s:b, s:o, s:o}", "bdf", change->bdf,
			 "pending", change->pending,
			 "found", out_policy_json(&change->found, false),
			 "wanted", out_policy_json(&change->wanted, false));
}
