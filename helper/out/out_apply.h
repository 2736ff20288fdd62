/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of a policy that was to be put in force. */
#ifndef OUT_APPLY_H
#define OUT_APPLY_H

#include <jansson.h>

#include "apply.h"

void out_apply_text(const struct apply *apply, unsigned long ms);
json_t *out_apply_json(const struct apply *apply, int code);

#endif /* OUT_APPLY_H */
