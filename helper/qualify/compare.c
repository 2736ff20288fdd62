// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <string.h>

#include "compare.h"

#define CAPABILITIES_MAX	48
#define EXTENDED_MAX	((PCI_CFG_SPACE_EXP_SIZE - PCI_CFG_SPACE_SIZE) / 8)
/* No extended capability in the register table is longer. */
#define EXTENDED_BYTES	0x40

/* For each dword, the bits that must not change. */
struct mask {
	uint32_t dword[PCI_CFG_SPACE_EXP_SIZE / 4];
};

static uint32_t read_dword(const struct config_image *image, unsigned int where)
{
	return where + 4 <= image->bytes ? image->dword[where / 4] : 0;
}

/* Power Management is left out: runtime power management changes it on an idle GPU. */
static void note_capability(struct instinct_config_facts *facts, unsigned int id,
			    unsigned int where)
{
	switch (id) {
	case PCI_CAP_ID_MSI:
		facts->msi = where;
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
	case PCI_EXT_CAP_ID_REBAR:
		facts->rebar = where;
		break;
	}
}

/* The list of capabilities must not change either. */
static void walk_capabilities(const struct config_image *image, struct mask *mask,
			      struct instinct_config_facts *facts)
{
	unsigned int where = read_dword(image, PCI_CAPABILITY_LIST) & 0xfc;
	unsigned int left = CAPABILITIES_MAX;

	mask->dword[PCI_CAPABILITY_LIST / 4] |= 0xff;
	while (where >= PCI_STD_HEADER_SIZEOF && left--) {
		uint32_t header = read_dword(image, where);

		mask->dword[where / 4] |= 0xffff;
		note_capability(facts, header & 0xff, where);
		where = header >> 8 & 0xfc;
	}
}

static void walk_extended(const struct config_image *image, struct mask *mask,
			  struct instinct_config_facts *facts)
{
	unsigned int where = PCI_CFG_SPACE_SIZE, left = EXTENDED_MAX;

	while (where >= PCI_CFG_SPACE_SIZE && left--) {
		uint32_t header = read_dword(image, where);

		if (!header || header == ~0u)
			return;
		mask->dword[where / 4] = ~0u;
		if (where + EXTENDED_BYTES <= PCI_CFG_SPACE_EXP_SIZE)
			note_extended(facts, PCI_EXT_CAP_ID(header), where);
		where = PCI_EXT_CAP_NEXT(header);
	}
}

/* The size of a BAR is unknown here, so compare all of its bits. */
static void build_mask(const struct config_image *image, struct mask *mask,
		       struct instinct_config_table *table)
{
	struct instinct_config_facts facts = { 0 };
	unsigned int i;

	memset(mask, 0, sizeof(*mask));
	for (i = 0; i < INSTINCT_CONFIG_BARS; i++)
		facts.bar[i] = ~0u;
	walk_capabilities(image, mask, &facts);
	walk_extended(image, mask, &facts);
	instinct_config_table_build(table, &facts);
	for (i = 0; i < table->count; i++)
		mask->dword[table->field[i].where / 4] |=
			(table->field[i].holds | table->field[i].optional) <<
			(8 * (table->field[i].where % 4));
	mask->dword[PCI_VENDOR_ID / 4] = ~0u;
	mask->dword[PCI_CLASS_REVISION / 4] = ~0u;
	mask->dword[PCI_CACHE_LINE_SIZE / 4] |= 0xff0000ff;
	mask->dword[PCI_SUBSYSTEM_VENDOR_ID / 4] = ~0u;
}

static const char *name_of_register(const struct instinct_config_table *table,
				    unsigned int where, uint32_t bits)
{
	unsigned int i;

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
	for (i = 0; i < table->count; i++)
		if (instinct_config_overlaps(&table->field[i], where, 1))
			return table->field[i].name;
	return where < PCI_STD_HEADER_SIZEOF ? "a register of the header" : "a capability's header";
}

/**
 * compare_images() - find registers that a reset has changed
 * @before: config space of an endpoint before the reset
 * @after: config space after the reset
 * @found: receives the differences
 *
 * The comparison covers bits that keep the written value, the identity of the function, and the
 * offsets of its capabilities. It ignores status bits and counters, which change by themselves.
 */
void compare_images(const struct config_image *before, const struct config_image *after,
		    struct comparison *found)
{
	struct instinct_config_table table;
	struct mask mask;
	unsigned int i;

	build_mask(before, &mask, &table);
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
				.name = name_of_register(&table, 4 * i, bits),
			};
		found->count++;
	}
}
