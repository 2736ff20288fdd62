// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switch above a GPU's package, and its misbehaviour towards config writes to the GPU
 * and to the package's own ports: it drops them for a while after a reset, or until an
 * event; drops one in N; delays them; answers for the GPU's BARs.
 *
 * All of this runs with the tree's lock held, in any context.
 */
#include <linux/debugfs.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "model.h"

static bool overlaps(int where, int size, int start, int len)
{
	return where < start + len && start < where + size;
}

/**
 * im_switch_gpu() - find the GPU that a function belongs to
 * @f: any function
 *
 * Return: the GPU, if @f is its function or a port of its package; else NULL.
 */
struct im_gpu *im_switch_gpu(struct im_func *f)
{
	struct im_gpu *g;

	if (f->gpu || (f->role != IM_SWUS && f->role != IM_SWDS))
		return f->gpu;
	list_for_each_entry(g, &im_gpus, node)
		if (f == g->swus || f == g->swds)
			return g;
	return NULL;
}

/* The switch's port above the package. */
static struct im_func *switch_port(const struct im_gpu *g)
{
	return g->swus ? g->swus->parent : g->func->parent;
}

/**
 * im_switch_close() - close the switch at a reset, and discard the writes that it holds
 * @g: the GPU that is reset
 */
void im_switch_close(struct im_gpu *g)
{
	g->sw->closed = g->set[IM_SWITCH_OPENS] != IM_OPENS_AT_ONCE;
	g->sw->dropped = false;
	g->sw->late_count = 0;
}

static bool covered(const struct im_gpu *g, int where, int size)
{
	switch (g->set[IM_SWITCH_RANGE]) {
	case IM_RANGE_HEADER:
		return overlaps(where, size, 0, PCI_STD_HEADER_SIZEOF);
	case IM_RANGE_BARS:
		return overlaps(where, size, PCI_BASE_ADDRESS_0, 4 * PCI_STD_NUM_BARS);
	case IM_RANGE_EXTENDED:
		return where >= PCI_CFG_SPACE_SIZE;
	default:
		return true;
	}
}

/**
 * im_switch_concerns() - whether a "where" setting covers a function
 * @where: IM_SWITCH_GPU, IM_SWITCH_PACKAGE, IM_SWITCH_BOTH or IM_SWITCH_SWDS
 * @f: a GPU's function, or a port of its package
 *
 * Return: true if it is.
 */
bool im_switch_concerns(u32 where, const struct im_func *f)
{
	switch (where) {
	case IM_SWITCH_GPU:
		return f->gpu;
	case IM_SWITCH_PACKAGE:
		return !f->gpu;
	case IM_SWITCH_SWDS:
		return f->role == IM_SWDS;
	default:
		return true;
	}
}

static bool is_closed(struct im_gpu *g)
{
	u64 opens = g->ready_at + (u64)g->set[IM_SWITCH_MS] * NSEC_PER_MSEC;

	if (g->set[IM_SWITCH_OPENS] == IM_OPENS_AT_ONCE ||
	    (g->set[IM_SWITCH_OPENS] == IM_OPENS_IN_TIME && ktime_get_boottime_ns() >= opens))
		g->sw->closed = false;
	return g->sw->closed;
}

/**
 * im_switch_log() - record a config write for the file "writes"
 * @g: the GPU
 * @write: the write
 */
void im_switch_log(struct im_gpu *g, const struct im_write *write)
{
	g->sw->log[g->sw->logged++ % IM_LOG_MAX] = *write;
}

static bool drops(struct im_gpu *g, int where, int size)
{
	if (!covered(g, where, size))
		return false;
	if (is_closed(g)) {
		g->sw->dropped = true;
		return true;
	}
	return g->set[IM_SWITCH_ONE_IN] && !(++g->sw->count % g->set[IM_SWITCH_ONE_IN]);
}

/* Return: true once the write that turns the misbehaviour on (switch_from) has come. */
static bool has_begun(struct im_gpu *g, const struct im_write *write)
{
	u32 from = g->set[IM_SWITCH_FROM];

	if (from && write->func == g->func && write->where == PCI_COMMAND &&
	    (write->val & 0xffff) == from)
		g->set[IM_SWITCH_FROM] = 0;
	return !g->set[IM_SWITCH_FROM];
}

static bool delay(struct im_gpu *g, const struct im_write *write)
{
	struct im_switch *sw = g->sw;

	if (sw->late_count == IM_LATE_MAX)
		return false;
	sw->late[(sw->late_first + sw->late_count++) % IM_LATE_MAX] = *write;
	return true;
}

/**
 * im_switch_passes() - whether the switch forwards a config write at once
 * @g: the GPU
 * @f: its function, or a port of its package
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the value to write
 *
 * Return: true if so; else the switch drops or delays the write.
 */
bool im_switch_passes(struct im_gpu *g, struct im_func *f, int where, int size, u32 val)
{
	struct im_write write = { .func = f, .where = where, .size = size, .val = val };
	bool concerned = has_begun(g, &write) &&
			 im_switch_concerns(g->set[IM_SWITCH_WHERE], f);

	if (concerned && drops(g, where, size)) {
		g->count[IM_N_SWITCH_DROPPED]++;
		write.fate = IM_DROPPED;
	} else if (concerned && covered(g, where, size) && g->set[IM_SWITCH_LATE_MS]) {
		g->count[IM_N_SWITCH_DELAYED]++;
		write.fate = IM_LATE;
		write.due = ktime_get_boottime_ns() +
			    (u64)g->set[IM_SWITCH_LATE_MS] * NSEC_PER_MSEC;
		if (!delay(g, &write))
			write.fate = IM_DROPPED;
	}
	if (write.fate == IM_LANDED)
		im_switch_landed(g, &write);
	else
		im_switch_log(g, &write);
	return write.fate == IM_LANDED;
}

