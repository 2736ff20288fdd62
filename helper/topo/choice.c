// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"

static void add(struct choice_list *list, int index, int gpu)
{
	struct choice_part *part = list_add((void **)&list->list, &list->count, sizeof(*part));

	part->index = index;
	part->gpu = gpu;
}

/**
 * choice_offer() - a device that may be chosen
 * @choice: to which it is added
 * @topo: host
 * @index: of the device
 */
void choice_offer(struct choice *choice, const struct topo *topo, int index)
{
	add(&choice->free[topo->kind[index]], index, -1);
}

/**
 * choice_leave() - a device that may not be chosen
 * @choice: to which it is added
 * @index: of the device
 * @why: for people
 */
void choice_leave(struct choice *choice, int index, const char *why)
{
	struct left_over *left = list_add((void **)&choice->left, &choice->lefts, sizeof(*left));

	left->index = index;
	snprintf(left->why, sizeof(left->why), "%s", why);
}

/**
 * struct trial - a set of GPUs that is looked at
 * @gpu: indices in the list of free GPUs
 * @count: how many
 * @cost: the lower the better
 */
struct trial {
	size_t *gpu;
	size_t count;
	unsigned long cost;
};

/**
 * struct ranks - of free GPUs to each other, so that each is found out once
 * @rank: of one to another
 * @count: how many GPUs
 */
struct ranks {
	unsigned char *rank;
	size_t count;
};

static unsigned int rank_at(const struct ranks *ranks, size_t a, size_t b)
{
	return ranks->rank[a * ranks->count + b];
}

static struct ranks ranks_make(const struct topo *topo, const struct choice_list *gpus)
{
	struct ranks ranks = { .count = gpus->count };
	size_t i, k;

	ranks.rank = array_new(gpus->count * gpus->count, sizeof(*ranks.rank));
	for (i = 0; i < gpus->count; i++)
		for (k = 0; k < gpus->count; k++)
			ranks.rank[i * gpus->count + k] =
				rank_of(topo, gpus->list[i].index, gpus->list[k].index);
	return ranks;
}

static bool has(const struct trial *trial, size_t gpu)
{
	size_t i;

	for (i = 0; i < trial->count; i++)
		if (trial->gpu[i] == gpu)
			return true;
	return false;
}

/* The free GPU nearest to those of the trial; -1 if there is none. */
static long nearest(const struct trial *trial, const struct ranks *ranks)
{
	unsigned long best = ULONG_MAX, sum;
	long found = -1;
	size_t i, k;

	for (i = 0; i < ranks->count; i++) {
		if (has(trial, i))
			continue;
		for (sum = 0, k = 0; k < trial->count; k++)
			sum += rank_at(ranks, i, trial->gpu[k]);
		if (sum < best) {
			best = sum;
			found = i;
		}
	}
	return found;
}

static unsigned char *ranks_between(const struct topo *topo, const struct choice_list *gpus,
				    const struct choice_list *devices)
{
	unsigned char *ranks = array_new(gpus->count * devices->count, sizeof(*ranks));
	size_t i, k;

	for (i = 0; i < gpus->count; i++)
		for (k = 0; k < devices->count; k++)
			ranks[i * devices->count + k] =
				rank_of(topo, gpus->list[i].index, devices->list[k].index);
	return ranks;
}

/* Devices of a kind dealt out to GPUs, the nearest pairs first; returns what that costs. */
static unsigned long deal(struct choice_list *best, const struct topo *topo,
			  const struct choice_list *gpus, const struct choice_list *devices,
			  size_t wanted)
{
	size_t share = gpus->count ? (wanted + gpus->count - 1) / gpus->count : 0, i, k;
	unsigned char *ranks = ranks_between(topo, gpus, devices);
	bool *taken = array_new(devices->count, sizeof(*taken));
	size_t *has_got = array_new(gpus->count, sizeof(*has_got));
	unsigned long cost = 0;
	unsigned int rank;

	best->count = 0;
	for (rank = 0; rank < RANKS; rank++)
		for (i = 0; i < gpus->count; i++)
			for (k = 0; k < devices->count && best->count < wanted; k++) {
				if (taken[k] || has_got[i] == share ||
				    ranks[i * devices->count + k] != rank)
					continue;
				taken[k] = true;
				has_got[i]++;
				add(best, devices->list[k].index, gpus->list[i].index);
				cost += rank;
			}
	free(ranks);
	free(taken);
	free(has_got);
	return cost;
}

