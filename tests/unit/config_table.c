// SPDX-License-Identifier: GPL-2.0-only
/* The config table: verified registers, the order of writes, and a user's access. */
#include <linux/pci_regs.h>

#include "hardware/config_table.h"
#include "unit.h"

static const struct instinct_config_facts gpu = {
	.bar = { 0xfffffff0, ~0u, 0xffe00000, ~0u, 0, 0xfff80000 },
	.pm = 0x50, .msi = 0xa0, .msix = 0xc0, .exp = 0x64, .aer = 0x150,
	.rebar = 0x200,
};
static const struct instinct_config_facts port = {
	.bridge = true, .window = true, .pm = 0x50, .msi = 0x88, .exp = 0x58,
	.aer = 0x150, .acs = 0x188,
};

static struct instinct_config_table table;

/* The field at an offset, or NULL. */
static const struct instinct_config_field *field_at(u16 where)
{
	unsigned int i;

	for (i = 0; i < table.count; i++)
		if (table.field[i].where == where)
			return &table.field[i];
	return NULL;
}

static u32 holds_at(u16 where)
{
	return field_at(where) ? field_at(where)->holds : 0;
}

static u32 optional_at(u16 where)
{
	return field_at(where) ? field_at(where)->optional : 0;
}

static void check_fields(void)
{
	unsigned int i, j;

	CHECK(table.count > 0 && table.count <= INSTINCT_CONFIG_FIELDS);
	for (i = 0; i < table.count; i++) {
		const struct instinct_config_field *field = &table.field[i];

		CHECK(field->size == 2 || field->size == 4);
		CHECK(!(field->where % field->size));
		CHECK(field->where + field->size <= PCI_CFG_SPACE_EXP_SIZE);
		CHECK(field->holds | field->optional);
		/* A bit holds or is optional; a bit that starts something is neither. */
		CHECK(!(field->holds & field->optional));
		CHECK(!((field->holds | field->optional) & field->avoid));
		CHECK(!(field->passes & ~(field->holds | field->optional)));
		CHECK(field->name && *field->name);
		for (j = 0; j < i; j++)
			CHECK(!instinct_config_overlaps(&table.field[j], field->where, field->size));
	}
	/* Command switches the BARs on, so every other register is written before it. */
	CHECK_INT(table.field[table.count - 1].where, PCI_COMMAND);
}

static void test_fields(void)
{
	instinct_config_table_build(&table, &gpu);
	check_fields();
	instinct_config_table_build(&table, &port);
	check_fields();
	instinct_config_table_build(&table, &(struct instinct_config_facts) { 0 });
	check_fields();
}

static void test_gpu(void)
{
	instinct_config_table_build(&table, &gpu);
	CHECK_INT(holds_at(PCI_COMMAND), 0x0006);
	CHECK_INT(optional_at(PCI_COMMAND), 0x0140);
	CHECK_INT(holds_at(PCI_BASE_ADDRESS_0), 0xfffffff0);
	CHECK_INT(holds_at(PCI_BASE_ADDRESS_5), 0xfff80000);
	CHECK(!field_at(PCI_BASE_ADDRESS_4));
	CHECK_INT(field_at(PCI_BASE_ADDRESS_5)->source, INSTINCT_CONFIG_BAR_LAST);
	CHECK_INT(holds_at(0x54), PCI_PM_CTRL_STATE_MASK);
	CHECK_INT(holds_at(0xa2), PCI_MSI_FLAGS_ENABLE);
	CHECK_INT(holds_at(0xc2), PCI_MSIX_FLAGS_ENABLE);
	CHECK_INT(holds_at(0x208), PCI_REBAR_CTRL_BAR_SIZE);
	CHECK_INT(optional_at(0x150 + PCI_ERR_COR_MASK), 0xffffffff);
	/* The module never sets Initiate FLR, and no user's write reaches Max_Payload_Size. */
	CHECK_INT(field_at(0x64 + PCI_EXP_DEVCTL)->avoid, PCI_EXP_DEVCTL_BCR_FLR);
	CHECK(!(field_at(0x64 + PCI_EXP_DEVCTL)->passes & PCI_EXP_DEVCTL_PAYLOAD));
	/* A resizable BAR's size decides which bits of the BAR hold, so the size comes first. */
	CHECK(field_at(0x208) < field_at(PCI_BASE_ADDRESS_0));
	CHECK(!field_at(PCI_STATUS));
}

static void test_port(void)
{
	struct instinct_config_facts bare = port;

	instinct_config_table_build(&table, &port);
	CHECK_INT(holds_at(PCI_PRIMARY_BUS), 0x00ffffff);
	CHECK_INT(holds_at(PCI_MEMORY_BASE), 0xfff0fff0);
	CHECK_INT(holds_at(PCI_PREF_MEMORY_BASE), 0xfff0fff0);
	CHECK_INT(holds_at(PCI_PREF_LIMIT_UPPER32), 0xffffffff);
	CHECK_INT(field_at(PCI_BRIDGE_CONTROL)->avoid, PCI_BRIDGE_CTL_BUS_RESET);
	CHECK(!field_at(PCI_BASE_ADDRESS_0));
	bare.window = false;
	instinct_config_table_build(&table, &bare);
	CHECK(!field_at(PCI_PREF_MEMORY_BASE) && !field_at(PCI_PREF_BASE_UPPER32));
}

