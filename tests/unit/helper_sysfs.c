// SPDX-License-Identifier: GPL-2.0-only
/* PCI addresses as people write them, and numbers as sysfs does. */
#include <errno.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <sys/inotify.h>

#include "helper_util.h"
#include "say.h"
#include "sysfs.h"
#include "sysfs_folder.h"
#include "sysroot.h"

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
			printf("# accepted: \"%s\"\n", wrong[i]);
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

/* The helper skips malformed addresses in a captured host, and replaces control characters. */
static void test_names(void)
{
	static const char *const wrong[] = {
		"0000:c2:00.0;touch x;", "c3:00.0", "0000:C4:00.0", "$(id)", "a\n0000:c5:00.0",
	};
	struct dirent **entries;
	char path[PATH_MAX], name[32];
	size_t i;

	opt_sysroot = ".";
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", wrong[i]);
		mkdir(path, 0700);
	}
	CHECK_INT(sysfs_list(&entries), 1);
	CHECK_STR(entries[0]->d_name, "0000:c1:00.0");
	free(entries[0]);
	free(entries);
	CHECK(!symlink("../x/fo\033o\n$(id)", "sys/bus/pci/devices/0000:c1:00.0/driver"));
	CHECK(sysfs_read_link("0000:c1:00.0", "driver", name, sizeof(name)));
	CHECK_STR(name, "fo?o?$(id)");
}

/* Links of a captured tree never lead out of it. */
static void test_links(void)
{
	char text[32], real[PATH_MAX], driver[32];
	struct dirent **entries;

	util_write("secret", "1\n");
	mkdir("tree", 0700);
	mkdir("tree/inside", 0700);
	mkdir("tree/sys", 0700);
	util_write("tree/inside/file", "inside\n");
	opt_sysroot = "tree";
	CHECK(!symlink("../../secret", "tree/sys/up"));
	CHECK(!symlink("/etc/passwd", "tree/sys/away"));
	CHECK(!symlink("/inside/file", "tree/sys/absolute"));
	CHECK(!symlink("../../../inside", "tree/sys/folder"));
	CHECK(!symlink("/etc", "tree/sys/etc"));
	CHECK(!mkfifo("tree/sys/fifo", 0600));
	CHECK(sysfs_read("tree/sys/up", text, sizeof(text)) < 0);
	CHECK(sysfs_read("tree/sys/away", text, sizeof(text)) < 0);
	CHECK_INT(sysfs_read("tree/sys/absolute", text, sizeof(text)), 7);
	CHECK_INT(sysfs_read("tree/sys/folder/file", text, sizeof(text)), 7);
	CHECK_INT(sysfs_read("tree/sys/fifo", text, sizeof(text)), -EINVAL);
	CHECK_INT(sysfs_read("tree/sys/folder", text, sizeof(text)), -EINVAL);
	CHECK(!sysroot_realpath("tree/sys/etc", real));
	CHECK(sysroot_realpath("tree/sys/folder", real));
	CHECK_STR(real, "/inside");
	CHECK_INT(sysroot_scandir("tree/sys/etc", &entries, NULL, alphasort), -1);
	CHECK_INT(errno, ENOENT);
	/* The helper reads a link without following it. */
	mkdir("tree/sys/bus", 0700);
	mkdir("tree/sys/bus/pci", 0700);
	mkdir("tree/sys/bus/pci/devices", 0700);
	mkdir("tree/sys/bus/pci/devices/0000:c1:00.0", 0700);
	CHECK(!symlink("../../drivers/absent", "tree/sys/bus/pci/devices/0000:c1:00.0/driver"));
	CHECK(sysfs_read_link("0000:c1:00.0", "driver", driver, sizeof(driver)));
	CHECK_STR(driver, "absent");
	CHECK(!sysfs_exists("0000:c1:00.0", "driver"));
	CHECK(!sysfs_read_link("0000:c1:00.0", "iommu_group", driver, sizeof(driver)));
	opt_sysroot = "";
	CHECK_INT(sysfs_read("tree/inside/file", text, sizeof(text)), 7);
	CHECK(!sysroot_realpath("tree/sys/folder", real));
}

/* The helper reads only a folder's own regular files. */
static void test_folder(void)
{
	char name[32], text[8];
	long long val = 0;
	int folder;

	opt_sysroot = "tree";
	util_write("tree/sys/bus/pci/devices/0000:c1:00.0/class", "0x120000\n");
	util_write("tree/sys/bus/pci/devices/class", "1\n");
	CHECK(!symlink("class", "tree/sys/bus/pci/devices/0000:c1:00.0/link"));
	CHECK(!mkfifo("tree/sys/bus/pci/devices/0000:c1:00.0/fifo", 0600));
	CHECK(sysfs_folder_open("0000:c2:00.0") < 0);
	folder = sysfs_folder_open("0000:c1:00.0");
	CHECK(folder >= 0);
	CHECK(sysfs_folder_number(folder, "class", &val));
	CHECK_INT(val, 0x120000);
	CHECK(!sysfs_folder_number(folder, "absent", &val));
	CHECK(sysfs_folder_read(folder, "../class", text, sizeof(text)) < 0);
	CHECK(sysfs_folder_read(folder, "link", text, sizeof(text)) < 0);
	CHECK_INT(sysfs_folder_read(folder, "fifo", text, sizeof(text)), -EINVAL);
	CHECK_INT(sysfs_folder_read(folder, "class", text, sizeof(text)), sizeof(text));
	CHECK(sysfs_folder_link(folder, "driver", name, sizeof(name)));
	CHECK_STR(name, "absent");
	CHECK(!sysfs_folder_link(folder, "iommu_group", name, sizeof(name)));
	close(folder);
	opt_sysroot = "";
}

