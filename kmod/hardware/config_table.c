// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "hardware/config_table.h"

/*
 * PCIe r6.0 sec 7.5.1, 7.7, 7.8 and 10.5, and PCI PM r1.2 sec 3.2.4 say which bits every function
 * implements as RW, and which ones a function may hardwire.
 */
#define COMMAND_HOLDS		(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER)
#define COMMAND_OPTIONAL	(PCI_COMMAND_PARITY | PCI_COMMAND_SERR)
#define DEVCTL_HOLDS		(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | \
				 PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE | \
				 PCI_EXP_DEVCTL_PAYLOAD)
#define DEVCTL_OPTIONAL		(PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN)
#define DEVCTL2_OPTIONAL	(PCI_EXP_DEVCTL2_COMP_TIMEOUT | PCI_EXP_DEVCTL2_COMP_TMOUT_DIS | \
				 PCI_EXP_DEVCTL2_ATOMIC_REQ)
/* ACS bits that read back as written, in every port that has the bit. */
#define ACS_HOLDS		0x7f
#define BRIDGE_OPTIONAL		(PCI_BRIDGE_CTL_PARITY | PCI_BRIDGE_CTL_SERR)
/* init_pci_ext_cap_err_perm() of vfio-pci-core lets a user write these. */
#define UNCORRECTABLE_PASSES	0x03fff031
#define CORRECTABLE_PASSES	0x0000f1c1
/* vfio-pci-core passes these on. It accepts writes of Max_Payload_Size too, and keeps them back. */
#define DEVCTL_PASSES		((DEVCTL_HOLDS & ~PCI_EXP_DEVCTL_PAYLOAD) | DEVCTL_OPTIONAL)

/* A part of a function: its header, of which a bridge has more, or a capability. */
enum part {
	PART_ANY,
	PART_BRIDGE,
	PART_WINDOW,
	PART_REBAR,
	PART_PM,
	PART_EXP,
	PART_AER,
	PART_ACS,
	PART_MSI,
	PART_MSIX,
	PARTS,
};

