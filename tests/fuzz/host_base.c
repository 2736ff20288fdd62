// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "archive_read.h"
#include "fuzz.h"
#include "host_base.h"
#include "core/pure.h"

#define CAPTURE	"tests/golden/input/mi300x-1.tar.zst"

#define GPU	"sys/devices/pci0000:20/0000:20:00.0/0000:21:00.0/0000:22:01.0/0000:24:00.0/0000:25:00.0/0000:26:00.0/"
#define NIC	"sys/devices/pci0000:20/0000:20:00.0/0000:21:00.0/0000:22:00.0/0000:23:00.0/"
#define NOWHERE	"00000000000000000000000000000000"
#define KERNEL	"6.1.0-56-amd64"

/* These only slow inputs down: PCI functions of the lab itself, recorded output, a link. */
static const char *const left_out[] = {
	"sys/devices/pci0000:00/0000:00:02.0", "sys/devices/pci0000:00/0000:00:03.0",
	"sys/devices/pci0000:00/0000:00:04.0", "sys/devices/pci0000:00/0000:00:05.0",
	"sys/devices/pci0000:00/0000:00:1f", "sys/bus/pci/devices/0000:00:02.0",
	"sys/bus/pci/devices/0000:00:03.0", "sys/bus/pci/devices/0000:00:04.0",
	"sys/bus/pci/devices/0000:00:05.0", "sys/bus/pci/devices/0000:00:1f",
	"instinct-vfio/check", "instinct-vfio/events", "instinct-vfio/kernel.log",
	"instinct-vfio/metrics", "instinct-vfio/policy", "instinct-vfio/sensors",
	"instinct-vfio/status", "instinct-vfio/versions", "boot/config", "sys/class/dmi",
	"sys/devices/virtual/dmi", "lib",
};

struct more {
	const char *path;
	const char *text;	/* contents of a file, or target of a link */
};

/* Files that the capture lacks or has with other contents, as Linux formats them. */
static const struct more files[] = {
	{ "boot/config-" KERNEL, "CONFIG_PCI_P2PDMA=y\nCONFIG_HSA_AMD_P2P=y\n"
	  "# CONFIG_MODULE_SIG_FORCE is not set\nCONFIG_VFIO_PCI_CORE=m\n" },
	{ "etc/dkms/framework.conf", "mok_signing_key=\"/var/lib/dkms/mok.key\"\n"
	  "mok_certificate=/var/lib/dkms/mok.pub\n" },
	{ "etc/initramfs-tools/modules", "# one for each line\ninstinct_vfio_pci\n" },
	{ "etc/modprobe.d/site.conf", "options vfio-pci disable_idle_d3=1\n"
	  "softdep amdgpu pre: instinct_vfio_pci\nblacklist amdgpu\n" },
	{ "etc/nccl.conf", "NCCL_TOPO_FILE=/etc/topo.xml\nNCCL_DMABUF_ENABLE=1\n"
	  "NCCL_SOCKET_IFNAME=^lo\n" },
	{ "etc/topo.xml", "<system version=\"1\"></system>\n" },
	{ "lib/modules/" KERNEL "/updates/dkms/instinct-vfio-pci.ko",
	  "\177ELF with nothing in it~Module signature appended~\n" },
	{ "proc/keys", "0fa7a3d4 I------ 1 perm 1f030000 0 0 asymmetri CA: 6ccece: X509.rsa 6c []\n" },
	{ "proc/mounts", "/dev/nvme0n1p2 / ext4 rw,relatime 0 0\n" },
	{ "proc/net/ipv6_route", NOWHERE " 00 " NOWHERE " 00 " NOWHERE
	  " 00000400 00000001 00000000 00000001 ens1f0np0\n" },
	{ "proc/net/route", "Iface\tDestination\nens1f0np0\t00000000\n" },
	{ "proc/self/limits", "Max locked memory         65536                unlimited      bytes\n" },
	{ "proc/self/environ", "NCCL_DEBUG=INFO" },
	{ "proc/sys/kernel/numa_balancing", "1\n" },
	{ NIC "infiniband/mlx5_0/hca_type", "MT4129\n" },
	{ NIC "infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n" },
	{ NIC "net/eth0/operstate", "up\n" },
	{ NIC "net/eth0/speed", "400000\n" },
	{ NIC "nvme/nvme0/nvme0n1/size", "1000\n" },
	{ GPU "hwmon/hwmon0/temp1_input", "45000\n" },
	{ GPU "hwmon/hwmon0/temp1_label", "junction\n" },
	{ GPU "hwmon/hwmon0/name", "amdgpu\n" },
	{ GPU "resource0_resize", "00000000000ff000\n" },
	{ GPU "xgmi_hive_info/xgmi_hive_id", "0x1234567890abcdef\n" },
	{ "sys/devices/platform/ipmi0/uevent", "MAJOR=237\n" },
	{ "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
	  "\6\1\1\1\1" },
	{ "sys/kernel/irq/11/chip_name", "IR-PCI-MSIX\n" },
	{ "sys/kernel/security/lockdown", "none [integrity] confidentiality\n" },
	{ "sys/module/amdgpu/initstate", "live\n" },
	{ "sys/module/module/parameters/sig_enforce", "Y\n" },
	{ "sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "N\n" },
	{ "sys/module/vfio_pci/parameters/disable_idle_d3", "N\n" },
	{ "usr/bin/qemu-system-x86_64", "" },
	{ "var/lib/dkms/instinct-vfio/0.1.0/" KERNEL "/x86_64/module/instinct-vfio-pci.ko", "" },
	{ "var/lib/dkms/mok.pub", "\x30\x03\x02\x01\x05" },
	{ "var/lib/dpkg/status", "Package: qemu-system-x86\nStatus: install ok installed\n"
	  "Version: 1:7.2+dfsg-7\n\n" },
};

static const struct more links[] = {
	{ "etc/systemd/system/multi-user.target.wants/instinct-vfio-apply.service",
	  "/lib/systemd/system/instinct-vfio-apply.service" },
	{ "sys/class/ipmi/ipmi0", "../../devices/platform/ipmi0" },
	{ "sys/class/net/eth0", "../../" NIC "net/eth0" },
	{ "sys/class/block/nvme0n1", "../../devices/nvme0n1" },
};

/* An entry of the base, and the hash of its path. */
struct numbered {
	uint16_t hash;
	const struct tree_entry *entry;
};

static struct tree base;
static struct numbered *numbered;
static size_t numbered_count;

static bool is_left_out(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(left_out); i++)
		if (!strncmp(path, left_out[i], strlen(left_out[i])))
			return true;
	return false;
}

