// SPDX-License-Identifier: GPL-2.0-only
/*
 * Effects of resets: on a function, on the GPU's package, on all functions below a port.
 *
 * All of this runs with the tree's lock held, in any context.
 */
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "model.h"

#define MODE2_MS	100u	/* a mode-2 never takes longer, as amdgpu expects */
#define SILENCE_MS	400
#define D0_MS		5	/* from D3hot; hosts wait 10 ms (PCIe r6.0 sec 5.9) */

/**
 * im_reset_block() - block a GPU's registers
 * @g: the GPU
 * @scrub: the model scrubs VRAM before it unblocks the registers
 *
 * The model unblocks them when the GPU answers and memory accesses reach it again.
 */
void im_reset_block(struct im_gpu *g, bool scrub)
{
	g->blocked = true;
	g->gated = false;
	g->opened = false;
	g->scrub |= scrub;
	WRITE_ONCE(g->vram_enabled, false);
	g->generation++;
	im_regs_kick();
}

/**
 * im_reset_accessed() - count a config access of a GPU or its package that comes too early
 * @g: the GPU
 *
 * amdgpu makes no access for 500 ms after it requests a mode-1 reset. The model sees the request
 * a little late, so it counts for SILENCE_MS only.
 */
void im_reset_accessed(struct im_gpu *g)
{
	if (g->asked && ktime_get_boottime_ns() - g->asked < SILENCE_MS * NSEC_PER_MSEC)
		g->count[IM_N_EARLY_ACCESSES]++;
}

/**
 * im_reset_forget_acs() - turn ACS off in the switch's downstream ports
 * @g: a GPU below the switch
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
	im_synthetic_begin(g);
	im_space_reset(g->func);
	im_gpu_size_vram(g->func);
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
 * im_reset_power_cycle() - revive a dead GPU, as a power cycle of the host does
 * @g: the GPU
 *
 * The package's ports leave secondary bus reset but stay as they are otherwise, even without
 * bus numbers: the next reset by the host restores those.
 */
void im_reset_power_cycle(struct im_gpu *g)
{
	struct im_func *const ports[] = { g->swds, g->swus };
	unsigned int i;

	g->dead = false;
	for (i = 0; i < ARRAY_SIZE(ports) && ports[i]; i++) {
		ports[i]->in_reset = false;
		ports[i]->disabled = false;
		ports[i]->asleep = false;
		ports[i]->cfg[PCI_BRIDGE_CONTROL] &= ~PCI_BRIDGE_CTL_BUS_RESET;
	}
	reset_gpu(g);
}

/* Clear the real bus numbers, so that config cycles end here. Keep the real windows, so that
 * registers behind them read the model's all ones, not QEMU's zeros.
 */
static void reset_port(struct im_func *f)
{
	im_space_reset(f);
	f->in_reset = false;
	f->disabled = false;
	f->trained_at = 0;
	im_real_write(f, PCI_PRIMARY_BUS, 4, 0);
}

/* Record a change of the link's state in the slot, and raise the slot's interrupt if enabled. */
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

/* Return: the switch port above the package, or NULL if that has no DPC. */
static struct im_func *port_above(const struct im_gpu *g)
{
	struct im_func *port = g->swus ? g->swus->parent : NULL;

	return port && port->dpc ? port : NULL;
}

/* With the link_down setting, the link does not come up by itself after a reset. */
static void lose_link(struct im_gpu *g)
{
	struct im_func *port = port_above(g);

	if (!port || !g->set[IM_LINK_DOWN])
		return;
	port->link_lost = true;
	set_link(port, false);
}

/**
 * im_reset_retrain() - bring a lost link up at a port's Retrain Link
 * @port: the port above the link
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
 * im_reset_link_width() - set the width of the link above the package, at both ends
 * @g: the GPU
 * @lanes: trained lanes
 */
void im_reset_link_width(struct im_gpu *g, u32 lanes)
{
	if (!g->swus)
		return;
	set_width(g->swus, lanes);
	set_width(g->swus->parent, lanes);
}

/*
 * Registers of QEMU's host bridge (PCIEXBAR) and LPC bridge (PMBASE, ACPI_CNTL, PIRQ routing), all
 * on bus 0. A host's firmware writes them again when it wakes up from S3; QEMU's loses them, and
 * with them the extended config space and the power button.
 */
static struct {
	u8 devfn;
	u8 where;
	u32 val;
} chipset[] = {
	{ PCI_DEVFN(0, 0), 0x64 },
	{ PCI_DEVFN(0, 0), 0x60 },
	{ PCI_DEVFN(0x1f, 0), 0x40 },
	{ PCI_DEVFN(0x1f, 0), 0x44 },
	{ PCI_DEVFN(0x1f, 0), 0x60 },
	{ PCI_DEVFN(0x1f, 0), 0x68 },
};

static struct pci_bus *chipset_bus;

