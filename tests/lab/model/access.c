// SPDX-License-Identifier: GPL-2.0-only
/*
 * Config accesses: whether one reaches its function, and its effect on the shadow and on
 * QEMU's function.
 */
#include <linux/delay.h>
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "model.h"

/**
 * im_real_read() - read QEMU's function
 * @f: the function
 * @where: offset in the real function's config space
 * @size: 1, 2 or 4 bytes
 *
 * Context: any, with the tree's lock held.
 * Return: the value, all ones if the real function does not answer.
 */
u32 im_real_read(struct im_func *f, int where, int size)
{
	u32 val = IM_ALL_ONES;

	if (f->tree->ops->read(f->path, f->devfn, where, size, &val))
		return IM_ALL_ONES;
	return val;
}

/**
 * im_real_write() - write QEMU's function
 * @f: the function
 * @where: offset in the real function's config space
 * @size: 1, 2 or 4 bytes
 * @val: the value
 *
 * Context: any, with the tree's lock held.
 */
void im_real_write(struct im_func *f, int where, int size, u32 val)
{
	f->tree->ops->write(f->path, f->devfn, where, size, val);
	if (f->role != IM_GPU && f->role != IM_NIC)
		f->tree->changes++;
}

/**
 * im_gpu_answers() - whether a GPU answers config accesses that reach it
 * @g: the GPU
 *
 * Context: any, with the tree's lock held.
 * Return: true unless it is absent, dead or in reset.
 */
bool im_gpu_answers(const struct im_gpu *g)
{
	return g->set[IM_PRESENT] && !g->dead && ktime_get_boottime_ns() >= g->ready_at;
}

/**
 * im_gpu_decodes() - whether memory accesses reach a GPU
 * @g: the GPU
 *
 * Context: any, with the tree's lock held.
 * Return: true if it is in D0, its BARs are set, it decodes memory, and the windows of
 * all switch ports above forward its addresses.
 */
