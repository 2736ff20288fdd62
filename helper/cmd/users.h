/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users of GPUs: processes, VMs, and the GPUs' addresses in these. */
#ifndef USERS_H
#define USERS_H

#include "guest_map.h"

void users_drop(struct devices *devices);
void users_add(struct devices *devices, const struct guest_map *map);

#endif /* USERS_H */
