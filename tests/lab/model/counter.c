// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU's counters and its state, in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/io.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

#include "model.h"

static const char * const counter_names[IM_COUNTERS] = {
	[IM_N_FLR]		= "flr",
	[IM_N_BUS_RESET]	= "bus_reset",
	[IM_N_LINK_DISABLE]	= "link_disable",
	[IM_N_D3HOT_RESET]	= "d3hot_reset",
	[IM_N_MODE1]		= "mode1",
	[IM_N_MODE1_REQUESTS]	= "mode1_requests",
	[IM_N_MODE2]		= "mode2",
	[IM_N_MAILBOX_MESSAGES]	= "mailbox_messages",
	[IM_N_PATH_LOST]	= "path_lost",
	[IM_N_POWER_LOST]	= "power_lost",
	[IM_N_ERRORS_REPORTED]	= "errors_reported",
	[IM_N_DPC_TRIGGERED]	= "dpc_triggered",
	[IM_N_SLOT_EVENTS]	= "slot_events",
	[IM_N_SCRUBS]		= "scrubs",
	[IM_N_CONFIG_READS]	= "config_reads",
	[IM_N_CONFIG_WRITES]	= "config_writes",
	[IM_N_READS_UNANSWERED]	= "reads_unanswered",
	[IM_N_WRITES_DROPPED]	= "writes_dropped",
	[IM_N_SWITCH_DROPPED]	= "switch_dropped",
	[IM_N_SWITCH_DELAYED]	= "switch_delayed",
	[IM_N_LIES]		= "lies",
	[IM_N_BEHIND_END]	= "behind_end",
	[IM_N_PLACEHOLDER_READS] = "placeholder_reads",
	[IM_N_PLACEHOLDER_WRITES] = "placeholder_writes",
	[IM_N_MODE1_FATAL]	= "mode1_fatal",
	[IM_N_EARLY_ACCESSES]	= "early_accesses",
	[IM_N_DMA_WRITES]	= "dma_writes",
	[IM_N_DMA_FAULTS]	= "dma_faults",
};

static int counter_show(struct seq_file *m, void *unused)
{
	struct im_gpu *g = m->private;
	struct im_tree *tree = g->func->tree;
	u64 count[IM_COUNTERS], ready, acs_reads, acs_writes;
	bool posted;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&tree->lock, flags);
	memcpy(count, g->count, sizeof(count));
	if (!g->dead && ktime_get_boottime_ns() >= g->ready_at)
		g->last_ready = g->ready_at;
	ready = g->last_ready;
	posted = im_regs_posted(g);
	acs_reads = tree->acs_reads;
	acs_writes = tree->acs_writes;
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	for (i = 0; i < IM_COUNTERS; i++)
		seq_printf(m, "%s %llu\n", counter_names[i], count[i]);
	seq_printf(m, "acs_reads %llu\nacs_writes %llu\n", acs_reads, acs_writes);
	seq_printf(m, "ready_ns %llu\nposted %d\n", ready, posted);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counter);

static void show_port(struct seq_file *m, const char *name, const struct im_func *f)
{
	if (f)
		seq_printf(m, "%s buses %06x command %04x control %04x%s\n", name,
			   im_space_read(f, PCI_PRIMARY_BUS, 4) & 0xffffff,
			   im_space_read(f, PCI_COMMAND, 2),
			   im_space_read(f, PCI_BRIDGE_CONTROL, 2),
			   f->in_reset ? " in reset" : f->disabled ? " disabled" : "");
}

static int state_show(struct seq_file *m, void *unused)
{
	struct im_gpu *g = m->private;
	struct im_tree *tree = g->func->tree;
	struct im_gpu now;
	bool answers, decodes;
	unsigned long flags;
	u32 memsize = 0;

	raw_spin_lock_irqsave(&tree->lock, flags);
	now = *g;
	answers = im_gpu_answers(g);
	decodes = im_gpu_decodes(g);
	if (g->regs && (g->real_command & PCI_COMMAND_MEMORY) &&
	    g->regs_at == g->real_bar[IM_REGS] && im_real_reached(g))
		memsize = readl(g->regs + 0x378c);
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	seq_printf(m, "answers %d\ndecodes %d\ndead %d\nblocked %d\ngated %d\n",
		   answers, decodes, now.dead, now.blocked, now.gated);
	seq_printf(m, "real command %04x registers %llx vram %llx doorbells %llx\n",
		   now.real_command, now.real_bar[IM_REGS], now.real_bar[IM_VRAM],
		   now.real_bar[IM_DOORBELLS]);
	seq_printf(m, "registers mapped at %llx, memory size %08x, generation %u, filled %u, opened %d, scrub %d\n",
		   now.regs_at, memsize, now.generation, now.filled, now.opened, now.scrub);
	show_port(m, "swus", g->swus);
	show_port(m, "swds", g->swds);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

const struct file_operations * const im_counter_fops = &counter_fops;
const struct file_operations * const im_state_fops = &state_fops;