static void keep_chipset(void)
{
	int i;

	chipset_bus = pci_find_bus(0, 0);
	for (i = 0; chipset_bus && i < ARRAY_SIZE(chipset); i++)
		pci_bus_read_config_dword(chipset_bus, chipset[i].devfn, chipset[i].where,
					  &chipset[i].val);
}

static void restore_chipset(void)
{
	int i;

	for (i = 0; chipset_bus && i < ARRAY_SIZE(chipset); i++)
		chipset_bus->ops->write(chipset_bus, chipset[i].devfn, chipset[i].where, 4,
					chipset[i].val);
}

/* QEMU has reset all of its functions, as the firmware does when the host wakes up from S3. */
static void lose_power(struct im_gpu *g)
{
	g->count[IM_N_POWER_LOST]++;
	g->dead = g->set[IM_S3] == IM_S3_DEAD;
	if (g->set[IM_SOS] == IM_SOS_RUNS)
		g->set[IM_SOS] = IM_SOS_NONE;
	g->mode1_silent = false;
	g->mode1_due = 0;
	g->real_command = 0;
	memset(g->real_dword, 0, sizeof(g->real_dword));
	memset(g->real_bar, 0, sizeof(g->real_bar));
	g->dma.sent = false;
	reset_gpu(g);
}

/**
 * im_reset_wake() - take the power from a tree if the host's S3 has done so in QEMU
 * @tree: the tree
 *
 * QEMU resets its functions when it wakes up. The first access after that sees it by the root
 * port's bus number, before the PCI core writes it back. Suspend-to-idle resets nothing.
 */
void im_reset_wake(struct im_tree *tree)
{
	struct im_func *f;

	if (!tree->sleeps || im_real_read(tree->root, PCI_SECONDARY_BUS, 1))
		return;
	tree->sleeps = false;
	tree->changes++;
	restore_chipset();
	list_for_each_entry(f, &tree->funcs, node) {
		f->in_reset = false;
		f->contained = false;
		f->link_lost = false;
		f->asleep = false;
		im_space_reset(f);
		if (f->gpu)
			lose_power(f->gpu);
	}
}

/**
 * im_reset_sleep() - note that the host goes to sleep, or is awake
 * @sleeps: it goes to sleep
 *
 * Context: process.
 */
void im_reset_sleep(bool sleeps)
{
	struct im_tree *tree;
	unsigned long flags;

	if (sleeps)
		keep_chipset();
	list_for_each_entry(tree, &im_trees, node) {
		raw_spin_lock_irqsave(&tree->lock, flags);
		tree->sleeps = sleeps;
		raw_spin_unlock_irqrestore(&tree->lock, flags);
	}
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
		g->swus->silent_until = ktime_get_ns() +
					(u64)g->set[IM_PACKAGE_MS] * NSEC_PER_MSEC;
		g->swus->asleep = g->set[IM_PATH_HEALS] == IM_PATH_ENUMERATED;
	}
	lose_link(g);
}

/**
 * im_reset_port_error() - raise uncorrectable errors at the port above a package
 * @g: the GPU
 * @errors: bits of AER Uncorrectable Error Status
 *
 * The port reports unmasked errors, and they trigger DPC if it is on: the link goes
 * down, which hot-resets all functions below it, and stays down until the host clears
 * the trigger status.
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
	if (control & (PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_NFERE)) {
		g->count[IM_N_ERRORS_REPORTED]++;
		if (errors & ~mask & g->set[IM_FIRMWARE])
			panic("instinct-model: a port reports error %#x of GPU %d, and the firmware ends the host\n",
			      errors & ~mask, g->index);
	}
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
 * im_reset_port_written() - bring the link up if a config write has cleared the DPC trigger
 * @port: the port whose link DPC holds down
 */
void im_reset_port_written(struct im_func *port)
{
	if (port->cfg[port->dpc + PCI_EXP_DPC_STATUS] & PCI_EXP_DPC_STATUS_TRIGGER)
		return;
	port->contained = false;
	set_link(port, !port->link_lost);
}

/* With the surprise_down setting, the port above sees the GPU's own reset as Surprise Down. */
static void bounce_link(struct im_gpu *g)
{
	struct im_func *port = port_above(g);

	if (!g->set[IM_SURPRISE_DOWN] || !port)
		return;
	im_reset_port_error(g, PCI_ERR_UNC_SURPDN);
	slot_changed(port);
}

/**
 * im_reset_function() - do a Function Level Reset
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

/* Reset all functions below the port, as PCI Express requires. Children come first, while
 * config cycles still reach the real ones.
 */
static void reset_below(struct im_func *port)
{
	struct im_func *f;

	list_for_each_entry_reverse(f, &port->tree->funcs, node) {
		if (!im_func_below(f, port))
			continue;
		if (f->gpu)
			reset_gpu(f->gpu);
		else if (f->role == IM_NIC || f->role == IM_VF)
			im_space_reset(f);
		else
			reset_port(f);
	}
}