/* GPUs of the nodes that the trial touches and that it leaves: few, so that others stay whole. */
static unsigned long leftovers(const struct topo *topo, const struct choice_list *gpus,
			       const struct trial *trial)
{
	unsigned long count = 0;
	size_t i, k;

	for (i = 0; i < gpus->count; i++)
		for (k = 0; k < trial->count && !has(trial, i); k++)
			if (topo->host.function[gpus->list[i].index].numa ==
			    topo->host.function[gpus->list[trial->gpu[k]].index].numa) {
				count++;
				break;
			}
	return count;
}

static void take(struct choice *choice, const struct trial *trial)
{
	size_t i;

	choice->best[TOPO_GPU].count = 0;
	for (i = 0; i < trial->count; i++) {
		int gpu = choice->free[TOPO_GPU].list[trial->gpu[i]].index;

		add(&choice->best[TOPO_GPU], gpu, gpu);
	}
}

#define COST_OF_RANK	1000ul	/* nearness counts first, what is left over last */

static void judge(struct choice *choice, const struct topo *topo, const struct ranks *ranks,
		  const size_t wanted[TOPO_KINDS], struct trial *trial)
{
	size_t i, k;

	trial->cost = 0;
	for (i = 0; i < trial->count; i++)
		for (k = 0; k < i; k++)
			trial->cost += rank_at(ranks, trial->gpu[i], trial->gpu[k]);
	take(choice, trial);
	for (i = 0; i < TOPO_KINDS; i++)
		if (i != TOPO_GPU && wanted[i])
			trial->cost += deal(&choice->best[i], topo, &choice->best[TOPO_GPU],
					    &choice->free[i], wanted[i]);
	trial->cost = trial->cost * COST_OF_RANK +
		      leftovers(topo, &choice->free[TOPO_GPU], trial);
}

static int by_index(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* From one GPU on, always the nearest. */
static void grow(struct trial *trial, const struct ranks *ranks, size_t first, size_t wanted)
{
	long next;

	trial->count = 0;
	trial->gpu[trial->count++] = first;
	while (trial->count < wanted && (next = nearest(trial, ranks)) >= 0)
		trial->gpu[trial->count++] = next;
	qsort(trial->gpu, trial->count, sizeof(*trial->gpu), by_index);
}

/**
 * choice_make() - choose
 * @choice: with what may be chosen; best is set
 * @topo: host
 * @wanted: how many of each kind; at least one GPU
 *
 * GPUs near to each other and to NICs and drives that are free; of equals those that leave
 * the fewest behind in their NUMA nodes, and then those of the lowest address.
 *
 * Return: false if there are not as many.
 */
bool choice_make(struct choice *choice, const struct topo *topo,
		 const size_t wanted[TOPO_KINDS])
{
	struct ranks ranks = ranks_make(topo, &choice->free[TOPO_GPU]);
	struct trial trial = { 0 }, best = { .cost = ULONG_MAX };
	bool enough = true;
	size_t i;

	for (i = 0; i < TOPO_KINDS; i++)
		enough &= choice->free[i].count >= wanted[i];
	trial.gpu = array_new(ranks.count, sizeof(*trial.gpu));
	best.gpu = array_new(ranks.count, sizeof(*best.gpu));
	for (i = 0; enough && i < ranks.count; i++) {
		grow(&trial, &ranks, i, wanted[TOPO_GPU]);
		judge(choice, topo, &ranks, wanted, &trial);
		if (trial.cost >= best.cost)
			continue;
		memcpy(best.gpu, trial.gpu, trial.count * sizeof(*best.gpu));
		best.count = trial.count;
		best.cost = trial.cost;
	}
	if (enough)
		judge(choice, topo, &ranks, wanted, &best);
	free(trial.gpu);
	free(best.gpu);
	free(ranks.rank);
	return enough;
}

/**
 * choice_free() - let go of it
 * @choice: set or zeroed
 */
void choice_free(struct choice *choice)
{
	int kind;

	for (kind = 0; kind < TOPO_KINDS; kind++) {
		free(choice->free[kind].list);
		free(choice->best[kind].list);
	}
	free(choice->left);
	*choice = (struct choice) { 0 };
}
