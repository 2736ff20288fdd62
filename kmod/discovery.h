/* SPDX-License-Identifier: GPL-2.0-only */
/* The IP discovery table, in which a GPU says where its blocks are. */
#ifndef _INSTINCT_DISCOVERY_H
#define _INSTINCT_DISCOVERY_H

#include "pure.h"

#define INSTINCT_DISCOVERY_BYTES	(10 << 10)	/* amdgpu: DISCOVERY_TMR_SIZE */

int instinct_discovery_find_mp1(const u8 *bin, size_t len, u32 *base, const char **why);

#endif /* _INSTINCT_DISCOVERY_H */
