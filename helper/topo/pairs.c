// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "pairs.h"

static int compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->device - y->device;
}

static void add_kind(struct pairs *pairs, const struct topo *topo, enum topo_kind kind, bool all)
{
	size_t first = pairs->count, i;
	struct pair *pair;
	int device;

	for (device = 0; device < topo->host.count; device++) {
		if (topo->kind[device] != kind || topo->physfn[device] >= 0)
			continue;
		pair = list_add((void **)&pairs->pair, &pairs->count, sizeof(*pair));
		pair->device = device;
		pair->rank = rank_through(topo, pairs->gpu, device, &pair->through);
	}
	if (first == pairs->count)
		return;
	qsort(pairs->pair + first, pairs->count - first, sizeof(*pair), compare);
	for (i = first; !all && i < pairs->count; i++)
		if (pairs->pair[i].rank != pairs->pair[first].rank)
			break;
	if (!all)
		pairs->count = i;
}

/**
 * pairs_make() - list the possible partners of a GPU
 * @pairs: set; the caller calls pairs_free()
 * @topo: host
 * @gpu: index of the GPU
 * @all: list all partners, not only the nearest of each kind
 *
 * The list omits VFs, since they are as near as their PF.
 */
void pairs_make(struct pairs *pairs, const struct topo *topo, int gpu, bool all)
{
	*pairs = (struct pairs) { .gpu = gpu };
	add_kind(pairs, topo, TOPO_NIC, all);
	add_kind(pairs, topo, TOPO_DATA_DIRECT, all);
	add_kind(pairs, topo, TOPO_NVME, all);
}

/**
 * pairs_free() - free the list of partners
 * @pairs: partners
 */
void pairs_free(struct pairs *pairs)
{
	free(pairs->pair);
	*pairs = (struct pairs) { 0 };
}
