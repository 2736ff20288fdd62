// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roster.h"

static void add(struct roster *roster, const struct device *gpu, int64_t gone)
{
	size_t count = roster->gpus.count;

	*(int64_t *)list_add((void **)&roster->gone, &count, sizeof(gone)) = gone;
	*devices_add(&roster->gpus) = *gpu;
}

static bool stays(const struct roster *roster, size_t i, int64_t now)
{
	return roster->gone[i] < 0 || now - roster->gone[i] < ROSTER_AWAY_MS;
}

/* Both lists are in order, so is what they make. */
static void join(const struct roster *before, const struct devices *present, int64_t now,
		 struct roster *joined)
{
	size_t i = 0, j = 0;

	while (i < before->gpus.count || j < present->count) {
		const struct device *old = &before->gpus.list[i], *new = &present->list[j];
		int order = i == before->gpus.count ? 1 : j == present->count ? -1 :
			    strcmp(old->bdf, new->bdf);

		if (order >= 0)
			add(joined, new, -1);
		else if (stays(before, i, now))
			add(joined, old, before->gone[i] < 0 ? now : before->gone[i]);
		i += order <= 0;
		j += order >= 0;
	}
}

static bool same(const struct roster *a, const struct roster *b)
{
	size_t i;

	if (a->gpus.count != b->gpus.count)
		return false;
	for (i = 0; i < a->gpus.count; i++)
		if (strcmp(a->gpus.list[i].bdf, b->gpus.list[i].bdf) ||
		    a->gone[i] != b->gone[i])
			return false;
	return true;
}

/**
 * roster_update() - see who is there
 * @roster: GPUs
 * @present: those that are there now, in order of address
 * @now: in ms
 *
 * One that goes keeps its place for a while: a GPU that is removed and enumerated anew
 * must not change who the others are.
 *
 * Return: true if anybody has come or gone.
 */
bool roster_update(struct roster *roster, const struct devices *present, int64_t now)
{
	struct roster joined = { 0 };
	bool changed;

	join(roster, present, now, &joined);
	changed = !same(roster, &joined);
	roster_free(roster);
	*roster = joined;
	return changed;
}

/**
 * roster_is_away() - is it known, but not there?
 * @roster: GPUs
 * @bdf: which
 *
 * Return: true if so.
 */
bool roster_is_away(const struct roster *roster, const char *bdf)
{
	size_t i;

	for (i = 0; i < roster->gpus.count; i++)
		if (!strcmp(roster->gpus.list[i].bdf, bdf))
			return roster->gone[i] >= 0;
	return false;
}

/**
 * roster_free() - empty it
 * @roster: GPUs
 */
void roster_free(struct roster *roster)
{
	devices_free(&roster->gpus);
	free(roster->gone);
	roster->gone = NULL;
}
