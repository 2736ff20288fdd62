// SPDX-License-Identifier: GPL-2.0-or-later
/* The assumptions of docs/hardware.md, and the judgement of each. Nothing here reads a file. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "look.h"
#include "say.h"

/* kmod/hardware/registers.c and registers.h have the same values, with their sources. */
#define BOOTLOADER_READY	0x80000000u
#define BOOT_FAILED		0x800f0000u
#define ASIC_INIT_COMPLETE	0x200u

/* Constants of the module that it does not read from the discovery table. */
#define NBIO_BASE_1		0x14u

#define PARTITION_SHIFT		4

/* BACO_CNTL (nbio_7_4_sh_mask.h). */
#define BACO_EN			0x1u
#define BACO_MODE		0x100u

static void row_set(struct look_row *row, enum look_verdict verdict, const char *source,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));

static void row_set(struct look_row *row, enum look_verdict verdict, const char *source,
		    const char *format, ...)
{
	va_list args;

	row->verdict = verdict;
	row->source = source;
	va_start(args, format);
	vsnprintf(row->text, sizeof(row->text), format, args);
	va_end(args);
}

static enum look_verdict verdict_of(bool as_assumed)
{
	return as_assumed ? LOOK_AS_ASSUMED : LOOK_OTHERWISE;
}

static void unseen(struct look_row *row, const char *why)
{
	row_set(row, LOOK_UNSEEN, NULL, "%s", why);
}

/* The reason why the config space or the ports of a GPU are unknown. */
static const char *why_unread(const struct look_gpu *gpu)
{
	if (gpu->late)
		return gpu->regs.why;
	if (gpu->asleep)
		return "the GPU sleeps, so it is not touched";
	if (!strcmp(gpu->dev.driver, LOOK_GIM))
		return "AMD's GIM has the GPU, so it is not touched";
	if (gpu->dev.state == INSTINCT_VFIO_STATE_RESETTING)
		return "the GPU is in reset, so it is not touched";
	if (gpu->dev.silent)
		return "the GPU does not answer";
	if (gpu->config && !gpu->dev.ports)
		return "no port is above the GPU";
	return "the config space cannot be read";
}

static void judge_lockdown(const struct look *look, struct look_row *row)
{
	if (*look->lockdown)
		row_set(row, verdict_of(strstr(look->lockdown, "[none]")), "sysfs", "%s", look->lockdown);
	else
		unseen(row, "the kernel does not tell");
}

static void judge_placeholders(const struct look *look, struct look_row *row)
{
	char text[TEXT_BYTES] = "none";
	size_t i, at = 0;

	if (look->placeholders)
		at = snprintf(text, sizeof(text), "%zu:", look->placeholders);
	for (i = 0; i < look->placeholders && i < LOOK_NAMED; i++)
		at += snprintf(text + at, sizeof(text) - at, " %s", look->placeholder[i]);
	if (i < look->placeholders)
		snprintf(text + at, sizeof(text) - at, " and more");
	row_set(row, verdict_of(!look->misplaced), "sysfs", "%s", text);
}

static void judge_firmware(const struct look *look, struct look_row *row)
{
	(void)look;
	unseen(row, "no register of PCIe tells it: ask the vendor of the board for its tool");
}

static void judge_ids(const struct look_gpu *gpu, struct look_row *row)
{
	row_set(row, verdict_of(gpu->family), "sysfs", "%04x:%04x%s%s%s%s", gpu->dev.vendor, gpu->dev.device,
		*gpu->revision ? " rev " : "", gpu->revision + (strncmp(gpu->revision, "0x", 2) ? 0 : 2),
		*gpu->subsystem ? ", subsystem " : "", gpu->subsystem);
}

static void judge_functions(const struct look_gpu *gpu, struct look_row *row)
{
	row_set(row, verdict_of(!gpu->vfs), "sysfs", gpu->vfs ? "there are some" : "none");
}

