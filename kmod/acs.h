/* SPDX-License-Identifier: GPL-2.0-only */
/* Which Access Control Services a port should have on. Decides only. */
#ifndef _INSTINCT_ACS_H
#define _INSTINCT_ACS_H

#include "pure.h"

/* What Linux computes IOMMU groups from. */
#define INSTINCT_ACS_GROUP_BITS		0x001d	/* SV, RR, CR, UF */
/* Of PCIe r6.0 sec 7.7.11.3 all that are there, and without the Enhanced ones. */
#define INSTINCT_ACS_ALL_BITS		0x1fff
#define INSTINCT_ACS_BASIC_BITS		0x007f

/**
 * struct instinct_acs_wish - what a port should carry
 * @set: bits that are to be on, where the port has them
 * @clear: bits that are to be off
 * @rest: bits that are to be off unless somebody else wants them on
 *
 * All others stay as they are.
 */
struct instinct_acs_wish {
	u16 set;
	u16 clear;
	u16 rest;
};

/**
 * struct instinct_acs_policy - an operator's wishes for the ports of an endpoint
 * @preset: for all roles
 * @bits: for each role the bits themselves, or INSTINCT_VFIO_ACS_BITS_PRESET
 * @loss: whether bits may go off that IOMMU groups rely on
 */
struct instinct_acs_policy {
	enum instinct_vfio_acs preset;
	u32 bits[__INSTINCT_VFIO_ACS_ROLE_MAX];
	enum instinct_vfio_isolation_loss loss;
};

bool instinct_acs_rules(const struct instinct_acs_policy *policy,
			enum instinct_vfio_acs_role role,
			struct instinct_acs_wish *wish);
void instinct_acs_merge(struct instinct_acs_wish *wish,
			const struct instinct_acs_wish *other);
u16 instinct_acs_capable(u16 capability);
u16 instinct_acs_value(const struct instinct_acs_wish *wish, u16 capable, u16 now);
u16 instinct_acs_mask(const struct instinct_acs_wish *wish, u16 capable);

#endif /* _INSTINCT_ACS_H */