static void reset_gpus_below(struct im_func *port, enum im_counter counter)
{
	struct im_func *f;

	list_for_each_entry(f, &port->tree->funcs, node) {
		struct im_gpu *g = f->gpu;
		bool inside;

		if (!g || !im_func_below(f, port))
			continue;

		g->count[counter]++;
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

/* The link below the port goes down, which resets all functions there. */
static void take_down(struct im_func *port, enum im_counter counter)
{
	port->trained_at = 0;
	if (port->role != IM_ROOT)
		set_link(port, false);
	reset_below(port);
	reset_gpus_below(port, counter);
}

/* The link below the port trains. GPUs below it take as long as without training, or longer. */
static void bring_up(struct im_func *port)
{
	u64 ms = 0;
	struct im_gpu *g;

	if (port->in_reset || port->disabled)
		return;
	list_for_each_entry(g, &im_gpus, node)
		if (im_func_below(g->func, port))
			ms = max_t(u64, ms, g->set[IM_TRAIN_MS]);
	port->trained_at = ktime_get_boottime_ns() + ms * NSEC_PER_MSEC;
	restart_ready(port);
}

/**
 * im_reset_trained() - finish the training of links that is over by now
 * @tree: the tree
 */
void im_reset_trained(struct im_tree *tree)
{
	struct im_func *port;

	list_for_each_entry(port, &tree->funcs, node) {
		if (!port->trained_at || ktime_get_boottime_ns() < port->trained_at)
			continue;
		port->trained_at = 0;
		if (port->role != IM_ROOT)
			set_link(port, true);
	}
}

/**
 * im_reset_disable() - set or clear Link Disable
 * @port: the port whose Link Control was written
 * @on: true if the link goes down, false if it may train
 *
 * The functions below see a hot reset (PCIe r6.0 sec 6.6.1), as with im_reset_secondary(), and
 * cannot be reached until the link has trained again.
 */
void im_reset_disable(struct im_func *port, bool on)
{
	port->disabled = on;
	if (on)
		take_down(port, IM_N_LINK_DISABLE);
	else
		bring_up(port);
}

/**
 * im_reset_secondary() - begin or end a secondary bus reset
 * @port: the port whose Bridge Control was written
 * @on: true if the reset begins, false if it ends
 *
 * A reset by a port of the package has the effect that the bus_reset setting names. A
 * reset from further up resets the package's ports as the PCIe specification says. With "none" the port
 * holds the bit, and nothing else happens.
 */
void im_reset_secondary(struct im_func *port, bool on)
{
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node)
		if (im_func_below(g->func, port) && g->set[IM_BUS_RESET] == IM_RESET_NONE)
			return;
	port->in_reset = on;
	if (on)
		take_down(port, IM_N_BUS_RESET);
	else
		bring_up(port);
}

/* Return: true if @g has entered a reset of the hive within the last hive_ms. */
static bool in_hive_reset(const struct im_gpu *g, u64 now)
{
	u64 window = (u64)g->set[IM_HIVE_MS] * NSEC_PER_MSEC;

	return g->hive_entered && now - g->hive_entered <= window;
}

/* Only the model's thread calls this, so members enter one at a time. The reset ends once all
 * members have entered it within hive_ms; otherwise those that entered never become ready.
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
 * im_reset_mode1() - do a mode-1 reset: the SMU resets the whole chip
 * @g: the GPU
 */
void im_reset_mode1(struct im_gpu *g)
{
	g->count[IM_N_MODE1]++;
	if (g->set[IM_SOS] == IM_SOS_RUNS)
		g->set[IM_SOS] = IM_SOS_NONE;
	g->mode1_silent = g->set[IM_MODE1_ANSWERS] == IM_MODE1_SAYS_NOTHING;
	bounce_link(g);
	if (g->set[IM_MODE1] == IM_RESET_KILLS || g->set[IM_MODE1] == IM_RESET_DEAD)
		reset_package(g, g->set[IM_MODE1] == IM_RESET_DEAD);
	else if (g->set[IM_HIVE])
		enter_hive(g);
	else
		reset_gpu(g);
	if (!g->set[IM_SCRUB])
		g->scrub = false;
}

/**
 * im_reset_mode2() - do a mode-2 reset: the SMU resets the graphics engines
 * @g: the GPU
 *
 * The GPU loses its config space but keeps VRAM.
 */
void im_reset_mode2(struct im_gpu *g)
{
	g->count[IM_N_MODE2]++;
	begin(g, min(g->set[IM_READY_MS], MODE2_MS), false);
}

/**
 * im_reset_d3hot() - do the soft reset of a GPU that leaves D3hot without No_Soft_Reset
 * @g: the GPU
 *
 * The GPU loses its config space but keeps VRAM (PCIe r6.0 sec 5.3.1.4.1).
 */
void im_reset_d3hot(struct im_gpu *g)
{
	g->count[IM_N_D3HOT_RESET]++;
	begin(g, D0_MS, false);
}
