// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "bridge_header.h"
#include "config_map.h"

/* RW in every function that has the register (PCIe r6.0 sec 7.5.1, 7.7, 7.8,
 * 10.5; PCI PM r1.2 sec 3.2.4); optional ones are soft.
 */
#define COMMAND_FIRM	(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER)
#define COMMAND_SOFT	(PCI_COMMAND_PARITY | PCI_COMMAND_SERR | \
			 PCI_COMMAND_INTX_DISABLE)
#define DEVCTL_FIRM	(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | \
			 PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE)
#define DEVCTL_SOFT	0x7ff0		/* all but Initiate FLR */
#define LNKCTL_SOFT	(PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB | \
			 PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES)
#define DEVCTL2_SOFT	0x7fff
/* Not Secondary Bus Reset, which does something. */
#define BRIDGE_CONTROL_SOFT	(PCI_BRIDGE_CTL_PARITY | PCI_BRIDGE_CTL_SERR | \
				 PCI_BRIDGE_CTL_VGA)
#define ACS_SOFT	0x7f
#define POWER_STATE	PCI_PM_CTRL_STATE_MASK
#define D3HOT		0x3

static void put(u8 *mask, int where, int size, u32 bits)
{
	int i;

	for (i = 0; i < size; i++)
		mask[where + i] |= bits >> (8 * i);
}

static u32 get(const u8 *mask, int where, int size)
{
	u32 bits = 0;
	int i;

	for (i = 0; i < size; i++)
		bits |= (u32)mask[where + i] << (8 * i);
	return bits;
}

/* Windows are optional where a port has none; bus numbers are not. */
static void build_bridge(struct instinct_config_map *map)
{
	put(map->firm, PCI_PRIMARY_BUS, 4, INSTINCT_BRIDGE_BUSES);
	put(map->firm, PCI_MEMORY_BASE, 4, INSTINCT_BRIDGE_WINDOW);
	put(map->soft, PCI_PREF_MEMORY_BASE, 4, INSTINCT_BRIDGE_WINDOW);
	put(map->soft, PCI_PREF_BASE_UPPER32, 4, ~0u);
	put(map->soft, PCI_PREF_LIMIT_UPPER32, 4, ~0u);
	put(map->soft, PCI_BRIDGE_CONTROL, 2, BRIDGE_CONTROL_SOFT);
}

static void build_msi(struct instinct_config_map *map, u16 at, bool wide)
{
	put(map->firm, at + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_ENABLE);
	put(map->soft, at + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_QSIZE);
	put(map->firm, at + PCI_MSI_ADDRESS_LO, 4, 0xfffffffc);
	if (wide)
		put(map->firm, at + PCI_MSI_ADDRESS_HI, 4, ~0u);
	put(map->firm, at + (wide ? PCI_MSI_DATA_64 : PCI_MSI_DATA_32), 2, 0xffff);
}

static void build_exp(struct instinct_config_map *map, u16 at)
{
	put(map->firm, at + PCI_EXP_DEVCTL, 2, DEVCTL_FIRM);
	put(map->soft, at + PCI_EXP_DEVCTL, 2, DEVCTL_SOFT);
	put(map->soft, at + PCI_EXP_LNKCTL, 2, LNKCTL_SOFT);
	put(map->soft, at + PCI_EXP_DEVCTL2, 2, DEVCTL2_SOFT);
	put(map->soft, at + PCI_EXP_LNKCTL2, 2, PCI_EXP_LNKCTL2_TLS);
}

static void build_extended(struct instinct_config_map *map,
			   const struct instinct_config_facts *facts)
{
	if (facts->aer) {
		put(map->soft, facts->aer + PCI_ERR_UNCOR_MASK, 4, ~0u);
		put(map->soft, facts->aer + PCI_ERR_UNCOR_SEVER, 4, ~0u);
		put(map->soft, facts->aer + PCI_ERR_COR_MASK, 4, ~0u);
	}
	if (facts->acs)
		put(map->soft, facts->acs + PCI_ACS_CTRL, 2, ACS_SOFT);
	if (facts->ats) {
		put(map->firm, facts->ats + PCI_ATS_CTRL, 2, PCI_ATS_CTRL_ENABLE);
		put(map->soft, facts->ats + PCI_ATS_CTRL, 2, PCI_ATS_CTRL_STU(~0));
	}
	if (facts->pri)
		put(map->soft, facts->pri + PCI_PRI_CTRL, 2, PCI_PRI_CTRL_ENABLE);
	if (facts->pasid)
		put(map->soft, facts->pasid + PCI_PASID_CTRL, 2, PCI_PASID_CTRL_ENABLE);
	if (facts->rebar)
		put(map->soft, facts->rebar + PCI_REBAR_CTRL, 4,
		    PCI_REBAR_CTRL_BAR_SIZE);
}

