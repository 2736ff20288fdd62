// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <string.h>

#include "compare.h"

#define EXTENDED_FROM	0x100
#define CAPABILITIES_MAX	48
#define EXTENDED_MAX	((INSTINCT_CONFIG_BYTES - EXTENDED_FROM) / 8)
/* No capability that is looked at is longer. */
#define EXTENDED_BYTES	0x40

/* Bits that have to be what they were, for each dword. */
struct mask {
	uint32_t dword[INSTINCT_CONFIG_BYTES / 4];
};

static uint32_t read_dword(const struct config_image *image, unsigned int where)
{
	return where + 4 <= image->bytes ? image->dword[where / 4] : 0;
}

static void note_capability(struct instinct_config_facts *facts, unsigned int id,
			    unsigned int where, uint32_t header)
{
	switch (id) {
	case PCI_CAP_ID_PM:
		facts->pm = where;
		break;
	case PCI_CAP_ID_MSI:
		facts->msi = where;
		facts->msi_64 = header >> 16 & PCI_MSI_FLAGS_64BIT;
		break;
	case PCI_CAP_ID_MSIX:
		facts->msix = where;
		break;
	case PCI_CAP_ID_EXP:
		facts->exp = where;
		break;
	}
}

static void note_extended(struct instinct_config_facts *facts, unsigned int id,
			  unsigned int where)
{
	switch (id) {
	case PCI_EXT_CAP_ID_ERR:
		facts->aer = where;
		break;
	case PCI_EXT_CAP_ID_ACS:
		facts->acs = where;
		break;
	case PCI_EXT_CAP_ID_ATS:
		facts->ats = where;
		break;
	case PCI_EXT_CAP_ID_PRI:
		facts->pri = where;
		break;
	case PCI_EXT_CAP_ID_PASID:
		facts->pasid = where;
		break;
	case PCI_EXT_CAP_ID_REBAR:
		facts->rebar = where;
		break;
	}
}

/* Where capabilities are, and that they are there, holds too. */
static void walk_capabilities(const struct config_image *image, struct mask *mask,
			      struct instinct_config_facts *facts)
{
	unsigned int where = read_dword(image, PCI_CAPABILITY_LIST) & 0xfc;
	unsigned int left = CAPABILITIES_MAX;

	mask->dword[PCI_CAPABILITY_LIST / 4] |= 0xff;
	while (where >= PCI_STD_HEADER_SIZEOF && left--) {
		uint32_t header = read_dword(image, where);

		mask->dword[where / 4] |= 0xffff;
		note_capability(facts, header & 0xff, where, header);
		where = header >> 8 & 0xfc;
	}
}

static void walk_extended(const struct config_image *image, struct mask *mask,
			  struct instinct_config_facts *facts)
{
	unsigned int where = EXTENDED_FROM, left = EXTENDED_MAX;

	while (where >= EXTENDED_FROM && left--) {
		uint32_t header = read_dword(image, where);

		if (!header || header == ~0u)
			return;
		mask->dword[where / 4] = ~0u;
		if (where + EXTENDED_BYTES <= INSTINCT_CONFIG_BYTES)
			note_extended(facts, PCI_EXT_CAP_ID(header), where);
		where = PCI_EXT_CAP_NEXT(header);
	}
}

/* Whatever its size, no bit of a BAR may change. */
static void build_mask(const struct config_image *image, struct mask *mask,
		       struct instinct_config_map *map)
{
	struct instinct_config_facts facts = { 0 };
	unsigned int i;

	memset(mask, 0, sizeof(*mask));
	for (i = 0; i < INSTINCT_CONFIG_BARS; i++)
		facts.bar[i] = ~0u;
	walk_capabilities(image, mask, &facts);
	walk_extended(image, mask, &facts);
	instinct_config_map_build(map, &facts);
	for (i = 0; i < INSTINCT_CONFIG_BYTES; i++)
		mask->dword[i / 4] |= (uint32_t)(map->firm[i] | map->soft[i]) << (8 * (i % 4));
	mask->dword[PCI_VENDOR_ID / 4] = ~0u;
	mask->dword[PCI_CLASS_REVISION / 4] = ~0u;
	mask->dword[PCI_CACHE_LINE_SIZE / 4] |= 0xff0000ff;
	mask->dword[PCI_SUBSYSTEM_VENDOR_ID / 4] = ~0u;
}

static const char *name_of_register(const struct instinct_config_map *map, unsigned int where,
				    uint32_t bits)
{
	while (!(bits & 0xff)) {
		bits >>= 8;
		where++;
	}
	switch (where & ~3u) {
	case PCI_VENDOR_ID:
		return "Vendor and Device ID";
	case PCI_CLASS_REVISION:
		return "Class Code and Revision";
	case PCI_SUBSYSTEM_VENDOR_ID:
		return "Subsystem ID";
	}
	return instinct_config_map_name(map, where);
}

/**
 * compare_images() - what a reset has changed
 * @before: the config space before it, of an endpoint
 * @after: and after it
 * @found: set
 *
 * Compared are the bits that hold what is written to them, what identifies the
 * function, and where its capabilities are. Status bits and counters come and go.
 */
void compare_images(const struct config_image *before, const struct config_image *after,
		    struct comparison *found)
{
	struct instinct_config_map map;
	struct mask mask;
	unsigned int i;

	build_mask(before, &mask, &map);
	*found = (struct comparison) { 0 };
	for (i = 0; i < before->bytes / 4; i++) {
		uint32_t was = before->dword[i], is = read_dword(after, 4 * i);
		uint32_t bits = (was ^ is) & mask.dword[i];

		found->bits += __builtin_popcount(mask.dword[i]);
		found->others += !bits && was != is;
		if (!bits)
			continue;
		if (found->count < COMPARE_MAX)
			found->list[found->count] = (struct difference) {
				.where = 4 * i,
				.before = was & mask.dword[i],
				.after = is & mask.dword[i],
				.name = name_of_register(&map, 4 * i, bits),
			};
		found->count++;
	}
}
