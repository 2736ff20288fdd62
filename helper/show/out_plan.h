/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the devices that a guest should get as text and as JSON. */
#ifndef OUT_PLAN_H
#define OUT_PLAN_H

#include <jansson.h>

#include "split.h"
#include "vmm.h"

void out_plan_text(const struct topo *topo, const struct choice *choice, enum vmm only);
json_t *out_plan_json(const struct topo *topo, const struct choice *choice);
void out_split_text(const struct topo *topo, const struct split *split, const struct choice *offered,
		    enum vmm only);
void out_split_vmm(const struct topo *topo, const struct split *split, enum vmm vmm);
void out_split_warn(const struct topo *topo, const struct split *split);
json_t *out_split_json(const struct topo *topo, const struct split *split,
		       const struct choice *offered);

#endif /* OUT_PLAN_H */
