/* SPDX-License-Identifier: GPL-2.0-only */
/* The IP discovery table, which gives the places of a GPU's blocks in the register BAR. */
#ifndef _INSTINCT_DISCOVERY_H
#define _INSTINCT_DISCOVERY_H

#include "core/pure.h"

#define INSTINCT_DISCOVERY_SIGNATURE	0x28211407	/* discovery.h, BINARY_SIGNATURE */
#define INSTINCT_DISCOVERY_BYTES	(10 << 10)	/* amdgpu: DISCOVERY_TMR_SIZE */
#define INSTINCT_DISCOVERY_HEAD		24		/* up to the entry of the IP table */

/**
 * struct instinct_discovery - facts from an IP discovery table
 * @mp1: first dword of MP1, the SMU's processor, in the register BAR; 0 without an entry, as for
 *	the blocks below
 * @gc: first dword of the graphics engine on the first die that is there
 * @nbif: first dword of the part of the bus interface that holds the partition modes
 * @fingerprint: size and checksum of the table, as the binary lists them; it tells tables apart, and
 *	covers the IP table alone, since other tables change with the GPU's partition
 */
struct instinct_discovery {
	u32 mp1;
	u32 gc;
	u32 nbif;
	u32 fingerprint;
};

u32 instinct_discovery_fingerprint(const u8 *head);
int instinct_discovery_parse(const u8 *bin, size_t len, struct instinct_discovery *found,
			     const char **why);

#endif /* _INSTINCT_DISCOVERY_H */
