// SPDX-License-Identifier: GPL-2.0-only
/*
 * What resets do: to a function, to the GPU's package, to all below a port.
 *
 * All of this runs with the tree's lock held, in any context.
 */
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "model.h"

#define MODE2_MS	100u	/* a mode-2 never takes longer, as amdgpu expects */

/**
 * im_reset_block() - block a GPU's registers and VRAM
 * @g: the GPU
 * @scrub: VRAM is scrubbed before it can be seen again
 *
 * They come back when the GPU answers and memory accesses reach it again.
 */
void im_reset_block(struct im_gpu *g, bool scrub)
{
	g->blocked = true;
	g->opened = false;
	g->scrub |= scrub;
	WRITE_ONCE(g->vram_enabled, false);
	g->generation++;
	im_regs_kick();
}

/**
 * im_reset_forget_acs() - the ports of the switch have no ACS on
 * @g: a GPU below it
 */
void im_reset_forget_acs(struct im_gpu *g)
{
	struct im_func *f;

	list_for_each_entry(f, &g->func->tree->funcs, node)
		if (f->acs && f->role == IM_SWITCH_DOWN)
			memset(f->cfg + f->acs + PCI_ACS_CTRL, 0, 2);
}

static void begin(struct im_gpu *g, u64 ms, bool scrub)
{
	g->hive_entered = 0;
	im_space_reset(g->func);
	im_real_master(g);
	im_switch_close(g);
	if (g->set[IM_SWITCH_ACS] == IM_ACS_LOSES)
		im_reset_forget_acs(g);
	if (!g->dead)
		g->ready_at = ktime_get_boottime_ns() + ms * NSEC_PER_MSEC;
	im_reset_block(g, scrub);
}

static void reset_gpu(struct im_gpu *g)
{
	begin(g, g->set[IM_READY_MS], true);
}

/**
 * im_reset_power_cycle() - what was dead lives again, as after the host's reboot
 * @g: the GPU
 *
 * But for the ports of its package, which get their bus numbers from who resets it.
 */
void im_reset_power_cycle(struct im_gpu *g)
{
	g->dead = false;
	reset_gpu(g);
}

/* The bus numbers really go, so config cycles end here; the real windows stay,
 * for the registers behind them to read all ones instead of QEMU's zeros.
 */
static void reset_port(struct im_func *f)
{
	im_space_reset(f);
	f->in_reset = false;
	im_real_write(f, PCI_PRIMARY_BUS, 4, 0);
}