static void judge_package(const struct look_gpu *gpu, struct look_row *row)
{
	const struct port *swds = &gpu->dev.port[gpu->dev.ports ? gpu->dev.ports - 1 : 0];
	const struct port *swus = gpu->dev.ports > 1 ? swds - 1 : swds;
	bool found = gpu->dev.ports > 1 && swds->role == PORT_SWDS &&
		     swus->role == PORT_SWUS;

	if (!gpu->dev.ports && (gpu->late || gpu->asleep || gpu->dev.state == INSTINCT_VFIO_STATE_RESETTING))
		unseen(row, why_unread(gpu));
	else if (found)
		row_set(row, LOOK_AS_ASSUMED, "config", "SWUS %s %04x:%04x, SWDS %s %04x:%04x", swus->bdf,
			swus->vendor, swus->device, swds->bdf, swds->vendor, swds->device);
	else if (gpu->dev.ports)
		row_set(row, LOOK_OTHERWISE, "config", "%s %04x:%04x (%s) is above the GPU", swds->bdf,
			swds->vendor, swds->device, name_of(&role_names, swds->role));
	else
		row_set(row, LOOK_OTHERWISE, "config", "no port is above the GPU");
}

static enum owner aer_of(const struct look_port *port)
{
	return port->own.aer;
}

static enum owner dpc_of(const struct look_port *port)
{
	return port->own.dpc;
}

static enum owner hotplug_of(const struct look_port *port)
{
	return port->own.hotplug;
}

static void judge_owner(const struct look_gpu *gpu, enum owner (*owner_of)(const struct look_port *port),
			struct look_row *row)
{
	unsigned int count[OWNER_NOBODY + 1] = { 0 }, i, kinds = 0;
	char text[TEXT_BYTES] = "";
	size_t at = 0;

	for (i = 0; i < gpu->dev.ports; i++)
		count[owner_of(&gpu->port[i])]++;
	for (i = OWNER_LINUX; i <= OWNER_NOBODY; i++)
		kinds += count[i] > 0;
	for (i = 0; i < gpu->dev.ports && kinds; i++) {
		enum owner owner = owner_of(&gpu->port[i]);

		if (owner < OWNER_LINUX || at >= sizeof(text))
			continue;
		if (kinds > 1)
			at += snprintf(text + at, sizeof(text) - at, "%s%s %s", at ? ", " : "",
				       gpu->dev.port[i].bdf, name_of(&owner_names, owner));
		else if (!at)
			at = snprintf(text, sizeof(text), "%s at %u port%s", name_of(&owner_names, owner),
				      count[owner], plural(count[owner]));
	}
	if (kinds || count[OWNER_NONE])
		row_set(row, verdict_of(!count[OWNER_FIRMWARE] && !count[OWNER_OFF]), "sysfs", "%s",
			kinds ? text : "no port above has it");
	else
		unseen(row, gpu->dev.ports ? "the port services of Linux cannot be seen" : why_unread(gpu));
}

static void judge_aer(const struct look_gpu *gpu, struct look_row *row)
{
	judge_owner(gpu, aer_of, row);
}

static void judge_dpc(const struct look_gpu *gpu, struct look_row *row)
{
	judge_owner(gpu, dpc_of, row);
}

static void judge_hotplug(const struct look_gpu *gpu, struct look_row *row)
{
	judge_owner(gpu, hotplug_of, row);
}

static const char *size_text(uint64_t bytes, char text[32])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	unsigned int unit = 0;

	for (; unit < 3 && bytes && !(bytes % 1024); unit++)
		bytes /= 1024;
	snprintf(text, 32, "%" PRIu64 " %s", bytes, units[unit]);
	return text;
}

static void judge_register_bar(const struct look_gpu *gpu, struct look_row *row)
{
	const struct instinct_family *family = gpu->family;
	char text[32];

	if (family && gpu->resources)
		row_set(row, verdict_of(gpu->bar[family->register_bar].bytes >= family->register_bytes),
			"sysfs", "BAR %u: %s", family->register_bar,
			gpu->bar[family->register_bar].bytes ?
			size_text(gpu->bar[family->register_bar].bytes, text) : "no address");
	else
		unseen(row, family ? "sysfs does not tell" : "the module does not know the device");
}

