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

static void add(struct instinct_config_table *table, struct instinct_config_field field)
{
	table->field[table->count++] = field;
}

/* Adds a register of which a user writes no bit. */
static void add_own(struct instinct_config_table *table, u16 where, u8 size,
		    enum instinct_config_source source, u32 holds, const char *name)
{
	add(table, (struct instinct_config_field) { where, size, source, holds, .name = name });
}

static void add_bridge(struct instinct_config_table *table, bool window)
{
	add_own(table, PCI_PRIMARY_BUS, 4, INSTINCT_CONFIG_BUSES, INSTINCT_BRIDGE_BUSES,
		"bus numbers");
	add_own(table, PCI_MEMORY_BASE, 4, INSTINCT_CONFIG_MEM, INSTINCT_BRIDGE_WINDOW,
		"Memory Base/Limit");
	add(table, (struct instinct_config_field) {
		PCI_BRIDGE_CONTROL, 2, INSTINCT_CONFIG_SEEN, 0, BRIDGE_OPTIONAL,
		.avoid = PCI_BRIDGE_CTL_BUS_RESET, .name = "Bridge Control" });
	if (!window)
		return;
	add_own(table, PCI_PREF_MEMORY_BASE, 4, INSTINCT_CONFIG_PREF, INSTINCT_BRIDGE_WINDOW,
		"Prefetchable Memory Base/Limit");
	add_own(table, PCI_PREF_BASE_UPPER32, 4, INSTINCT_CONFIG_PREF_BASE, ~0u,
		"Prefetchable Base Upper 32 Bits");
	add_own(table, PCI_PREF_LIMIT_UPPER32, 4, INSTINCT_CONFIG_PREF_LIMIT, ~0u,
		"Prefetchable Limit Upper 32 Bits");
}

static void add_bars(struct instinct_config_table *table, const u32 bars[INSTINCT_CONFIG_BARS])
{
	static const char *const names[INSTINCT_CONFIG_BARS] = {
		"BAR 0", "BAR 1", "BAR 2", "BAR 3", "BAR 4", "BAR 5",
	};
	unsigned int i;

	for (i = 0; i < INSTINCT_CONFIG_BARS; i++)
		if (bars[i])
			add_own(table, PCI_BASE_ADDRESS_0 + 4 * i, 4, INSTINCT_CONFIG_BAR + i,
				bars[i], names[i]);
}

static void add_aer(struct instinct_config_table *table, u16 at)
{
	add(table, (struct instinct_config_field) {
		at + PCI_ERR_UNCOR_MASK, 4, INSTINCT_CONFIG_SEEN, 0, ~0u, UNCORRECTABLE_PASSES, 0,
		"AER Uncorrectable Error Mask" });
	add(table, (struct instinct_config_field) {
		at + PCI_ERR_UNCOR_SEVER, 4, INSTINCT_CONFIG_SEEN, 0, ~0u, UNCORRECTABLE_PASSES, 0,
		"AER Uncorrectable Error Severity" });
	add(table, (struct instinct_config_field) {
		at + PCI_ERR_COR_MASK, 4, INSTINCT_CONFIG_SEEN, 0, ~0u, CORRECTABLE_PASSES, 0,
		"AER Correctable Error Mask" });
}

static void add_exp(struct instinct_config_table *table, u16 at)
{
	add(table, (struct instinct_config_field) {
		at + PCI_EXP_DEVCTL, 2, INSTINCT_CONFIG_SEEN, DEVCTL_HOLDS, DEVCTL_OPTIONAL,
		DEVCTL_PASSES, PCI_EXP_DEVCTL_BCR_FLR, "Device Control" });
	add(table, (struct instinct_config_field) {
		at + PCI_EXP_DEVCTL2, 2, INSTINCT_CONFIG_SEEN, 0, DEVCTL2_OPTIONAL,
		DEVCTL2_OPTIONAL, 0, "Device Control 2" });
}

