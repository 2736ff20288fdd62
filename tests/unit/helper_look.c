// SPDX-License-Identifier: GPL-2.0-only
/* The census of qualify --look: each judgement, the guard of the registers, owners of ports. */
#include <stdlib.h>

#include "discovery_bin.h"
#include "helper_util.h"
#include "look.h"
#include "say.h"

#define NO_CAPTURE	""

static uint32_t bar[0x80000 / 4];
static struct look_gpu the_gpu;
static struct look look = { .gpu = &the_gpu, .count = 1, .lockdown = "[none] integrity" };
static struct look_row row;

/* A healthy GPU of a hive of two: read by registers, in a package below a root port. */
static struct look_gpu *fresh(void)
{
	static const struct port ports[] = {
		{ "0000:00:01.1", 0x1022, 0x14ab, PORT_ROOT_PORT },
		{ "0000:03:00.0", 0x1022, 0x1500, PORT_SWUS },
		{ "0000:04:00.0", 0x1002, 0x1501, PORT_SWDS },
	};
	struct look_gpu *gpu = &the_gpu;
	unsigned int i;

	*gpu = (struct look_gpu) {
		.dev = { .bdf = "0000:05:00.0", .vendor = 0x1002, .device = 0x74a1, .ports = 3,
			 .state = STATE_UNMANAGED, .iommu_group = 7 },
		.family = instinct_profile_find(0x1002, 0x74a1)->family, .relatives = 2,
		.revision = "0x00", .power = "D0", .config = true, .in_d0 = true, .command = 2,
		.has_ats = true, .resources = 6, .oam = -1,
		.blocks = { .mp1 = 0x16000, .gc = 0x2000, .nbif = 0xd20, .source = "memory" },
	};
	memcpy(gpu->dev.port, ports, sizeof(ports));
	for (i = 0; i < gpu->dev.ports; i++)
		gpu->port[i] = (struct look_port) {
			.own = { OWNER_LINUX, OWNER_NONE, OWNER_NONE }, .reaches = true,
		};
	gpu->bar[0].start = 1ull << 40;
	gpu->bar[0].bytes = 256ull << 30;
	gpu->bar[5].start = 0x90000000;
	gpu->bar[5].bytes = 2 << 20;
	memset(bar, 0, sizeof(bar));
	bar[0x16000 + 0x61] = 0x80000000;
	bar[0x16000 + 0x63] = 0x80000000;
	bar[0x16000 + 0x29a] = 1;
	bar[0x14c / 4] = 0x200;
	bar[0x2000 + 0x957] = 0x11;
	bar[0xd20 + 0x164] = 0x10;
	gpu->regs.memory_size = 0x30000;
	look_registers_take(gpu, bar);
	return gpu;
}

static const char *judged(const char *name, const struct look_gpu *gpu)
{
	static const char *const verdicts[] = { "unseen", "as assumed", "otherwise" };
	const struct assumption *list = gpu ? assumptions_gpu : assumptions_host;
	size_t count = gpu ? assumptions_gpus : assumptions_hosts, i;

	for (i = 0; i < count; i++) {
		if (strcmp(list[i].name, name))
			continue;
		row = (struct look_row) { .verdict = LOOK_UNSEEN };
		if (gpu)
			list[i].judge(gpu, &row);
		else
			list[i].judge_host(&look, &row);
		return verdicts[row.verdict];
	}
	return "no such assumption";
}

#define IS(name, verdict, value)					\
	do {								\
		CHECK_STR(judged(name, gpu), verdict);			\
		CHECK_STR(row.text, value);				\
	} while (0)

static void test_as_assumed(void)
{
	const struct look_gpu *gpu = fresh();
	size_t i;

	for (i = 0; i < assumptions_gpus; i++) {
		const char *name = assumptions_gpu[i].name;
		bool dark = !strcmp(name, "mp1-flags") || !strcmp(name, "mp0-base") ||
			    !strcmp(name, "nbio-base") || !strcmp(name, "oam");

		CHECK_STR(judged(name, gpu), dark ? "unseen" : "as assumed");
	}
	IS("sos", "as assumed", "0x00000000: no secure OS runs");
	IS("hive", "as assumed", "node 1 of 2 nodes, 2 such GPUs in the host");
	IS("memory-partition", "as assumed", "NPS1");
	IS("compute-partition", "as assumed", "SPX");
	IS("posted", "as assumed", "0x00000200: posted");
	IS("package", "as assumed", "SWUS 0000:03:00.0 1022:1500, SWDS 0000:04:00.0 1002:1501");
	CHECK_STR(judged("lockdown", NULL), "as assumed");
	CHECK_STR(judged("placeholders", NULL), "as assumed");
	CHECK_STR(judged("switch-firmware", NULL), "unseen");
}