bool im_gpu_decodes(const struct im_gpu *g)
{
	struct im_func *f = g->func;
	u64 regs = im_space_read(f, PCI_BASE_ADDRESS_5, 4) & PCI_BASE_ADDRESS_MEM_MASK;
	u64 vram = im_space_read(f, PCI_BASE_ADDRESS_0, 4) & PCI_BASE_ADDRESS_MEM_MASK;

	vram |= (u64)im_space_read(f, PCI_BASE_ADDRESS_1, 4) << 32;
	if (!regs || !vram || !(im_space_read(f, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY) ||
	    im_func_sleeps(f))
		return false;

	for (f = f->parent; f && f->role != IM_ROOT; f = f->parent)
		if (!im_port_forwards(f, regs, g->bar_size[IM_REGS]) ||
		    !im_port_forwards(f, vram, g->bar_size[IM_VRAM]))
			return false;
	return true;
}

/**
 * im_func_sleeps() - whether a function is in D3hot
 * @f: the function
 *
 * A port in D3hot forwards nothing, and a GPU answers no memory access (PCIe r6.0 sec
 * 5.3.1.4.1).
 *
 * Context: any, with the tree's lock held.
 * Return: true if it is not in D0.
 */
bool im_func_sleeps(const struct im_func *f)
{
	return f->pm && im_space_read(f, f->pm + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK;
}

/* Return: true if the link below a port is down, or trains. */
static bool link_down(const struct im_func *port)
{
	return port->in_reset || port->contained || port->link_lost || port->disabled ||
	       port->trained_at;
}

static bool starts_up(const struct im_func *f)
{
	return f->silent_until && ktime_get_ns() < f->silent_until;
}

/* Return: true if config cycles reach the function. */
static bool arrives(struct im_func *f)
{
	struct im_func *port;

	if (f->role == IM_VF)
		return f->devfn - f->pf->devfn <= im_gpu_vfs(f->pf) && arrives(f->pf) &&
		       im_gpu_answers(f->pf->gpu);
	if (starts_up(f))
		return false;
	for (port = f->parent; port; port = port->parent)
		if (link_down(port) || starts_up(port) || im_func_sleeps(port) ||
		    im_synthetic_answers(port, true))
			return false;
	/* The model asks QEMU only after something on the path may have changed. */
	if (f->arrived_at != f->tree->changes) {
		f->arrived = im_real_read(f, PCI_VENDOR_ID, 4) == f->real_id;
		f->arrived_at = f->tree->changes;
	}
	return f->arrived;
}

static u32 ones(int size)
{
	return IM_ALL_ONES >> (8 * (4 - size));
}

/* A GPU that is in reset may say so; nobody answers for one that is absent or dead. */
static bool retries(const struct im_gpu *g)
{
	return g->set[IM_NOTREADY] == IM_NOTREADY_RRS && g->set[IM_PRESENT] && !g->dead;
}

/* With the firmware setting, the port above reports a request that failed. */
static void failed(struct im_gpu *g, u32 error)
{
	if (g->set[IM_FIRMWARE] & error)
		im_reset_port_error(g, error);
}

static u32 unanswered(struct im_gpu *g, int where, int size)
{
	bool rrs = retries(g);

	g->count[IM_N_READS_UNANSWERED]++;
	if (!rrs)
		failed(g, PCI_ERR_UNC_COMP_TIME);
	if (rrs && where == PCI_VENDOR_ID && size > 1)
		return size == 4 ? 0xffff0001 : 0x0001;
	return ones(size);
}

/* QEMU's root port answers for itself, except for its link. */
static u32 root_link(struct im_func *f, int where, int size, u32 val)
{
	int i;

	for (i = 0; i < size; i++) {
		u32 mask = (u32)f->wmask[where + i] << 8 * i;

		val = (val & ~mask) | ((u32)f->cfg[where + i] << 8 * i & mask);
	}
	return val;
}

static u32 read_root(struct im_func *f, int where, int size)
{
	u32 val = root_link(f, where, size, im_real_read(f, where, size));

	if (f->in_reset && where <= PCI_BRIDGE_CONTROL && where + size > PCI_BRIDGE_CONTROL)
		val |= PCI_BRIDGE_CTL_BUS_RESET << 8 * (PCI_BRIDGE_CONTROL - where);
	return val;
}

/* Config cycles are not posted: the processor waits for the completion. */
static void travel(const struct im_func *f)
{
	if (f->gpu && f->gpu->set[IM_CONFIG_NS])
		ndelay(f->gpu->set[IM_CONFIG_NS]);
}

static bool is_acs(const struct im_func *f, int where)
{
	return f->acs && where >= f->acs + PCI_ACS_CAP &&
	       where < f->acs + PCI_ACS_EGRESS_CTL_V;
}

/* Return: true if the switch's ports ignore writes to their ACS. */
static bool refuses_acs(struct im_func *f, int where)
{
	struct im_func *other;

	if (!is_acs(f, where) || f->role != IM_SWITCH_DOWN)
		return false;
	list_for_each_entry(other, &f->tree->funcs, node)
		if (other->gpu && other->gpu->set[IM_SWITCH_ACS] == IM_ACS_REFUSES)
			return true;
	return false;
}

/* Transactions Pending: with the setting, the GPU never gets its completions. */
static u32 pending(const struct im_func *f, int where, int size)
{
	int byte = f->exp + PCI_EXP_DEVSTA;

	if (!f->gpu->set[IM_PENDING] || where > byte || where + size <= byte)
		return 0;
	return PCI_EXP_DEVSTA_TRPND << 8 * (byte - where);
}

static u32 read_func(struct im_func *f, int where, int size)
{
	struct im_gpu *g = f->gpu;
	bool there;
	u32 val;

	travel(f);
	if (g)
		im_reset_accessed(g);
	im_switch_read(f, where, size);
	f->tree->acs_reads += is_acs(f, where);
	if (f->role == IM_ROOT)
		return read_root(f, where, size);
	there = arrives(f);
	if (im_synthetic_answers(f, there))
		return im_synthetic_read(im_switch_gpu(f), where, size);
	if (!there) {
		if (g) {
			g->count[IM_N_READS_UNANSWERED]++;
			failed(g, PCI_ERR_UNC_UNSUP);
		}
		return ones(size);
	}
	if (g) {
		g->count[IM_N_CONFIG_READS]++;
		if (!im_gpu_answers(g))
			return unanswered(g, where, size);
		if (im_switch_answers(g, f, where, size, &val))
			return val;
	}
	val = im_space_read(f, where, size);
	if (f->role == IM_GPU)
		val |= pending(f, where, size);
	return im_lie(f, where, size, val);
}

static u64 bar_address(const u32 *dword, int low)
{
	return (u64)dword[low + 1] << 32 | (dword[low] & PCI_BASE_ADDRESS_MEM_MASK);
}

static void write_real_bars(struct im_gpu *g, const u32 *dword)
{
	struct im_func *f = g->func;
	int i;

	im_real_write(f, PCI_COMMAND, 2, PCI_COMMAND_INTX_DISABLE);
	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		int real = im_gpu_real_where(PCI_BASE_ADDRESS_0 + 4 * i);

		if (i == 4)	/* the GPU has no BAR 4, but QEMU's function has */
			continue;
		im_real_write(f, real, 4, dword[i]);
		if (i == PCI_STD_NUM_BARS - 1)	/* QEMU's is 64 bits wide */
			im_real_write(f, real + 4, 4, 0);
	}
	memcpy(g->real_dword, dword, sizeof(g->real_dword));
	g->real_bar[IM_VRAM] = bar_address(dword, 0);
	g->real_bar[IM_DOORBELLS] = bar_address(dword, 2);
	g->real_bar[IM_REGS] = dword[5] & PCI_BASE_ADDRESS_MEM_MASK;
	g->real_command = 0;
	g->reached_at = 0;
}

/**
 * im_real_reached() - whether the real function's BARs lie in its root port's windows
 * @g: the GPU
 *
 * Linux writes back the BAR that a lie told it, which can place QEMU's function on top of
 * another device.
 *
 * Context: any, with the tree's lock held.
 * Return: true if its root port forwards all of its BARs.
 */
bool im_real_reached(struct im_gpu *g)
{
	struct im_func *root = g->func;
	int i;

	if (g->reached_at == g->func->tree->changes)
		return g->reached;
	while (root->parent)
		root = root->parent;
	g->reached = true;
	for (i = 0; i < IM_BARS; i++)
		g->reached &= im_root_forwards(root, g->real_bar[i], g->bar_size[i]);
	g->reached_at = g->func->tree->changes;
	return g->reached;
}

static void write_real_command(struct im_gpu *g)
{
	u16 command = PCI_COMMAND_MEMORY | PCI_COMMAND_INTX_DISABLE;

	if (g->set[IM_DMA])
		command |= im_space_read(g->func, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
	if (g->real_command != command)
		im_real_write(g->func, PCI_COMMAND, 2, command);
	g->real_command = command;
}

/**
 * im_real_master() - pass the GPU's Bus Master bit on to QEMU's function
 * @g: the GPU
 *
 * Only a GPU with a DMA engine needs it. QEMU builds a new memory map for each change of
 * Command.
 *
 * Context: any, with the tree's lock held.
 */
void im_real_master(struct im_gpu *g)
{
	if (g->real_command)
		write_real_command(g);
}

/**
 * im_real_sync() - make QEMU's function decode at the GPU's BARs
 * @g: the GPU
 *
 * QEMU's function decodes memory from the first call on, and its BARs move only to new
 * addresses: QEMU builds a new memory map for each change, and can misroute other
 * processors' MMIO meanwhile. For the time that the GPU would not answer, the model
 * writes all ones over its registers instead.
 *
 * Context: any, with the tree's lock held.
 */
void im_real_sync(struct im_gpu *g)
{
	u32 dword[PCI_STD_NUM_BARS];
	int i;

	for (i = 0; i < PCI_STD_NUM_BARS; i++)
		dword[i] = im_space_read(g->func, PCI_BASE_ADDRESS_0 + 4 * i, 4);
	if (!bar_address(dword, 0) || !bar_address(dword, 2) ||
	    !(dword[5] & PCI_BASE_ADDRESS_MEM_MASK))
		return;
	if (memcmp(dword, g->real_dword, sizeof(dword)))
		write_real_bars(g, dword);
	write_real_command(g);
}

static void write_through(struct im_func *f, int where, int size)
{
	u32 val = im_space_read(f, where, size);

	if (f->gpu) {
		if (im_space_read(f, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY)
			im_real_sync(f->gpu);
		im_real_master(f->gpu);
		return;
	}
	if (where == PCI_BRIDGE_CONTROL)
		val &= ~PCI_BRIDGE_CTL_BUS_RESET;
	im_real_write(f, where, size, val);
}

/* A write to part of a register writes the whole real register. */
static void write_real(struct im_func *f, int where, int size)
{
	int dword = where & ~3;
	int word;

	if (f->through[dword] && f->through[dword + 2]) {
		write_through(f, dword, 4);
		return;
	}
	for (word = dword; word < dword + 4; word += 2)
		if (f->through[word] && word < where + size && word + 2 > where)
			write_through(f, word, 2);
}

static void write_bridge_control(struct im_func *f, u32 control)
{
	bool on = control & PCI_BRIDGE_CTL_BUS_RESET;

	if (on != f->in_reset)
		im_reset_secondary(f, on);
}

/* The part of a write that falls on the byte at @byte, or -1. */
static int byte_of(int byte, int where, int size, u32 val)
{
	if (byte < where || byte >= where + size)
		return -1;
	return (val >> 8 * (byte - where)) & 0xff;
}

static void write_link_control(struct im_func *f, u32 control)
{
	bool on = control & PCI_EXP_LNKCTL_LD;

	if (f->wmask[f->exp + PCI_EXP_LNKCTL] & PCI_EXP_LNKCTL_LD && on != f->disabled)
		im_reset_disable(f, on);
	if (control & PCI_EXP_LNKCTL_RL && f->link_lost)
		im_reset_retrain(f);
}

static void write_root(struct im_func *f, int where, int size, u32 val)
{
	int control = byte_of(PCI_BRIDGE_CONTROL, where, size, val);
	int link = byte_of(f->exp + PCI_EXP_LNKCTL, where, size, val);

	if (link >= 0) {
		f->cfg[f->exp + PCI_EXP_LNKCTL] = link & PCI_EXP_LNKCTL_LD;
		write_link_control(f, link);
	}
	if (control >= 0) {
		write_bridge_control(f, control);
		val &= ~(PCI_BRIDGE_CTL_BUS_RESET << 8 * (PCI_BRIDGE_CONTROL - where));
	}
	im_real_write(f, where, size, val);
}

/* Enumeration of a port begins with the sizing of its BARs. */
static bool wakes(struct im_func *f, int where, u32 val)
{
	f->asleep = where != PCI_BASE_ADDRESS_0 || val != IM_ALL_ONES;
	return !f->asleep;
}

/* The GPU has just entered or left D3hot. */
static void write_power(struct im_gpu *g)
{
	if (im_func_sleeps(g->func))
		im_regs_sleep(g);
	else if (g->set[IM_D3HOT] == IM_D3HOT_RESETS)
		im_reset_d3hot(g);
	else
		im_regs_wake(g);
}

static void write_shadow(struct im_func *f, int where, int size, u32 val)
{
	bool port = f->role != IM_NIC && f->role != IM_GPU && f->role != IM_VF;
	int control = port ? byte_of(PCI_BRIDGE_CONTROL, where, size, val) : -1;
	int link = port ? byte_of(f->exp + PCI_EXP_LNKCTL, where, size, val) : -1;
	bool slept = im_func_sleeps(f);
	int devctl = port ? -1 : byte_of(f->exp + PCI_EXP_DEVCTL + 1, where, size, val);

	if (f->asleep && !wakes(f, where, val))
		return;
	im_space_write(f, where, size, val);
	if (f->gpu)
		im_gpu_size_vram(f);
	write_real(f, where, size);

	if (f->contained)
		im_reset_port_written(f);
	if (f->gpu && slept != im_func_sleeps(f))
		write_power(f->gpu);
	if (link >= 0)
		write_link_control(f, link);
	if (control >= 0)
		write_bridge_control(f, control);
	if (devctl >= 0 && (devctl << 8 & PCI_EXP_DEVCTL_BCR_FLR))
		im_reset_function(f);
}

static void write_func(struct im_func *f, int where, int size, u32 val)
{
	struct im_gpu *g = f->gpu;
	bool there;

	travel(f);
	if (g)
		im_reset_accessed(g);
	im_switch_written(f, where, size, val);
	f->tree->acs_writes += is_acs(f, where);
	if (f->role == IM_ROOT) {
		write_root(f, where, size, val);
		return;
	}
	im_synthetic_sized(f, where, val);
	there = arrives(f);
	if (im_synthetic_answers(f, there)) {
		im_synthetic_write(f, where, size, val);
		return;
	}
	if (!there) {
		if (g) {
			g->count[IM_N_WRITES_DROPPED]++;
			failed(g, PCI_ERR_UNC_UNSUP);
		}
		return;
	}
	if (g) {
		g->count[IM_N_CONFIG_WRITES]++;
		if (!im_gpu_answers(g)) {
			g->count[IM_N_WRITES_DROPPED]++;
			if (!retries(g))
				failed(g, PCI_ERR_UNC_COMP_TIME);
			return;
		}
	}
	g = im_switch_gpu(f);
	if ((g && !im_switch_passes(g, f, where, size, val)) || refuses_acs(f, where))
		return;
	write_shadow(f, where, size, val);
}

/* Apply the delayed writes that are due. */
static void land(struct im_gpu *g)
{
	struct im_write write;

	while (im_switch_due(g, &write)) {
		if (!arrives(write.func) || !im_gpu_answers(g))
			continue;
		write_shadow(write.func, write.where, write.size, write.val);
		im_switch_landed(g, &write);
	}
}

/* A write may have restored the path to registers that a reset had blocked. */
static void check_blocked(struct im_tree *tree)
{
	struct im_func *f;

	list_for_each_entry(f, &tree->funcs, node) {
		struct im_gpu *g = f->gpu;

		if (!g || !g->blocked || g->opened)
			continue;
		if (im_gpu_answers(g) && im_gpu_decodes(g)) {
			im_regs_open(g);
			im_regs_kick();
		}
	}
}

static void land_all(struct im_tree *tree)
{
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node)
		if (g->func->tree == tree)
			land(g);
}

/**
 * im_access_late() - apply the writes that a switch delayed, once they are due
 * @g: the GPU
 *
 * Context: process.
 */
void im_access_late(struct im_gpu *g)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;

	if (!READ_ONCE(g->sw->late_count))
		return;
	raw_spin_lock_irqsave(&tree->lock, flags);
	land(g);
	check_blocked(tree);
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/**
 * im_access_read() - a config read
 * @f: the function addressed
 * @where: offset
 * @size: 1, 2 or 4 bytes
 *
 * Context: any, with the tree's lock held.
 * Return: the answer.
 */
u32 im_access_read(struct im_func *f, int where, int size)
{
	im_reset_trained(f->tree);
	im_reset_wake(f->tree);
	land_all(f->tree);
	return read_func(f, where, size);
}

/**
 * im_access_write() - a config write
 * @f: the function addressed
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the value
 *
 * Context: any, with the tree's lock held.
 */
void im_access_write(struct im_func *f, int where, int size, u32 val)
{
	im_reset_trained(f->tree);
	im_reset_wake(f->tree);
	land_all(f->tree);
	write_func(f, where, size, val);
	check_blocked(f->tree);
}
