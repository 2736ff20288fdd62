// SPDX-License-Identifier: GPL-2.0-only
/* A capture of a host that is a folder: what of it is taken, and what of that is masked. */
#include "dump.h"
#include "helper_util.h"
#include "say.h"
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

/* What is in a file of the capture, "" if it is not there. */
static const char *captured(const char *path)
{
	const struct tree_entry *entry = tree_find(&dump.tree, path);

	return entry && entry->data.size ? entry->data.data : "";
}

/* As it is written there, not as the archive would be called. */
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

int main(void)
{
	util_begin();
	CHECK(!system("mkdir -p host/" DEVICE " host/sys/bus/pci/devices host/etc/modprobe.d "
		      "host/proc/sys/kernel"));
	CHECK(!symlink("../../../devices/pci0000:00/0000:00:01.0",
		       "host/sys/bus/pci/devices/0000:00:01.0"));
	opt_sysroot = "host";
	RUN(test_name_of_host);
	dump_free(&dump);
	return unit_end();
}
