// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts about a GPU that sysfs tells, without its register BAR. */
#include <inttypes.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "host.h"
#include "look.h"
#include "pci_config.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/* Hardware IDs of blocks: Linux, soc15_hw_ip.h. */
#define HW_ID_MP0	255
#define HW_ID_MP1	1
#define HW_ID_GC	11
#define HW_ID_NBIF	108

#define DIES_MAX	16
#define INSTANCES_MAX	32
#define NODES_MAX	64

/* The first line of a file of a function, "" without one. */
static void word_of(const char *bdf, const char *file, char word[LOOK_WORD_BYTES])
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, file, path, sizeof(path));
	sysfs_line(path, word, LOOK_WORD_BYTES);
}

static void read_words(struct look_gpu *gpu)
{
	long long vendor, device;
	char path[PATH_MAX];

	word_of(gpu->dev.bdf, "revision", gpu->revision);
	if (sysfs_read_number(gpu->dev.bdf, "subsystem_vendor", &vendor) &&
	    sysfs_read_number(gpu->dev.bdf, "subsystem_device", &device))
		snprintf(gpu->subsystem, sizeof(gpu->subsystem), "%04llx:%04llx", vendor & 0xffff,
			 device & 0xffff);
	gpu->vfs = sysfs_exists(gpu->dev.bdf, "virtfn0");
	gpu->group_untold = gpu->dev.iommu_group == GROUP_NONE && !host_capture_has("/sys/class/iommu") &&
			    !host_tells("iommu_group", "/sys/kernel/iommu_groups");
	if (gpu->dev.iommu_group == GROUP_NONE)
		return;
	snprintf(path, sizeof(path), "%s/sys/kernel/iommu_groups/%d/type", opt_sysroot,
		 gpu->dev.iommu_group);
	sysfs_line(path, gpu->group_type, sizeof(gpu->group_type));
}

/* "resource" has a line "START END FLAGS" for each BAR. */
static void read_bars(struct look_gpu *gpu)
{
	char path[PATH_MAX], text[2048], *line, *rest = text;
	uint64_t start, last, flags;
	unsigned int i;
	ssize_t n;

	sysfs_device_path(gpu->dev.bdf, "resource", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	for (i = 0; i < LOOK_BARS && (line = strsep(&rest, "\n")); i++) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &start, &last, &flags) != 3)
			return;
		gpu->resources = i + 1;
		if (!start || last < start)
			continue;
		gpu->bar[i].start = start;
		gpu->bar[i].bytes = last - start + 1;
	}
}

static int aspm_l1_of(const struct pci_config *config)
{
	unsigned int exp = pci_config_capability(config, PCI_CAP_ID_EXP);

	return exp ? !!(pci_config_word(config, exp + PCI_EXP_LNKCTL) & PCI_EXP_LNKCTL_ASPM_L1) : -1;
}

/**
 * look_config() - read the GPU's registers of the config space
 * @gpu: GPU that does not sleep; receives config, command, in_d0 and others
 *
 * Context: waits in the kernel while a reset is under way.
 *
 * Return: true if the GPU answers by its own IDs, is in D0 and decodes memory accesses.
 */
bool look_config(struct look_gpu *gpu)
{
	struct pci_config config;
	unsigned int pm, ats;
	uint32_t id;

	pci_config_open(&config, gpu->dev.bdf);
	gpu->dev.silent = pci_config_is_silent(&config);
	gpu->config = pci_config_is_whole(&config);
	id = pci_config_dword(&config, PCI_VENDOR_ID);
	gpu->placeholder = id == ((uint32_t)INSTINCT_PLACEHOLDER_DEVICE << 16 | INSTINCT_PLACEHOLDER_VENDOR);
	gpu->command = pci_config_word(&config, PCI_COMMAND);
	pm = pci_config_capability(&config, PCI_CAP_ID_PM);
	gpu->in_d0 = gpu->config && (!pm || !(pci_config_word(&config, pm + PCI_PM_CTRL) & PCI_PM_CTRL_STATE_MASK));
	ats = pci_config_extended(&config, PCI_EXT_CAP_ID_ATS);
	gpu->has_ats = ats;
	gpu->ats = ats ? pci_config_word(&config, ats + PCI_ATS_CTRL) : 0;
	gpu->aspm_l1 = aspm_l1_of(&config);
	if (!gpu->dev.serial)
		gpu->dev.serial = pci_config_serial(&config);
	pci_config_close(&config);
	return gpu->in_d0 && gpu->command & PCI_COMMAND_MEMORY &&
	       id == (gpu->dev.device << 16 | gpu->dev.vendor);
}