static void add_more(const struct more *more, size_t count, enum tree_kind kind)
{
	for (; count--; more++)
		bytes_add(&tree_add(&base, more->path, kind)->data, more->text,
			  strlen(more->text));
}

/* Tells whether files or links replace this path of the capture. */
static bool is_more(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files) + ARRAY_SIZE(links); i++)
		if (!strcmp(path, base.list[i].path))
			return true;
	return false;
}

static void read_capture(struct tree *whole)
{
	int fd = open(CAPTURE, O_RDONLY | O_CLOEXEC);

	REQUIRE(fd >= 0);	/* run the fuzzer in the repository's root */
	REQUIRE(!archive_read_tree(fd, CAPTURE, &archive_limits, whole));
	close(fd);
}

/**
 * host_base_hash() - compute the number by which inputs refer to a path
 * @path: path of an entry
 *
 * Return: the number, which does not depend on the other entries of the base.
 */
uint16_t host_base_hash(const char *path)
{
	uint32_t hash = 2166136261u;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 16777619u;
	return hash ^ hash >> 16;
}

static int by_hash(const void *a, const void *b)
{
	return ((const struct numbered *)a)->hash - ((const struct numbered *)b)->hash;
}

static void number_entries(void)
{
	size_t i;

	numbered = calloc(base.count, sizeof(*numbered));
	REQUIRE(numbered);
	for (i = 0; i < base.count; i++)
		numbered[i] = (struct numbered) {
			host_base_hash(base.list[i].path), &base.list[i],
		};
	numbered_count = base.count;
	qsort(numbered, numbered_count, sizeof(*numbered), by_hash);
}

/* Folders get entries, so that inputs can change them. */
static void add_folders(void)
{
	size_t count = base.count, i;
	char *slash;

	for (i = 0; i < count; i++) {
		char *path = strdup(base.list[i].path);

		REQUIRE(path);
		while ((slash = strrchr(path, '/'))) {
			*slash = '\0';
			tree_add(&base, path, TREE_FOLDER);
		}
		free(path);
	}
}

/**
 * host_base() - get the host, which the first call reads
 *
 * Return: sorted tree of the host.
 */
const struct tree *host_base(void)
{
	struct tree whole = { 0 };
	size_t i;

	if (base.count)
		return &base;
	read_capture(&whole);
	add_more(files, ARRAY_SIZE(files), TREE_FILE);
	add_more(links, ARRAY_SIZE(links), TREE_LINK);
	for (i = 0; i < whole.count; i++) {
		const struct tree_entry *entry = &whole.list[i];

		if (!is_left_out(entry->path) && !is_more(entry->path))
			bytes_add(&tree_add(&base, entry->path, entry->kind)->data,
				  entry->data.data, entry->data.size);
	}
	tree_free(&whole);
	add_folders();
	tree_sort(&base);
	number_entries();
	return &base;
}

/**
 * host_base_find() - look up the entry of a number, or else the next one
 * @hash: any number
 *
 * Return: the entry.
 */
const struct tree_entry *host_base_find(uint16_t hash)
{
	size_t from = 0, to = numbered_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (numbered[middle].hash < hash)
			from = middle + 1;
		else
			to = middle;
	}
	return numbered[from < numbered_count ? from : 0].entry;
}