static void test_registers_otherwise(void)
{
	struct look_gpu *gpu = fresh();

	bar[0x16000 + 0x61] = 0;
	bar[0x16000 + 0x9c] = 0x800f0000;
	bar[0x16000 + 0x29a] = 0x1234;
	bar[0x2000 + 0x957] = 0x71;
	bar[0xd20 + 0x164] = 0x18;
	bar[0xd20 + 0x163] = 0x50;
	bar[0xd20 + 0x10b] = 0x101;
	look_registers_take(gpu, bar);
	IS("bootloader", "otherwise", "C2PMSG_33 0x00000000, C2PMSG_35 0x80000000");
	IS("boot-status", "otherwise", "C2PMSG_92 0x800f0000, C2PMSG_126 0x00000000");
	IS("mailbox", "otherwise", "response 0x1234");
	IS("hive", "otherwise", "node 1 of 8 nodes, 2 such GPUs in the host");
	IS("memory-partition", "otherwise", "NPS1, another is requested");
	IS("compute-partition", "otherwise", "0x00000050");
	IS("baco", "otherwise", "0x00000101: in BACO");
	/* A secure OS that runs uses the registers of the bootloader for messages of its own. */
	bar[0x16000 + 0x91] = 5;
	look_registers_take(gpu, bar);
	CHECK_STR(judged("bootloader", gpu), "as assumed");
	gpu->regs.memory_size = 0x80000;
	IS("memory-size", "otherwise", "0x80000 MiB");
	gpu->regs.memory_size = 0;
	CHECK_STR(judged("memory-size", gpu), "otherwise");
	gpu->blocks.mp1 = 0x1ff00;
	IS("discovery", "otherwise", "MP1 at 0x1ff00, other than on known tables");
	/* A block outside the BAR is not read. */
	gpu->blocks.gc = 0x1fff0;
	look_registers_take(gpu, bar);
	CHECK_INT(gpu->regs.xgmi, ~0u);
	gpu->blocks = (struct look_blocks) { .wrong = true, .why = "a wrong checksum" };
	IS("discovery", "otherwise", "a wrong checksum");
	CHECK_STR(judged("first-die", gpu), "unseen");
	CHECK_STR(judged("mailbox", gpu), "unseen");
}

/* The register numbers a GPU of a hive; "node 0 of 1" of a GPU alone tells nothing. */
static void test_number(void)
{
	struct look_gpu *gpu = fresh();

	look_number(gpu);
	CHECK_INT(gpu->oam, 1);
	CHECK_STR(gpu->oam_source, "registers");
	gpu = fresh();
	gpu->regs.xgmi = 0;
	look_number(gpu);
	CHECK_INT(gpu->oam, -1);
	CHECK_STR(judged("oam", gpu), "unseen");
	gpu->regs.why = "not touched";
	gpu->dev.hive_nodes = 1;
	look_number(gpu);
	CHECK_INT(gpu->oam, -1);
	gpu->dev.hive_nodes = 8;
	gpu->dev.hive_node = 5;
	look_number(gpu);
	CHECK_INT(gpu->oam, 5);
	CHECK_STR(gpu->oam_source, "module");
	gpu->dev.hive_node = 6;
	look_number(gpu);
	CHECK_INT(gpu->oam, 5);
}

