/* SPDX-License-Identifier: GPL-2.0-only */
/* The host that inputs change: a capture of the lab, and files that the lab lacks. */
#ifndef HOST_BASE_H
#define HOST_BASE_H

#include "tree.h"

const struct tree *host_base(void);
uint16_t host_base_hash(const char *path);
const struct tree_entry *host_base_find(uint16_t hash);

#endif /* HOST_BASE_H */
