/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that isolate without ACS, or with ACS in another form, as Linux's quirks know them. */
#ifndef QUIRK_H
#define QUIRK_H

#include "isolation/plan.h"

bool quirk_isolates(const struct instinct_node *node, int type);
bool quirk_is_direct(const struct instinct_topology *topology, int endpoint, int node);
uint16_t quirk_off(const struct instinct_topology *topology, int port);
uint16_t quirk_group_bits(const struct instinct_topology *topology, int port);
bool quirk_has_wide_acs(const struct instinct_node *node);

#endif /* QUIRK_H */
