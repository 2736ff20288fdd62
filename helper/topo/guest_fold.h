/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the addresses at which RCCL and NCCL look for a NIC that they mistake for a VF. */
#ifndef GUEST_FOLD_H
#define GUEST_FOLD_H

#include "guest_map.h"

#define FOLDS_MAX	3

/**
 * struct guest_folds - the other addresses of a NIC
 * @busid: the addresses; the NIC's own is not among them
 * @count: number of entries in @busid
 */
struct guest_folds {
	char busid[FOLDS_MAX][BDF_BYTES];
	int count;
};

void guest_fold(struct guest_folds *folds, const char *busid);
bool guest_fold_is_free(const struct topo *topo, const struct guest_map *map,
			const struct guest_device *nic, const char *folded);
bool guest_fold_helps(const struct topo *topo, const struct guest_map *map,
		      const struct guest_device *nic, const char *folded);
const struct guest_device *guest_fold_any(const struct topo *topo, const struct guest_map *map,
					  bool merged, char *folded, int *count);

#endif /* GUEST_FOLD_H */
