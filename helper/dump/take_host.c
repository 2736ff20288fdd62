// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "conf_files.h"
#include "kind.h"
#include "missing.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "take.h"

/* Files about the host other than its PCI functions. */
static const char *const patterns[] = {
	"sys/class/iommu/*/amd-iommu/*",
	"sys/class/iommu/*/intel-iommu/*",
	"sys/kernel/iommu_groups/*/type",
	"sys/bus/pci/slots/*/address",
	"sys/devices/system/node/online",
	"sys/devices/system/node/possible",
	"sys/devices/system/node/node*/cpulist",
	"sys/devices/system/node/node*/distance",
	"sys/devices/system/node/node*/meminfo",
	"sys/devices/system/node/node*/hugepages/*/free_hugepages",
	"sys/devices/system/node/node*/hugepages/*/nr_hugepages",
	"sys/devices/system/cpu/isolated",
	"sys/devices/system/cpu/nohz_full",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/present",
	"sys/devices/system/cpu/smt/active",
	"sys/devices/system/cpu/cpu*/topology/physical_package_id",
	"sys/firmware/efi/fw_platform_size",
	"sys/firmware/efi/efivars/SecureBoot-*",
	"sys/kernel/irq/[0-9]/chip_name",
	"sys/kernel/irq/[0-9][0-9]/chip_name",
	"sys/kernel/security/lockdown",
	"sys/module/module/parameters/sig_enforce",
	"sys/kernel/mm/hugepages/*/free_hugepages",
	"sys/kernel/mm/hugepages/*/nr_hugepages",
	"sys/kernel/mm/transparent_hugepage/enabled",
	"sys/kernel/mm/transparent_hugepage/shmem_enabled",
	"sys/class/dmi/id/bios_date",
	"sys/class/dmi/id/bios_release",
	"sys/class/dmi/id/bios_vendor",
	"sys/class/dmi/id/bios_version",
	"sys/class/dmi/id/board_name",
	"sys/class/dmi/id/board_vendor",
	"sys/class/dmi/id/board_version",
	"sys/class/dmi/id/chassis_type",
	"sys/class/dmi/id/chassis_vendor",
	"sys/class/dmi/id/product_family",
	"sys/class/dmi/id/product_name",
	"sys/class/dmi/id/product_sku",
	"sys/class/dmi/id/product_version",
	"sys/class/dmi/id/sys_vendor",
	"sys/class/ipmi/*/device/power_state",
	"proc/cmdline",
	"proc/cpuinfo",
	"proc/iomem",
	"proc/meminfo",
	"proc/modules",
	"proc/sys/kernel/numa_balancing",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/tainted",
	"proc/sys/vm/nr_hugepages",
	"proc/sys/vm/overcommit_memory",
	"proc/version",
	"etc/os-release",
	"etc/default/grub.d/instinct-vfio-acs.cfg",
	"etc/dracut.conf",
	"etc/dracut.conf.d/*.conf",
	"etc/driverctl.d/pci-*",
	"etc/initramfs-tools/modules",
	"etc/modprobe.d/*.conf",
	"etc/modules",
	"etc/modules-load.d/*.conf",
	"etc/systemd/system/*.wants/instinct-vfio-apply.service",
	"etc/udev/rules.d/61-instinct-vfio-bind.rules",
	"lib/modprobe.d/*.conf",
	"run/modprobe.d/*.conf",
	"usr/lib/dracut/dracut.conf.d/*.conf",
	"usr/lib/modprobe.d/*.conf",
	"usr/local/lib/modprobe.d/*.conf",
};

/* Installed software, of which the capture notes only the presence. */
static const char *const presences[] = {
	"etc/systemd/system",
	"lib/modules/*",
	"lib/modules/*/extra/instinct-vfio-pci.ko*",
	"lib/modules/*/extra/vfio-pci.ko*",
	"lib/modules/*/updates/dkms/instinct-vfio-pci.ko*",
	"lib/modules/*/updates/dkms/vfio-pci.ko*",
	"lib/modules/*/updates/instinct-vfio-pci.ko*",
	"lib/modules/*/updates/vfio-pci.ko*",
	"sys/bus/pci_express/devices/*",
	"sys/module/amdgpu",
	"sys/module/instinct_vfio_pci/holders/vfio_pci",
	"var/lib/dkms/instinct-vfio-dropin/[0-9]*/*",
	"var/lib/dkms/instinct-vfio/[0-9]*/*",
};

/* Identity of the machine, which a masked capture leaves out. */
static const char *const identity[] = {
	"sys/class/dmi/id/board_serial",
	"sys/class/dmi/id/chassis_serial",
	"sys/class/dmi/id/product_serial",
	"sys/class/dmi/id/product_uuid",
	"proc/sys/kernel/hostname",
};

/* Modules whose parameters and versions matter. */
static const char *const modules[] = {
	"amdgpu", "bnxt_*", "ib_core", "instinct_vfio_pci", "iommufd", "ionic*", "ipmi_*",
	"irqbypass", "kvm*", "mlx5_core", "mlx5_ib", "nvme*", "pci_hotplug", "pci_stub", "pcie_aspm",
	"pciehp", "vfio*",
};

