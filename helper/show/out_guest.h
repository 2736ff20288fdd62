/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the topology of a guest for RCCL and NCCL, and the result of checking one. */
#ifndef OUT_GUEST_H
#define OUT_GUEST_H

#include "guest_check.h"

void out_guest_xml(const struct topo *topo, const struct guest_tree *tree,
		   enum guest_flavor flavor);
void out_guest_check(const struct guest_check *check, const char *name);

#endif /* OUT_GUEST_H */