static void judge_vram_bar(const struct look_gpu *gpu, struct look_row *row)
{
	const struct instinct_family *family = gpu->family;
	uint64_t vram = gpu->vram, bytes;
	char text[32], of[32];

	if (!family || !gpu->resources) {
		unseen(row, family ? "sysfs does not tell" : "the module does not know the device");
		return;
	}
	if (!vram && !gpu->regs.why && gpu->regs.memory_size < LOOK_MEMORY_MAX_MIB)
		vram = (uint64_t)gpu->regs.memory_size << 20;
	bytes = gpu->bar[family->vram_bar].bytes;
	row_set(row, verdict_of(bytes && bytes >= vram), "sysfs", "BAR %u: %s%s%s", family->vram_bar,
		bytes ? size_text(bytes, text) : "no address", vram ? ", the memory has " : "",
		vram ? size_text(vram, of) : "");
}

static void judge_windows(const struct look_gpu *gpu, struct look_row *row)
{
	unsigned int i, known = 0;

	for (i = 0; i < gpu->dev.ports; i++) {
		known += gpu->port[i].reaches >= 0;
		if (gpu->port[i].reaches)
			continue;
		row_set(row, LOOK_OTHERWISE, "config", "%s does not forward all BARs of the GPU",
			gpu->dev.port[i].bdf);
		return;
	}
	if (known && known == gpu->dev.ports)
		row_set(row, LOOK_AS_ASSUMED, "config", "%u ports forward all BARs of the GPU", known);
	else
		unseen(row, why_unread(gpu));
}

/* The module switches L1 off between GPU, SWDS and SWUS, and no further up. */
static void judge_aspm(const struct look_gpu *gpu, struct look_row *row)
{
	unsigned int i, known = gpu->aspm_l1 >= 0, on = gpu->aspm_l1 > 0;
	bool above = false;

	for (i = 0; i < gpu->dev.ports; i++) {
		known += gpu->port[i].aspm_l1 >= 0;
		on += gpu->port[i].aspm_l1 > 0;
		above |= gpu->port[i].aspm_l1 > 0 && !instinct_profile_port(gpu->dev.port[i].vendor,
										gpu->dev.port[i].device, -1);
	}
	if (known)
		row_set(row, verdict_of(!above), "config", "L1 on at %u of %u functions%s", on, known,
			above ? ", ports above the package among them" : "");
	else
		unseen(row, why_unread(gpu));
}

static void judge_iommu(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->group_untold)
		unseen(row, "IOMMU groups are not in the capture");
	else if (gpu->dev.iommu_group == GROUP_NONE)
		row_set(row, LOOK_OTHERWISE, "sysfs", "no group");
	else
		row_set(row, LOOK_AS_ASSUMED, "sysfs", "group %d%s%s", gpu->dev.iommu_group,
			*gpu->group_type ? ", " : "", gpu->group_type);
}

static void judge_ats(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->config)
		row_set(row, verdict_of(gpu->has_ats), "config", "%s", !gpu->has_ats ? "none" :
			gpu->ats & 0x8000 ? "on" : "off");
	else
		unseen(row, why_unread(gpu));
}

static void judge_discovery(const struct look_gpu *gpu, struct look_row *row)
{
	const struct look_blocks *blocks = &gpu->blocks;
	bool fits = gpu->family && blocks->mp1 && blocks->mp1 + gpu->family->mp1.response <
					  gpu->family->register_bytes / 4;

	if (blocks->wrong)
		row_set(row, LOOK_OTHERWISE, "memory", "%s", blocks->why);
	else if (blocks->source)
		row_set(row, verdict_of(fits), blocks->source, "MP1 at 0x%x%s", blocks->mp1,
			blocks->mp1 == 0x16000 ? "" : ", other than on known tables");
	else if (gpu->dev.fingerprint)
		row_set(row, LOOK_AS_ASSUMED, "module", "fingerprint 0x%08x", gpu->dev.fingerprint);
	else
		unseen(row, blocks->why ?: gpu->regs.why ?: "there is no table");
}

