// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"

static void add(struct choice_list *list, int index, int gpu, unsigned int tier)
{
	struct choice_part *part = list_add((void **)&list->list, &list->count, sizeof(*part));

	part->index = index;
	part->gpu = gpu;
	part->tier = tier;
}

/**
 * choice_offer() - add a device that may be chosen
 * @choice: changed
 * @topo: host
 * @index: index of the device
 */
void choice_offer(struct choice *choice, const struct topo *topo, int index)
{
	add(&choice->free[topo->kind[index]], index, -1, 0);
}

/**
 * choice_leave() - add a device that must not be chosen
 * @choice: changed
 * @index: index of the device
 * @why: the reason, for messages
 */
void choice_leave(struct choice *choice, int index, const char *why)
{
	struct left_over *left = list_add((void **)&choice->left, &choice->lefts, sizeof(*left));

	left->index = index;
	snprintf(left->why, sizeof(left->why), "%s", why);
}

/**
 * struct trial - a set of GPUs under consideration
 * @gpu: indexes into the list of free GPUs
 * @count: number of entries in @gpu
 * @cost: lower is better
 */
struct trial {
	size_t *gpu;
	size_t count;
	unsigned long cost;
};

/**
 * struct ranks - table of ranks between free GPUs and other devices, computed once
 * @rank: rank of each pair; RANKS if both are VFs of one device
 * @columns: number of other devices
 */
struct ranks {
	unsigned char *rank;
	size_t columns;
};

static unsigned int rank_at(const struct ranks *ranks, size_t gpu, size_t other)
{
	return ranks->rank[gpu * ranks->columns + other];
}

/* Returns a VF's PF; any other function stands for itself. */
static int whole_of(const struct topo *topo, int index)
{
	return topo->physfn[index] >= 0 ? topo->physfn[index] : index;
}

