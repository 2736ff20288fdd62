// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "facts.h"
#include "kind.h"
#include "oam.h"
#include "pci_config.h"
#include "persist.h"
#include "core/profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysfs_folder.h"

#define REBAR_ENTRY_BYTES	8
/* PCIe r6.0 sec 7.8.6.2: sizes from 1 MiB on are bits 4 and up. */
#define REBAR_SIZES_SHIFT	4

#define GIB			((uint64_t)1 << 30)

/**
 * struct vram - video memory of a GPU according to its vendor's data sheet
 * @vendor: Vendor ID
 * @device: Device ID
 * @gib: memory in GiB; data sheets say GB for the same number
 */
struct vram {
	uint16_t vendor;
	uint16_t device;
	unsigned int gib;
};

static const struct vram vrams[] = {
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

/* Is the function a GPU to judge? VFs beside their PF are not: the PF is judged. */
static bool is_gpu(const struct facts *facts, int i)
{
	const struct instinct_node *node = &facts->findings.host.node[i];

	return node->kind == INSTINCT_NODE_ENDPOINT &&
	       kind_is_gpu(node->vendor, node->device, node->class, node->bdf) &&
	       !sysfs_exists(facts_function(facts, i)->bdf, "physfn");
}

static void add(int **list, size_t *count, int function)
{
	*(int *)list_add((void **)list, count, sizeof(**list)) = function;
}

static bool is_peer(const struct facts *facts, const bool *has_gpu, int i)
{
	const struct instinct_node *node = &facts->findings.host.node[i];
	int above = instinct_topology_switch(&facts->findings.host.topology, i);

	if (!kind_is_nic(node->vendor, node->class) || node->kind != INSTINCT_NODE_ENDPOINT)
		return false;
	if (facts->is_guest)
		return !kind_is_emulated(node->vendor);
	/* The judged registers of a virtual function read zero; those of its PF apply. */
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

/* Read the first line of a file in the sysfs folder of a function. */
static void read_fact(struct fact *fact, int folder, const char *file)
{
	ssize_t n = sysfs_folder_read(folder, file, fact->text, sizeof(fact->text) - 1);

	fact_take(fact, n);
}

/* "resource" has a line "START END FLAGS" for each BAR. */
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

/* amdgpu reports the size; with another driver use the data sheet. */
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
 * Linux lists a BAR without room as all zeros. The read-only bits of the register remain, so a
 * 64-bit memory BAR, as large BARs of GPUs are, is still recognized; the next register is its
 * upper half.
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
	/* Version 1 of the capability lacks these registers. */
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
	function->placeholder = pci_config_dword(&config, PCI_VENDOR_ID) ==
				(INSTINCT_PLACEHOLDER_DEVICE << 16 | INSTINCT_PLACEHOLDER_VENDOR);
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
 * struct look - arguments of look(), which may be left behind in a child process
 * @function: facts about the GPU; extended
 * @driven: the GPU has a driver
 * @folder: descriptor of its sysfs folder
 */
struct look {
	struct fact_function function;
	bool driven;
	int folder;
};

/* Reads of driver_override take the device lock, and config reads block, until a reset is over. */
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

	if (!aside_call(facts_function(facts, i)->bdf, look, &it, sizeof(it)))
		facts->findings.host.function[i].resetting = true;
	facts->function[i] = it.function;
}

static void read_folder(struct facts *facts, int i, bool gpu, int folder)
{
	struct fact_function *function = &facts->function[i];
	long long number;

	read_fact(&function->power, folder, "power_state");
	/* The two settings matter only for a function that is not awake. */
	if (!fact_is(&function->power, "D0")) {
		function->d3cold = sysfs_folder_number(folder, "d3cold_allowed", &number) &&
				   number;
		read_fact(&function->runtime, folder, "power/control");
	}
	aer_read(&function->aer, folder);
	if (gpu)
		read_gpu(facts, i, folder);
	if (facts_function(facts, i)->resetting)
		return;
	if (gpu)
		look_at(facts, i, folder);
	else
		read_config(function, folder, false);
	if (facts->findings.host.node[i].kind != INSTINCT_NODE_ENDPOINT)
		ownership_read(&function->own, facts_function(facts, i)->bdf);
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
 * Read a function that shares a port with a GPU, since it limits MaxPayload there. The first
 * function of a multi-function device suffices.
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

/* Does a function use a smaller MaxPayload than it supports? Another function may be the cause. */
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
 * facts_read_pci() - read facts about GPUs, network functions near them, and ports above
 * @facts: facts with the host's functions; extended
 */
void facts_read_pci(struct facts *facts)
{
	const struct host *host = &facts->findings.host;
	size_t i;
	int f;

	facts->function = array_new(host->count, sizeof(*facts->function));
	host_links_read(&facts->findings.host);
	for (f = 0; f < host->count; f++) {
		if (host->node[f].vendor == INSTINCT_PLACEHOLDER_VENDOR &&
		    host->node[f].device == INSTINCT_PLACEHOLDER_DEVICE)
			facts->function[f].had_gpu = persist_of(host->function[f].bdf) ||
						     oam_is_noted(host->function[f].bdf);
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
