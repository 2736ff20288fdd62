// SPDX-License-Identifier: GPL-2.0-only
/*
 * What lies behind the GPU's BARs: registers, the SMU's mailbox, VRAM.
 *
 * The registers are plain memory in QEMU (nvme's controller memory buffer), so
 * a thread looks at the mailbox every other millisecond, and writes all ones
 * over the registers for as long as a reset blocks them. It touches the BARs
 * only under the tree's lock and while the real function decodes them at the
 * address that it has mapped.
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
#define REG_BOOTLOADER		0x58184	/* MP0 C2PMSG_33 */
#define REG_BOOTLOADER2		0x5818c	/* MP0 C2PMSG_35 */
#define REG_SMU_MESSAGE		0x58a08	/* MP1 C2PMSG_66 */
#define REG_SMU_ARGUMENT	0x58a48	/* MP1 C2PMSG_82 */
#define REG_SMU_RESPONSE	0x58a68	/* MP1 C2PMSG_90 */

#define BOOTLOADER_READY	BIT(31)
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
#define SMU_NONSENSE		0x2a	/* no answer that there is */
#define SMU_BUSY		0xfc
#define SMU_PREREQUISITE	0xfd
#define SMU_UNKNOWN		0xfe
#define SMU_FAILED		0xff

#define NVME_PMRCTL		0xe04
#define NVME_PMRCTL_EN		BIT(0)

#define SCRUB_BYTES		SZ_256K
#define CHUNK			SZ_4K

/* What a reset blocks of the registers: those that somebody looks at. Each write
 * costs a way out to QEMU. The MSI-X table comes first.
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
	{ 0x00000, 0x80 },
};

static struct task_struct *worker;
static atomic_t kicked;

/**
 * im_regs_kick() - have the thread look at all GPUs now
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
 * im_regs_decoded() - whether the real BAR can be touched
 * @g: the GPU
 * @bar: the BAR
 * @at: the address at which it is to be touched
 *
 * Context: any, with the tree's lock held.
 * Return: true if QEMU's function decodes it there.
 */
bool im_regs_decoded(struct im_gpu *g, enum im_bar bar, u64 at)
{
	return (g->real_command & PCI_COMMAND_MEMORY) && at && g->real_bar[bar] == at &&
	       im_real_reached(g);
}

/**
 * im_regs_where() - find where the real BAR can be touched
 * @g: the GPU
 * @bar: the BAR
 *
 * Context: any, without the tree's lock.
 * Return: its address, or 0.
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
 * im_regs_open() - what cannot wait for the thread when the way is free again
 * @g: the GPU
 *
 * The host writes the MSI-X table right after the config space. And what the
 * registers held before the reset must not pass for what they hold after it,
 * if nothing could be written over them because decoding was off.
 *
 * Context: any, with the tree's lock held.
 */
void im_regs_open(struct im_gpu *g)
{
	if (!g->regs || !im_regs_decoded(g, IM_REGS, g->regs_at))
		return;
	if (g->filled != g->generation) {
		writel(~0, g->regs + REG_MEMSIZE);
		writel(~0, g->regs + REG_BOOTLOADER);
		writel(~0, g->regs + REG_BOOTLOADER2);
		writel(~0, g->regs + REG_SMU_RESPONSE);
	}
	write_msix(g);
	g->opened = true;
}

/**
 * im_regs_map() - map a part of a real BAR
 * @at: its address
 * @size: in bytes
 *
 * A driver that was lied to about a BAR may put it anywhere, and memory would hide it.
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

/* Follow the register BAR to where it is now. */
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

/* Copy to VRAM, or zero it if there is no data. Return: true if it was done. */
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

/* nvme shows its persistent memory only once this bit is set; its registers are the
 * doorbells, so that whoever writes to those may hide it, until the next reset.
 */
static bool enable_vram(struct im_gpu *g)
{
	void __iomem *nvme;
	bool enabled;
	u64 at;

	if (READ_ONCE(g->vram_enabled))
		return true;
	at = im_regs_where(g, IM_DOORBELLS);
	nvme = at ? im_regs_map(at, SZ_4K) : NULL;
	if (!nvme)
		return false;
	writel(NVME_PMRCTL_EN, nvme + NVME_PMRCTL);
	enabled = readl(nvme + NVME_PMRCTL) == NVME_PMRCTL_EN;
	iounmap(nvme);
	WRITE_ONCE(g->vram_enabled, enabled);
	return enabled;
}