/**
 * im_switch_landed() - record a config write that reaches its function
 * @g: the GPU
 * @write: the write
 */
void im_switch_landed(struct im_gpu *g, const struct im_write *write)
{
	struct im_write landed = *write;
	struct im_func *f = g->func;
	int i;

	landed.fate = IM_LANDED;
	im_switch_log(g, &landed);
	if (write->func != f)
		return;
	for (i = 0; i < 4 * PCI_STD_NUM_BARS; i++) {
		int at = PCI_BASE_ADDRESS_0 + i;
		u8 *bar = (u8 *)g->sw->bar + i;

		if (overlaps(at, 1, write->where, write->size))
			*bar = (f->def[at] & ~f->wmask[at]) |
			       (write->val >> 8 * (at - write->where) & f->wmask[at]);
	}
}

/**
 * im_switch_answers() - whether the switch answers a read in the GPU's place
 * @g: the GPU
 * @f: its function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: set to the answer
 *
 * Return: true if it does.
 */
bool im_switch_answers(struct im_gpu *g, struct im_func *f, int where, int size, u32 *val)
{
	int at = where - PCI_BASE_ADDRESS_0;

	if (g->set[IM_SWITCH_BARS] != IM_BARS_VIRTUAL || at < 0 ||
	    at + size > 4 * PCI_STD_NUM_BARS)
		return false;
	*val = 0;
	memcpy(val, (u8 *)g->sw->bar + at, size);
	return true;
}

/**
 * im_switch_due() - take the next delayed write that is due
 * @g: the GPU
 * @write: set to it
 *
 * Return: false if there is none.
 */
bool im_switch_due(struct im_gpu *g, struct im_write *write)
{
	struct im_switch *sw = g->sw;

	if (!sw->late_count || ktime_get_boottime_ns() < sw->late[sw->late_first].due)
		return false;
	*write = sw->late[sw->late_first];
	sw->late_first = (sw->late_first + 1) % IM_LATE_MAX;
	sw->late_count--;
	return true;
}

/* An event opens the switch only after the switch has dropped a write. */
static void open_by(struct im_gpu *g, u32 how)
{
	if (g->set[IM_SWITCH_OPENS] == how && g->sw->dropped)
		g->sw->closed = false;
}

/**
 * im_switch_read() - open the switch if a config read is the event that does so
 * @f: any function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 */
void im_switch_read(struct im_func *f, int where, int size)
{
	struct im_gpu *g;

	if (!overlaps(where, size, PCI_VENDOR_ID, 2))
		return;
	list_for_each_entry(g, &im_gpus, node) {
		if (f == g->swus || f == g->swds || (f == g->func && im_gpu_answers(g)))
			open_by(g, IM_OPENS_BY_GPU_READ);
		else if (f == switch_port(g))
			open_by(g, IM_OPENS_BY_PORT_READ);
	}
}

/**
 * im_switch_written() - open the switch if a config write to its port is the event
 * @f: any function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the value to write
 */
void im_switch_written(struct im_func *f, int where, int size, u32 val)
{
	int control = f->exp + PCI_EXP_LNKCTL;
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node) {
		if (f != switch_port(g))
			continue;
		if (overlaps(where, size, PCI_PRIMARY_BUS, 3))
			open_by(g, IM_OPENS_BY_BUSES);
		if (overlaps(where, size, control, 1) &&
		    val >> 8 * (control - where) & PCI_EXP_LNKCTL_RL) {
			im_synthetic_retrained(f);
			open_by(g, IM_OPENS_BY_RETRAINING);
		}
	}
}

static const char *part_name(const struct im_gpu *g, const struct im_func *f)
{
	return f == g->func ? "gpu" : f == g->swus ? "swus" : "swds";
}

static int writes_show(struct seq_file *m, void *unused)
{
	static const char * const fates[] = { "landed", "dropped", "late", "placeholder" };
	struct im_gpu *g = m->private;
	struct im_tree *tree = g->func->tree;
	unsigned int i, logged;
	struct im_write *log;
	unsigned long flags;

	log = kmalloc_array(IM_LOG_MAX, sizeof(*log), GFP_KERNEL);
	if (!log)
		return -ENOMEM;
	raw_spin_lock_irqsave(&tree->lock, flags);
	memcpy(log, g->sw->log, sizeof(g->sw->log));
	logged = g->sw->logged;
	raw_spin_unlock_irqrestore(&tree->lock, flags);

	for (i = logged > IM_LOG_MAX ? logged - IM_LOG_MAX : 0; i < logged; i++) {
		const struct im_write *write = &log[i % IM_LOG_MAX];

		seq_printf(m, "%u %s %#x %u %#x %s\n", i, part_name(g, write->func),
			   write->where, write->size, write->val, fates[write->fate]);
	}
	kfree(log);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(writes);

static void show_space(struct seq_file *m, const struct im_gpu *g, const struct im_func *f)
{
	int i;

	for (i = 0; f && i < IM_SPACE; i += 4)
		seq_printf(m, "%s %#x %08x\n", part_name(g, f), i, im_space_read(f, i, 4));
}

/* True contents of the functions, even if the switch answers for them. */
static int config_show(struct seq_file *m, void *unused)
{
	struct im_gpu *g = m->private;

	show_space(m, g, g->func);
	show_space(m, g, g->swds);
	show_space(m, g, g->swus);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(config);

const struct file_operations * const im_switch_writes_fops = &writes_fops;
const struct file_operations * const im_switch_config_fops = &config_fops;