/* Does an open window of the port cover the BAR? Its registers count, not Linux's resources. */
static bool covers(const struct pci_config *config, uint64_t start, uint64_t bytes)
{
	uint64_t base[2], limit[2];
	int i;

	base[0] = (uint64_t)(pci_config_word(config, PCI_MEMORY_BASE) & 0xfff0) << 16;
	limit[0] = (uint64_t)(pci_config_word(config, PCI_MEMORY_LIMIT) & 0xfff0) << 16;
	base[1] = (uint64_t)(pci_config_word(config, PCI_PREF_MEMORY_BASE) & 0xfff0) << 16 |
		  (uint64_t)pci_config_dword(config, PCI_PREF_BASE_UPPER32) << 32;
	limit[1] = (uint64_t)(pci_config_word(config, PCI_PREF_MEMORY_LIMIT) & 0xfff0) << 16 |
		   (uint64_t)pci_config_dword(config, PCI_PREF_LIMIT_UPPER32) << 32;
	for (i = 0; i < 2; i++)
		if (base[i] <= start && start + bytes - 1 <= (limit[i] | 0xfffff))
			return true;
	return false;
}

static int reaches(const struct pci_config *config, const struct look_gpu *gpu)
{
	unsigned int i;

	if (!pci_config_is_whole(config))
		return -1;
	for (i = 0; i < LOOK_BARS; i++)
		if (gpu->bar[i].bytes && !covers(config, gpu->bar[i].start, gpu->bar[i].bytes))
			return false;
	return true;
}

static void read_ports(struct look_gpu *gpu)
{
	struct pci_config config;
	unsigned int i;

	if (!gpu->dev.ports)
		sysfs_place(&gpu->dev);
	for (i = 0; i < gpu->dev.ports; i++) {
		struct look_port *port = &gpu->port[i];

		ownership_read(&port->own, gpu->dev.port[i].bdf);
		pci_config_open(&config, gpu->dev.port[i].bdf);
		port->aspm_l1 = aspm_l1_of(&config);
		port->reaches = reaches(&config, gpu);
		pci_config_close(&config);
	}
}

/* amdgpu's folder of a block: ip_discovery/die/DIE/ID/INSTANCE. */
static bool block_number(const struct look_gpu *gpu, unsigned int die, unsigned int id,
			 unsigned int instance, const char *file, long long *value)
{
	char name[128];

	snprintf(name, sizeof(name), "ip_discovery/die/%u/%u/%u/%s", die, id, instance, file);
	return sysfs_read_number(gpu->dev.bdf, name, value);
}

