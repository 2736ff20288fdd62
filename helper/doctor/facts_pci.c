// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "facts.h"
#include "pci_config.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysfs_folder.h"

#define CLASS_NETWORK		0x02
#define CLASS_DISPLAY		0x03
#define CLASS_3D		0x0302
#define CLASS_ACCELERATOR	0x12
#define VENDOR_VIRTIO		0x1af4
#define REBAR_ENTRY_BYTES	8
/* PCIe r6.0 sec 7.8.6.2: sizes from 1 MiB on are bits 4 and up. */
#define REBAR_SIZES_SHIFT	4

#define GIB			((uint64_t)1 << 30)

/**
 * struct vram - the video memory of a GPU, by its vendor's data sheet
 * @vendor: Vendor ID
 * @device: Device ID
 * @gib: GiB of memory, for the BAR no less than what is sold as GB
 */
struct vram {
	uint16_t vendor;
	uint16_t device;
	unsigned int gib;
};

static const struct vram vrams[] = {
	{ 0x1002, 0x74a0, 128 },	/* MI300A */
	{ 0x1002, 0x74a1, 192 },	/* MI300X */
	{ 0x1002, 0x74a9, 192 },
	{ 0x1002, 0x74a2, 192 },	/* MI308X */
	{ 0x1002, 0x74a8, 192 },
	{ 0x1002, 0x74a5, 256 },	/* MI325X */
	{ 0x1002, 0x75a0, 288 },	/* MI350X */
	{ 0x1002, 0x75a1, 288 },
	{ 0x1002, 0x75a3, 288 },	/* MI355X */
	{ 0x10de, 0x2330, 80 },		/* H100 SXM5 */
	{ 0x10de, 0x2335, 141 },	/* H200 SXM5 */
};

/* Not a virtual function whose physical one is here too: that is the host's to judge. */
static bool is_gpu(const struct facts *facts, int i)
{
	const struct instinct_node *node = &facts->findings.host.node[i];

	if (node->kind != INSTINCT_NODE_ENDPOINT)
		return false;
	/* Of other vendors accelerators are no GPUs, and displays the BMC's. */
	if (node->class >> 8 != CLASS_3D &&
	    (node->vendor != INSTINCT_VENDOR_AMD_GPU ||
	     (node->class >> 16 != CLASS_ACCELERATOR && node->class >> 16 != CLASS_DISPLAY)))
		return false;
	return !sysfs_exists(facts_function(facts, i)->bdf, "physfn");
}

static void add(int **list, size_t *count, int function)
{
	*(int *)list_add((void **)list, count, sizeof(**list)) = function;
}

static bool is_peer(const struct facts *facts, const bool *has_gpu, int i)
{
	const struct instinct_node *node = &facts->findings.host.node[i];
	int above = instinct_topology_switch(&facts->findings.host.topology, i);

	if (node->class >> 16 != CLASS_NETWORK || node->kind != INSTINCT_NODE_ENDPOINT)
		return false;
	if (facts->is_guest)
		return node->vendor != VENDOR_VIRTIO;
	/* What those of a virtual function read is nothing: the physical one decides. */
	if (sysfs_exists(facts_function(facts, i)->bdf, "physfn"))
		return false;
	return above != INSTINCT_NODE_NONE && has_gpu[above];
}

static void find_peers(struct facts *facts)
{
	const struct host *host = &facts->findings.host;
	bool *has_gpu = array_new(host->count, sizeof(*has_gpu));
	size_t g;
	int i;

	for (g = 0; g < facts->gpus; g++) {
		int above = instinct_topology_switch(&host->topology, facts->gpu[g]);

		if (above != INSTINCT_NODE_NONE)
			has_gpu[above] = true;
	}
	for (i = 0; i < host->count; i++)
		if (is_peer(facts, has_gpu, i))
			add(&facts->peer, &facts->peers, i);
	free(has_gpu);
}

/* What a fact of a folder's file is. */
static void read_fact(struct fact *fact, int folder, const char *file)
{
	ssize_t n = sysfs_folder_read(folder, file, fact->text, sizeof(fact->text) - 1);

	fact_take(fact, n);
}

static uint64_t read_count(int folder, const char *file, const char *total, bool *found)
{
	char text[2048];
	const char *at;
	uint64_t count;
	ssize_t n;

	n = sysfs_folder_read(folder, file, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, total);
	if (!at || sscanf(at + strlen(total), " %" SCNu64, &count) != 1)
		return 0;
	*found = true;
	return count;
}

