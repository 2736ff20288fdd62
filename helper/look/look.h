/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A census of GPUs that writes nothing: each assumption of docs/hardware.md, and what is there. */
#ifndef LOOK_H
#define LOOK_H

#include <jansson.h>

#include "core/profile.h"
#include "model.h"
#include "ownership.h"

#define LOOK_KIND	"instinct-vfio-look"
#define LOOK_VERSION	1	/* of the report's form; incremented by incompatible changes */
#define LOOK_NODES_MAX	8	/* of an XGMI hive */
#define LOOK_GIM	"gim"	/* driver of AMD's host driver for virtual functions */
#define LOOK_BARS	6
#define LOOK_WORD_BYTES	64
#define LOOK_NAMED	4	/* functions that a value names */
/* GIM accepts no larger memory size (mi300_gpuiov.c), and the module none either. */
#define LOOK_MEMORY_MAX_MIB	0x80000u

enum look_verdict {
	LOOK_UNSEEN,		/* the value cannot be seen here */
	LOOK_AS_ASSUMED,
	LOOK_OTHERWISE,
};

/**
 * struct look_port - a port above a GPU
 * @own: owners of its errors and its hot-plug events
 * @aspm_l1: its link may go to L1; negative if unknown
 * @reaches: its windows cover the GPU's memory BARs; negative if unknown
 */
struct look_port {
	struct ownership own;
	int aspm_l1;
	int reaches;
};

/**
 * struct look_blocks - places of a GPU's blocks in the register BAR, in dwords; 0 if unknown
 * @mp0: base 0 of MP0
 * @mp1: base 0 of MP1
 * @gc: base 0 of the graphics engine on the first die that is there
 * @nbio: base 1 of NBIO
 * @nbif: base 2 of the same block
 * @fingerprint: fingerprint of the IP discovery table
 * @source: source of these, or NULL without any
 * @why: reason why there is no table, or NULL
 * @wrong: there is a table, and it is not valid
 */
struct look_blocks {
	uint32_t mp0;
	uint32_t mp1;
	uint32_t gc;
	uint32_t nbio;
	uint32_t nbif;
	uint32_t fingerprint;
	const char *source;
	const char *why;
	bool wrong;
};

/**
 * struct look_registers - values of the register BAR
 * @why: reason why it was not read, or NULL
 * @memory_size: size of the video memory, MiB
 * @response: response of the SMU's mailbox, if @blocks of the GPU have MP1
 * @sos: sign of life of the secure OS
 * @ready: C2PMSG_33 of MP0
 * @bootloader: C2PMSG_35 of MP0
 * @boot_status: C2PMSG_92 of MP0
 * @boot_error: C2PMSG_126 of MP0
 * @posted: BIOS_SCRATCH_7
 * @xgmi: MC_VM_XGMI_LFB_CNTL; all ones if its place is unknown, as for the next three
 * @memory: status of the memory partition
 * @compute: status of the compute partition
 * @baco: BACO_CNTL
 */
struct look_registers {
	const char *why;
	uint32_t memory_size;
	uint32_t response;
	uint32_t sos;
	uint32_t ready;
	uint32_t bootloader;
	uint32_t boot_status;
	uint32_t boot_error;
	uint32_t posted;
	uint32_t xgmi;
	uint32_t memory;
	uint32_t compute;
	uint32_t baco;
};

/**
 * struct look_gpu - facts about a GPU
 * @dev: identity, ports, and, if the module manages the GPU, all that it knows
 * @managed: the module has the GPU
 * @family: hardware facts of its family; NULL if the module does not know the device
 * @relatives: GPUs of its family in the host, itself included
 * @late: the GPU, or a driver of it, did not answer in time; most facts are missing
 * @asleep: the GPU sleeps; nothing of it was read that could wake it
 * @used: a user may have it open
 * @revision: such as 0x00
 * @subsystem: its IDs, such as 1002:74a1
 * @power: power state, such as "D0"
 * @group_type: type of the domain of its IOMMU group, such as "DMA-FQ"
 * @group_untold: the capture has no IOMMU groups
 * @vfs: it has virtual functions
 * @config: its extended config space could be read
 * @command: Command
 * @in_d0: its Power Management registers say D0, or it has none
 * @placeholder: a switch answers in its place
 * @aspm_l1: its link may go to L1; negative if unknown
 * @has_ats: it has ATS
 * @ats: ATS Control
 * @resources: number of BARs that sysfs lists
 * @bar: addresses and sizes of its BARs
 * @port: facts about dev.port[]
 * @vram: bytes of video memory by amdgpu, 0 if unknown
 * @memory_mode: memory partition by amdgpu, ""
 * @compute_mode: compute partition by amdgpu, ""
 * @oam: number of its OAM, -1
 * @oam_source: source of @oam: "amdgpu", "registers" or "module"
 * @oam_twice: another GPU has the same number
 * @hive_nodes: nodes of its hive by amdgpu, 0
 * @harvested: harvested instances of the graphics engine by amdgpu, one bit each
 * @dies: instances of the graphics engine by amdgpu
 * @blocks: places of its blocks
 * @regs: its registers
 */
