/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares a whole host out to several guests: devices, and CPUs of the NUMA nodes. */
#ifndef SPLIT_H
#define SPLIT_H

#include "choice.h"

#define SPLIT_GUESTS_MAX	64

/**
 * struct split - a host shared out to guests
 * @guests: number of guests
 * @gpus: number of GPUs of each guest
 * @guest: devices of each guest
 * @numa: NUMA nodes with each guest's share of their CPUs and memory
 */
struct split {
	size_t guests;
	size_t gpus;
	struct choice *guest;
	struct numa *numa;
};

bool split_parse(struct split *split, const char *text);
size_t split_gpus(const struct topo *topo);
void split_fitting(size_t gpus, char *text, size_t size);
bool split_make(struct split *split, const struct topo *topo, const struct choice *offered,
		const size_t wanted[TOPO_KINDS]);
bool split_has_group(const struct split *split, const struct topo *topo, int *one, int *other);
void split_cpus(const char *cpus, size_t part, size_t parts, char *text, size_t size);
void split_free(struct split *split);

#endif /* SPLIT_H */
