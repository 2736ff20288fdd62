/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices that a guest should get, for people and for programs. */
#ifndef OUT_PLAN_H
#define OUT_PLAN_H

#include <jansson.h>

#include "vmm.h"

void out_plan_text(const struct topo *topo, const struct choice *choice);
json_t *out_plan_json(const struct topo *topo, const struct choice *choice);

#endif /* OUT_PLAN_H */
