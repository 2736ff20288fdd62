/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan as text for users and as JSON for programs. */
#ifndef OUT_CHANGE_H
#define OUT_CHANGE_H

#include <jansson.h>

#include "plan.h"

void out_changes(const struct changes *changes);
json_t *out_change_json(const struct change *change);

#endif /* OUT_CHANGE_H */