/* VFs of one device share its capacity, so they rank as farther apart than any other pair. */
static struct ranks ranks_make(const struct topo *topo, const struct choice_list *gpus,
			       const struct choice_list *others)
{
	struct ranks ranks = { .columns = others->count };
	size_t i, k;

	ranks.rank = array_new(gpus->count * others->count, sizeof(*ranks.rank));
	for (i = 0; i < gpus->count; i++)
		for (k = 0; k < others->count; k++) {
			int gpu = gpus->list[i].index, other = others->list[k].index;

			ranks.rank[i * ranks.columns + k] =
				whole_of(topo, gpu) == whole_of(topo, other) ? RANKS :
				rank_through(topo, gpu, other, NULL);
		}
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

/* Returns the free GPU nearest to those of the trial, or -1 if none is left. */
static long nearest(const struct trial *trial, const struct ranks *ranks)
{
	unsigned long best = ULONG_MAX, sum;
	long found = -1;
	size_t i, k;

	for (i = 0; i < ranks->columns; i++) {
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

/* Checks whether another VF of the same device has been dealt out. */
static bool is_shared(const struct topo *topo, const struct choice_list *dealt, int index)
{
	size_t i;

	for (i = 0; i < dealt->count; i++)
		if (whole_of(topo, dealt->list[i].index) == whole_of(topo, index))
			return true;
	return false;
}

/* A link is much faster than another with a quarter of its speed or less. */
#define MUCH	4

/* Checks whether a NIC is worth more at any distance: it alone has RDMA, or a much faster link. */
static bool excels(const struct topo_nic *a, const struct topo_nic *b)
{
	if (a->rdma != b->rdma)
		return a->rdma;
	return b->speed > 0 && a->speed >= MUCH * b->speed;
}

/* Raises the tier of each NIC above those of the NICs that excel it. Returns false if all are. */
static bool raise_tiers(const struct topo *topo, unsigned int *tier)
{
	bool raised = false;
	int i, k;

	for (i = 0; i < topo->host.count; i++)
		for (k = 0; topo->kind[i] == TOPO_NIC && k < topo->host.count; k++)
			if (topo->kind[k] == TOPO_NIC && excels(&topo->nic[k], &topo->nic[i]) &&
			    tier[i] <= tier[k]) {
				tier[i] = tier[k] + 1;
				raised = true;
			}
	return raised;
}

static int by_worth(const void *a, const void *b, void *nics)
{
	const struct choice_part *x = a, *y = b;
	const struct topo_nic *nic = nics, *of_x = &nic[x->index], *of_y = &nic[y->index];

	if (of_x->rdma != of_y->rdma)
		return of_x->rdma ? -1 : 1;
	if (of_x->speed != of_y->speed)
		return of_x->speed > of_y->speed ? -1 : 1;
	return x->index - y->index;
}

/* Sorts the free NICs, the best first, and sets their tiers. */
static void rate(struct choice *choice, const struct topo *topo)
{
	unsigned int *tier = array_new(topo->host.count, sizeof(*tier));
	struct choice_list *nics = &choice->free[TOPO_NIC];
	size_t k;

	while (raise_tiers(topo, tier))
		;
	for (k = 0; k < nics->count; k++)
		nics->list[k].tier = tier[nics->list[k].index];
	if (nics->count)
		qsort_r(nics->list, nics->count, sizeof(*nics->list), by_worth, topo->nic);
	free(tier);
}

/**
 * struct deal - devices of a kind that are being dealt out to the GPUs of a trial
 * @devices: the free devices of that kind
 * @ranks: ranks between all free GPUs and @devices
 * @taken: for each of @devices, whether it has been dealt out
 * @has_got: number of devices that each GPU has received
 * @wanted: number of devices to deal out
 */
struct deal {
	const struct choice_list *devices;
	const struct ranks *ranks;
	bool *taken;
	size_t *has_got;
	size_t wanted;
};

/*
 * Deals out all pairs of one tier and rank. Unless @shared, the function skips a VF if another VF of
 * the same device has been dealt out.
 */
static void deal_rank(struct choice_list *best, const struct topo *topo,
		      const struct trial *trial, const struct choice_list *gpus,
		      struct deal *deal, unsigned int tier, unsigned int rank, bool shared)
{
	size_t i, k;

	for (i = 0; i < trial->count; i++) {
		size_t share = (deal->wanted + trial->count - 1) / trial->count;

		for (k = 0; k < deal->devices->count && best->count < deal->wanted; k++) {
			int index = deal->devices->list[k].index;

			if (deal->taken[k] || deal->has_got[i] == share ||
			    deal->devices->list[k].tier != tier ||
			    rank_at(deal->ranks, trial->gpu[i], k) != rank ||
			    (!shared && is_shared(topo, best, index)))
				continue;
			deal->taken[k] = true;
			deal->has_got[i]++;
			add(best, index, gpus->list[trial->gpu[i]].index, tier);
		}
	}
}

/*
 * Deals out the devices of a kind to the GPUs, those of the best tier first, and of these the nearest
 * pairs first; returns the cost.
 */
static unsigned long deal_out(struct choice *choice, const struct topo *topo,
			      const struct trial *trial, const struct ranks *ranks,
			      enum topo_kind kind, size_t wanted)
{
	struct deal deal = { .devices = &choice->free[kind], .ranks = ranks, .wanted = wanted };
	struct choice_list *best = &choice->best[kind];
	unsigned long cost = 0;
	unsigned int tier, tiers = 0, rank;
	size_t before, k;

	deal.taken = array_new(deal.devices->count, sizeof(*deal.taken));
	deal.has_got = array_new(trial->count, sizeof(*deal.has_got));
	best->count = 0;
	for (k = 0; k < deal.devices->count; k++)
		if (deal.devices->list[k].tier >= tiers)
			tiers = deal.devices->list[k].tier + 1;
	for (tier = 0; tier < tiers; tier++)
		for (rank = 0; rank < 2 * RANKS; rank++) {
			before = best->count;
			deal_rank(best, topo, trial, &choice->free[TOPO_GPU], &deal, tier, rank / 2,
				  rank % 2);
			cost += (best->count - before) * (tier * RANKS + rank / 2);
		}
	free(deal.taken);
	free(deal.has_got);
	return cost;
}

/*
 * Counts the GPUs that the trial leaves behind in its NUMA nodes. A low count keeps other
 * nodes whole for other guests.
 */
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

		add(&choice->best[TOPO_GPU], gpu, gpu, 0);
	}
}

#define COST_OF_RANK	1000ul	/* nearness outweighs the GPUs left behind */

/* @ranks: ranks between free GPUs and free devices, for each kind that is wanted */
static void judge(struct choice *choice, const struct topo *topo, const struct ranks *ranks,
		  const size_t wanted[TOPO_KINDS], struct trial *trial)
{
	size_t i, k;

	trial->cost = 0;
	for (i = 0; i < trial->count; i++)
		for (k = 0; k < i; k++)
			trial->cost += rank_at(&ranks[TOPO_GPU], trial->gpu[i], trial->gpu[k]);
	take(choice, trial);
	for (i = 0; i < TOPO_KINDS; i++)
		if (i != TOPO_GPU && wanted[i])
			trial->cost += deal_out(choice, topo, trial, &ranks[i], i, wanted[i]);
	trial->cost = trial->cost * COST_OF_RANK +
		      leftovers(topo, &choice->free[TOPO_GPU], trial);
}

static int by_index(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Builds a trial from one GPU by adding the nearest GPU again and again. */
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
 * choice_make() - choose the devices of a guest
 * @choice: holds the free devices; the function sets @choice->best
 * @topo: host
 * @wanted: number of devices of each kind; at least one GPU
 *
 * The function prefers GPUs that are near to each other and to free NICs and drives. A NIC without
 * RDMA, or with a much slower link than others of the host, is the last resort at any distance; of
 * NICs that are equally near the function takes those with RDMA, and the fastest, first. Among
 * equal sets it takes the one that leaves the fewest GPUs behind in its NUMA nodes, and then
 * the one with the lowest addresses.
 *
 * Return: false if the host has too few free devices.
 */
bool choice_make(struct choice *choice, const struct topo *topo,
		 const size_t wanted[TOPO_KINDS])
{
	struct trial trial = { 0 }, best = { .cost = ULONG_MAX };
	const struct choice_list *gpus = &choice->free[TOPO_GPU];
	struct ranks ranks[TOPO_KINDS] = { 0 };
	bool enough = true;
	size_t i;

	rate(choice, topo);
	for (i = 0; i < TOPO_KINDS; i++)
		enough &= choice->free[i].count >= wanted[i];
	for (i = 0; enough && i < TOPO_KINDS; i++)
		if (wanted[i])
			ranks[i] = ranks_make(topo, gpus, &choice->free[i]);
	trial.gpu = array_new(gpus->count, sizeof(*trial.gpu));
	best.gpu = array_new(gpus->count, sizeof(*best.gpu));
	for (i = 0; enough && i < gpus->count; i++) {
		grow(&trial, &ranks[TOPO_GPU], i, wanted[TOPO_GPU]);
		judge(choice, topo, ranks, wanted, &trial);
		if (trial.cost >= best.cost)
			continue;
		memcpy(best.gpu, trial.gpu, trial.count * sizeof(*best.gpu));
		best.count = trial.count;
		best.cost = trial.cost;
	}
	if (enough)
		judge(choice, topo, ranks, wanted, &best);
	free(trial.gpu);
	free(best.gpu);
	for (i = 0; i < TOPO_KINDS; i++)
		free(ranks[i].rank);
	return enough;
}

/**
 * choice_slow_text() - say that too few fast NICs are free
 * @choice: made by choice_make()
 * @text: receives a sentence without a full stop, "" if each chosen NIC is fast
 * @size: size of @text in bytes
 */
void choice_slow_text(const struct choice *choice, char *text, size_t size)
{
	const struct choice_list *nics = &choice->best[TOPO_NIC];
	size_t slow = 0, i;

	*text = '\0';
	for (i = 0; i < nics->count; i++)
		slow += nics->list[i].tier > 0;
	if (slow)
		snprintf(text, size, "too few fast NICs are free: %zu of the %zu NICs %s no RDMA, or a much slower link than other NICs of the host",
			 slow, nics->count, slow == 1 ? "has" : "have");
}

/**
 * choice_free() - free all lists of a choice
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