static void test_other_sources(void)
{
	struct look_gpu *gpu = fresh();

	gpu->regs = (struct look_registers) { .why = "not touched" };
	gpu->blocks = (struct look_blocks) { .mp1 = 0x16000, .mp0 = 0x16000, .nbio = 0x15, .source = "amdgpu" };
	gpu->harvested = 1;
	gpu->dies = 2;
	gpu->oam = 7;
	gpu->hive_nodes = 2;
	strcpy(gpu->memory_mode, "NPS4");
	strcpy(gpu->compute_mode, "none");
	IS("sos", "unseen", "not touched");
	IS("mp0-base", "as assumed", "0x16000");
	IS("nbio-base", "otherwise", "0x15");
	IS("first-die", "otherwise", "GC at 0x0, 1 of 2 dies harvested");
	IS("hive", "as assumed", "2 nodes, 2 such GPUs in the host");
	IS("oam", "as assumed", "7");
	gpu->oam_twice = true;
	IS("oam", "otherwise", "7, as another GPU says too");
	IS("memory-partition", "as assumed", "NPS4");
	IS("compute-partition", "otherwise", "none");
	gpu->managed = true;
	gpu->dev.secure_os = INSTINCT_VFIO_SECURE_OS_ABSENT;
	gpu->dev.has_bootloader = true;
	gpu->dev.c2pmsg_33 = 0x80000000;
	gpu->dev.hive_nodes = 8;
	gpu->dev.partition = INSTINCT_VFIO_PARTITION_NPS8;
	gpu->dev.compute = INSTINCT_VFIO_COMPUTE_CPX;
	IS("sos", "as assumed", "absent");
	CHECK_STR(row.source, "module");
	IS("bootloader", "otherwise", "C2PMSG_33 0x80000000, C2PMSG_35 0x00000000");
	IS("hive", "otherwise", "node 0 of 8 nodes, 2 such GPUs in the host");
	IS("memory-partition", "as assumed", "NPS8");
	IS("compute-partition", "as assumed", "CPX");
}

static void test_path_otherwise(void)
{
	struct look_gpu *gpu = fresh();

	gpu->port[0].own = (struct ownership) { OWNER_FIRMWARE, OWNER_LINUX, OWNER_OFF };
	gpu->port[1].own.dpc = OWNER_NOBODY;
	gpu->port[0].aspm_l1 = true;
	gpu->port[1].reaches = false;
	gpu->bar[0].bytes = 1 << 28;
	gpu->bar[5].bytes = 1 << 18;
	gpu->dev.iommu_group = GROUP_NONE;
	gpu->dev.port[2].role = PORT_OTHER;
	gpu->has_ats = false;
	gpu->vfs = true;
	IS("aer", "otherwise", "0000:00:01.1 firmware, 0000:03:00.0 linux, 0000:04:00.0 linux");
	IS("dpc", "as assumed", "0000:00:01.1 linux, 0000:03:00.0 nobody");
	IS("hot-plug", "otherwise", "off at 1 port");
	IS("aspm", "otherwise", "L1 on at 1 of 4 functions, ports above the package among them");
	IS("windows", "otherwise", "0000:03:00.0 does not forward all BARs of the GPU");
	IS("vram-bar", "otherwise", "BAR 0: 256 MiB, the memory has 192 GiB");
	IS("register-bar", "otherwise", "BAR 5: 256 KiB");
	IS("iommu", "otherwise", "no group");
	IS("package", "otherwise", "0000:04:00.0 1002:1501 (other) is above the GPU");
	IS("ats", "otherwise", "none");
	CHECK_STR(judged("virtual-functions", gpu), "otherwise");
	gpu->family = NULL;
	CHECK_STR(judged("ids", gpu), "otherwise");
	gpu->dev.ports = 0;
	gpu->asleep = true;
	IS("package", "unseen", "the GPU sleeps, so it is not touched");
	strcpy(look.placeholder[0], "0000:05:00.0");
	look.placeholders = 1;
	look.misplaced = true;
	CHECK_STR(judged("placeholders", NULL), "otherwise");
	CHECK_STR(row.text, "1: 0000:05:00.0");
	look.placeholders = 0;
	look.misplaced = false;
}