static void judge_base(const struct look_gpu *gpu, uint32_t found, uint32_t wanted,
		       struct look_row *row)
{
	if (found)
		row_set(row, verdict_of(found == wanted), gpu->blocks.source, "0x%x", found);
	else
		unseen(row, "only amdgpu's ip_discovery tells it");
}

static void judge_mp0(const struct look_gpu *gpu, struct look_row *row)
{
	judge_base(gpu, gpu->blocks.mp0, gpu->family ? gpu->family->mp0_base : 0, row);
}

static void judge_nbio(const struct look_gpu *gpu, struct look_row *row)
{
	judge_base(gpu, gpu->blocks.nbio, NBIO_BASE_1, row);
}

static void judge_first_die(const struct look_gpu *gpu, struct look_row *row)
{
	const struct look_blocks *blocks = &gpu->blocks;
	char harvest[64] = "";

	if (gpu->dies)
		snprintf(harvest, sizeof(harvest), ", %d of %u dies harvested",
			 __builtin_popcount(gpu->harvested), gpu->dies);
	if (blocks->source)
		row_set(row, verdict_of(blocks->gc), blocks->source, "GC at 0x%x%s", blocks->gc, harvest);
	else
		unseen(row, blocks->why ?: gpu->regs.why ?: "there is no discovery table");
}

static void judge_memory(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->regs.why && gpu->regs.memory_size != ~0u)
		unseen(row, gpu->regs.why);
	else
		row_set(row, verdict_of(gpu->regs.memory_size && gpu->regs.memory_size < LOOK_MEMORY_MAX_MIB),
			"registers", "0x%x MiB", gpu->regs.memory_size);
}

/* The responses that smu_cmn.c knows; 0 while the SMU serves a message, or after a reset. */
static bool is_response(uint32_t response)
{
	return response <= 1 || (response >= 0xfb && response <= 0xff);
}

static void judge_mailbox(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->regs.why || !gpu->blocks.mp1)
		unseen(row, gpu->regs.why ?: "its place is unknown without a discovery table");
	else
		row_set(row, verdict_of(is_response(gpu->regs.response)), "registers", "response 0x%x",
			gpu->regs.response);
}

static void judge_flags(const struct look_gpu *gpu, struct look_row *row)
{
	(void)gpu;
	unseen(row, "they are behind an index register, which would have to be written");
}

static void judge_sos(const struct look_gpu *gpu, struct look_row *row)
{
	if (!gpu->regs.why)
		row_set(row, verdict_of(gpu->regs.sos != ~0u), "registers", "0x%08x: %s", gpu->regs.sos,
			!gpu->regs.sos ? "no secure OS runs" : gpu->regs.sos == ~0u ? "no answer" :
			"a secure OS runs");
	else if (gpu->managed && gpu->dev.secure_os != INSTINCT_VFIO_SECURE_OS_UNKNOWN)
		row_set(row, LOOK_AS_ASSUMED, "module", "%s", name_of(&secure_os_names, gpu->dev.secure_os));
	else
		unseen(row, gpu->regs.why);
}

/* The bootloader has to be ready only while no secure OS runs. */
static void judge_bootloader(const struct look_gpu *gpu, struct look_row *row)
{
	bool module = gpu->regs.why && gpu->managed && gpu->dev.has_bootloader;
	uint32_t ready = module ? gpu->dev.c2pmsg_33 : gpu->regs.ready;
	uint32_t bootloader = module ? gpu->dev.c2pmsg_35 : gpu->regs.bootloader;
	bool runs = module ? gpu->dev.secure_os == INSTINCT_VFIO_SECURE_OS_RUNNING : gpu->regs.sos;

	if (gpu->regs.why && !module)
		unseen(row, gpu->regs.why);
	else
		row_set(row, verdict_of(runs || (ready == BOOTLOADER_READY && bootloader == BOOTLOADER_READY)),
			module ? "module" : "registers", "C2PMSG_33 0x%08x, C2PMSG_35 0x%08x", ready,
			bootloader);
}

