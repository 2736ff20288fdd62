// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "take.h"

/* Reading config or a link's speed wakes a sleeping function; see take_power(). */
static const char *const attributes[] = {
	"aer_dev_correctable", "aer_dev_fatal", "aer_dev_nonfatal", "aer_rootport_total_err_cor",
	"aer_rootport_total_err_fatal", "aer_rootport_total_err_nonfatal", "ari_enabled",
	"boot_vga", "class", "config", "current_link_speed", "current_link_width", "d3cold_allowed",
	"device", "dma_mask_bits", "driver_override", "enable", "irq", "label", "local_cpulist",
	"max_link_speed", "max_link_width", "modalias", "msi_bus", "numa_node", "power/control",
	"reset_method", "resource", "revision", "secondary_bus_number", "subordinate_bus_number",
	"sriov_drivers_autoprobe", "sriov_numvfs", "sriov_offset", "sriov_stride",
	"sriov_totalvfs", "sriov_vf_device", "subsystem_device", "subsystem_vendor", "vendor",
	"xgmi_physical_id",
};

/* Reading these wakes no function; they must be read before @attributes wake it. */
static const char *const power[] = { "power_state", "power/runtime_status" };

/* Class devices of a function; the capture notes these folders and their subfolders. */
static const char *const children[] = {
	"drm", "hwmon", "infiniband", "net", "nvme", "ptp", "vfio-dev", NULL,
};

static const char *const links[] = { "driver", "iommu_group", "physfn", "subsystem" };

static void take_link(struct tree *tree, const char *place, const char *name)
{
	char path[2 * PATH_MAX], whole[3 * PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, path);
	if (sysroot_readlink(whole, target))
		bytes_add(&tree_add(tree, path, TREE_LINK)->data, target, strlen(target));
}

static int is_virtual(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "virtfn", strlen("virtfn"));
}

/* List links instead of reading sriov_numvfs, which waits for a reset. */
static void take_virtual(struct tree *tree, const char *place)
{
	char whole[2 * PATH_MAX];
	struct dirent **entries;
	int count, i;

	snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, place);
	count = sysroot_scandir(whole, &entries, is_virtual, alphasort);
	for (i = 0; i < count; i++) {
		take_link(tree, place, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/*
 * While a reset is under way, a read of config blocks, and so does a read of an attribute that
 * takes the device lock.
 */
static bool waits(const char *file)
{
	return !strcmp(file, "config") || !strcmp(file, "driver_override") ||
	       !strcmp(file, "sriov_numvfs");
}

static void take_file(struct tree *tree, const char *place, const char *file, bool resetting)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", place, file);
	if (resetting && waits(file))
		tree_miss(tree, path, "the GPU is being reset");
	else
		tree_want(tree, path);
}

static void take_function(struct tree *tree, const char *bdf, const void *data)
{
	const struct devices *managed = data;
	char path[PATH_MAX], place[PATH_MAX], target[PATH_MAX];
	const struct device *dev = devices_find(managed, bdf);
	bool resetting = dev && dev->state == INSTINCT_VFIO_STATE_RESETTING;
	size_t i;

	sysfs_device_path(bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, place))
		return;
	if (sysroot_readlink(path, target))
		bytes_add(&tree_add(tree, path + strlen(opt_sysroot), TREE_LINK)->data, target,
			  strlen(target));
	tree_add(tree, place, TREE_FOLDER);
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (sysfs_exists(bdf, attributes[i]))
			take_file(tree, place, attributes[i], resetting);
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		take_link(tree, place, links[i]);
	take_virtual(tree, place);
	take_children(tree, place, children);
}

static void take_power_of(struct tree *tree, const char *bdf, const void *data)
{
	char path[PATH_MAX], place[PATH_MAX];
	size_t i;

	(void)data;
	sysfs_device_path(bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, place))
		return;
	for (i = 0; i < sizeof(power) / sizeof(power[0]); i++)
		if (sysfs_exists(bdf, power[i]))
			take_file(tree, place, power[i], false);
}

static void take_each(struct tree *tree, const void *data,
		      void (*take)(struct tree *tree, const char *bdf, const void *data))
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;

	for (i = 0; i < count; i++) {
		take(tree, entries[i]->d_name, data);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/**
 * take_power() - add the power states of all PCI functions to a capture
 * @tree: files of the capture; extended
 *
 * The caller must read these files first, since reading a config space wakes the function and
 * the ports above it.
 */
void take_power(struct tree *tree)
{
	take_each(tree, NULL, take_power_of);
}

/**
 * take_functions() - add the sysfs files of all PCI functions to a capture
 * @tree: files of the capture; extended
 * @managed: GPUs that the module manages, with their states
 */
void take_functions(struct tree *tree, const struct devices *managed)
{
	tree_add(tree, "sys/bus/pci/devices", TREE_FOLDER);
	take_each(tree, managed, take_function);
}
