/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NICs and NVMe drives of each GPU, the nearest first. */
#ifndef PAIRS_H
#define PAIRS_H

#include "rank.h"

/**
 * struct pair - a GPU and a device that could be its partner
 * @device: index of that
 * @rank: how near it is
 */
struct pair {
	int device;
	enum rank rank;
};

/**
 * struct pairs - all of one GPU
 * @gpu: index of it
 * @pair: NICs first, then NVMe drives; the nearest first, then by address
 * @count: how many
 */
struct pairs {
	int gpu;
	struct pair *pair;
	size_t count;
};

void pairs_make(struct pairs *pairs, const struct topo *topo, int gpu, bool all);
void pairs_free(struct pairs *pairs);

#endif /* PAIRS_H */