/**
 * instinct_config_map_build() - which bits hold
 * @map: set
 * @facts: of the function
 *
 * A register that is not in it is written and never looked at.
 */
void instinct_config_map_build(struct instinct_config_map *map,
			       const struct instinct_config_facts *facts)
{
	unsigned int i;

	memset(map, 0, sizeof(*map));
	map->facts = *facts;
	put(map->firm, PCI_COMMAND, 2, COMMAND_FIRM);
	put(map->soft, PCI_COMMAND, 2, COMMAND_SOFT);
	put(map->soft, PCI_CACHE_LINE_SIZE, 1, 0xff);
	put(map->soft, PCI_INTERRUPT_LINE, 1, 0xff);
	if (facts->bridge)
		build_bridge(map);
	for (i = 0; i < INSTINCT_CONFIG_BARS; i++)
		put(map->firm, PCI_BASE_ADDRESS_0 + 4 * i, 4, facts->bar[i]);
	if (facts->pm) {
		map->pmcsr = facts->pm + PCI_PM_CTRL;
		put(map->soft, map->pmcsr, 2, PCI_PM_CTRL_PME_ENABLE);
	}
	if (facts->msi)
		build_msi(map, facts->msi, facts->msi_64);
	if (facts->msix)
		put(map->firm, facts->msix + PCI_MSIX_FLAGS, 2,
		    PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	if (facts->exp)
		build_exp(map, facts->exp);
	build_extended(map, facts);
}

/* Other states than D0 and D3hot are optional, and ignored where absent. */
static u32 power_state(const struct instinct_config_map *map, int where,
		       int size, u32 val)
{
	int shift = 8 * (map->pmcsr - where);
	u32 state;

	if (!map->pmcsr || where > map->pmcsr || where + size <= map->pmcsr)
		return 0;
	state = (val >> shift) & POWER_STATE;
	return state == 0 || state == D3HOT ? (u32)POWER_STATE << shift : 0;
}

/**
 * instinct_config_map_firm() - the bits of a write that must read back
 * @map: of the function
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 * @val: what is written
 *
 * Return: a mask for @val.
 */
u32 instinct_config_map_firm(const struct instinct_config_map *map, int where,
			     int size, u32 val)
{
	return get(map->firm, where, size) | power_state(map, where, size, val);
}

/**
 * instinct_config_map_soft() - the bits of a write that may read back
 * @map: of the function
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 *
 * Return: a mask.
 */
u32 instinct_config_map_soft(const struct instinct_config_map *map, int where,
			     int size)
{
	return get(map->soft, where, size) & ~get(map->firm, where, size) &
	       ~get(map->doubted, where, size);
}

/**
 * instinct_config_map_landed() - a write was seen to have landed
 * @map: of the function
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 * @val: what was written, and read back
 */
void instinct_config_map_landed(struct instinct_config_map *map, int where,
				int size, u32 val)
{
	int i;

	for (i = 0; i < size; i++) {
		u8 byte = val >> (8 * i), soft = map->soft[where + i], proven;

		map->seen[0][where + i] |= soft & ~byte;
		map->seen[1][where + i] |= soft & byte;
		proven = map->seen[0][where + i] & map->seen[1][where + i];
		map->firm[where + i] |= proven;
		map->soft[where + i] &= ~proven;
	}
}

/**
 * instinct_config_map_proven() - soft bits were seen to hold whatever is written
 * @map: of the function
 * @where: offset of the register
 * @size: its size in bytes: 1, 2 or 4
 * @bits: those
 */
void instinct_config_map_proven(struct instinct_config_map *map, int where,
				int size, u32 bits)
{
	put(map->firm, where, size, bits & get(map->soft, where, size));
	instinct_config_map_hardwired(map, where, size, bits);
}

/**
 * instinct_config_map_hardwired() - soft bits turned out not to hold
 * @map: of the function
 * @where: offset of the register
 * @size: its size in bytes: 1, 2 or 4
 * @bits: those
 */
void instinct_config_map_hardwired(struct instinct_config_map *map, int where,
				   int size, u32 bits)
{
	int i;

	for (i = 0; i < size; i++)
		map->soft[where + i] &= ~(bits >> (8 * i));
}

/**
 * instinct_config_map_doubt() - soft bits do not hold, and nobody can tell why
 * @map: of the function
 * @where: offset of the register
 * @size: its size in bytes: 1, 2 or 4
 * @bits: those; nobody waits for them until instinct_config_map_trust()
 */
void instinct_config_map_doubt(struct instinct_config_map *map, int where,
			       int size, u32 bits)
{
	put(map->doubted, where, size, bits);
}

/**
 * instinct_config_map_trust() - begin anew with what was doubted
 * @map: of the function
 */
void instinct_config_map_trust(struct instinct_config_map *map)
{
	memset(map->doubted, 0, sizeof(map->doubted));
}

/**
 * instinct_config_part() - the part of the config space of an offset
 * @where: offset
 *
 * Return: the part.
 */
enum instinct_config_part instinct_config_part(int where)
{
	if (where < PCI_STD_HEADER_SIZEOF)
		return INSTINCT_CONFIG_HEADER;
	return where < PCI_CFG_SPACE_SIZE ? INSTINCT_CONFIG_CAPABILITIES :
				       INSTINCT_CONFIG_EXTENDED;
}

struct name {
	u16 at;
	u8 bytes;
	const char *name;
};

static const struct name header_names[] = {
	{ PCI_COMMAND, 2, "Command" },
	{ PCI_CACHE_LINE_SIZE, 1, "Cache Line Size" },
	{ PCI_INTERRUPT_LINE, 1, "Interrupt Line" },
};

static const struct name endpoint_names[] = {
	{ PCI_BASE_ADDRESS_0, 4, "BAR 0" },
	{ PCI_BASE_ADDRESS_1, 4, "BAR 1" },
	{ PCI_BASE_ADDRESS_2, 4, "BAR 2" },
	{ PCI_BASE_ADDRESS_3, 4, "BAR 3" },
	{ PCI_BASE_ADDRESS_4, 4, "BAR 4" },
	{ PCI_BASE_ADDRESS_5, 4, "BAR 5" },
};

static const struct name bridge_names[] = {
	{ PCI_PRIMARY_BUS, 3, "bus numbers" },
	{ PCI_MEMORY_BASE, 4, "Memory Base/Limit" },
	{ PCI_PREF_MEMORY_BASE, 12, "Prefetchable Memory Base/Limit" },
	{ PCI_BRIDGE_CONTROL, 2, "Bridge Control" },
};

static const char *name_in(const struct name *names, unsigned int count,
			   int where)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (where >= names[i].at && where < names[i].at + names[i].bytes)
			return names[i].name;
	return NULL;
}

