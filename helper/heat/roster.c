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

/* Both lists are sorted by address, so the joined list is sorted too. */
static void join(const struct roster *before, const struct devices *present,
		 struct roster *joined)
{
	size_t i = 0, j = 0;

	while (i < before->gpus.count || j < present->count) {
		const struct device *old = gpu_at(&before->gpus, i), *new = gpu_at(present, j);
		int order = !old ? 1 : !new ? -1 : strcmp(old->bdf, new->bdf);

		add(joined, order >= 0 ? new : old, order < 0);
		/* sysfs_gpus() reads no serial; a GPU that was never absent keeps its own. */
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
 * roster_update() - bring the roster up to date
 * @roster: GPUs
 * @present: GPUs that are present now, sorted by address
 *
 * A GPU that disappears keeps its place, because the index of a GPU selects its sensors: the
 * removal of one GPU must not change the index of the others.
 *
 * Return: true if any GPU has appeared or disappeared.
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
 * roster_is_away() - check whether a known GPU is absent
 * @roster: GPUs
 * @bdf: the GPU's address
 *
 * Return: true if the roster knows the GPU and it is absent.
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
 * roster_free() - free the roster's lists, and leave it empty
 * @roster: GPUs
 */
void roster_free(struct roster *roster)
{
	devices_free(&roster->gpus);
	free(roster->away);
	roster->away = NULL;
}
