// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's DMA engine: a queue of one descriptor, written over and over.
 *
 * The queue's registers are memory in BAR 5, so only a reset of the GPU empties the queue.
 * QEMU's nvme does the DMA, with the GPU's own requester ID: for each round the model
 * submits an Identify command to the admin queue, and nvme writes 4 KiB of data and a
 * completion to the page that the registers name. The submission queue lies in the GPU's
 * registers, so a DMA fault can only come from that page.
 */
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/timekeeping.h>

#include "model.h"

#define REG_ADDRESS	(IM_REG_DMA + 0x0)	/* 64 bits; nvme writes the page of this address */
#define REG_PERIOD	(IM_REG_DMA + 0x8)	/* ms, 0: the queue is empty */

#define SQ		0x5b000	/* in BAR 5 */
#define SLOTS		2u

/* NVM Express Base Specification 1.4, sections 3.1 and 5.15 */
#define NVME_BYTES		SZ_8K
#define NVME_CC			0x14
#define NVME_CC_ENABLE		(4 << 20 | 6 << 16 | 1)	/* 16-byte and 64-byte entries */
#define NVME_CSTS		0x1c
#define NVME_CSTS_RDY		BIT(0)
#define NVME_CSTS_CFS		BIT(1)
#define NVME_AQA		0x24
#define NVME_ASQ		0x28
#define NVME_ACQ		0x30
#define NVME_SQ_TAIL		0x1000
#define NVME_CQ_HEAD		0x1004
#define NVME_SQE_BYTES		64
#define NVME_SQE_PRP1		24
#define NVME_SQE_CDW10		40
#define NVME_IDENTIFY		0x06
#define NVME_IDENTIFY_CTRL	0x01

/* With the tree's lock held: Bus Master is on, and the function is in D0. */
static bool may_send(const struct im_func *f)
{
	return im_space_read(f, PCI_COMMAND, 2) & PCI_COMMAND_MASTER &&
	       !(im_space_read(f, f->pm + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK);
}

/* With the tree's lock held. Return: the queue's period in ms, 0 if the engine is idle. */
static u32 period(struct im_gpu *g)
{
	if (g->blocked || g->gated || !g->regs || !im_regs_decoded(g, IM_REGS, g->regs_at) ||
	    !may_send(g->func))
		return 0;
	return readl(g->regs + REG_PERIOD);
}

/* Start nvme with an admin queue whose completions go to @to. */
static void start(struct im_gpu *g, void __iomem *nvme, u64 to)
{
	writel(0, nvme + NVME_CC);
	writel((SLOTS - 1) << 16 | (SLOTS - 1), nvme + NVME_AQA);
	writeq(g->regs_at + SQ, nvme + NVME_ASQ);
	writeq(to, nvme + NVME_ACQ);
	writel(NVME_CC_ENABLE, nvme + NVME_CC);
	g->dma.to = to;
	g->dma.slot = 0;
	g->dma.sent = false;
}

static void send(struct im_gpu *g, void __iomem *nvme)
{
	void __iomem *entry = g->regs + SQ + g->dma.slot * NVME_SQE_BYTES;
	int i;

	for (i = 0; i < NVME_SQE_BYTES; i += 8)
		writeq(0, entry + i);
	writel(NVME_IDENTIFY | (u32)(u16)g->count[IM_N_DMA_WRITES] << 16, entry);
	writeq(g->dma.to, entry + NVME_SQE_PRP1);
	writel(NVME_IDENTIFY_CTRL, entry + NVME_SQE_CDW10);
	g->dma.slot = (g->dma.slot + 1) % SLOTS;
	writel(g->dma.slot, nvme + NVME_SQ_TAIL);
	g->dma.sent = true;
}

/* A pending INTx in the real Status register means that a completion has been written.
 * Return: false if nvme has not finished its command.
 */
static bool finished(struct im_gpu *g, void __iomem *nvme, u32 status)
{
	if (!g->dma.sent)
		return true;
	if (status & NVME_CSTS_CFS)
		g->count[IM_N_DMA_FAULTS]++;
	else if (im_real_read(g->func, PCI_STATUS, 2) & PCI_STATUS_INTERRUPT)
		g->count[IM_N_DMA_WRITES]++;
	else if (status & NVME_CSTS_RDY)
		return false;
	g->dma.sent = false;
	writel(g->dma.slot, nvme + NVME_CQ_HEAD);
	return true;
}

static void run(struct im_gpu *g, void __iomem *nvme, u64 now)
{
	u32 status = readl(nvme + NVME_CSTS);
	u32 ms = period(g);
	u64 to;

	if (!finished(g, nvme, status) || !ms || now < g->dma.next)
		return;
	g->dma.next = now + ms * NSEC_PER_MSEC;
	to = readq(g->regs + REG_ADDRESS) & ~(SZ_4K - 1ull);
	if (to != g->dma.to || (status & (NVME_CSTS_RDY | NVME_CSTS_CFS)) != NVME_CSTS_RDY)
		start(g, nvme, to);
	send(g, nvme);
}

/**
 * im_dma_work() - serve the engine's queue
 * @g: the GPU
 *
 * Context: process; the model's thread only.
 */
void im_dma_work(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	u64 now = ktime_get_boottime_ns();
	void __iomem *nvme;
	unsigned long flags;
	bool due;
	u64 at;

	if (!READ_ONCE(g->set[IM_DMA]))
		return;
	raw_spin_lock_irqsave(&tree->lock, flags);
	im_reset_wake(tree);
	due = g->dma.sent || (now >= g->dma.next && period(g));
	raw_spin_unlock_irqrestore(&tree->lock, flags);
	at = due ? im_regs_where(g, IM_DOORBELLS) : 0;
	nvme = at ? im_regs_map(at, NVME_BYTES) : NULL;
	if (!nvme)
		return;

	raw_spin_lock_irqsave(&tree->lock, flags);
	if (im_regs_decoded(g, IM_DOORBELLS, at))
		run(g, nvme, now);
	raw_spin_unlock_irqrestore(&tree->lock, flags);
	iounmap(nvme);
}