static bool write_discovery(struct im_gpu *g)
{
	u8 *table;
	bool done;

	table = kzalloc(IM_DISCOVERY_SIZE, GFP_KERNEL);
	if (!table)
		return false;
	im_discovery_build(table, READ_ONCE(g->set[IM_DISCOVERY]), g->index);
	done = write_vram(g, g->bar_size[IM_VRAM] - IM_DISCOVERY_FROM_END,
			  IM_DISCOVERY_SIZE, table);
	kfree(table);
	return done;
}

static void scrub(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;

	if (!READ_ONCE(g->scrub) || !enable_vram(g) ||
	    !write_vram(g, 0, min_t(u64, SCRUB_BYTES, g->bar_size[IM_VRAM]), NULL))
		return;

	raw_spin_lock_irqsave(&tree->lock, flags);
	g->scrub = false;
	g->count[IM_N_SCRUBS]++;
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/* All ones, until the way is free again. */
static void block(struct im_gpu *g, unsigned int generation)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		if (!fill_regs(g, pages[i].start, pages[i].size, ~0ull))
			return;
	scrub(g);
	g->filled = generation;
}

/* The state of a chip that has just booted; the memory size comes last, since
 * it is what drivers wait for.
 */
static void unblock(struct im_gpu *g, unsigned int generation)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;
	int i;

	scrub(g);
	/* Not before it is scrubbed: it may not have been decoded in that moment. */
	if (READ_ONCE(g->scrub) || !enable_vram(g) || !write_discovery(g))
		return;
	for (i = 2; i < ARRAY_SIZE(pages); i++)
		if (!fill_regs(g, pages[i].start, pages[i].size, 0))
			return;

	raw_spin_lock_irqsave(&tree->lock, flags);
	if (g->regs && im_regs_decoded(g, IM_REGS, g->regs_at) && g->generation == generation) {
		if (!g->opened)
			write_msix(g);
		writel(BOOTLOADER_READY, g->regs + REG_BOOTLOADER);
		writel(BOOTLOADER_READY, g->regs + REG_BOOTLOADER2);
		writel(SMU_OK, g->regs + REG_SMU_RESPONSE);
		writel(g->bar_size[IM_VRAM] >> 20, g->regs + REG_MEMSIZE);
		g->blocked = readl(g->regs + REG_MEMSIZE) != g->bar_size[IM_VRAM] >> 20;
		g->discovery_stale = false;
	}
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/**
 * im_regs_power_on() - let a GPU have booted before anybody looks
 * @g: the GPU; the kernel has just given it its BARs
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

	if (mode == SMU_RESET_MODE1)
		g->count[IM_N_MODE1_REQUESTS]++;
	if (g->set[IM_MODE1] == IM_RESET_REFUSE)
		return SMU_PREREQUISITE;
	if (g->set[IM_MODE1] == IM_RESET_TIMEOUT)
		return 0;

	if (mode == SMU_RESET_MODE1 && g->set[IM_MODE1_AFTER_MS]) {
		g->mode1_due = ktime_get_boottime_ns() +
			       g->set[IM_MODE1_AFTER_MS] * NSEC_PER_MSEC;
		return SMU_OK;
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
		writel(argument + 1, g->regs + REG_SMU_ARGUMENT);
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

/* What takes milliseconds for one GPU must not make the others' SMUs deaf: the members
 * of a hive are told of a reset at once.
 */
static void listen_to_all(void)
{
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node) {
		struct im_tree *tree = g->func->tree;
		unsigned long flags;

		raw_spin_lock_irqsave(&tree->lock, flags);
		if (!g->blocked && g->regs && im_regs_decoded(g, IM_REGS, g->regs_at))
			poll_mailbox(g);
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
}

static void look_at(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	bool blocked, open, touch, stale;
	unsigned int generation;
	unsigned long flags;

	map_regs(g);

	raw_spin_lock_irqsave(&tree->lock, flags);
	if (g->mode1_due && ktime_get_boottime_ns() >= g->mode1_due) {
		g->mode1_due = 0;
		im_reset_mode1(g);
	}
	blocked = g->blocked;
	touch = g->regs && im_regs_decoded(g, IM_REGS, g->regs_at);
	if (!blocked && touch)
		poll_mailbox(g);
	generation = g->generation;
	stale = !g->blocked && g->discovery_stale;
	open = blocked && im_gpu_answers(g) && im_gpu_decodes(g);
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	if (!touch)
		return;
	if (blocked && !open && g->filled != generation) {
		block(g, generation);
		listen_to_all();
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
 * im_regs_stop() - stop the thread and let go of the BARs
 *
 * Context: process; nobody may call im_regs_kick() any more.
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
