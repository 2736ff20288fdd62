/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what keeps a guest from a GPU, as text and as JSON. */
#ifndef OUT_EXPLAIN_H
#define OUT_EXPLAIN_H

#include <jansson.h>

#include "explain.h"

void out_explain_text(const struct device *gpu, const struct explanation *explanation);
json_t *out_explain_json(const struct device *gpu, const struct explanation *explanation);

#endif /* OUT_EXPLAIN_H */