struct look_gpu {
	struct device dev;
	bool managed;
	const struct instinct_family *family;
	unsigned int relatives;
	bool late;
	bool asleep;
	bool used;
	char revision[LOOK_WORD_BYTES];
	char subsystem[LOOK_WORD_BYTES];
	char power[LOOK_WORD_BYTES];
	char group_type[LOOK_WORD_BYTES];
	bool group_untold;
	bool vfs;
	bool config;
	uint16_t command;
	bool in_d0;
	bool placeholder;
	int aspm_l1;
	bool has_ats;
	uint16_t ats;
	unsigned int resources;
	struct {
		uint64_t start;
		uint64_t bytes;
	} bar[LOOK_BARS];
	struct look_port port[PORTS_MAX];
	uint64_t vram;
	char memory_mode[LOOK_WORD_BYTES];
	char compute_mode[LOOK_WORD_BYTES];
	int oam;
	const char *oam_source;
	bool oam_twice;
	unsigned int hive_nodes;
	uint32_t harvested;
	unsigned int dies;
	struct look_blocks blocks;
	struct look_registers regs;
};

/**
 * struct look - a census
 * @anyway: read registers even where the firmware owns AER
 * @serials: the report shows serial numbers
 * @gpu: GPUs
 * @count: number of these
 * @lockdown: lockdown of the kernel, "[none] integrity confidentiality"
 * @placeholder: addresses of the first placeholder functions
 * @placeholders: number of placeholder functions
 * @misplaced: one of them is in a GPU's package
 */
struct look {
	bool anyway;
	bool serials;
	struct look_gpu *gpu;
	size_t count;
	char lockdown[LOOK_WORD_BYTES];
	char placeholder[LOOK_NAMED][BDF_BYTES];
	size_t placeholders;
	bool misplaced;
};

/**
 * struct look_row - an assumption, judged
 * @verdict: verdict
 * @source: source of the value, or NULL
 * @text: the value, or the reason why it cannot be seen
 */
struct look_row {
	enum look_verdict verdict;
	const char *source;
	char text[TEXT_BYTES];
};

/**
 * struct assumption - an assumption about the hardware or the host
 * @name: name in the report
 * @assumed: the assumption, in a few words
 * @then: what follows if it is otherwise
 * @judge: compares the facts about a GPU with it; NULL for an assumption about the host
 * @judge_host: compares the facts about the host with it, or NULL
 */
struct assumption {
	const char *name;
	const char *assumed;
	const char *then;
	void (*judge)(const struct look_gpu *gpu, struct look_row *row);
	void (*judge_host)(const struct look *look, struct look_row *row);
};

extern const struct assumption assumptions_host[], assumptions_gpu[];
extern const size_t assumptions_hosts, assumptions_gpus;

int look_run(struct look *look, const char *const *bdfs, size_t count);
void look_free(struct look *look);
json_t *look_report(const struct look *look, bool *otherwise);

/* Parts of look_run(). */
void look_sysfs(struct look_gpu *gpu);
bool look_config(struct look_gpu *gpu);
void look_number(struct look_gpu *gpu);
void look_registers(const struct look *look, struct look_gpu *gpu);
const char *look_untouched(const struct look *look, const struct look_gpu *gpu);
void look_registers_map(struct look_gpu *gpu);
void look_registers_take(struct look_gpu *gpu, const volatile uint32_t *map);

#endif /* LOOK_H */