static void judge_boot(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->regs.why)
		unseen(row, gpu->regs.why);
	else
		row_set(row, verdict_of(gpu->regs.boot_status != BOOT_FAILED && gpu->regs.boot_status != ~0u),
			"registers", "C2PMSG_92 0x%08x, C2PMSG_126 0x%08x", gpu->regs.boot_status,
			gpu->regs.boot_error);
}

static void judge_posted(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->regs.why)
		unseen(row, gpu->regs.why);
	else
		row_set(row, verdict_of(gpu->regs.posted != ~0u), "registers", "0x%08x: %sposted",
			gpu->regs.posted, gpu->regs.posted & ASIC_INIT_COMPLETE ? "" : "not ");
}

static void judge_baco(const struct look_gpu *gpu, struct look_row *row)
{
	uint32_t baco = gpu->regs.why ? ~0u : gpu->regs.baco;

	if (baco == ~0u)
		unseen(row, gpu->regs.why ?: "the place of the register is unknown");
	else
		row_set(row, verdict_of(!(baco & (BACO_EN | BACO_MODE))), "registers", "0x%08x%s", baco,
			baco & (BACO_EN | BACO_MODE) ? ": in BACO" : "");
}

/*
 * Reads a GPU's place in its hive from the register. The fields of MC_VM_XGMI_LFB_CNTL are those of
 * gc_9_4_3_sh_mask.h: the node in bits 3:0, which amdgpu shows as xgmi_physical_id, the last node in
 * bits 7:4. Returns false if the register was not read, or makes no sense.
 */
static bool read_hive(const struct look_gpu *gpu, unsigned int *node, unsigned int *nodes)
{
	uint32_t cntl = gpu->regs.why ? ~0u : gpu->regs.xgmi;

	*node = cntl & 0xf;
	*nodes = (cntl >> 4 & 0xf) + 1;
	return cntl != ~0u && *nodes <= LOOK_NODES_MAX && *node < *nodes;
}

/**
 * look_number() - number a GPU that amdgpu does not number, by its register or by the module
 * @gpu: GPU, changed
 *
 * A GPU alone is node 0 of 1, on whichever place of the board, so that gives it no number.
 */
void look_number(struct look_gpu *gpu)
{
	unsigned int node, nodes;

	if (gpu->oam >= 0)
		return;
	if (read_hive(gpu, &node, &nodes)) {
		gpu->oam = nodes > 1 ? (int)node : -1;
		gpu->oam_source = "registers";
	} else {
		gpu->oam = device_oam(&gpu->dev);
		gpu->oam_source = "module";
	}
}

static void judge_hive(const struct look_gpu *gpu, struct look_row *row)
{
	uint32_t cntl = gpu->regs.why ? ~0u : gpu->regs.xgmi;
	const char *source = "registers";
	unsigned int nodes, node;
	char number[32] = "";

	if (read_hive(gpu, &node, &nodes)) {
		/* The registers come first. */
	} else if (gpu->dev.hive_nodes) {
		nodes = gpu->dev.hive_nodes;
		node = gpu->dev.hive_node;
		source = "module";
	} else if (gpu->hive_nodes) {
		nodes = gpu->hive_nodes;
		source = "amdgpu";
	} else {
		nodes = 0;
	}
	if (!nodes && cntl != ~0u)
		row_set(row, LOOK_OTHERWISE, source, "0x%08x", cntl);
	else if (!nodes)
		unseen(row, gpu->regs.why ?: "the place of its register is unknown");
	if (!nodes)
		return;
	if (strcmp(source, "amdgpu"))
		snprintf(number, sizeof(number), "node %u of ", node);
	row_set(row, verdict_of(gpu->family && gpu->family->solitary ? nodes == 1 :
				nodes == gpu->relatives), source, "%s%u node%s, %u such GPU%s in the host",
		number, nodes, plural(nodes), gpu->relatives, plural(gpu->relatives));
}

static void judge_oam(const struct look_gpu *gpu, struct look_row *row)
{
	if (gpu->oam < 0)
		unseen(row, "amdgpu or the hive's register tells it");
	else
		row_set(row, verdict_of(gpu->oam < LOOK_NODES_MAX && !gpu->oam_twice), gpu->oam_source, "%d%s",
			gpu->oam, gpu->oam_twice ? ", as another GPU says too" : "");
}

