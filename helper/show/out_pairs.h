/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints GPUs and their partners as text, as a matrix and as JSON. */
#ifndef OUT_PAIRS_H
#define OUT_PAIRS_H

#include <jansson.h>

#include "pairs.h"

void out_way_text(const struct topo *topo, const struct way_found *way, char *text, size_t size);
json_t *out_way_json(const struct topo *topo, const struct way_found *way);
void out_pairs_text(const struct topo *topo, const struct pairs *pairs);
void out_pairs_matrix(const struct topo *topo, const bool *gpu, bool all);
json_t *out_pairs_json(const struct topo *topo, const struct pairs *pairs);

#endif /* OUT_PAIRS_H */