static void test_passes(void)
{
	instinct_config_table_build(&table, &gpu);
	CHECK(instinct_config_table_passes(&table, PCI_COMMAND, 2));
	CHECK(instinct_config_table_passes(&table, PCI_COMMAND + 1, 1));
	CHECK(instinct_config_table_passes(&table, PCI_CACHE_LINE_SIZE, 1));
	CHECK(instinct_config_table_passes(&table, 0x64 + PCI_EXP_DEVCTL, 4));
	/* An access that begins before a register may reach into it. */
	CHECK(instinct_config_table_passes(&table, 0, 8));
	CHECK(!instinct_config_table_passes(&table, PCI_STATUS, 2));
	CHECK(!instinct_config_table_passes(&table, PCI_BASE_ADDRESS_0, 4));
	CHECK(!instinct_config_table_passes(&table, 0x54, 2));
	CHECK(!instinct_config_table_passes(&table, 0xc2, 2));
	CHECK(!instinct_config_table_passes(&table, 0x208, 4));
}

static void test_touches(void)
{
	instinct_config_table_build(&table, &gpu);
	CHECK(!instinct_config_table_touches(&table, PCI_COMMAND, 4));
	CHECK(!instinct_config_table_touches(&table, PCI_BASE_ADDRESS_0, 24));
	CHECK(!instinct_config_table_touches(&table, PCI_INTERRUPT_LINE, 1));
	CHECK(instinct_config_table_touches(&table, PCI_CACHE_LINE_SIZE, 1));
	CHECK(instinct_config_table_touches(&table, PCI_BIST, 1));
	CHECK(!instinct_config_table_touches(&table, 0xa0, 0x10));
	CHECK(instinct_config_table_touches(&table, 0xa0, 0x14));
	CHECK(!instinct_config_table_touches(&table, 0xc0, PCI_CAP_MSIX_SIZEOF));
	CHECK(instinct_config_table_touches(&table, 0xc0, PCI_CAP_MSIX_SIZEOF + 1));
	CHECK(instinct_config_table_touches(&table, 0x64 + PCI_EXP_DEVCTL, 2));
	CHECK(instinct_config_table_touches(&table, 0x3c, 8));
	/* Without MSI and MSI-X, any write past the header counts as a change of the device. */
	instinct_config_table_build(&table, &(struct instinct_config_facts) { 0 });
	CHECK(instinct_config_table_touches(&table, 0x40, 4));
}

/* A user may name any offset, and the caller passes it on. */
static void test_behind_the_end(void)
{
	instinct_config_table_build(&table, &gpu);
	CHECK(!instinct_config_table_passes(&table, PCI_CFG_SPACE_EXP_SIZE, 4));
	CHECK(!instinct_config_table_passes(&table, 0x100000000 + PCI_COMMAND, 2));
	CHECK(!instinct_config_table_passes(&table, PCI_COMMAND, 0));
	CHECK(instinct_config_table_touches(&table, PCI_CFG_SPACE_EXP_SIZE, 4));
}

static void test_bridge_windows(void)
{
	u64 closed = INSTINCT_BRIDGE_CLOSED, start = 0x3800000000, end = 0x38ffefffff;

	CHECK_INT(instinct_window_register(0xfe000000, 0xfe3fffff, INSTINCT_CONFIG_MEM), 0xfe30fe00);
	CHECK_INT(instinct_window_register(closed, 0, INSTINCT_CONFIG_MEM), 0x0000fff0);
	CHECK_INT(instinct_window_register(start, end, INSTINCT_CONFIG_PREF), 0xffe10001);
	CHECK_INT(instinct_window_register(start, end, INSTINCT_CONFIG_PREF_BASE), 0x38);
	CHECK_INT(instinct_window_register(start, end, INSTINCT_CONFIG_PREF_LIMIT), 0x38);
	CHECK_INT(instinct_window_register(closed, 0, INSTINCT_CONFIG_PREF), 0x0001fff1);
	CHECK_INT(instinct_window_register(closed, 0, INSTINCT_CONFIG_PREF_BASE), 0);
}

static void test_msi(void)
{
	instinct_config_table_build(&table, &gpu);
	CHECK_INT(holds_at(gpu.msi + PCI_MSI_ADDRESS_LO), 0xfffffffc);
	instinct_config_table_build(&table, &port);
	CHECK_INT(holds_at(port.msi + PCI_MSI_ADDRESS_HI), 0xffffffff);
	CHECK_INT(holds_at(port.msi + PCI_MSI_DATA_64), 0xffff);
	CHECK_INT(holds_at(port.acs + PCI_ACS_CTRL), 0x7f);
}

int main(void)
{
	RUN(test_fields);
	RUN(test_gpu);
	RUN(test_port);
	RUN(test_msi);
	RUN(test_passes);
	RUN(test_touches);
	RUN(test_behind_the_end);
	RUN(test_bridge_windows);
	return unit_end();
}
