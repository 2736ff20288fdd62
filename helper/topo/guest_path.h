/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicts the NICs that RCCL and NCCL would let a GPU use with a given topology. */
#ifndef GUEST_PATH_H
#define GUEST_PATH_H

#include "guest_file.h"
#include "guest_tree.h"

struct guest_file guest_path_file(const struct guest_tree *tree);
void guest_path_nics(const struct guest_file *file, int gpu, const int *nic, bool *used,
		     size_t count);

#endif /* GUEST_PATH_H */