static bool within(int where, u16 capability, int bytes)
{
	return capability && where >= capability && where < capability + bytes;
}

static u16 exp_at(const struct instinct_config_facts *facts, u16 at)
{
	return facts->exp ? facts->exp + at : 0;
}

static const char *capability_name(const struct instinct_config_facts *facts,
				   int where)
{
	const struct {
		u16 at;
		u8 bytes;
		const char *name;
	} capabilities[] = {
		{ facts->pm, PCI_PM_SIZEOF, "Power Management" },
		{ facts->msi, 0x18, "MSI" },
		{ facts->msix, PCI_CAP_MSIX_SIZEOF, "MSI-X Message Control" },
		{ exp_at(facts, PCI_EXP_DEVCTL), 2, "Device Control" },
		{ exp_at(facts, PCI_EXP_LNKCTL), 2, "Link Control" },
		{ exp_at(facts, PCI_EXP_DEVCTL2), 2, "Device Control 2" },
		{ exp_at(facts, PCI_EXP_LNKCTL2), 2, "Link Control 2" },
		{ facts->aer, 0x48, "Advanced Error Reporting" },
		{ facts->acs, 8, "ACS Control" },
		{ facts->ats, 8, "ATS Control" },
		{ facts->pri, 0x10, "PRI Control" },
		{ facts->pasid, 8, "PASID Control" },
		{ facts->rebar, 0x34, "Resizable BAR Control" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(capabilities); i++)
		if (within(where, capabilities[i].at, capabilities[i].bytes))
			return capabilities[i].name;
	return NULL;
}

/**
 * instinct_config_map_name() - what people call a register
 * @map: of the function
 * @where: offset in it
 *
 * Return: the name of the register, or of the capability that it belongs to.
 */
const char *instinct_config_map_name(const struct instinct_config_map *map,
				     int where)
{
	const char *name;

	if (where >= PCI_STD_HEADER_SIZEOF)
		return capability_name(&map->facts, where) ?: "a register";
	name = name_in(header_names, ARRAY_SIZE(header_names), where);
	if (!name && map->facts.bridge)
		name = name_in(bridge_names, ARRAY_SIZE(bridge_names), where);
	else if (!name)
		name = name_in(endpoint_names, ARRAY_SIZE(endpoint_names), where);
	return name ?: "a register of the header";
}