#define ROOT	"place/sys/devices/pci0000:c0"
#define SWITCH	ROOT "/0000:c0:01.0/0000:c1:00.0/0000:c2:00.0"
#define SWUS	SWITCH "/0000:c3:00.0"
#define SWDS	SWUS "/0000:c4:00.0"
#define GPU	SWDS "/0000:c6:00.0"

static void make_function(const char *folder, const char *vendor, const char *device, int type)
{
	/* PCI Express at 0x40. */
	uint8_t config[PCI_CFG_SPACE_SIZE] = { [6] = 0x10, [0x34] = 0x40, [0x40] = 0x10, [0x42] = type << 4 };
	char path[PATH_MAX], target[PATH_MAX];

	CHECK(!mkdir(folder, 0700));
	snprintf(path, sizeof(path), "%s/vendor", folder);
	util_write(path, vendor);
	snprintf(path, sizeof(path), "%s/device", folder);
	util_write(path, device);
	snprintf(path, sizeof(path), "%s/config", folder);
	util_write_bytes(path, config, sizeof(config));
	snprintf(path, sizeof(path), "place/sys/bus/pci/devices%s", strrchr(folder, '/'));
	snprintf(target, sizeof(target), "../../..%s", folder + strlen("place/sys"));
	CHECK(!symlink(target, path));
}

/* Returns how many of the config spaces that @watch watches have been opened since the last call. */
static int opened(int watch)
{
	struct inotify_event events[16];
	ssize_t n = read(watch, events, sizeof(events));

	return n < 0 ? 0 : n / sizeof(events[0]);
}

/* A GPU's place is told without access to the GPU, or to the ports of its package. */
static void test_place(void)
{
	static const char *const folders[] = {
		"place", "place/sys", "place/sys/bus", "place/sys/bus/pci", "place/sys/bus/pci/devices",
		"place/sys/devices", ROOT,
	};
	static const enum port_role roles[] = {
		PORT_ROOT_PORT, PORT_SWITCH_UPSTREAM, PORT_SWITCH_DOWNSTREAM, PORT_SWUS, PORT_SWDS,
	};
	struct device dev = { .bdf = "0000:c6:00.0", .ports = 1 };
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		CHECK(!mkdir(folders[i], 0700));
	make_function(ROOT "/0000:c0:01.0", "0x1022\n", "0x14ab\n", 4);
	make_function(ROOT "/0000:c0:01.0/0000:c1:00.0", "0x1000\n", "0xc030\n", 5);
	make_function(SWITCH, "0x1000\n", "0xc030\n", 6);
	/* AMD has given package ports several IDs. */
	make_function(SWUS, "0x1022\n", "0x1499\n", 5);
	make_function(SWDS, "0x1002\n", "0x1501\n", 6);
	make_function(GPU, "0x1002\n", "0x74a1\n", 0);
	util_write(GPU "/numa_node", "1\n");
	CHECK(inotify_add_watch(watch, SWUS "/config", IN_OPEN) > 0);
	CHECK(inotify_add_watch(watch, SWDS "/config", IN_OPEN) > 0);
	CHECK(inotify_add_watch(watch, GPU "/config", IN_OPEN) > 0);
	opt_sysroot = "place";
	sysfs_place(&dev);
	CHECK_INT(dev.vendor, 0x1002);
	CHECK_INT(dev.device, 0x74a1);
	CHECK_INT(dev.numa_node, 1);
	CHECK_INT(dev.ports, 5);
	for (i = 0; i < dev.ports; i++)
		CHECK_INT(dev.port[i].role, roles[i]);
	CHECK_STR(dev.port[0].bdf, "0000:c0:01.0");
	CHECK_INT(dev.port[0].device, 0x14ab);
	CHECK_STR(dev.port[4].bdf, "0000:c4:00.0");
	CHECK_INT(opened(watch), 0);
	/* Another maker's port right above a GPU is no package's, nor is the port above that one. */
	util_write(SWDS "/vendor", "0x1000\n");
	unlink(GPU "/numa_node");
	sysfs_place(&dev);
	CHECK_INT(dev.ports, 5);
	CHECK_INT(dev.numa_node, -1);
	CHECK_INT(dev.port[3].role, PORT_SWITCH_UPSTREAM);
	CHECK_INT(dev.port[4].role, PORT_SWITCH_DOWNSTREAM);
	CHECK_INT(opened(watch), 2);
	close(watch);
	opt_sysroot = "";
}

int main(void)
{
	util_begin();
	RUN(test_addresses);
	RUN(test_numbers);
	RUN(test_names);
	RUN(test_links);
	RUN(test_folder);
	RUN(test_place);
	return unit_end();
}
