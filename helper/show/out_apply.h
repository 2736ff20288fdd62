/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the result of applying a policy. */
#ifndef OUT_APPLY_H
#define OUT_APPLY_H

#include <jansson.h>

#include "apply.h"

void out_apply_text(const struct apply *apply, unsigned long ms);
json_t *out_apply_json(const struct apply *apply);

#endif /* OUT_APPLY_H */