/* A register of which a user writes no bit; and one that its user may write. */
#define OWN(_part, _where, _size, _source, _holds, _name) \
	{ PART_##_part, { _where, _size, INSTINCT_CONFIG_##_source, _holds, .name = _name } },
#define SEEN(_part, _where, _size, _holds, _optional, _passes, _avoid, _name) \
	{ PART_##_part, { _where, _size, INSTINCT_CONFIG_SEEN, _holds, _optional, _passes, _avoid, _name } },
#define BAR(_bar) \
	OWN(ANY, PCI_BASE_ADDRESS_0 + 4 * (_bar), 4, BAR + (_bar), 0, "BAR " #_bar)

/* All registers, in the order in which they are written; @where is an offset in the part. */
static const struct {
	enum part part;
	struct instinct_config_field field;
} registers[] = {
	OWN(BRIDGE, PCI_PRIMARY_BUS, 4, BUSES, INSTINCT_BRIDGE_BUSES, "bus numbers")
	OWN(BRIDGE, PCI_MEMORY_BASE, 4, MEM, INSTINCT_BRIDGE_WINDOW, "Memory Base/Limit")
	SEEN(BRIDGE, PCI_BRIDGE_CONTROL, 2, 0, BRIDGE_OPTIONAL, 0, PCI_BRIDGE_CTL_BUS_RESET,
	     "Bridge Control")
	OWN(WINDOW, PCI_PREF_MEMORY_BASE, 4, PREF, INSTINCT_BRIDGE_WINDOW,
	    "Prefetchable Memory Base/Limit")
	OWN(WINDOW, PCI_PREF_BASE_UPPER32, 4, PREF_BASE, ~0u, "Prefetchable Base Upper 32 Bits")
	OWN(WINDOW, PCI_PREF_LIMIT_UPPER32, 4, PREF_LIMIT, ~0u, "Prefetchable Limit Upper 32 Bits")
	/* The size of a resizable BAR decides which bits of the BAR hold an address. */
	OWN(REBAR, PCI_REBAR_CTRL, 4, SEEN, PCI_REBAR_CTRL_BAR_SIZE, "Resizable BAR Control")
	BAR(0) BAR(1) BAR(2) BAR(3) BAR(4) BAR(5)
	SEEN(ANY, PCI_INTERRUPT_LINE, 2, 0, 0xff, 0, 0, "Interrupt Line")
	SEEN(ANY, PCI_CACHE_LINE_SIZE, 2, 0, 0xff, 0xff, 0, "Cache Line Size")
	OWN(PM, PCI_PM_CTRL, 2, POWER, PCI_PM_CTRL_STATE_MASK, "PM Control/Status")
	SEEN(EXP, PCI_EXP_DEVCTL, 2, DEVCTL_HOLDS, DEVCTL_OPTIONAL, DEVCTL_PASSES,
	     PCI_EXP_DEVCTL_BCR_FLR, "Device Control")
	SEEN(EXP, PCI_EXP_DEVCTL2, 2, 0, DEVCTL2_OPTIONAL, DEVCTL2_OPTIONAL, 0, "Device Control 2")
	SEEN(AER, PCI_ERR_UNCOR_MASK, 4, 0, ~0u, UNCORRECTABLE_PASSES, 0,
	     "AER Uncorrectable Error Mask")
	SEEN(AER, PCI_ERR_UNCOR_SEVER, 4, 0, ~0u, UNCORRECTABLE_PASSES, 0,
	     "AER Uncorrectable Error Severity")
	SEEN(AER, PCI_ERR_COR_MASK, 4, 0, ~0u, CORRECTABLE_PASSES, 0, "AER Correctable Error Mask")
	OWN(ACS, PCI_ACS_CTRL, 2, SEEN, ACS_HOLDS, "ACS Control")
	OWN(MSI, PCI_MSI_ADDRESS_LO, 4, MSI_LOW, ~3u, "MSI Message Address")
	OWN(MSI, PCI_MSI_ADDRESS_HI, 4, MSI_HIGH, ~0u, "MSI Message Upper Address")
	OWN(MSI, PCI_MSI_DATA_64, 2, MSI_DATA, 0xffff, "MSI Message Data")
	OWN(MSI, PCI_MSI_FLAGS, 2, MSI, PCI_MSI_FLAGS_ENABLE, "MSI Message Control")
	OWN(MSIX, PCI_MSIX_FLAGS, 2, MSIX, PCI_MSIX_FLAGS_ENABLE, "MSI-X Message Control")
	SEEN(ANY, PCI_COMMAND, 2, COMMAND_HOLDS, COMMAND_OPTIONAL, COMMAND_HOLDS | COMMAND_OPTIONAL,
	     0, "Command")
};

/**
 * instinct_config_table_build() - list the registers of a function that the module verifies
 * @table: set to the list
 * @facts: facts about the function
 *
 * The module writes a register that is not in the table, too, but does not verify it.
 */
void instinct_config_table_build(struct instinct_config_table *table,
				 const struct instinct_config_facts *facts)
{
	const u16 at[PARTS] = {
		[PART_REBAR] = facts->rebar, [PART_PM] = facts->pm, [PART_EXP] = facts->exp,
		[PART_AER] = facts->aer, [PART_ACS] = facts->acs, [PART_MSI] = facts->msi,
		[PART_MSIX] = facts->msix,
	};
	unsigned int i;

	*table = (struct instinct_config_table) { .facts = *facts };
	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		struct instinct_config_field field = registers[i].field;
		enum part part = registers[i].part;

		field.where += at[part];
		if (field.source >= INSTINCT_CONFIG_BAR && field.source <= INSTINCT_CONFIG_BAR_LAST)
			field.holds = facts->bar[field.source - INSTINCT_CONFIG_BAR];
		if ((part == PART_BRIDGE && !facts->bridge) ||
		    (part == PART_WINDOW && !(facts->bridge && facts->window)) ||
		    (part > PART_WINDOW && !at[part]) || !(field.holds | field.optional))
			continue;
		table->field[table->count++] = field;
	}
}

/**
 * instinct_config_table_passes() - does a user's config write reach a verified register?
 * @table: table of the function
 * @where: offset of the write
 * @bytes: length of the write
 *
 * Return: true if the write covers a verified register of which vfio-pci-core passes bits on.
 */
bool instinct_config_table_passes(const struct instinct_config_table *table, u64 where, u64 bytes)
{
	unsigned int i;

	for (i = 0; i < table->count; i++)
		if (table->field[i].passes &&
		    instinct_config_overlaps(&table->field[i], where, bytes))
			return true;
	return false;
}

/**
 * instinct_config_table_touches() - can a user's config write change the device?
 * @table: table of the function
 * @where: offset of the write
 * @bytes: length of the write
 *
 * vfio-pci-core passes no write to the rest of the header and to the MSI capability on. The caller
 * judges a write to Command by the value that Command then has.
 *
 * Return: false if the write covers only Command and registers that vfio-pci-core keeps to itself.
 */
bool instinct_config_table_touches(const struct instinct_config_table *table, u64 where, u64 bytes)
{
	u64 msi = table->facts.msi, msix = table->facts.msix;

	if (where + bytes <= PCI_STD_HEADER_SIZEOF)
		return where <= PCI_BIST && where + bytes > PCI_CACHE_LINE_SIZE;
	if (msi && where >= msi && where + bytes <= msi + PCI_MSI_MASK_64)
		return false;
	return !msix || where < msix || where + bytes > msix + PCI_CAP_MSIX_SIZEOF;
}

/* Register layouts: PCI-to-PCI Bridge Architecture r1.2, sec 3.2.5. */
#define PREF_64BIT	0x00010001

/**
 * instinct_window_register() - make one of the registers of a bridge's window
 * @start: address of the first byte that the bridge forwards
 * @end: address of the last byte; below @start if the bridge forwards nothing
 * @source: INSTINCT_CONFIG_MEM or one of INSTINCT_CONFIG_PREF*
 *
 * Return: the register's dword.
 */
u32 instinct_window_register(u64 start, u64 end, enum instinct_config_source source)
{
	/* Base and limit hold address bits 31:20 in their bits 15:4. */
	u32 lower = ((start >> 16) & 0xfff0) | (u32)((end >> 16) & 0xfff0) << 16;

	switch (source) {
	case INSTINCT_CONFIG_PREF_BASE:
		return start >> 32;
	case INSTINCT_CONFIG_PREF_LIMIT:
		return end >> 32;
	case INSTINCT_CONFIG_PREF:
		return lower | PREF_64BIT;
	default:
		return lower;
	}
}
