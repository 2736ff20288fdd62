// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contents of the GPU's BARs: registers, the SMU's mailbox, VRAM.
 *
 * The registers are plain memory in QEMU (nvme's controller memory buffer), so a thread
 * polls the mailbox every 2 ms, and writes all ones over the registers for as long as a
 * reset blocks them. It touches the BARs only under the tree's lock and while the real
 * function decodes them at the address that it has mapped.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "model.h"

/* Byte offsets in BAR 5; dword offsets times 4 of amdgpu's headers. */
#define REG_MEMSIZE		0x0378c	/* MiB; NBIF RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE */
#define REG_MSIX		0x42000
#define REG_BIOS_SCRATCH_7	0x0014c	/* NBIO BIF_BX0_BIOS_SCRATCH_7 */
#define REG_STRAP		0x034d8	/* NBIF RCC_DEV0_EPF0_STRAP0 */
#define REG_BOOTLOADER		0x58184	/* MP0 C2PMSG_33 */
#define REG_BOOTLOADER2		0x5818c	/* MP0 C2PMSG_35 */
#define REG_BOOT_STATUS		0x58270	/* MP0 C2PMSG_92 */
#define REG_BOOT_ERROR		0x582f8	/* MP0 C2PMSG_126 */
#define REG_SOS			0x58244	/* MP0 C2PMSG_81 */
#define REG_PARTITION_COMPUTE	0x03a0c	/* NBIO BIF_BX_PF0_PARTITION_COMPUTE_STATUS */
#define REG_PARTITION_MEMORY	0x03a10	/* NBIO BIF_BX_PF0_PARTITION_MEM_STATUS */
#define REG_XGMI		0x0a55c	/* GC MC_VM_XGMI_LFB_CNTL */
#define REG_XGMI_1		((IM_GC1 + 0x957) * 4)
#define REG_SMN_DATA		0x0003c
#define REG_SMU_MESSAGE		0x58a08	/* MP1 C2PMSG_66 */
#define REG_SMU_ARGUMENT	0x58a48	/* MP1 C2PMSG_82 */
#define REG_SMU_RESPONSE	0x58a68	/* MP1 C2PMSG_90 */

#define STRAP			0x11000000u	/* function 0 is enabled, revision A1 */
#define BOOTLOADER_READY	BIT(31)
#define BOOT_STEADY		0xba
#define BOOT_FAILED		0x800f0000u
#define BOOT_HBM_TEST		BIT(6)
#define SOS_RUNS		0x00365f00	/* a made-up version */
#define MSIX_TABLE_BYTES	48
#define MSIX_PBA_FROM_TABLE	0x1000

/* smu_v13_0_6_ppsmc.h */
#define SMU_TEST		0x1
#define SMU_GET_VERSION		0x2
#define SMU_RESET		0x3
#define SMU_RESET_MODE1		0x1
#define SMU_RESET_MODE2		0x2
#define SMU_RESET_AFTER_RAS	BIT(16)
#define SMU_VERSION		0x00557500
#define SMU_OK			0x01
#define SMU_NONSENSE		0x2a	/* no SMU defines this answer */
#define SMU_BUSY		0xfc
#define SMU_PREREQUISITE	0xfd
#define SMU_UNKNOWN		0xfe
#define SMU_FAILED		0xff

#define ASIC_INIT_COMPLETE	0x200	/* the VBIOS has been posted */

#define NVME_PMRCTL		0xe04
#define NVME_PMRCTL_EN		BIT(0)

#define SCRUB_BYTES		SZ_256K
#define SCRUB_STEP		SZ_2M
#define SCRUB_STEP_BYTES	256
#define CHUNK			SZ_4K

/* Registers that a reset blocks: only those that drivers read, since each write exits to
 * QEMU. show_boot() leaves out the first two, the MSI-X table and PBA.
 */
static const struct {
	u32 start, size;
} pages[] = {
	{ REG_MSIX, 0x40 },
	{ REG_MSIX + MSIX_PBA_FROM_TABLE, 0x10 },
	{ 0x58100, 0x180 },
	{ 0x58a00, 0x80 },
	{ IM_REG_DMA, 0x10 },
	{ 0x03780, 0x20 },
	{ 0x03a00, 0x20 },
	{ 0x0a540, 0x40 },
	{ REG_XGMI_1, 4 },
	{ 0x00000, 0x80 },
	{ REG_STRAP, 8 },
	{ REG_BIOS_SCRATCH_7, 4 },
};

static struct task_struct *worker;
static atomic_t kicked;

/**
 * im_regs_kick() - make the thread visit all GPUs now
 *
 * Context: any.
 */
void im_regs_kick(void)
{
	atomic_set(&kicked, 1);
	if (worker)
		wake_up_process(worker);
}

/**
 * im_regs_decoded() - whether QEMU's function decodes a BAR at an address
 * @g: the GPU
 * @bar: the BAR
 * @at: the address
 *
 * Context: any, with the tree's lock held.
 * Return: true if the BAR can be accessed there.
 */
bool im_regs_decoded(struct im_gpu *g, enum im_bar bar, u64 at)
{
	return (g->real_command & PCI_COMMAND_MEMORY) && at && g->real_bar[bar] == at &&
	       im_real_reached(g);
}

/**
 * im_regs_where() - find the address at which QEMU's function decodes a BAR
 * @g: the GPU
 * @bar: the BAR
 *
 * Context: any, without the tree's lock.
 * Return: the address, or 0 if QEMU's function does not decode the BAR.
 */
u64 im_regs_where(struct im_gpu *g, enum im_bar bar)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;
	u64 at;

	raw_spin_lock_irqsave(&tree->lock, flags);
	at = im_regs_decoded(g, bar, g->real_bar[bar]) ? g->real_bar[bar] : 0;
	raw_spin_unlock_irqrestore(&tree->lock, flags);
	return at;
}

