/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicts the NICs that RCCL and NCCL would let a GPU use with a given topology. */
#ifndef GUEST_PATH_H
#define GUEST_PATH_H

#include "guest_file.h"
#include "guest_tree.h"

bool guest_path_has_below(const struct guest_file *file, size_t index);
bool guest_path_is_bridge(const struct guest_file *file, size_t index);
int guest_path_port(const struct topo *topo, const struct guest_file *file, size_t index);
bool guest_path_is_guest(const struct topo *topo, const struct guest_map *map,
			 const struct guest_file *file);
void guest_path_complete(struct guest_file *file, const struct topo *topo,
			 const struct guest_map *map);
struct guest_file guest_path_file(const struct guest_tree *tree, const struct topo *topo);
void guest_path_nics(const struct guest_file *file, int gpu, const int *nic, bool *used,
		     size_t count);

#endif /* GUEST_PATH_H */
