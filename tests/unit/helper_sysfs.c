// SPDX-License-Identifier: GPL-2.0-only
/* PCI addresses as people write them, and numbers as sysfs does. */
#include "helper_util.h"
#include "say.h"
#include "sysfs.h"

static void test_addresses(void)
{
	static const struct {
		const char *text, *bdf;
	} right[] = {
		{ "0000:c1:00.0", "0000:c1:00.0" }, { "c1:00.0", "0000:c1:00.0" },
		{ "C1:1F.7", "0000:c1:1f.7" }, { "1:2.3", "0000:01:02.3" },
		{ "10000:01:00.0", "10000:01:00.0" },
		{ "ffffffff:ff:1f.7", "ffffffff:ff:1f.7" },
	};
	static const char *const wrong[] = {
		"", ":", "c1", "c1:00", "c1:00.", "c1:00.8", "c1:20.0", "c1:00.00",
		"c1:00.0 ", " c1:00.0", "0xc1:00.0", "c1:0x.0", "-1:00.0", "c1:-1.0",
		"100:00.0", "000000000:c1:00.0", "0:0:c1:00.0", "c1:00.0/..", "g1:00.0",
		":c1:00.0", "0000::00.0", "0000:c1:00.0\n",
	};
	char bdf[BDF_BYTES];
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		CHECK(bdf_parse(right[i].text, bdf));
		CHECK_STR(bdf, right[i].bdf);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (bdf_parse(wrong[i], bdf))
			printf("# taken: \"%s\"\n", wrong[i]);
		CHECK(!bdf_parse(wrong[i], bdf));
	}
}

static void test_numbers(void)
{
	long long val;

	mkdir("sys", 0700);
	mkdir("sys/bus", 0700);
	mkdir("sys/bus/pci", 0700);
	mkdir("sys/bus/pci/devices", 0700);
	mkdir("sys/bus/pci/devices/0000:c1:00.0", 0700);
	opt_sysroot = ".";
	util_write("sys/bus/pci/devices/0000:c1:00.0/vendor", "0x1002\n");
	util_write("sys/bus/pci/devices/0000:c1:00.0/numa_node", "-1\n");
	util_write("sys/bus/pci/devices/0000:c1:00.0/empty", "");
	util_write("sys/bus/pci/devices/0000:c1:00.0/text", "none\n");
	CHECK(sysfs_read_number("0000:c1:00.0", "vendor", &val));
	CHECK_INT(val, 0x1002);
	CHECK(sysfs_read_number("0000:c1:00.0", "numa_node", &val));
	CHECK_INT(val, -1);
	CHECK(!sysfs_read_number("0000:c1:00.0", "empty", &val));
	CHECK(!sysfs_read_number("0000:c1:00.0", "text", &val));
	CHECK(!sysfs_read_number("0000:c1:00.0", "absent", &val));
	CHECK(!sysfs_read_number("0000:c1:00.0", "", &val));
	CHECK(sysfs_exists("0000:c1:00.0", ""));
	CHECK(!sysfs_exists("0000:c2:00.0", ""));
}

int main(void)
{
	util_begin();
	RUN(test_addresses);
	RUN(test_numbers);
	return unit_end();
}