/* Adds the control register of a capability, unless @capability is 0. */
static void add_control(struct instinct_config_table *table, u16 capability, u16 at,
			enum instinct_config_source source, u32 bits, const char *name)
{
	if (capability)
		add_own(table, capability + at, 2, source, bits, name);
}

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
	*table = (struct instinct_config_table) { .facts = *facts };
	if (facts->bridge)
		add_bridge(table, facts->window);
	/* The size of a resizable BAR decides which bits of the BAR hold an address. */
	if (facts->rebar)
		add_own(table, facts->rebar + PCI_REBAR_CTRL, 4, INSTINCT_CONFIG_SEEN,
			PCI_REBAR_CTRL_BAR_SIZE, "Resizable BAR Control");
	add_bars(table, facts->bar);
	add(table, (struct instinct_config_field){
		PCI_INTERRUPT_LINE, 1, INSTINCT_CONFIG_SEEN, 0, 0xff, .name = "Interrupt Line" });
	add(table, (struct instinct_config_field){
		PCI_CACHE_LINE_SIZE, 1, INSTINCT_CONFIG_SEEN, 0, 0xff, 0xff, 0, "Cache Line Size" });
	add_control(table, facts->pm, PCI_PM_CTRL, INSTINCT_CONFIG_POWER, PCI_PM_CTRL_STATE_MASK,
		    "PM Control/Status");
	if (facts->exp)
		add_exp(table, facts->exp);
	if (facts->aer)
		add_aer(table, facts->aer);
	add_control(table, facts->acs, PCI_ACS_CTRL, INSTINCT_CONFIG_SEEN, ACS_HOLDS,
		    "ACS Control");
	if (facts->msi) {
		add_own(table, facts->msi + PCI_MSI_ADDRESS_LO, 4, INSTINCT_CONFIG_MSI_LOW, ~3u,
			"MSI Message Address");
		if (facts->msi_64)
			add_own(table, facts->msi + PCI_MSI_ADDRESS_HI, 4, INSTINCT_CONFIG_MSI_HIGH,
				~0u, "MSI Message Upper Address");
		add_own(table, facts->msi + (facts->msi_64 ? PCI_MSI_DATA_64 : PCI_MSI_DATA_32), 2,
			INSTINCT_CONFIG_MSI_DATA, 0xffff, "MSI Message Data");
	}
	add_control(table, facts->msi, PCI_MSI_FLAGS, INSTINCT_CONFIG_MSI,
		    PCI_MSI_FLAGS_ENABLE, "MSI Message Control");
	add_control(table, facts->msix, PCI_MSIX_FLAGS, INSTINCT_CONFIG_MSIX,
		    PCI_MSIX_FLAGS_ENABLE, "MSI-X Message Control");
	add(table, (struct instinct_config_field) {
		PCI_COMMAND, 2, INSTINCT_CONFIG_SEEN, COMMAND_HOLDS, COMMAND_OPTIONAL,
		COMMAND_HOLDS | COMMAND_OPTIONAL, 0, "Command" });
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
#define CLOSED_WINDOW	0x0000fff0	/* base above limit: the bridge forwards nothing */
#define PREF_64BIT	0x00010001

/**
 * instinct_window_register() - make one of the registers of a bridge's window
 * @window: window
 * @source: INSTINCT_CONFIG_MEM or one of INSTINCT_CONFIG_PREF*
 *
 * Return: the register's dword.
 */
u32 instinct_window_register(const struct instinct_window *window,
			     enum instinct_config_source source)
{
	/* Base and limit hold address bits 31:20 in their bits 15:4. */
	u32 lower = !window->open ? CLOSED_WINDOW : ((window->start >> 16) & 0xfff0) |
						    (u32)((window->end >> 16) & 0xfff0) << 16;

	switch (source) {
	case INSTINCT_CONFIG_PREF_BASE:
		return window->start >> 32;
	case INSTINCT_CONFIG_PREF_LIMIT:
		return window->end >> 32;
	case INSTINCT_CONFIG_PREF:
		return lower | PREF_64BIT;
	default:
		return lower;
	}
}
