// SPDX-License-Identifier: GPL-2.0-only
/* Which bits of a config space read back, and what people call the registers. */
#include <linux/pci_regs.h>

#include "config_map.h"
#include "unit.h"

static const struct instinct_config_facts gpu = {
	.bar = { 0xf0000000, ~0u, 0xffe00000, 0, 0, 0xfff80000 },
	.pm = 0x50, .exp = 0x64, .msix = 0xc0, .aer = 0x150, .ats = 0x2b0,
	.pri = 0x2c0, .pasid = 0x2d0, .rebar = 0x2e0,
};

static const struct instinct_config_facts port = {
	.bridge = true, .pm = 0x40, .msi = 0x48, .msi_64 = true, .exp = 0x68,
	.aer = 0x100, .acs = 0x160,
};

static struct instinct_config_map map;

static void test_endpoint(void)
{
	instinct_config_map_build(&map, &gpu);
	CHECK_INT(instinct_config_map_firm(&map, PCI_COMMAND, 2, 0), 0x0006);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0x0540);
	CHECK_INT(instinct_config_map_firm(&map, PCI_BASE_ADDRESS_0, 4, 0), 0xf0000000);
	CHECK_INT(instinct_config_map_firm(&map, PCI_BASE_ADDRESS_5 + 2, 2, 0), 0xfff8);
	CHECK_INT(instinct_config_map_firm(&map, PCI_STATUS, 2, 0), 0);
	CHECK_INT(instinct_config_map_soft(&map, PCI_STATUS, 2), 0);
	CHECK_INT(instinct_config_map_firm(&map, 0x2b6, 2, 0), PCI_ATS_CTRL_ENABLE);
	CHECK_INT(instinct_config_map_soft(&map, 0x2c4, 2), PCI_PRI_CTRL_ENABLE);
	CHECK_INT(instinct_config_map_soft(&map, 0x2d6, 2), PCI_PASID_CTRL_ENABLE);
	CHECK_INT(instinct_config_map_soft(&map, 0x2e8, 4), PCI_REBAR_CTRL_BAR_SIZE);
	/* What starts an FLR reads 0. */
	CHECK_INT(instinct_config_map_soft(&map, 0x64 + PCI_EXP_DEVCTL, 2) & 0x8000, 0);
}

static void test_bridge(void)
{
	instinct_config_map_build(&map, &port);
	CHECK_INT(instinct_config_map_firm(&map, PCI_PRIMARY_BUS, 4, 0), 0x00ffffff);
	CHECK_INT(instinct_config_map_firm(&map, PCI_MEMORY_BASE, 4, 0), 0xfff0fff0);
	/* What starts a reset is not to be repeated. */
	CHECK_INT((instinct_config_map_firm(&map, PCI_BRIDGE_CONTROL, 2, 0) |
		   instinct_config_map_soft(&map, PCI_BRIDGE_CONTROL, 2)) &
		  PCI_BRIDGE_CTL_BUS_RESET, 0);
}

/* A soft bit that was seen to be both is no longer one. */
static void test_learns(void)
{
	instinct_config_map_build(&map, &gpu);
	instinct_config_map_landed(&map, PCI_COMMAND, 2, 0x0100);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0x0540);
	instinct_config_map_landed(&map, PCI_COMMAND, 2, 0x0000);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0x0440);
	CHECK_INT(instinct_config_map_firm(&map, PCI_COMMAND, 2, 0), 0x0106);
	instinct_config_map_hardwired(&map, PCI_COMMAND, 2, 0x0400);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0x0040);
	instinct_config_map_doubt(&map, PCI_COMMAND, 2, 0x0040);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0);
	instinct_config_map_trust(&map);
	CHECK_INT(instinct_config_map_soft(&map, PCI_COMMAND, 2), 0x0040);
}

static void test_names(void)
{
	instinct_config_map_build(&map, &gpu);
	CHECK_STR(instinct_config_map_name(&map, PCI_COMMAND + 1), "Command");
	CHECK_STR(instinct_config_map_name(&map, PCI_BASE_ADDRESS_5), "BAR 5");
	CHECK_STR(instinct_config_map_name(&map, 0xc2), "MSI-X Message Control");
	CHECK_STR(instinct_config_map_name(&map, 0x64 + PCI_EXP_DEVCTL), "Device Control");
	CHECK_STR(instinct_config_map_name(&map, 0x2b6), "ATS Control");
	CHECK_STR(instinct_config_map_name(&map, PCI_SUBSYSTEM_ID), "a register of the header");
	CHECK_STR(instinct_config_map_name(&map, 0x9f0), "a register");
	instinct_config_map_build(&map, &port);
	CHECK_STR(instinct_config_map_name(&map, PCI_PRIMARY_BUS), "bus numbers");
	CHECK_STR(instinct_config_map_name(&map, 0x166), "ACS Control");
}

static void test_ends(void)
{
	CHECK(instinct_config_within(0, 4));
	CHECK(instinct_config_within(0xffc, 4));
	CHECK(instinct_config_within(0xfff, 1));
	CHECK(!instinct_config_within(0xffe, 4));
	CHECK(!instinct_config_within(0x1000, 1));
	CHECK(!instinct_config_within(0x1002, 2));
	CHECK(!instinct_config_within(-1, 1));
	CHECK(!instinct_config_within(-4, 4));
}

int main(void)
{
	RUN(test_endpoint);
	RUN(test_bridge);
	RUN(test_learns);
	RUN(test_names);
	RUN(test_ends);
	return unit_end();
}
