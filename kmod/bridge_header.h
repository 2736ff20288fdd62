/* SPDX-License-Identifier: GPL-2.0-only */
/* The config header of a PCI bridge, composed from what Linux believes. */
#ifndef _INSTINCT_BRIDGE_HEADER_H
#define _INSTINCT_BRIDGE_HEADER_H

#include "pure.h"

/* At PCI_PRIMARY_BUS, without the latency timer. */
#define INSTINCT_BRIDGE_BUSES	0x00ffffff
/* A window's base and limit, without what says how wide they are. */
#define INSTINCT_BRIDGE_WINDOW	0xfff0fff0

/**
 * struct instinct_window - addresses a bridge forwards
 * @start: first, in bytes
 * @end: last
 * @open: it forwards any
 */
struct instinct_window {
	u64 start;
	u64 end;
	bool open;
};

/**
 * struct instinct_bridge_header - what decides where a bridge routes to
 * @primary: bus number above
 * @secondary: bus number below
 * @subordinate: last bus number below
 * @mem: non-prefetchable window, below 4 GiB
 * @pref: prefetchable window
 */
struct instinct_bridge_header {
	u8 primary;
	u8 secondary;
	u8 subordinate;
	struct instinct_window mem;
	struct instinct_window pref;
};

u32 instinct_bridge_header_buses(const struct instinct_bridge_header *h);
u32 instinct_bridge_header_mem(const struct instinct_window *mem);
u32 instinct_bridge_header_pref(const struct instinct_window *pref,
				u32 *base_upper, u32 *limit_upper);

#endif /* _INSTINCT_BRIDGE_HEADER_H */
