// SPDX-License-Identifier: GPL-2.0-only
#include "bridge_header.h"

/* Register layouts: PCI-to-PCI Bridge Architecture r1.2, sec 3.2.5. */
#define CLOSED_WINDOW	0x0000fff0	/* base above limit: forwards nothing */
#define PREF_64BIT	0x00010001

/**
 * instinct_bridge_header_buses() - primary, secondary, subordinate bus number
 * @h: header
 *
 * Return: the dword at PCI_PRIMARY_BUS, with secondary latency timer 0.
 */
u32 instinct_bridge_header_buses(const struct instinct_bridge_header *h)
{
	return h->primary | h->secondary << 8 | h->subordinate << 16;
}

/* Base and limit registers both hold address bits 31:20 in bits 15:4. */
static u32 window_low(const struct instinct_window *w)
{
	return ((w->start >> 16) & 0xfff0) |
	       (u32)((w->end >> 16) & 0xfff0) << 16;
}

/**
 * instinct_bridge_header_mem() - the non-prefetchable window
 * @mem: window
 *
 * Return: the dword at PCI_MEMORY_BASE.
 */
u32 instinct_bridge_header_mem(const struct instinct_window *mem)
{
	return mem->open ? window_low(mem) : CLOSED_WINDOW;
}

/**
 * instinct_bridge_header_pref() - the prefetchable window
 * @pref: window
 * @base_upper: set to the dword at PCI_PREF_BASE_UPPER32
 * @limit_upper: set to the dword at PCI_PREF_LIMIT_UPPER32
 *
 * Return: the dword at PCI_PREF_MEMORY_BASE.
 */
u32 instinct_bridge_header_pref(const struct instinct_window *pref,
				u32 *base_upper, u32 *limit_upper)
{
	*base_upper = 0;
	*limit_upper = 0;
	if (!pref->open)
		return CLOSED_WINDOW | PREF_64BIT;
	*base_upper = pref->start >> 32;
	*limit_upper = pref->end >> 32;
	return window_low(pref) | PREF_64BIT;
}
