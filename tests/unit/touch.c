// SPDX-License-Identifier: GPL-2.0-only
/* What makes a clean device dirty, and which resets concern a hive. */
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include "hive_rule.h"
#include "touch.h"
#include "unit.h"

static const struct instinct_touch_map map = {
	.pmcsr = 0x54, .msi = 0x70, .msix = 0xc0, .iommu = { 0x2b0, 0, 0x300 },
};

static bool touches(int where, int size, u32 val)
{
	return instinct_touch_config(&map, 0, where, size, val);
}

static void test_command(void)
{
	static const int sizes[] = { 1, 2, 4 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		CHECK(touches(PCI_COMMAND, sizes[i], PCI_COMMAND_MASTER));
		CHECK(touches(PCI_COMMAND, sizes[i], PCI_COMMAND_MEMORY));
		CHECK(!touches(PCI_COMMAND, sizes[i], 0));
	}
	CHECK(!touches(PCI_COMMAND, 2, PCI_COMMAND_INTX_DISABLE));
	CHECK(!touches(PCI_COMMAND + 1, 1, 0xff));
	/* Switching INTx is what Linux does for a user who asks for it. */
	CHECK(!instinct_touch_config(&map, PCI_COMMAND_MEMORY, PCI_COMMAND, 2,
				     PCI_COMMAND_MEMORY | PCI_COMMAND_INTX_DISABLE));
	CHECK(instinct_touch_config(&map, PCI_COMMAND_MEMORY, PCI_COMMAND, 2,
				    PCI_COMMAND_MEMORY));
	CHECK(instinct_touch_config(&map, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER,
				    PCI_COMMAND, 2, PCI_COMMAND_MASTER));
}

/* Only switching off, and what the IOMMU driver and power management do. */
static void test_other_registers(void)
{
	CHECK(!touches(map.msix + PCI_MSIX_FLAGS, 2, 0));
	CHECK(touches(map.msix + PCI_MSIX_FLAGS, 2, PCI_MSIX_FLAGS_ENABLE));
	CHECK(touches(map.msix, 4, (u32)PCI_MSIX_FLAGS_ENABLE << 16));
	CHECK(touches(map.msix + PCI_MSIX_FLAGS + 1, 1, PCI_MSIX_FLAGS_ENABLE >> 8));
	CHECK(!touches(map.msi + PCI_MSI_FLAGS, 2, 0));
	CHECK(touches(map.msi + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_ENABLE));
	CHECK(!touches(map.pmcsr, 2, 3));
	CHECK(!touches(map.iommu[0] + PCI_ATS_CTRL, 2, 0x8000));
	CHECK(touches(map.iommu[0] + 0x10, 4, 0));
	CHECK(touches(PCI_BASE_ADDRESS_0, 4, 0));
	CHECK(touches(PCI_CACHE_LINE_SIZE, 1, 0));
	CHECK(touches(0x6c, 2, 0));
	/* Without a capability its offset, 0, is nothing. */
	CHECK(instinct_touch_config(&(struct instinct_touch_map) { }, 0, 0x54, 2, 3));
}

static void test_features(void)
{
	CHECK(!instinct_touch_feature(VFIO_DEVICE_FEATURE_MIGRATION | VFIO_DEVICE_FEATURE_GET));
	CHECK(!instinct_touch_feature(3 | VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET));
	CHECK(instinct_touch_feature(VFIO_DEVICE_FEATURE_MIGRATION | VFIO_DEVICE_FEATURE_SET));
	CHECK(instinct_touch_feature(11 | VFIO_DEVICE_FEATURE_GET));
	CHECK(instinct_touch_feature(0xffff | VFIO_DEVICE_FEATURE_GET));
}

static enum instinct_hive_verdict decide(enum instinct_vfio_cause cause,
					 unsigned int free, unsigned int same,
					 unsigned int other, unsigned int unmanaged)
{
	const unsigned int members[] = {
		[INSTINCT_HIVE_FREE] = free,
		[INSTINCT_HIVE_SAME] = same,
		[INSTINCT_HIVE_OTHER] = other,
		[INSTINCT_HIVE_UNMANAGED] = unmanaged,
	};
	const char *why = NULL;
	enum instinct_hive_verdict verdict = instinct_hive_decide(cause, members, &why);

	CHECK(why);
	CHECK((verdict == INSTINCT_HIVE_ALONE || verdict == INSTINCT_HIVE_TOGETHER) == (why && !*why));
	return verdict;
}

static void test_hive(void)
{
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 0, 0, 0, 0), INSTINCT_HIVE_ALONE);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 6, 1, 0, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_VFIO_RESET, 0, 7, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_HOT_RESET, 3, 4, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_VFIO_RESET, 0, 6, 1, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 0, 7, 0, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 7, 0, 0), INSTINCT_HIVE_LATER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 6, 1, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_SYSFS, 6, 0, 0, 1), INSTINCT_HIVE_NEVER);
}

static void test_scope(void)
{
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_FLR));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_DEVICE, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_BUS));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_QUIESCE));
}

int main(void)
{
	RUN(test_command);
	RUN(test_other_registers);
	RUN(test_features);
	RUN(test_hive);
	RUN(test_scope);
	return unit_end();
}