static bool is_one_of(const char *word, const char *const words[], unsigned int count)
{
	while (count--)
		if (!strcmp(word, words[count]))
			return true;
	return false;
}

/* nbio_7_9_0_sh_mask.h: one bit for each mode, and 8 in bits 3:0 if another one is requested. */
static void judge_memory_partition(const struct look_gpu *gpu, struct look_row *row)
{
	static const char *const modes[] = { "NPS1", "NPS2", "NPS4", "NPS8" };
	static const uint8_t bits[] = { 0x01, 0x02, 0x08, 0x80 };
	uint32_t status = gpu->regs.why ? ~0u : gpu->regs.memory;
	unsigned int i;

	for (i = 0; status != ~0u && i < sizeof(bits); i++)
		if ((status >> PARTITION_SHIFT & 0xff) == bits[i]) {
			row_set(row, verdict_of((status & 0xf) != 8), "registers", "%s%s", modes[i],
				(status & 0xf) == 8 ? ", another is requested" : "");
			return;
		}
	if (status != ~0u)
		row_set(row, LOOK_OTHERWISE, "registers", "0x%08x", status);
	else if (gpu->dev.partition != INSTINCT_VFIO_PARTITION_ANY)
		row_set(row, verdict_of(!gpu->dev.partition_next), "module", "NPS%u%s",
			1u << (gpu->dev.partition - INSTINCT_VFIO_PARTITION_NPS1),
			gpu->dev.partition_next ? ", another is requested" : "");
	else if (*gpu->memory_mode)
		row_set(row, verdict_of(is_one_of(gpu->memory_mode, modes, 4)), "amdgpu", "%s",
			gpu->memory_mode);
	else
		unseen(row, gpu->regs.why ?: "the place of its register is unknown");
}

static void judge_compute_partition(const struct look_gpu *gpu, struct look_row *row)
{
	static const char *const modes[] = { "SPX", "DPX", "TPX", "QPX", "CPX" };
	uint32_t status = gpu->regs.why ? ~0u : gpu->regs.compute, mode = status >> PARTITION_SHIFT & 0xf;

	if (status != ~0u && mode < 5)
		row_set(row, LOOK_AS_ASSUMED, "registers", "%s", modes[mode]);
	else if (status != ~0u)
		row_set(row, LOOK_OTHERWISE, "registers", "0x%08x", status);
	else if (gpu->dev.compute != INSTINCT_VFIO_COMPUTE_UNKNOWN)
		row_set(row, LOOK_AS_ASSUMED, "module", "%s", name_of(&compute_names, gpu->dev.compute));
	else if (*gpu->compute_mode)
		row_set(row, verdict_of(is_one_of(gpu->compute_mode, modes, 5)), "amdgpu", "%s",
			gpu->compute_mode);
	else
		unseen(row, gpu->regs.why ?: "the place of its register is unknown");
}

const struct assumption assumptions_host[] = {
	{ "lockdown", "the kernel is not locked down",
	  "the kernel loads only signed modules, and no program maps a register",
	  .judge_host = judge_lockdown },
	{ "placeholders", "no placeholder 1000:02b2 is in a GPU's package",
	  "a switch answers for the GPU, and the module writes nothing to it",
	  .judge_host = judge_placeholders },
	{ "switch-firmware", "the switch lets config writes through",
	  "the module writes again until each register holds",
	  .judge_host = judge_firmware },
};