static const char *const module_files[] = {
	"initstate", "srcversion", "taint", "version", "parameters/*",
};

/**
 * take_concerns() - check whether the options of a kernel module matter here
 * @module: name of the module, with "-" or "_" between its parts
 *
 * Return: true if a masked capture keeps its options.
 */
bool take_concerns(const char *module)
{
	char name[64], *at;
	size_t i;

	snprintf(name, sizeof(name), "%s", module);
	for (at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!fnmatch(modules[i], name, 0))
			return true;
	return false;
}

static void take_modules(struct tree *tree)
{
	char pattern[128];
	size_t i, j;

	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		for (j = 0; j < sizeof(module_files) / sizeof(module_files[0]); j++) {
			snprintf(pattern, sizeof(pattern), "sys/module/%s/%s", modules[i],
				 module_files[j]);
			take_glob(tree, pattern);
		}
}

/* Reading a drive's sensor can spin the drive up, so only GPUs' sensors are read. */
static bool is_gpu(const char *device)
{
	char path[PATH_MAX], real[PATH_MAX], bdf[BDF_BYTES], *part, *rest;
	bool gpu = false;

	snprintf(path, sizeof(path), "%s/sys/class/hwmon/%s/device", opt_sysroot, device);
	if (!sysroot_realpath(path, real))
		return false;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, bdf))
			gpu = kind_is_gpu_at(bdf);
	return gpu;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int is_input(const struct dirent *entry)
{
	return !fnmatch("temp*_input", entry->d_name, 0);
}

/* Note that a sensor exists, as an empty file. */
static void note_inputs(struct tree *tree, const char *device)
{
	char path[PATH_MAX], place[PATH_MAX], file[2 * PATH_MAX];
	struct dirent **entries;
	int count, i;

	snprintf(path, sizeof(path), "%s/sys/class/hwmon/%s", opt_sysroot, device);
	if (!sysroot_realpath(path, place))
		return;
	count = sysroot_scandir(path, &entries, is_input, alphasort);
	for (i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%s/%s", place, entries[i]->d_name);
		tree_add(tree, file, TREE_FILE);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void take_files(struct tree *tree, const char *device, const char *const files[])
{
	char pattern[PATH_MAX];

	for (; *files; files++) {
		snprintf(pattern, sizeof(pattern), "sys/class/hwmon/%s/%s", device, *files);
		take_glob(tree, pattern);
	}
}

static void take_temperatures(struct tree *tree, const char *device)
{
	/* device/vendor also brings the link "device" into the capture. */
	static const char *const names[] = { "name", "temp*_label", "device/vendor", NULL };
	static const char *const values[] = {
		"temp*_input", "temp*_crit", "temp*_max", "temp*_fault", NULL,
	};

	take_files(tree, device, names);
	if (is_gpu(device))
		take_files(tree, device, values);
	else
		note_inputs(tree, device);
}

static void take_hwmon(struct tree *tree)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count, i;

	snprintf(path, sizeof(path), "%s/sys/class/hwmon", opt_sysroot);
	count = sysroot_scandir(path, &entries, is_shown, alphasort);
	for (i = 0; i < count; i++) {
		take_temperatures(tree, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Distributions install the configuration in one of two places; the kernel may hold it, too. */
static void take_kernel_config(struct tree *tree)
{
	char path[PATH_MAX], release[128];
	size_t before = tree->count;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/osrelease", opt_sysroot);
	n = sysfs_read(path, release, sizeof(release) - 1);
	release[n < 0 ? 0 : n] = '\0';
	release[strcspn(release, "/\n")] = '\0';
	snprintf(path, sizeof(path), "boot/config-%s", release);
	take_path(tree, path);
	snprintf(path, sizeof(path), "lib/modules/%s/config", release);
	if (tree->count == before)
		take_path(tree, path);
	if (tree->count == before)
		take_path(tree, "proc/config.gz");
}

/**
 * take_host() - add files about the host other than its PCI functions to a capture
 * @tree: files of the capture; extended
 * @masked: leave out files that only identify the host
 */
void take_host(struct tree *tree, bool masked)
{
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		take_glob(tree, patterns[i]);
	for (i = 0; i < sizeof(identity) / sizeof(identity[0]) && !masked; i++)
		take_glob(tree, identity[i]);
	for (i = 0; i < sizeof(presences) / sizeof(presences[0]); i++)
		take_presence(tree, presences[i]);
	take_kernel_config(tree);
	take_modules(tree);
	take_hwmon(tree);
}

/**
 * take_policy() - add the files of the policy and of the monitor to a capture
 * @tree: files of the capture; extended
 */
void take_policy(struct tree *tree)
{
	struct conf_files files;
	size_t i;

	conf_files_find(&files);
	for (i = 0; i < files.count; i++)
		take_path(tree, files.list[i].path + strlen(opt_sysroot));
	conf_files_free(&files);
	take_path(tree, "etc/instinct-vfio/monitor.conf");
	take_path(tree, "var/lib/instinct-vfio/monitor.json");
	take_path(tree, "var/lib/instinct-vfio/oam");
	take_path(tree, &MISSING_RECORD[1]);
	take_path(tree, "run/instinct-vfio/heat.json");
}
