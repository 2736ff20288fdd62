/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices that policy can cover, and the policy of each. */
#ifndef INVENTORY_H
#define INVENTORY_H

#include "nl.h"

int inventory_get(struct nl *nl, struct devices *devices);
int inventory_add_gpus(struct devices *devices, const struct devices *gpus);
void inventory_managed(struct devices *managed);
void inventory_identify(struct devices *gpus);

#endif /* INVENTORY_H */