const struct assumption assumptions_gpu[] = {
	{ "ids", "the module knows the device", "the module does not take the GPU", .judge = judge_ids },
	{ "virtual-functions", "no virtual function is enabled",
	  "the module does not take the GPU", .judge = judge_functions },
	{ "package", "SWDS is right above the GPU, and SWUS above that",
	  "the module restores no port, and the method bus is not available", .judge = judge_package },
	{ "aer", "Linux owns the errors of the ports above",
	  "the firmware hears of a reset's errors, and may end the host", .judge = judge_aer },
	{ "dpc", "Linux owns the containment of the ports above",
	  "the module cannot keep a port from shutting the link during a reset", .judge = judge_dpc },
	{ "hot-plug", "Linux owns the hot-plug events of the ports above",
	  "a reset may look like a removal of the GPU", .judge = judge_hotplug },
	{ "register-bar", "BAR 5 has the registers, at least 512 KiB",
	  "the module has no mailbox, and can only quiesce the GPU", .judge = judge_register_bar },
	{ "vram-bar", "BAR 0 covers the whole video memory",
	  "the module does not find the discovery table", .judge = judge_vram_bar },
	{ "windows", "the ports above forward all BARs",
	  "no driver reaches the registers until a reset or a rescan restores the path",
	  .judge = judge_windows },
	{ "aspm", "no port above the package lets its link go to L1",
	  "the module leaves L1 on there; pcie_aspm=off switches it off", .judge = judge_aspm },
	{ "iommu", "the GPU has an IOMMU group", "VFIO cannot hand the GPU to a guest", .judge = judge_iommu },
	{ "ats", "the GPU has ATS",
	  "the IOMMU does not block its DMA during a reset, and DMA between devices goes through the IOMMU",
	  .judge = judge_ats },
	{ "discovery", "the discovery table is valid, and has MP1 in the register BAR",
	  "mode-1 is not available, unless policy gives the place of the mailbox", .judge = judge_discovery },
	{ "mp0-base", "MP0 is at 0x16000",
	  "the module reads other registers for those of the bootloader: do not use mode-1",
	  .judge = judge_mp0 },
	{ "nbio-base", "base 1 of NBIO is 0x14",
	  "the module clears another register than BIOS_SCRATCH_7 after a reset", .judge = judge_nbio },
	{ "first-die", "the first die that is not harvested has the register of the hive",
	  "the module does not know the GPU's number in the hive", .judge = judge_first_die },
	{ "memory-size", "it is readable, not 0, and below 0x80000 MiB",
	  "the module takes the GPU for lost", .judge = judge_memory },
	{ "mailbox", "the SMU's response is a known one",
	  "the module's test message decides whether mode-1 is available", .judge = judge_mailbox },
	{ "mp1-flags", "the SMU's firmware runs (MP1_FIRMWARE_FLAGS, bit 0)",
	  "the SMU answers no message, and the module cannot reset the GPU by mode-1", .judge = judge_flags },
	{ "sos", "its sign of life is readable",
	  "the module cannot prove a reset by the secure OS that has gone", .judge = judge_sos },
	{ "bootloader", "both registers read 0x80000000 while no secure OS runs",
	  "the module waits for that when it takes the GPU", .judge = judge_bootloader },
	{ "boot-status", "the last boot has not failed", "the module reports a failed boot", .judge = judge_boot },
	{ "posted", "BIOS_SCRATCH_7 is readable",
	  "the next guest's driver may not post the VBIOS after a reset", .judge = judge_posted },
	{ "baco", "no driver has left the GPU in BACO (bus active, chip off)",
	  "its chip sleeps, as GIM may leave it: load GIM again or power the host off before a bind",
	  .judge = judge_baco },
	{ "hive", "it has as many nodes as the host has such GPUs",
	  "the module refuses mode-1 for every member; where the hardware names one node, policy decides",
	  .judge = judge_hive },
	{ "oam", "each GPU has its own number, below 8",
	  "sensors of a BMC cannot be assigned to GPUs by it", .judge = judge_oam },
	{ "memory-partition", "one of NPS1, 2, 4 and 8, and no other is requested",
	  "the next reset may bring another partition", .judge = judge_memory_partition },
	{ "compute-partition", "one of SPX, DPX, TPX, QPX and CPX",
	  "the module does not know the compute partition", .judge = judge_compute_partition },
};

const size_t assumptions_hosts = sizeof(assumptions_host) / sizeof(assumptions_host[0]);
const size_t assumptions_gpus = sizeof(assumptions_gpu) / sizeof(assumptions_gpu[0]);
