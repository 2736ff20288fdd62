// SPDX-License-Identifier: GPL-2.0-only
/* Captures of a host in a folder: files taken, and masking. */
#include "dump.h"
#include "helper_util.h"
#include "say.h"
#include "take.h"
#include "tree_path.h"

#define DEVICE	"sys/devices/pci0000:00/0000:00:01.0"

static struct dump dump;

static int say_nothing(int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	return EXIT_OK;
}

static void take_masked(void)
{
	dump_free(&dump);
	dump = (struct dump) { .mask = true };
	dump_take(&dump, say_nothing);
}

/* The contents of a file of the capture, "" if it is absent. */
static const char *captured(const char *path)
{
	const struct tree_entry *entry = tree_find(&dump.tree, path);

	return entry && entry->data.size ? entry->data.data : "";
}

/* Masking replaces the hostname as files have it, not as the archive's name has it. */
static void test_name_of_host(void)
{
	util_write("host/proc/sys/kernel/hostname", "gpu_01.example.com\n");
	util_write("host/etc/os-release", "# of gpu_01 and gpu_01.example.com, not of gpu-01\n");
	take_masked();
	CHECK_STR(captured("etc/os-release"), "# of host and host, not of gpu-01\n");
	CHECK(!strncmp(dump.top, "instinct-vfio-masked-", strlen("instinct-vfio-masked-")));
	dump_free(&dump);
	dump = (struct dump) { 0 };
	dump_take(&dump, say_nothing);
	CHECK(!strncmp(dump.top, "instinct-vfio-gpu-01-2", strlen("instinct-vfio-gpu-01-2")));
}

/* The capture reads power states once, before the files that wake a function. */
static void test_power(void)
{
	struct devices managed = { 0 };
	struct tree tree = { 0 };

	util_write("host/" DEVICE "/config", "x");
	util_write("host/" DEVICE "/power_state", "D3cold\n");
	util_write("host/" DEVICE "/power/runtime_status", "suspended\n");
	take_power(&tree);
	CHECK_INT(tree.count, 2);
	CHECK_STR(tree.list[0].path, DEVICE "/power_state");
	CHECK_STR(tree.list[1].path, DEVICE "/power/runtime_status");
	tree_free(&tree);
	take_functions(&tree, &managed);
	tree_sort(&tree);
	CHECK(tree_find(&tree, DEVICE "/config"));
	CHECK(!tree_find(&tree, DEVICE "/power_state"));
	CHECK(!tree_find(&tree, DEVICE "/power/runtime_status"));
	tree_free(&tree);
	take_masked();
	CHECK_STR(captured(DEVICE "/power_state"), "D3cold\n");
	CHECK_STR(captured(DEVICE "/power/runtime_status"), "suspended\n");
}

/* Without a policy, the capture leaves out check, which needs one. */
static void test_no_policy(void)
{
	take_masked();
	CHECK(tree_find(&dump.tree, "instinct-vfio/status.txt"));
	CHECK(!tree_find(&dump.tree, "instinct-vfio/check.txt"));
	CHECK(!mkdir("host/etc/instinct-vfio", 0755));
	util_write("host/etc/instinct-vfio/policy.conf", "");
	take_masked();
	CHECK(tree_find(&dump.tree, "instinct-vfio/check.txt"));
	CHECK(tree_find(&dump.tree, "instinct-vfio/check.json"));
}

int main(void)
{
	util_begin();
	CHECK(!system("mkdir -p host/" DEVICE "/power host/sys/bus/pci/devices host/etc/modprobe.d "
		      "host/proc/sys/kernel"));
	CHECK(!symlink("../../../devices/pci0000:00/0000:00:01.0",
		       "host/sys/bus/pci/devices/0000:00:01.0"));
	opt_sysroot = "host";
	RUN(test_name_of_host);
	RUN(test_power);
	RUN(test_no_policy);
	dump_free(&dump);
	return unit_end();
}
