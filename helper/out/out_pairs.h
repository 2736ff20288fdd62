/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs and their partners, for people and for programs. */
#ifndef OUT_PAIRS_H
#define OUT_PAIRS_H

#include <jansson.h>

#include "pairs.h"

void out_way_text(const struct topo *topo, const struct way_found *way, char *text, size_t size);
json_t *out_way_json(const struct topo *topo, const struct way_found *way);
void out_pairs_text(const struct topo *topo, const struct pairs *pairs);
json_t *out_pairs_json(const struct topo *topo, const struct pairs *pairs);

#endif /* OUT_PAIRS_H */
