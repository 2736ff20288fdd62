// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "config_table.h"

/*
 * PCIe r6.0 sec 7.5.1, 7.7, 7.8 and 10.5, and PCI PM r1.2 sec 3.2.4 say which bits
 * every function implements as RW, and which it may hardwire.
 */
#define COMMAND_HOLDS		(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER)
#define COMMAND_OPTIONAL	(PCI_COMMAND_PARITY | PCI_COMMAND_SERR)
#define DEVCTL_HOLDS		(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | \
				 PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE | \
				 PCI_EXP_DEVCTL_PAYLOAD)
#define DEVCTL_OPTIONAL		(PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN)
#define DEVCTL2_OPTIONAL	(PCI_EXP_DEVCTL2_COMP_TIMEOUT | PCI_EXP_DEVCTL2_COMP_TMOUT_DIS | \
				 PCI_EXP_DEVCTL2_ATOMIC_REQ)
/* What a port has before a reset it can have after it. */
#define ACS_HOLDS		0x7f
#define BRIDGE_OPTIONAL		(PCI_BRIDGE_CTL_PARITY | PCI_BRIDGE_CTL_SERR)
/* What init_pci_ext_cap_err_perm() of vfio-pci-core lets a user write. */
#define UNCORRECTABLE_PASSES	0x03fff031
#define CORRECTABLE_PASSES	0x0000f1c1
/* vfio-pci-core gives a user these; Max_Payload_Size it only pretends to. */
#define DEVCTL_PASSES		((DEVCTL_HOLDS & ~PCI_EXP_DEVCTL_PAYLOAD) | DEVCTL_OPTIONAL)

static void add(struct instinct_config_table *table, struct instinct_config_field field)
{
	table->field[table->count++] = field;
}

static void add_bridge(struct instinct_config_table *table, bool window)
{
	add(table, (struct instinct_config_field){
		PCI_PRIMARY_BUS, 4, INSTINCT_CONFIG_BUSES, INSTINCT_BRIDGE_BUSES,
		.name = "bus numbers" });
	add(table, (struct instinct_config_field){
		PCI_MEMORY_BASE, 4, INSTINCT_CONFIG_MEM, INSTINCT_BRIDGE_WINDOW,
		.name = "Memory Base/Limit" });
	add(table, (struct instinct_config_field){
			   PCI_BRIDGE_CONTROL, 2, INSTINCT_CONFIG_SEEN, 0, BRIDGE_OPTIONAL,
			   .avoid = PCI_BRIDGE_CTL_BUS_RESET, .name = "Bridge Control"});
	if (!window)
		return;
	add(table, (struct instinct_config_field) {
		PCI_PREF_MEMORY_BASE, 4, INSTINCT_CONFIG_PREF, INSTINCT_BRIDGE_WINDOW,
		.name = "Prefetchable Memory Base/Limit" });
	add(table, (struct instinct_config_field) {
		PCI_PREF_BASE_UPPER32, 4, INSTINCT_CONFIG_PREF_BASE, ~0u,
		.name = "Prefetchable Base Upper 32 Bits" });
	add(table, (struct instinct_config_field) {
		PCI_PREF_LIMIT_UPPER32, 4, INSTINCT_CONFIG_PREF_LIMIT, ~0u,
		.name = "Prefetchable Limit Upper 32 Bits" });
}