static void fill(void __iomem *to, u64 value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += sizeof(value))
		writeq(value, to + i);
}

static void write_msix(struct im_gpu *g)
{
	size_t i;

	for (i = 0; i < MSIX_TABLE_BYTES; i += 16) {
		writeq(0, g->regs + REG_MSIX + i);
		writeq(1ull << 32, g->regs + REG_MSIX + i + 8);	/* masked */
	}
	writeq(0, g->regs + REG_MSIX + MSIX_PBA_FROM_TABLE);
}

/**
 * im_regs_map() - map a part of a real BAR
 * @at: its address
 * @size: in bytes
 *
 * A driver that believes a false BAR may place it anywhere, even over system RAM.
 *
 * Context: process.
 * Return: the mapping, for iounmap(), or NULL.
 */
void __iomem *im_regs_map(u64 at, u64 size)
{
	if (at > iomem_resource.end - size)
		return NULL;
	if (region_intersects(at, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) != REGION_DISJOINT)
		return NULL;
	return ioremap(at, size);
}

/* Return: true if the model shows no registers. */
static bool is_shut(const struct im_gpu *g)
{
	return g->blocked || g->gated;
}

/* Return: true if the model can access the registers. */
static bool is_mapped(struct im_gpu *g)
{
	return g->regs && im_regs_decoded(g, IM_REGS, g->regs_at);
}

/**
 * im_regs_sleep() - hide the registers of a GPU that enters D3hot
 * @g: the GPU
 *
 * The thread hides VRAM a moment later.
 *
 * Context: any, with the tree's lock held.
 */
void im_regs_sleep(struct im_gpu *g)
{
	unsigned int page, kept = 0;
	u32 at;

	if (is_shut(g) || !is_mapped(g))
		return;
	for (page = 0; page < ARRAY_SIZE(pages); page++)
		for (at = 0; at < pages[page].size && kept < IM_KEPT_MAX; at += sizeof(u64))
			g->kept[kept++] = readq(g->regs + pages[page].start + at);
	for (page = 0; page < ARRAY_SIZE(pages); page++)
		fill(g->regs + pages[page].start, ~0ull, pages[page].size);
	g->gated = true;
	im_regs_kick();
}

