/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NICs and NVMe drives of each GPU, the nearest first. */
#ifndef PAIRS_H
#define PAIRS_H

#include "rank.h"

/**
 * struct pair - a GPU's possible partner
 * @device: index of the partner
 * @rank: distance from the GPU
 * @through: a NIC's data-direct function, if that is nearer than the NIC; else -1
 */
struct pair {
	int device;
	enum rank rank;
	int through;
};

/**
 * struct pairs - the possible partners of a GPU
 * @gpu: index of the GPU
 * @pair: NICs first, then their data-direct functions, then NVMe drives; each kind sorted by rank, then by address
 * @count: number of entries in @pair
 */
struct pairs {
	int gpu;
	struct pair *pair;
	size_t count;
};

void pairs_make(struct pairs *pairs, const struct topo *topo, int gpu, bool all);
void pairs_free(struct pairs *pairs);

#endif /* PAIRS_H */