static void add_bars(struct instinct_config_table *table, const u32 bars[INSTINCT_CONFIG_BARS])
{
	static const char *const names[INSTINCT_CONFIG_BARS] = {
		"BAR 0", "BAR 1", "BAR 2", "BAR 3", "BAR 4", "BAR 5",
	};
	unsigned int i;

	for (i = 0; i < INSTINCT_CONFIG_BARS; i++)
		if (bars[i])
			add(table, (struct instinct_config_field) {
				PCI_BASE_ADDRESS_0 + 4 * i, 4, INSTINCT_CONFIG_BAR + i,
				bars[i], .name = names[i] });
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

static void add_msi(struct instinct_config_table *table, u16 at, bool wide)
{
	add(table, (struct instinct_config_field) {
		at + PCI_MSI_ADDRESS_LO, 4, INSTINCT_CONFIG_MSI_LOW, ~3u,
		.name = "MSI Message Address" });
	if (wide)
		add(table, (struct instinct_config_field) {
			at + PCI_MSI_ADDRESS_HI, 4, INSTINCT_CONFIG_MSI_HIGH, ~0u,
			.name = "MSI Message Upper Address" });
	add(table, (struct instinct_config_field) {
		at + (wide ? PCI_MSI_DATA_64 : PCI_MSI_DATA_32), 2, INSTINCT_CONFIG_MSI_DATA,
		0xffff, .name = "MSI Message Data" });
}

static void add_control(struct instinct_config_table *table, u16 capability, u16 at,
			enum instinct_config_source source, u32 bits, const char *name)
{
	if (capability)
		add(table, (struct instinct_config_field) {
			capability + at, 2, source, bits, .name = name });
}

/**
 * instinct_config_table_build() - which registers are verified
 * @table: set
 * @facts: of the function
 *
 * A register that is not in the table is written and not looked at.
 */
void instinct_config_table_build(struct instinct_config_table *table,
				 const struct instinct_config_facts *facts)
{
	*table = (struct instinct_config_table) { .facts = *facts };
	if (facts->bridge)
		add_bridge(table, facts->window);
	/* The size of a resizable BAR decides which bits of the BAR hold. */
	if (facts->rebar)
		add(table, (struct instinct_config_field) {
			facts->rebar + PCI_REBAR_CTRL, 4, INSTINCT_CONFIG_SEEN,
			PCI_REBAR_CTRL_BAR_SIZE, .name = "Resizable BAR Control" });
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
	add_control(table, facts->ats, PCI_ATS_CTRL, INSTINCT_CONFIG_ATS,
		    PCI_ATS_CTRL_ENABLE, "ATS Control");
	add_control(table, facts->pri, PCI_PRI_CTRL, INSTINCT_CONFIG_PRI,
		    PCI_PRI_CTRL_ENABLE, "PRI Control");
	add_control(table, facts->pasid, PCI_PASID_CTRL, INSTINCT_CONFIG_PASID,
		    PCI_PASID_CTRL_ENABLE, "PASID Control");
	if (facts->msi)
		add_msi(table, facts->msi, facts->msi_64);
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
 * @table: of the function
 * @where: offset of the write
 * @bytes: its length
 *
 * Return: true if vfio-pci-core passes any of it on.
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
 * @table: of the function
 * @where: offset of the write
 * @bytes: its length
 *
 * vfio-pci-core keeps the rest of the header and the MSI capability to itself. Command
 * counts by what it then holds; the caller looks at that.
 *
 * Return: false if nothing but Command, or what vfio-pci-core keeps, is written.
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
#define CLOSED_WINDOW	0x0000fff0	/* base above limit: forwards nothing */
#define PREF_64BIT	0x00010001

/* Base and limit registers both hold address bits 31:20 in bits 15:4. */
static u32 window_low(const struct instinct_window *w)
{
	return ((w->start >> 16) & 0xfff0) | (u32)((w->end >> 16) & 0xfff0) << 16;
}

/**
 * instinct_window_mem() - the registers of a non-prefetchable window
 * @mem: window
 *
 * Return: the dword at PCI_MEMORY_BASE.
 */
u32 instinct_window_mem(const struct instinct_window *mem)
{
	return mem->open ? window_low(mem) : CLOSED_WINDOW;
}

/**
 * instinct_window_pref() - the lower registers of a prefetchable window
 * @pref: window
 *
 * Return: the dword at PCI_PREF_MEMORY_BASE.
 */
u32 instinct_window_pref(const struct instinct_window *pref)
{
	return instinct_window_mem(pref) | PREF_64BIT;
}