static void read_aer(struct fact_function *function, int folder)
{
	function->correctable = read_count(folder, "aer_dev_correctable", "TOTAL_ERR_COR",
					   &function->has_aer);
	if (!function->has_aer)
		return;
	function->nonfatal = read_count(folder, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL",
					&function->has_aer);
	function->fatal = read_count(folder, "aer_dev_fatal", "TOTAL_ERR_FATAL",
				     &function->has_aer);
}

/* A line "START END FLAGS" for each. */
static void read_bars(struct fact_function *function, int folder)
{
	char text[1024], *at = text;
	uint64_t end;
	ssize_t n;
	int i;

	n = sysfs_folder_read(folder, "resource", text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	for (i = 0; i < FACTS_BARS; i++) {
		struct fact_bar *bar = &function->bar[i];

		if (sscanf(at, "%" SCNx64 " %" SCNx64 " %" SCNx64, &bar->start, &end,
			   &bar->flags) != 3)
			return;
		function->resources = i + 1;
		if (bar->flags && end >= bar->start && end)
			bar->bytes = end - bar->start + 1;
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
}

/* amdgpu says how much it is; of the others the data sheet does. */
static uint64_t find_vram(const struct instinct_node *node, int folder)
{
	long long bytes;
	size_t i;

	if (sysfs_folder_number(folder, "mem_info_vram_total", &bytes) && bytes > 0)
		return bytes;
	for (i = 0; i < ARRAY_SIZE(vrams); i++)
		if (vrams[i].vendor == node->vendor && vrams[i].device == node->device)
			return vrams[i].gib * GIB;
	return 0;
}

/* PCIe r6.0 sec 7.8.6 */
static void read_resizable(struct fact_function *function, const struct pci_config *config)
{
	unsigned int at = pci_config_extended(config, PCI_EXT_CAP_ID_REBAR);
	unsigned int count, i;

	if (!at)
		return;
	count = (pci_config_dword(config, at + PCI_REBAR_CTRL) & PCI_REBAR_CTRL_NBAR_MASK) >>
		PCI_REBAR_CTRL_NBAR_SHIFT;
	for (i = 0; i < count && i < FACTS_BARS; i++, at += REBAR_ENTRY_BYTES) {
		uint32_t sizes = pci_config_dword(config, at + PCI_REBAR_CAP);
		uint32_t control = pci_config_dword(config, at + PCI_REBAR_CTRL);
		unsigned int bar = control & PCI_REBAR_CTRL_BAR_IDX;

		if (bar < FACTS_BARS && sizes != UINT32_MAX)
			function->bar[bar].resizable = sizes >> REBAR_SIZES_SHIFT |
						       (uint64_t)(control >> 16) << 28;
	}
}

/*
 * A BAR for which Linux has found no room is all zeros in its list. What is read only of the
 * register stays: that it has 64 bits, as the large ones of GPUs have; the next is its other
 * half.
 */
static void find_lost(struct fact_function *function, const struct pci_config *config)
{
	unsigned int i;

	for (i = 0; i + 1 < FACTS_BARS; i++) {
		uint32_t is = pci_config_dword(config, PCI_BASE_ADDRESS_0 + 4 * i);

		if ((is & (PCI_BASE_ADDRESS_SPACE | PCI_BASE_ADDRESS_MEM_TYPE_MASK)) !=
		    PCI_BASE_ADDRESS_MEM_TYPE_64)
			continue;
		function->bar[i].lost = i < function->resources && !function->bar[i].flags;
		i++;
	}
}

static void read_express(struct fact_function *function, const struct pci_config *config)
{
	unsigned int at = pci_config_capability(config, PCI_CAP_ID_EXP);

	if (!at)
		return;
	function->express = true;
	function->device = pci_config_dword(config, at + PCI_EXP_DEVCAP);
	function->control = pci_config_word(config, at + PCI_EXP_DEVCTL);
	function->link_control = pci_config_word(config, at + PCI_EXP_LNKCTL);
	/* Version 1 of the capability ends before these. */
	if ((pci_config_word(config, at + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_VERS) < 2)
		return;
	function->device2 = pci_config_dword(config, at + PCI_EXP_DEVCAP2);
	function->control2 = pci_config_word(config, at + PCI_EXP_DEVCTL2);
}

static void read_config(struct fact_function *function, int folder, bool gpu)
{
	struct pci_config config;

	pci_config_open_in(&config, folder);
	function->config = config.bytes;
	function->silent = pci_config_is_silent(&config);
	read_express(function, &config);
	if (gpu) {
		read_resizable(function, &config);
		find_lost(function, &config);
	}
	pci_config_close(&config);
}

static void read_gpu(struct facts *facts, int i, int folder)
{
	struct fact_function *function = &facts->function[i];
	long long number;

	read_bars(function, folder);
	function->vram = find_vram(&facts->findings.host.node[i], folder);
	function->boot_vga = sysfs_folder_number(folder, "boot_vga", &number) && number;
}

/**
 * struct look - a GPU, looked at
 * @function: it
 * @driven: it has a driver
 * @folder: of it
 */
struct look {
	struct fact_function function;
	bool driven;
	int folder;
};

/* The first is told under the device lock, which a reset holds, as it does the second. */
static void look(void *data)
{
	struct look *look = data;
	struct fact override;

	if (!look->driven) {
		read_fact(&override, look->folder, "driver_override");
		if (strcmp(override.text, "(null)"))
			memcpy(look->function.override, override.text, sizeof(override.text));
	}
	read_config(&look->function, look->folder, true);
}

static void look_at(struct facts *facts, int i, int folder)
{
	struct look it = {
		.function = facts->function[i],
		.driven = *facts_function(facts, i)->driver,
		.folder = folder,
	};

	if (!aside_call(look, &it, sizeof(it)))
		facts->findings.host.function[i].resetting = true;
	facts->function[i] = it.function;
}

static void read_folder(struct facts *facts, int i, bool gpu, int folder)
{
	struct fact_function *function = &facts->function[i];
	long long number;

	read_fact(&function->power, folder, "power_state");
	/* Nobody asks why what is awake may sleep. */
	if (!fact_is(&function->power, "D0")) {
		function->d3cold = sysfs_folder_number(folder, "d3cold_allowed", &number) &&
				   number;
		read_fact(&function->runtime, folder, "power/control");
	}
	read_aer(function, folder);
	if (gpu)
		read_gpu(facts, i, folder);
	if (facts_function(facts, i)->resetting)
		return;
	if (gpu)
		look_at(facts, i, folder);
	else
		read_config(function, folder, false);
}

static void read_one(struct facts *facts, int i, bool gpu)
{
	int folder;

	if (facts->function[i].near)
		return;
	facts->function[i].near = true;
	folder = sysfs_folder_open(facts_function(facts, i)->bdf);
	if (folder < 0)
		return;
	read_folder(facts, i, gpu, folder);
	close(folder);
}

static void read_path(struct facts *facts, int i, bool gpu)
{
	read_one(facts, i, gpu);
	while ((i = facts_parent(facts, i)) != INSTINCT_NODE_NONE &&
	       !facts->function[i].near)
		read_one(facts, i, false);
}

/*
 * Others share the ports above GPUs, and limit what these can do. Of several functions of
 * one device the first tells.
 */
static void read_beside(struct facts *facts, int i)
{
	struct fact_function *function = &facts->function[i];
	int above = facts_parent(facts, i), folder;

	if (i && facts_parent(facts, i - 1) == above && facts->function[i - 1].express)
		return;
	if (function->near || facts->findings.host.node[i].kind != INSTINCT_NODE_ENDPOINT ||
	    facts_function(facts, i)->resetting)
		return;
	while (above != INSTINCT_NODE_NONE && !facts->function[above].near)
		above = facts_parent(facts, above);
	if (above == INSTINCT_NODE_NONE)
		return;
	folder = sysfs_folder_open(facts_function(facts, i)->bdf);
	if (folder < 0)
		return;
	read_config(function, folder, false);
	close(folder);
}

/* Has one of them less MaxPayload than it could, for somebody else's sake perhaps? */
static bool is_limited(const struct facts *facts)
{
	int i;

	for (i = 0; i < facts->findings.host.count; i++) {
		const struct fact_function *function = &facts->function[i];

		if (function->express && (function->control & PCI_EXP_DEVCTL_PAYLOAD) >> 5 <
					 (function->device & PCI_EXP_DEVCAP_PAYLOAD))
			return true;
	}
	return false;
}

/**
 * facts_read_pci() - GPUs, network functions below the same switch, ports above
 * @facts: with its host; added to
 */
void facts_read_pci(struct facts *facts)
{
	const struct host *host = &facts->findings.host;
	size_t i;
	int f;

	facts->function = array_new(host->count, sizeof(*facts->function));
	host_links_read(&facts->findings.host);
	for (f = 0; f < host->count; f++) {
		if (!is_gpu(facts, f))
			continue;
		add(&facts->gpu, &facts->gpus, f);
		facts->known += facts_is_known(facts, f);
	}
	find_peers(facts);
	for (i = 0; i < facts->gpus; i++)
		read_path(facts, facts->gpu[i], true);
	for (i = 0; i < facts->peers; i++)
		read_path(facts, facts->peer[i], false);
	if (!is_limited(facts))
		return;
	for (f = 0; f < host->count; f++)
		read_beside(facts, f);
}