/* "base_addr" has a base address in each line. */
static uint32_t block_base(const struct look_gpu *gpu, unsigned int die, unsigned int id,
			   unsigned int instance, unsigned int index)
{
	char name[128], path[PATH_MAX], text[512], *line, *rest = text;
	ssize_t n;

	snprintf(name, sizeof(name), "ip_discovery/die/%u/%u/%u/base_addr", die, id, instance);
	sysfs_device_path(gpu->dev.bdf, name, path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	while ((line = strsep(&rest, "\n")) && *line)
		if (!index--)
			return strtoul(line, NULL, 0);
	return 0;
}

static void read_graphics(struct look_gpu *gpu, unsigned int die, unsigned int *first)
{
	unsigned int instance;
	long long harvest;

	for (instance = 0; instance < INSTANCES_MAX; instance++) {
		if (!block_number(gpu, die, HW_ID_GC, instance, "harvest", &harvest))
			continue;
		gpu->dies++;
		if (harvest) {
			gpu->harvested |= 1u << instance;
		} else if (instance < *first) {
			*first = instance;
			gpu->blocks.gc = block_base(gpu, die, HW_ID_GC, instance, 0);
		}
	}
}

static void read_blocks(struct look_gpu *gpu)
{
	struct look_blocks *blocks = &gpu->blocks;
	unsigned int die, first = INSTANCES_MAX;
	char name[64];

	for (die = 0; die < DIES_MAX; die++) {
		snprintf(name, sizeof(name), "ip_discovery/die/%u", die);
		if (!sysfs_exists(gpu->dev.bdf, name))
			continue;
		blocks->source = "amdgpu";
		blocks->mp0 = blocks->mp0 ?: block_base(gpu, die, HW_ID_MP0, 0, 0);
		blocks->mp1 = blocks->mp1 ?: block_base(gpu, die, HW_ID_MP1, 0, 0);
		blocks->nbio = blocks->nbio ?: block_base(gpu, die, HW_ID_NBIF, 0, 1);
		blocks->nbif = blocks->nbif ?: block_base(gpu, die, HW_ID_NBIF, 0, 2);
		read_graphics(gpu, die, &first);
	}
}

/* amdgpu links each member of the hive as xgmi_hive_info/nodeN. xgmi_error clears errors: not read. */
static void read_amdgpu(struct look_gpu *gpu)
{
	long long number;
	unsigned int node;
	char name[64];

	if (sysfs_read_number(gpu->dev.bdf, "mem_info_vram_total", &number) && number > 0)
		gpu->vram = number;
	if (sysfs_read_number(gpu->dev.bdf, "xgmi_physical_id", &number) && number >= 0 && number < INT_MAX) {
		gpu->oam = number;
		gpu->oam_source = "amdgpu";
	}
	word_of(gpu->dev.bdf, "current_memory_partition", gpu->memory_mode);
	word_of(gpu->dev.bdf, "current_compute_partition", gpu->compute_mode);
	for (node = 1; node <= NODES_MAX; node++) {
		snprintf(name, sizeof(name), "xgmi_hive_info/node%u", node);
		gpu->hive_nodes += sysfs_exists(gpu->dev.bdf, name);
	}
	read_blocks(gpu);
}

/**
 * look_sysfs() - gather the facts about a GPU that sysfs tells
 * @gpu: GPU with its dev and family
 *
 * Files that wake no function come first; the others are read only if the GPU is awake. The ports
 * above a GPU that is awake are awake.
 *
 * Context: may wait in the kernel while a reset is under way.
 */
void look_sysfs(struct look_gpu *gpu)
{
	char runtime[LOOK_WORD_BYTES];
	bool captured = *opt_sysroot;
	unsigned int i;

	gpu->oam = -1;
	gpu->aspm_l1 = -1;
	for (i = 0; i < PORTS_MAX; i++)
		gpu->port[i] = (struct look_port) { .aspm_l1 = -1, .reaches = -1 };
	word_of(gpu->dev.bdf, "power_state", gpu->power);
	word_of(gpu->dev.bdf, "power/runtime_status", runtime);
	/* Without a driver the kernel calls the state "unknown". */
	gpu->asleep = !strncmp(gpu->power, "D", 1) && strcmp(gpu->power, "D0");
	gpu->asleep |= !strcmp(runtime, "suspended") || !strcmp(runtime, "suspending");
	/* Reading a capture wakes nothing. */
	gpu->asleep &= !captured;
	read_words(gpu);
	read_bars(gpu);
	/* The config space of a GPU in reset stays in use until the reset is over. */
	if (gpu->asleep || (!captured && gpu->dev.state == INSTINCT_VFIO_STATE_RESETTING))
		return;
	read_ports(gpu);
	if (!captured && !strcmp(gpu->dev.driver, LOOK_GIM))
		return;
	look_config(gpu);
	read_amdgpu(gpu);
}