/**
 * im_regs_wake() - show the registers of a GPU that has left D3hot
 * @g: the GPU
 *
 * The thread does so later if the model cannot access them now.
 *
 * Context: any, with the tree's lock held.
 */
void im_regs_wake(struct im_gpu *g)
{
	unsigned int page, kept = 0;
	u32 at;

	if (!g->gated || !is_mapped(g))
		return;
	for (page = 0; page < ARRAY_SIZE(pages); page++)
		for (at = 0; at < pages[page].size && kept < IM_KEPT_MAX; at += sizeof(u64))
			writeq(g->kept[kept++], g->regs + pages[page].start + at);
	g->gated = false;
	im_regs_kick();
}

/* Map the register BAR anew if it has moved. */
static void map_regs(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	void __iomem *regs, *old;
	unsigned long flags;
	u64 at;

	at = im_regs_where(g, IM_REGS);
	if (!at || at == g->regs_at)
		return;

	regs = im_regs_map(at, g->bar_size[IM_REGS]);
	if (!regs)
		return;

	raw_spin_lock_irqsave(&tree->lock, flags);
	old = g->regs;
	g->regs = regs;
	g->regs_at = at;
	raw_spin_unlock_irqrestore(&tree->lock, flags);
	if (old)
		iounmap(old);
}