/* The link has gone, or come: a slot tells, if it is to. */
static void slot_changed(struct im_func *port)
{
	const u16 enabled = PCI_EXP_SLTCTL_HPIE | PCI_EXP_SLTCTL_DLLSCE;
	int status = port->exp + PCI_EXP_SLTSTA + 1;
	struct im_gpu *g;

	if (!(im_space_read(port, port->exp + PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_SLOT))
		return;
	port->cfg[status] |= PCI_EXP_SLTSTA_DLLSC >> 8;
	if ((im_space_read(port, port->exp + PCI_EXP_SLTCTL, 2) & enabled) != enabled)
		return;
	list_for_each_entry(g, &im_gpus, node)
		if (im_func_below(g->func, port))
			g->count[IM_N_SLOT_EVENTS]++;
	port->irq_due = true;
	im_regs_kick();
}

static void set_link(struct im_func *port, bool up)
{
	int where = port->exp + PCI_EXP_LNKSTA + 1;

	if (!(im_space_read(port, port->exp + PCI_EXP_LNKCAP, 4) & PCI_EXP_LNKCAP_DLLLARC))
		return;
	if (up)
		port->cfg[where] |= PCI_EXP_LNKSTA_DLLLA >> 8;
	else
		port->cfg[where] &= ~(PCI_EXP_LNKSTA_DLLLA >> 8);
	slot_changed(port);
}

/* Errors at the switch port above the package, if there is one. */
static struct im_func *port_above(const struct im_gpu *g)
{
	struct im_func *port = g->swus ? g->swus->parent : NULL;

	return port && port->dpc ? port : NULL;
}

/* As after a reset that the link's other end has slept through. */
static void lose_link(struct im_gpu *g)
{
	struct im_func *port = port_above(g);

	if (!port || !g->set[IM_LINK_DOWN])
		return;
	port->link_lost = true;
	set_link(port, false);
}

/**
 * im_reset_retrain() - a port whose link is lost is told to retrain it
 * @port: the port
 */
void im_reset_retrain(struct im_func *port)
{
	port->link_lost = false;
	set_link(port, true);
}

static void set_width(struct im_func *port, u32 lanes)
{
	int where;
	u16 status;

	if (!port || !port->exp)
		return;
	where = port->exp + PCI_EXP_LNKSTA;
	status = im_space_read(port, where, 2) & ~PCI_EXP_LNKSTA_NLW;
	status |= lanes << PCI_EXP_LNKSTA_NLW_SHIFT;
	port->cfg[where] = status;
	port->cfg[where + 1] = status >> 8;
}

/**
 * im_reset_link_width() - the link above the package has trained with fewer lanes
 * @g: the GPU
 * @lanes: how many
 *
 * Both its ends know.
 */
void im_reset_link_width(struct im_gpu *g, u32 lanes)
{
	if (!g->swus)
		return;
	set_width(g->swus, lanes);
	set_width(g->swus->parent, lanes);
}

static void reset_package(struct im_gpu *g, bool dead)
{
	if (dead)
		g->dead = true;
	reset_gpu(g);
	if (g->swds && g->swus) {
		reset_port(g->swds);
		reset_port(g->swus);
		im_reset_link_width(g, g->set[IM_LINKS_WIDTH]);
		g->count[IM_N_PATH_LOST]++;
		g->swus->asleep = g->set[IM_PATH_HEALS] == IM_PATH_ENUMERATED;
	}
	lose_link(g);
}

/**
 * im_reset_port_error() - an uncorrectable error at the port above a package
 * @g: the GPU
 * @errors: bits of AER Uncorrectable Error Status
 *
 * What is not masked is reported, and triggers DPC where that is on: the link
 * goes down, which resets all below it as a hot reset does, and stays down until
 * the trigger status has been cleared.
 */
void im_reset_port_error(struct im_gpu *g, u32 errors)
{
	struct im_func *port = port_above(g);
	u32 status, mask;
	u16 control;

	if (!port)
		return;
	status = im_space_read(port, port->aer + PCI_ERR_UNCOR_STATUS, 4) | errors;
	memcpy(port->cfg + port->aer + PCI_ERR_UNCOR_STATUS, &status, sizeof(status));
	mask = im_space_read(port, port->aer + PCI_ERR_UNCOR_MASK, 4);
	if (!(errors & ~mask))
		return;

	control = im_space_read(port, port->exp + PCI_EXP_DEVCTL, 2);
	if (control & (PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_NFERE))
		g->count[IM_N_ERRORS_REPORTED]++;
	control = im_space_read(port, port->dpc + PCI_EXP_DPC_CTL, 2);
	if (control & (PCI_EXP_DPC_CTL_EN_FATAL | PCI_EXP_DPC_CTL_EN_NONFATAL)) {
		g->count[IM_N_DPC_TRIGGERED]++;
		port->cfg[port->dpc + PCI_EXP_DPC_STATUS] |= PCI_EXP_DPC_STATUS_TRIGGER;
		port->contained = true;
		set_link(port, false);
		reset_package(g, false);
		if (control & PCI_EXP_DPC_CTL_INT_EN) {
			port->cfg[port->dpc + PCI_EXP_DPC_STATUS] |= PCI_EXP_DPC_STATUS_INTERRUPT;
			port->irq_due = true;
			im_regs_kick();
		}
	}
}

/**
 * im_reset_port_written() - a port that DPC holds has been written to
 * @port: the port
 */
void im_reset_port_written(struct im_func *port)
{
	if (port->cfg[port->dpc + PCI_EXP_DPC_STATUS] & PCI_EXP_DPC_STATUS_TRIGGER)
		return;
	port->contained = false;
	set_link(port, true);
}

/* The port above sees the link go and come, as it does not with its own reset. */
static void bounce_link(struct im_gpu *g)
{
	struct im_func *port = port_above(g);

	if (!g->set[IM_SURPRISE_DOWN] || !port)
		return;
	im_reset_port_error(g, PCI_ERR_UNC_SURPDN);
	slot_changed(port);
}

/**
 * im_reset_function() - Function Level Reset
 * @f: a GPU or a network card
 */
void im_reset_function(struct im_func *f)
{
	struct im_gpu *g = f->gpu;

	if (!g) {
		im_space_reset(f);
		return;
	}

	g->count[IM_N_FLR]++;
	bounce_link(g);
	if (g->set[IM_FLR] == IM_RESET_OK)
		reset_gpu(g);
	else
		reset_package(g, g->set[IM_FLR] == IM_RESET_DEAD);
}

/* What PCI Express says: all functions below the port, children first, so
 * that the real ones can still be reached.
 */
static void reset_below(struct im_func *port)
{
	struct im_func *f;

	list_for_each_entry_reverse(f, &port->tree->funcs, node) {
		if (!im_func_below(f, port))
			continue;
		if (f->gpu)
			reset_gpu(f->gpu);
		else if (f->role == IM_NIC)
			im_space_reset(f);
		else
			reset_port(f);
	}
}

static void reset_gpus_below(struct im_func *port)
{
	struct im_func *f;

	list_for_each_entry(f, &port->tree->funcs, node) {
		struct im_gpu *g = f->gpu;
		bool inside;

		if (!g || !im_func_below(f, port))
			continue;

		g->count[IM_N_BUS_RESET]++;
		inside = port == g->swds || port == g->swus;
		if (g->set[IM_BUS_RESET] == IM_RESET_DEAD)
			g->dead = true;
		if (inside && g->set[IM_BUS_RESET] != IM_RESET_OK)
			reset_package(g, false);
		else if (g->swus && im_func_below(g->swus, port))
			g->count[IM_N_PATH_LOST]++;
	}
}

static void restart_ready(struct im_func *port)
{
	struct im_func *f;

	list_for_each_entry(f, &port->tree->funcs, node)
		if (f->gpu && im_func_below(f, port) && !f->gpu->dead)
			f->gpu->ready_at = ktime_get_boottime_ns() +
				(u64)f->gpu->set[IM_READY_MS] * NSEC_PER_MSEC;
}

/**
 * im_reset_secondary() - secondary bus reset
 * @port: the port whose bridge control was written
 * @on: the reset begins, else it ends
 *
 * With a port of the package itself the package's own behaviour decides; a
 * reset from further up resets the package's ports as the specification says.
 */
void im_reset_secondary(struct im_func *port, bool on)
{
	port->in_reset = on;
	if (port->role != IM_ROOT)
		set_link(port, !on);
	if (!on) {
		restart_ready(port);
		return;
	}
	reset_below(port);
	reset_gpus_below(port);
}

/* Under way for @g, and not so long ago that it has come to nothing. */
static bool in_hive_reset(const struct im_gpu *g, u64 now)
{
	u64 window = (u64)g->set[IM_HIVE_MS] * NSEC_PER_MSEC;

	return g->hive_entered && now - g->hive_entered <= window;
}

/* Only the thread that looks at the mailboxes gets here, so nothing else enters
 * a hive meanwhile. A member that others leave alone never comes back.
 */
static void enter_hive(struct im_gpu *g)
{
	u64 now = ktime_get_boottime_ns();
	struct im_gpu *other;

	reset_gpu(g);
	g->ready_at = U64_MAX;
	g->hive_entered = now;
	list_for_each_entry(other, &im_gpus, node)
		if (!in_hive_reset(other, now))
			return;
	list_for_each_entry(other, &im_gpus, node) {
		WRITE_ONCE(other->hive_entered, 0);
		WRITE_ONCE(other->ready_at, now + (u64)other->set[IM_READY_MS] * NSEC_PER_MSEC);
		im_regs_kick();
	}
}

/**
 * im_reset_mode1() - whole-chip reset by the SMU
 * @g: the GPU
 */
void im_reset_mode1(struct im_gpu *g)
{
	g->count[IM_N_MODE1]++;
	bounce_link(g);
	if (g->set[IM_MODE1] != IM_RESET_OK)
		reset_package(g, g->set[IM_MODE1] == IM_RESET_DEAD);
	else if (g->set[IM_HIVE])
		enter_hive(g);
	else
		reset_gpu(g);
}

/**
 * im_reset_mode2() - reset of the graphics engines by the SMU
 * @g: the GPU
 *
 * The config space is lost, VRAM is not.
 */
void im_reset_mode2(struct im_gpu *g)
{
	g->count[IM_N_MODE2]++;
	begin(g, min(g->set[IM_READY_MS], MODE2_MS), false);
}
