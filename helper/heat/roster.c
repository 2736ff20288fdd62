// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roster.h"

static void add(struct roster *roster, const struct device *gpu, bool away)
{
	size_t count = roster->gpus.count;

	*(bool *)list_add((void **)&roster->away, &count, sizeof(away)) = away;
	*devices_add(&roster->gpus) = *gpu;
}

static const struct device *gpu_at(const struct devices *gpus, size_t i)
{
	return i < gpus->count ? &gpus->list[i] : NULL;
}

/* Both lists are in order, so is what they make. */
static void join(const struct roster *before, const struct devices *present,
		 struct roster *joined)
{
	size_t i = 0, j = 0;

	while (i < before->gpus.count || j < present->count) {
		const struct device *old = gpu_at(&before->gpus, i), *new = gpu_at(present, j);
		int order = !old ? 1 : !new ? -1 : strcmp(old->bdf, new->bdf);

		add(joined, order >= 0 ? new : old, order < 0);
		/* The new one is who he was; nobody has looked. */
		if (!order && !before->away[i])
			joined->gpus.list[joined->gpus.count - 1].serial = old->serial;
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
		    a->away[i] != b->away[i])
			return false;
	return true;
}

/**
 * roster_update() - see who is there
 * @roster: GPUs
 * @present: those that are there now, in order of address
 *
 * One that goes keeps its place: a GPU that is removed, whether it is enumerated anew
 * or not, must not change who the others are.
 *
 * Return: true if anybody has come or gone.
 */
bool roster_update(struct roster *roster, const struct devices *present)
{
	struct roster joined = { 0 };
	bool changed;

	join(roster, present, &joined);
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
			return roster->away[i];
	return false;
}

/**
 * roster_free() - empty it
 * @roster: GPUs
 */
void roster_free(struct roster *roster)
{
	devices_free(&roster->gpus);
	free(roster->away);
	roster->away = NULL;
}