/* Each of these keeps the registers from being read. */
static void test_untouched(void)
{
	struct look_gpu *gpu = fresh();

	CHECK(!look_untouched(&look, gpu));
	opt_sysroot = "capture";
	CHECK_STR(look_untouched(&look, gpu), "a capture has no registers");
	opt_sysroot = NO_CAPTURE;
	strcpy(gpu->dev.driver, "gim");
	CHECK_STR(look_untouched(&look, gpu), "AMD's GIM has the GPU, so it is not touched");
	gpu = fresh();
	gpu->vfs = true;
	CHECK(look_untouched(&look, gpu));
	gpu = fresh();
	gpu->asleep = true;
	CHECK_STR(look_untouched(&look, gpu), "the GPU sleeps, so it is not touched");
	gpu = fresh();
	gpu->in_d0 = false;
	CHECK_STR(look_untouched(&look, gpu), "the GPU sleeps, so it is not touched");
	gpu = fresh();
	gpu->dev.state = INSTINCT_VFIO_STATE_RESETTING;
	CHECK(look_untouched(&look, gpu));
	gpu = fresh();
	gpu->dev.silent = true;
	CHECK_STR(look_untouched(&look, gpu), "the GPU is lost");
	gpu = fresh();
	gpu->used = true;
	CHECK_STR(look_untouched(&look, gpu), "a user has the GPU open, so it is not touched");
	gpu = fresh();
	gpu->command = 4;
	CHECK(look_untouched(&look, gpu));
	gpu = fresh();
	gpu->config = false;
	CHECK(look_untouched(&look, gpu));
	gpu = fresh();
	gpu->family = NULL;
	CHECK(look_untouched(&look, gpu));
	gpu = fresh();
	gpu->port[0].own.aer = OWNER_FIRMWARE;
	CHECK(look_untouched(&look, gpu));
	look.anyway = true;
	CHECK(!look_untouched(&look, gpu));
	look.anyway = false;
	gpu->port[0].own.aer = OWNER_NONE;
	CHECK(!look_untouched(&look, gpu));
	gpu->dev.ports = 0;
	CHECK(look_untouched(&look, gpu));
}

#define VRAM	(1 << 20)
#define TABLE_AT	(VRAM - (64 << 10))

/* The files of a GPU with 1 MiB of memory, and its discovery table at @at. */
static struct look_gpu *make_gpu(size_t at, uint32_t command)
{
	static const char *const folders[] = { "sys", "sys/bus", "sys/bus/pci", "sys/bus/pci/devices",
					       "sys/bus/pci/devices/0000:05:00.0" };
	static uint8_t vram[VRAM];
	uint32_t config[1024] = { 0x74a11002, command };
	struct look_gpu *gpu = fresh();
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(folders[i], 0700);
	make(4, 1);
	memset(vram, 0, sizeof(vram));
	memcpy(vram + at, bin, sizeof(bin));
	bar[0x378c / 4] = 1;
	util_write_bytes("sys/bus/pci/devices/0000:05:00.0/config", config, sizeof(config));
	util_write_bytes("sys/bus/pci/devices/0000:05:00.0/resource0", vram, sizeof(vram));
	util_write_bytes("sys/bus/pci/devices/0000:05:00.0/resource5", bar, sizeof(bar));
	gpu->blocks = (struct look_blocks) { 0 };
	gpu->regs = (struct look_registers) { 0 };
	gpu->bar[0].bytes = sizeof(vram);
	gpu->bar[5].bytes = sizeof(bar);
	opt_sysroot = ".";
	return gpu;
}

static void test_mapping(void)
{
	struct look_gpu *gpu = make_gpu(TABLE_AT, 2);

	look_registers_map(gpu);
	CHECK(!gpu->regs.why);
	CHECK_INT(gpu->regs.memory_size, 1);
	CHECK_INT(gpu->regs.bootloader, 0x80000000);
	CHECK_INT(gpu->blocks.mp1, 0x16000);
	CHECK_INT(gpu->blocks.gc, 0x1234);
	CHECK_INT(gpu->regs.response, 1);
	/* The table is elsewhere: DRIVER_SCRATCH_0 to 2 say so. */
	gpu = make_gpu(0x5004, 2);
	look_registers_map(gpu);
	CHECK(gpu->blocks.wrong);
	gpu = make_gpu(0x5004, 2);
	bar[0x250 / 4] = 0x5004;
	bar[0x258 / 4] = 1;
	util_write_bytes("sys/bus/pci/devices/0000:05:00.0/resource5", bar, sizeof(bar));
	look_registers_map(gpu);
	CHECK_INT(gpu->blocks.mp1, 0x16000);
	CHECK(!gpu->blocks.wrong);
	/* BAR 0 does not reach the table. */
	gpu = make_gpu(TABLE_AT, 2);
	gpu->bar[0].bytes = TABLE_AT;
	look_registers_map(gpu);
	CHECK(!gpu->blocks.mp1 && gpu->blocks.why);
	CHECK(!gpu->regs.why);
	/* Memory decoding has gone off since the first look. */
	gpu = make_gpu(TABLE_AT, 0);
	look_registers_map(gpu);
	CHECK_STR(gpu->regs.why, "the GPU has just stopped answering");
	gpu = make_gpu(TABLE_AT, 2);
	bar[0x378c / 4] = ~0u;
	util_write_bytes("sys/bus/pci/devices/0000:05:00.0/resource5", bar, sizeof(bar));
	look_registers_map(gpu);
	CHECK(gpu->regs.why);
	IS("memory-size", "otherwise", "0xffffffff MiB");
	unlink("sys/bus/pci/devices/0000:05:00.0/resource5");
	gpu = fresh();
	look_registers_map(gpu);
	CHECK(gpu->regs.why);
	opt_sysroot = NO_CAPTURE;
}

