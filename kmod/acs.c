// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "acs.h"

/*
 * A NIC's translated requests may go straight to the GPU below the same switch
 * (Direct Translated P2P); all else is redirected to the IOMMU. No port may block
 * translated requests, or ATS is of no use.
 */
static struct instinct_acs_wish vm_p2p(enum instinct_vfio_acs_role role)
{
	bool direct = role == INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM;

	return (struct instinct_acs_wish) {
		.set = INSTINCT_ACS_GROUP_BITS | (direct ? PCI_ACS_DT : 0),
		.rest = PCI_ACS_TB | (direct ? 0 : PCI_ACS_DT),
	};
}

static struct instinct_acs_wish preset_wish(enum instinct_vfio_acs preset,
					    enum instinct_vfio_acs_role role)
{
	switch (preset) {
	case INSTINCT_VFIO_ACS_VM_P2P:
		return vm_p2p(role);
	case INSTINCT_VFIO_ACS_VM:
		return (struct instinct_acs_wish) {
			.set = INSTINCT_ACS_GROUP_BITS,
			.clear = PCI_ACS_DT,
		};
	case INSTINCT_VFIO_ACS_BARE_METAL:
		return (struct instinct_acs_wish) {
			.clear = PCI_ACS_RR | PCI_ACS_CR,
		};
	default:
		return (struct instinct_acs_wish) { };
	}
}

/**
 * instinct_acs_rules() - what policy wants of a port
 * @policy: of an endpoint
 * @role: of the port
 * @wish: set
 *
 * Enhanced bits are left alone unless the policy names one of them.
 *
 * Return: false if the port is to be left alone.
 */
bool instinct_acs_rules(const struct instinct_acs_policy *policy,
			enum instinct_vfio_acs_role role,
			struct instinct_acs_wish *wish)
{
	u32 bits = policy->bits[role];

	if (bits == INSTINCT_VFIO_ACS_BITS_PRESET) {
		*wish = preset_wish(policy->preset, role);
	} else {
		u16 named = bits & ~INSTINCT_ACS_BASIC_BITS ?
			    INSTINCT_ACS_ALL_BITS : INSTINCT_ACS_BASIC_BITS;

		*wish = (struct instinct_acs_wish) {
			.set = (u16)bits,
			.clear = (u16)(named & ~bits),
		};
	}
	return wish->set | wish->clear | wish->rest;
}

/**
 * instinct_acs_merge() - the wishes of two endpoints for one port
 * @wish: of one, set to what both get
 * @other: of the other
 *
 * Where they disagree the stricter of both gets it: what redirects, validates or
 * blocks goes on, Direct Translated P2P goes off.
 */
void instinct_acs_merge(struct instinct_acs_wish *wish,
			const struct instinct_acs_wish *other)
{
	u16 set = wish->set | other->set;
	u16 clear = wish->clear | other->clear;
	u16 both = set & clear;

	set &= (u16)~(both & PCI_ACS_DT);
	clear &= (u16)~(both & ~PCI_ACS_DT);
	wish->set = set;
	wish->clear = clear;
	wish->rest = (wish->rest | other->rest) & (u16)~(set | clear);
}

/* PCIe r6.0 sec 7.7.11.2: bit 7 says so, what is above it is something else. */
#define ENHANCED_CAPABILITY	0x0080

/**
 * instinct_acs_capable() - the bits that ACS Control of a port has
 * @capability: its ACS Capability register
 *
 * Return: bits of ACS Control.
 */
u16 instinct_acs_capable(u16 capability)
{
	u16 bits = capability & INSTINCT_ACS_BASIC_BITS;

	if (capability & ENHANCED_CAPABILITY)
		bits |= INSTINCT_ACS_ALL_BITS & ~INSTINCT_ACS_BASIC_BITS;
	return bits;
}

/**
 * instinct_acs_mask() - the bits that matter of a port's ACS Control
 * @wish: for it
 * @capable: bits that its ACS Control has
 *
 * Return: those that it has, and about which there is a wish.
 */
u16 instinct_acs_mask(const struct instinct_acs_wish *wish, u16 capable)
{
	return (wish->set | wish->clear | wish->rest) & capable;
}

/**
 * instinct_acs_value() - what a port should carry
 * @wish: for it
 * @capable: bits that its ACS Control has
 * @now: its ACS Control as it is
 *
 * Return: ACS Control.
 */
u16 instinct_acs_value(const struct instinct_acs_wish *wish, u16 capable, u16 now)
{
	u16 mask = instinct_acs_mask(wish, capable);

	return (now & (u16)~mask) | (wish->set & mask);
}