/* Return: true if all of the range was written. */
static bool fill_regs(struct im_gpu *g, u32 start, u32 size, u64 value)
{
	struct im_tree *tree = g->func->tree;
	u32 end = start + size;
	unsigned long flags;
	bool done = true;

	for (; start < end && done; start += CHUNK) {
		raw_spin_lock_irqsave(&tree->lock, flags);
		done = g->regs && im_regs_decoded(g, IM_REGS, g->regs_at);
		if (done)
			fill(g->regs + start, value, min_t(u32, CHUNK, end - start));
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
	return done;
}

/* Copy @data to VRAM, or zeros if it is NULL. Return: true if all was written. */
static bool write_vram(struct im_gpu *g, u64 start, u64 size, const u8 *data)
{
	struct im_tree *tree = g->func->tree;
	void __iomem *vram;
	unsigned long flags;
	bool done = true;
	u64 at, i;

	at = im_regs_where(g, IM_VRAM);
	vram = at ? im_regs_map(at + start, size) : NULL;
	if (!vram)
		return false;

	for (i = 0; i < size && done; i += CHUNK) {
		size_t len = min_t(u64, CHUNK, size - i);

		raw_spin_lock_irqsave(&tree->lock, flags);
		done = im_regs_decoded(g, IM_VRAM, at);
		if (done && data)
			memcpy_toio(vram + i, data + i, len);
		else if (done)
			memset_io(vram + i, 0, len);
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
	iounmap(vram);
	return done;
}

/* nvme maps its persistent memory region, the VRAM, only while this bit is set. The bit lies
 * in the doorbell BAR, so a driver that writes there can hide VRAM until the next reset.
 */
static bool switch_vram(struct im_gpu *g, bool on)
{
	void __iomem *nvme;
	bool enabled;
	u64 at;

	if (READ_ONCE(g->vram_enabled) == on)
		return true;
	at = im_regs_where(g, IM_DOORBELLS);
	nvme = at ? im_regs_map(at, SZ_4K) : NULL;
	if (!nvme)
		return false;
	writel(on ? NVME_PMRCTL_EN : 0, nvme + NVME_PMRCTL);
	enabled = readl(nvme + NVME_PMRCTL) == NVME_PMRCTL_EN;
	iounmap(nvme);
	WRITE_ONCE(g->vram_enabled, enabled);
	return enabled == on;
}

static bool enable_vram(struct im_gpu *g)
{
	return switch_vram(g, true);
}

static bool write_discovery(struct im_gpu *g)
{
	u8 *table;
	bool done;

	table = kzalloc(IM_DISCOVERY_SIZE, GFP_KERNEL);
	if (!table)
		return false;
	im_discovery_build(table, READ_ONCE(g->set[IM_DISCOVERY]), g->index,
			   READ_ONCE(g->set[IM_HARVESTED]));
	done = write_vram(g, g->bar_size[IM_VRAM] - IM_DISCOVERY_FROM_END,
			  IM_DISCOVERY_SIZE, table);
	kfree(table);
	return done;
}

/* Wipe the first bytes of each further step, where qualify writes. All of VRAM would take too long.
 * Return: true if all was written.
 */
static bool scrub_steps(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	u64 size = g->bar_size[IM_VRAM], i;
	void __iomem *vram;
	unsigned long flags;
	bool done = true;
	u64 at;

	at = im_regs_where(g, IM_VRAM);
	vram = at ? im_regs_map(at, size) : NULL;
	if (!vram)
		return false;

	for (i = SCRUB_STEP; i < size && done; i += SCRUB_STEP) {
		raw_spin_lock_irqsave(&tree->lock, flags);
		done = im_regs_decoded(g, IM_VRAM, at);
		if (done)
			memset_io(vram + i, 0, SCRUB_STEP_BYTES);
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
	iounmap(vram);
	return done;
}

static void scrub(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;

	if (!READ_ONCE(g->scrub) || !enable_vram(g) ||
	    !write_vram(g, 0, min_t(u64, SCRUB_BYTES, g->bar_size[IM_VRAM]), NULL) ||
	    !scrub_steps(g))
		return;

	raw_spin_lock_irqsave(&tree->lock, flags);
	g->scrub = false;
	g->count[IM_N_SCRUBS]++;
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/* Give VRAM the contents that it has after a reset. Return: true if all was written. */
static bool boot_vram(struct im_gpu *g)
{
	scrub(g);
	/* scrub() fails while VRAM is not decoded; the next visit tries again. */
	if (READ_ONCE(g->scrub) || !enable_vram(g))
		return false;
	WRITE_ONCE(g->discovery_stale, false);
	return write_discovery(g);
}

/* Write all ones over the registers that a reset blocks. */
static void block(struct im_gpu *g, unsigned int generation)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;
	int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		if (!fill_regs(g, pages[i].start, pages[i].size, ~0ull))
			return;
	if (!boot_vram(g))
		return;
	raw_spin_lock_irqsave(&tree->lock, flags);
	g->filled = generation;
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

static u32 sos(const struct im_gpu *g)
{
	return g->set[IM_SOS] == IM_SOS_NONE ? 0 : SOS_RUNS;
}

/* Show the GPU's place in the hive and its partitions: NPS1, 2, 4 or 8, each with as many
 * compute partitions (SPX, DPX, QPX, CPX).
 */
static void say_what_it_is(struct im_gpu *g)
{
	u32 nodes = g->set[IM_HIVE_NODES], parts = g->set[IM_PARTITION];
	u32 xgmi, compute = parts == 4 ? 3 : parts == 8 ? 4 : parts - 1;

	writel(STRAP | ((g->set[IM_GPU_ID] ?: im_board->gpu) & 0xffff), g->regs + REG_STRAP);
	xgmi = nodes ? (nodes - 1) << 4 | (g->index & 0xf) : 0;
	writel(g->set[IM_HARVESTED] ? ~0 : xgmi, g->regs + REG_XGMI);
	writel(xgmi, g->regs + REG_XGMI_1);
	writel(!g->set[IM_MP1], g->regs + REG_SMN_DATA);
	writel(compute << 4, g->regs + REG_PARTITION_COMPUTE);
	writel(0x10 << (parts - 1) | (g->set[IM_PARTITION_NEXT] ? 8 : 0),
	       g->regs + REG_PARTITION_MEMORY);
}

/* A setting can have a GPU start anew, as at the host's boot. */
static bool is_starting(const struct im_gpu *g)
{
	return ktime_get_boottime_ns() < g->ready_at + (u64)g->set[IM_BOOTLOADER_MS] * NSEC_PER_MSEC;
}

/* Show the state of the bootloader and the secure OS, the hive and the partitions. */
static void boot(struct im_gpu *g)
{
	bool busy = is_starting(g);
	bool memory = !busy && g->set[IM_BOOTLOADER] == IM_BOOTLOADER_MEMORY;
	bool fails = memory || (!busy && g->set[IM_BOOTLOADER] == IM_BOOTLOADER_FAILS);
	u32 state = busy || fails ? 0 : BOOTLOADER_READY;

	g->boots = busy;
	writel(fails ? BOOT_FAILED : busy ? 0 : BOOT_STEADY, g->regs + REG_BOOT_STATUS);
	writel(memory ? BOOT_HBM_TEST : 0, g->regs + REG_BOOT_ERROR);
	writel(state, g->regs + REG_BOOTLOADER2);
	writel(g->set[IM_BOOTLOADER] == IM_BOOTLOADER_BUSY ? 0 : state, g->regs + REG_BOOTLOADER);
	writel(sos(g), g->regs + REG_SOS);
	say_what_it_is(g);
}

/* Show the state of a chip that has just booted, with the tree's lock held. The memory size comes
 * last, since drivers wait for it.
 */
static void show_boot(struct im_gpu *g)
{
	int i;

	for (i = 2; i < ARRAY_SIZE(pages); i++)
		fill(g->regs + pages[i].start, 0, pages[i].size);
	if (!g->opened)
		write_msix(g);
	boot(g);
	writel(ASIC_INIT_COMPLETE, g->regs + REG_BIOS_SCRATCH_7);
	writel(g->mode1_silent ? 0 : SMU_OK, g->regs + REG_SMU_RESPONSE);
	writel(g->bar_size[IM_VRAM] >> 20, g->regs + REG_MEMSIZE);
	g->blocked = readl(g->regs + REG_MEMSIZE) != g->bar_size[IM_VRAM] >> 20;
}

/* Unblock the registers, unless the GPU was reset again or the host has opened them meanwhile. */
static void unblock(struct im_gpu *g, unsigned int generation)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;

	if (g->filled != generation && !boot_vram(g))
		return;
	raw_spin_lock_irqsave(&tree->lock, flags);
	if (g->blocked && g->generation == generation && g->regs &&
	    im_regs_decoded(g, IM_REGS, g->regs_at))
		show_boot(g);
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/**
 * im_regs_open() - show the registers to a host that has just turned memory decoding on
 * @g: the GPU, which decodes memory again after a reset
 *
 * Hardware shows them at once. The thread has prepared VRAM by then, unless the GPU was ready
 * within milliseconds, or the BARs moved; then this function only overwrites the registers that
 * drivers wait for, which still hold values from before the reset, and the MSI-X table, which
 * the host writes right after the config space. The thread does the rest.
 *
 * Context: any, with the tree's lock held.
 */
void im_regs_open(struct im_gpu *g)
{
	if (!g->regs || !im_regs_decoded(g, IM_REGS, g->regs_at))
		return;
	if (g->filled == g->generation) {
		show_boot(g);
	} else {
		writel(~0, g->regs + REG_MEMSIZE);
		writel(~0, g->regs + REG_BOOTLOADER);
		writel(~0, g->regs + REG_BOOTLOADER2);
		writel(~0, g->regs + REG_SOS);
		writel(~0, g->regs + REG_SMU_RESPONSE);
		write_msix(g);
	}
	g->opened = true;
}

/**
 * im_regs_posted() - whether a guest's driver would take the VBIOS for posted
 * @g: the GPU
 *
 * Context: any, with the tree's lock held.
 * Return: true if the register says so.
 */
bool im_regs_posted(struct im_gpu *g)
{
	return !is_shut(g) && is_mapped(g) && readl(g->regs + REG_BIOS_SCRATCH_7) & ASIC_INIT_COMPLETE;
}

/**
 * im_regs_show() - show the settings in the GPU's registers
 * @g: the GPU
 *
 * Context: any, with the tree's lock held.
 */
void im_regs_show(struct im_gpu *g)
{
	if (is_shut(g) || !is_mapped(g))
		return;
	writel(sos(g), g->regs + REG_SOS);
	say_what_it_is(g);
}

/**
 * im_regs_power_on() - boot a GPU before its first use
 * @g: the GPU; the kernel has just assigned its BARs
 *
 * Context: process, before the thread runs.
 */
void im_regs_power_on(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;

	raw_spin_lock_irqsave(&tree->lock, flags);
	im_real_sync(g);
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	map_regs(g);
	unblock(g, g->generation);
}

static u32 reset_message(struct im_gpu *g, u32 argument)
{
	u32 mode = argument & ~SMU_RESET_AFTER_RAS;

	if (mode != SMU_RESET_MODE1 && mode != SMU_RESET_MODE2)
		return SMU_FAILED;

	if (mode == SMU_RESET_MODE1) {
		g->count[IM_N_MODE1_REQUESTS]++;
		g->count[IM_N_MODE1_FATAL] += !!(argument & SMU_RESET_AFTER_RAS);
		g->asked = ktime_get_boottime_ns();
	}
	if (g->set[IM_MODE1] == IM_RESET_REFUSE ||
	    (g->set[IM_MODE1] == IM_RESET_FATAL && !(argument & SMU_RESET_AFTER_RAS)))
		return SMU_PREREQUISITE;
	if (g->set[IM_MODE1] == IM_RESET_TIMEOUT)
		return 0;

	if (mode == SMU_RESET_MODE1 && g->set[IM_MODE1_AFTER_MS]) {
		g->mode1_due = ktime_get_boottime_ns() +
			       g->set[IM_MODE1_AFTER_MS] * NSEC_PER_MSEC;
		return g->set[IM_MODE1] == IM_RESET_HASTY ? SMU_FAILED : SMU_OK;
	}
	if (mode == SMU_RESET_MODE1)
		im_reset_mode1(g);
	else
		im_reset_mode2(g);
	return 0;
}

/* Return: the answer, 0 for none. */
static u32 take_message(struct im_gpu *g, u32 message)
{
	u32 argument = readl(g->regs + REG_SMU_ARGUMENT);

	switch (g->set[IM_MAILBOX]) {
	case IM_MAILBOX_BUSY:
		return SMU_BUSY;
	case IM_MAILBOX_REJECT:
		return SMU_FAILED;
	case IM_MAILBOX_UNKNOWN:
		return SMU_UNKNOWN;
	case IM_MAILBOX_PREREQUISITE:
		return SMU_PREREQUISITE;
	case IM_MAILBOX_NONSENSE:
		return SMU_NONSENSE;
	}

	switch (message) {
	case SMU_TEST:
		if (g->set[IM_MAILBOX] == IM_MAILBOX_DEAF)
			return 0;
		writel(argument + (g->set[IM_MAILBOX] != IM_MAILBOX_ECHO),
		       g->regs + REG_SMU_ARGUMENT);
		return SMU_OK;
	case SMU_GET_VERSION:
		writel(SMU_VERSION, g->regs + REG_SMU_ARGUMENT);
		return SMU_OK;
	case SMU_RESET:
		return reset_message(g, argument);
	default:
		return SMU_UNKNOWN;
	}
}

/* With the tree's lock held. */
static void poll_mailbox(struct im_gpu *g)
{
	u64 now = ktime_get_boottime_ns();
	u32 message, answer;

	if (g->set[IM_MAILBOX] == IM_MAILBOX_GONE)
		return;
	message = readl(g->regs + REG_SMU_MESSAGE);
	if (!message) {
		g->mail_due = 0;
		return;
	}

	if (g->set[IM_MAILBOX] == IM_MAILBOX_SLOW) {
		if (!g->mail_due)
			g->mail_due = now + g->set[IM_MAILBOX_MS] * NSEC_PER_MSEC;
		if (now < g->mail_due)
			return;
	}

	g->mail_due = 0;
	g->count[IM_N_MAILBOX_MESSAGES]++;
	writel(0, g->regs + REG_SMU_MESSAGE);
	answer = take_message(g, message);
	if (answer)
		writel(answer, g->regs + REG_SMU_RESPONSE);
}

/* Do a reset that is due, and take a message, with the tree's lock held. */
static void serve(struct im_gpu *g)
{
	im_reset_wake(g->func->tree);
	if (g->mode1_due && ktime_get_boottime_ns() >= g->mode1_due) {
		g->mode1_due = 0;
		im_reset_mode1(g);
	}
	if (!is_shut(g) && is_mapped(g))
		poll_mailbox(g);
}

/* block() takes milliseconds for one GPU. The other SMUs must stay responsive meanwhile,
 * since the host sends a reset to all members of a hive at once.
 */
static void serve_all(void)
{
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node) {
		struct im_tree *tree = g->func->tree;
		unsigned long flags;

		raw_spin_lock_irqsave(&tree->lock, flags);
		serve(g);
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
}

static bool has_l1(const struct im_func *f)
{
	return f && im_space_read(f, f->exp + PCI_EXP_LNKCTL, 2) & PCI_EXP_LNKCTL_ASPM_L1;
}

/* With the aspm setting, registers behind a link in L1 read all ones now and then. */
static bool oscillates(const struct im_gpu *g)
{
	return g->set[IM_ASPM] && has_l1(g->func) && has_l1(g->swds);
}

static void flicker(struct im_gpu *g)
{
	bool off = ++g->flicker & 8;

	writel(off ? ~0u : g->bar_size[IM_VRAM] >> 20, g->regs + REG_MEMSIZE);
	writel(off ? ~0u : BOOTLOADER_READY, g->regs + REG_BOOTLOADER2);
}

static void look_at(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	bool blocked, gated, open, touch, stale;
	unsigned int generation;
	unsigned long flags;

	map_regs(g);

	raw_spin_lock_irqsave(&tree->lock, flags);
	im_reset_trained(tree);
	if (!im_func_sleeps(g->func))
		im_regs_wake(g);
	serve(g);
	blocked = g->blocked;
	gated = g->gated;
	touch = is_mapped(g);
	if (!is_shut(g) && touch && (g->boots || is_starting(g)))
		boot(g);
	if (!is_shut(g) && touch && oscillates(g))
		flicker(g);
	generation = g->generation;
	stale = !is_shut(g) && g->discovery_stale;
	open = blocked && im_gpu_answers(g) && im_gpu_decodes(g);
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	if (!touch)
		return;
	if (!blocked)
		switch_vram(g, !gated);
	if (blocked && !open && g->filled != generation) {
		block(g, generation);
		serve_all();
	}
	if (open)
		unblock(g, generation);
	if (stale && write_discovery(g))
		WRITE_ONCE(g->discovery_stale, false);
}

static int work(void *unused)
{
	struct im_gpu *g;

	while (!kthread_should_stop()) {
		ktime_t pause = ms_to_ktime(2);

		list_for_each_entry(g, &im_gpus, node) {
			im_access_late(g);
			look_at(g);
			im_dma_work(g);
		}
		im_interrupt_deliver();
		set_current_state(TASK_IDLE);
		if (!atomic_xchg(&kicked, 0) && !kthread_should_stop())
			schedule_hrtimeout_range(&pause, NSEC_PER_MSEC / 4, HRTIMER_MODE_REL);
		__set_current_state(TASK_RUNNING);
		cond_resched();
	}
	return 0;
}

/**
 * im_regs_start() - start the thread
 *
 * Context: process.
 * Return: 0 or a negative error number.
 */
int im_regs_start(void)
{
	struct task_struct *task = kthread_run(work, NULL, "instinct-model");

	if (IS_ERR(task))
		return PTR_ERR(task);
	worker = task;
	return 0;
}

/**
 * im_regs_stop() - stop the thread and unmap the BARs
 *
 * Context: process, after the last call of im_regs_kick().
 */
void im_regs_stop(void)
{
	struct im_gpu *g;

	if (worker)
		kthread_stop(worker);
	worker = NULL;
	im_interrupt_stop();
	list_for_each_entry(g, &im_gpus, node) {
		if (g->regs)
			iounmap(g->regs);
		g->regs = NULL;
	}
}
