// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "isolation_plan.h"
#include "out.h"
#include "out_change.h"

#define COLUMNS		80
#define LINES_MAX	20	/* more are told by groups */
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

/* Would the same be printed of them? */
static bool alike(const struct change *a, const struct change *b)
{
	return a->plain == b->plain && a->waiting == b->waiting && a->ruled == b->ruled &&
	       policy_equal(&a->found, &b->found) && policy_equal(&a->wanted, &b->wanted);
}

/* On one line if it fits. */
static void print_key(const char *whom, const struct conf_key *key,
		      const struct change *change)
{
	char found[INSTINCT_PEERS_BYTES], wanted[INSTINCT_PEERS_BYTES];
	size_t length;

	conf_key_format(key, conf_key_get(key, &change->found), found, sizeof(found));
	conf_key_format(key, conf_key_get(key, &change->wanted), wanted, sizeof(wanted));
	length = strlen(whom) + strlen(key->name) + strlen(found) + strlen(wanted);
	if (length + strlen(": :  -> ") <= COLUMNS)
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
		printf("%s: policy: none yet -> as now, by the files\n", whom);
}

/* The addresses of a group, on as many lines as they need. */
static void print_members(const struct changes *changes, const struct change *first)
{
	size_t column = 0, i;

	for (i = first - changes->list; i < changes->count; i++) {
		if (!alike(&changes->list[i], first))
			continue;
		if (column && column + 1 + strlen(changes->list[i].bdf) > COLUMNS - 1) {
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
	snprintf(whom, sizeof(whom), "%zu %s", members, first->plain ? "devices" : "GPUs");
	print_change(whom, first);
}

/* Of those that change alike, told once. */
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
 * out_changes() - the policies that are not as wanted, a line for each key
 * @changes: they
 *
 * Where that is many lines, devices that change alike are told of together.
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
 * out_change_json() - one of them, for programs
 * @change: it
 *
 * Return: an object.
 */
json_t *out_change_json(const struct change *change)
{
	return json_pack("{s:s, s:b, s:o, s:o}", "bdf", change->bdf,
			 "waiting", change->waiting,
			 "found", out_policy_json(&change->found, false),
			 "wanted", out_policy_json(&change->wanted, false));
}