/* Writes the config space of a port: AER, DPC, a slot with hot-plug events. */
static void make_port(const char *path, int type)
{
	unsigned char space[4096] = { 0x22, 0x10, [6] = 0x10, [0x34] = 0x40, [0x40] = 0x10 };

	mkdir(path, 0700);
	space[0x42] = type << 4 | 2;
	space[0x43] = 1;
	space[0x54] = 0x40;
	memcpy(space + 0x100, "\x01\x00\x01\x20", 4);
	memcpy(space + 0x200, "\x1d\x00\x01\x00", 4);
	util_write_bytes("config", space, sizeof(space));
	CHECK(!chdir(path) && !rename("../config", "config") && !chdir(".."));
}

static struct ownership owners(const char *command)
{
	struct ownership own;

	util_write("proc/cmdline", command);
	ownership_read(&own, "0000:00:01.1");
	return own;
}

static void test_owners(void)
{
	static const char *const folders[] = { "sys", "sys/bus", "sys/bus/pci", "sys/bus/pci/devices", "proc" };
	struct ownership own;
	size_t i;

	opt_sysroot = ".";
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(folders[i], 0700);
	make_port("0000:00:01.1", 4);
	make_port("0000:02:00.0", 6);
	CHECK(!rename("0000:00:01.1", "sys/bus/pci/devices/0000:00:01.1"));
	CHECK(!rename("0000:02:00.0", "sys/bus/pci/devices/0000:00:01.1/0000:02:00.0"));
	CHECK(!symlink("0000:00:01.1/0000:02:00.0", "sys/bus/pci/devices/0000:02:00.0"));
	CHECK_INT(owners("ro quiet").aer, OWNER_UNKNOWN);
	mkdir("sys/bus/pci_express", 0700);
	mkdir("sys/bus/pci_express/devices", 0700);
	own = owners("ro pci=realloc=off\n");
	CHECK_INT(own.aer, OWNER_FIRMWARE);
	CHECK_INT(own.dpc, OWNER_FIRMWARE);
	CHECK_INT(own.hotplug, OWNER_FIRMWARE);
	CHECK_INT(owners("pci=realloc=off,noaer").aer, OWNER_OFF);
	CHECK_INT(owners("\"pci=noaer\"").dpc, OWNER_OFF);
	CHECK_INT(owners("pci=noaer").hotplug, OWNER_FIRMWARE);
	CHECK_INT(owners("quiet -- pci=noaer").aer, OWNER_FIRMWARE);
	CHECK_INT(owners("pcie_ports=compat").hotplug, OWNER_OFF);
	mkdir("sys/bus/pci_express/devices/0000:00:01.1:pcie002", 0700);
	mkdir("sys/bus/pci_express/devices/0000:00:01.1:pcie004", 0700);
	own = owners("");
	CHECK_INT(own.aer, OWNER_LINUX);
	CHECK_INT(own.dpc, OWNER_NOBODY);
	CHECK_INT(own.hotplug, OWNER_LINUX);
	/* A port of a switch has the owner of its root port, and containment of its own. */
	ownership_read(&own, "0000:02:00.0");
	CHECK_INT(own.aer, OWNER_LINUX);
	CHECK_INT(own.dpc, OWNER_NOBODY);
	CHECK_INT(own.hotplug, OWNER_FIRMWARE);
	mkdir("sys/bus/pci_express/devices/0000:02:00.0:pcie208", 0700);
	ownership_read(&own, "0000:02:00.0");
	CHECK_INT(own.dpc, OWNER_LINUX);
	ownership_read(&own, "0000:03:00.0");
	CHECK_INT(own.aer, OWNER_UNKNOWN);
	opt_sysroot = NO_CAPTURE;
}

int main(void)
{
	util_begin();
	RUN(test_as_assumed);
	RUN(test_registers_otherwise);
	RUN(test_number);
	RUN(test_other_sources);
	RUN(test_path_otherwise);
	RUN(test_untouched);
	RUN(test_mapping);
	RUN(test_owners);
	return unit_end();
}
