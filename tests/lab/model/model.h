/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware model: QEMU functions dressed as an AMD Instinct board.
 *
 * A *tree* is what hangs below one root port; each function in it that is
 * modelled has a shadow config space of 4 KiB. What QEMU must know (memory
 * decoding, BARs, bus numbers, windows) is also written to the real function.
 *
 * Locking: one raw spinlock for each tree covers its shadows, the settings,
 * the counters and the state of its GPUs. Config accessors take it with
 * interrupts off, and possibly inside the PCI core's pci_lock; nothing sleeps
 * under it, and only the config accessors of the host and wake_up_process()
 * are called under it.
 */
#ifndef INSTINCT_MODEL_H
#define INSTINCT_MODEL_H

#include <linux/list.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define IM_SPACE	PCI_CFG_SPACE_EXP_SIZE
#define IM_ALL_ONES	(~0u)

#define IM_GPU_CLASS	0x120000	/* processing accelerator */

#define IM_LINK_SPEED	5	/* 32 GT/s */
#define IM_LINK_SPEEDS	0x3e	/* and all below */
#define IM_LINK_WIDTH	16

/**
 * enum im_role - what a function is on the board
 * @IM_ROOT: root port; QEMU's own, but for the secondary bus reset
 * @IM_SWITCH_UP: upstream port of the board's switch
 * @IM_SWITCH_DOWN: downstream port of the board's switch
 * @IM_NIC: network card beside the GPU
 * @IM_SWUS: upstream port of the switch in the GPU's package
 * @IM_SWDS: downstream port of the switch in the GPU's package
 * @IM_GPU: the GPU
 */
enum im_role {
	IM_ROOT,
	IM_SWITCH_UP,
	IM_SWITCH_DOWN,
	IM_NIC,
	IM_SWUS,
	IM_SWDS,
	IM_GPU,
};

/**
 * enum im_knob - settings of a GPU; the table in knob.c describes them
 */
enum im_knob {
	IM_FLR,
	IM_BUS_RESET,
	IM_MODE1,
	IM_MODE1_AFTER_MS,
	IM_MAILBOX,
	IM_MAILBOX_MS,
	IM_READY_MS,
	IM_NOTREADY,
	IM_DISCOVERY,
	IM_PRESENT,
	IM_HIVE,
	IM_HIVE_MS,
	IM_SURPRISE_DOWN,
	IM_PORT_ERROR,
	IM_POWER_CYCLE,
	IM_PATH_HEALS,
	IM_LINK_DOWN,
	IM_PENDING,
	IM_LINKS_WIDTH,
	IM_GPU_ID,
	IM_SWITCH_WHERE,
	IM_SWITCH_OPENS,
	IM_SWITCH_MS,
	IM_SWITCH_RANGE,
	IM_SWITCH_ONE_IN,
	IM_SWITCH_BARS,
	IM_SWITCH_LATE_MS,
	IM_SWITCH_FROM,
	IM_SWITCH_ACS,
	IM_NIC_ATS,
	IM_CONFIG_NS,
	IM_HOTSPOT,
	IM_MEMORY,
	IM_HOTSPOT_JITTER,
	IM_HOTSPOT_RAMP,
	IM_RAMP_MS,
	IM_DMA,
	IM_LIE,
	IM_LIE_WHERE,
	IM_LIE_SEED,
	IM_KNOBS
};

/* Values of IM_FLR, IM_BUS_RESET and, with the last two, of IM_MODE1. */
enum { IM_RESET_OK, IM_RESET_KILLS, IM_RESET_DEAD, IM_RESET_TIMEOUT, IM_RESET_REFUSE };

/* Values of IM_MAILBOX. */
enum {
	IM_MAILBOX_OK,
	IM_MAILBOX_SLOW,
	IM_MAILBOX_BUSY,
	IM_MAILBOX_REJECT,
	IM_MAILBOX_GONE,
	IM_MAILBOX_UNKNOWN,
	IM_MAILBOX_PREREQUISITE,
	IM_MAILBOX_NONSENSE,
};

/* Values of IM_NOTREADY. */
enum { IM_NOTREADY_ONES, IM_NOTREADY_RRS };

/* Values of IM_PATH_HEALS. */
enum { IM_PATH_WRITTEN, IM_PATH_ENUMERATED };

/* Values of IM_SWITCH_WHERE and of IM_LIE_WHERE. */
enum { IM_SWITCH_GPU, IM_SWITCH_PACKAGE, IM_SWITCH_BOTH };

/* Values of IM_SWITCH_OPENS. */
enum {
	IM_OPENS_AT_ONCE,
	IM_OPENS_IN_TIME,
	IM_OPENS_BY_GPU_READ,
	IM_OPENS_BY_PORT_READ,
	IM_OPENS_BY_BUSES,
	IM_OPENS_BY_RETRAINING,
	IM_OPENS_NEVER,
};

/* Values of IM_SWITCH_RANGE. */
enum { IM_RANGE_ALL, IM_RANGE_HEADER, IM_RANGE_BARS, IM_RANGE_EXTENDED };

/* Values of IM_SWITCH_BARS. */
enum { IM_BARS_REAL, IM_BARS_VIRTUAL };

/* Values of IM_SWITCH_ACS. */
enum { IM_ACS_KEEPS, IM_ACS_LOSES, IM_ACS_REFUSES };

/* Values of IM_LIE. */
enum {
	IM_LIE_NONE,
	IM_LIE_ONES,
	IM_LIE_RANDOM,
	IM_LIE_NOISE,
	IM_LIE_LOOPS,
	IM_LIE_TRUNCATED,
	IM_LIE_OVERLAP,
	IM_LIE_BARS,
};

/* Values of IM_NIC_ATS. */
enum { IM_ATS_PRESENT, IM_ATS_ABSENT };

/* Values of IM_DISCOVERY. */
enum {
	IM_DISCOVERY_OK,
	IM_DISCOVERY_OK32,
	IM_DISCOVERY_BADSIG,
	IM_DISCOVERY_BADSUM,
	IM_DISCOVERY_TRUNCATED,
	IM_DISCOVERY_NONE,
	IM_DISCOVERY_GARBAGE,
};

/**
 * enum im_counter - what is counted for each GPU; names are in counter.c
 */
enum im_counter {
	IM_N_FLR,
	IM_N_BUS_RESET,
	IM_N_MODE1,
	IM_N_MODE1_REQUESTS,
	IM_N_MODE2,
	IM_N_MAILBOX_MESSAGES,
	IM_N_PATH_LOST,
	IM_N_ERRORS_REPORTED,
	IM_N_DPC_TRIGGERED,
	IM_N_SLOT_EVENTS,
	IM_N_SCRUBS,
	IM_N_CONFIG_READS,
	IM_N_CONFIG_WRITES,
	IM_N_READS_UNANSWERED,
	IM_N_WRITES_DROPPED,
	IM_N_SWITCH_DROPPED,
	IM_N_SWITCH_DELAYED,
	IM_N_LIES,
	IM_N_BEHIND_END,
	IM_N_DMA_WRITES,
	IM_N_DMA_FAULTS,
	IM_COUNTERS
};

/* Index into the BARs of QEMU's nvme: what each of them becomes. */
enum im_bar { IM_DOORBELLS, IM_REGS, IM_VRAM, IM_BARS };

struct im_board;
struct im_func;
struct im_gpu;

#define IM_LATE_MAX	256
#define IM_LOG_MAX	1024

/**
 * enum im_fate - what became of a config write
 * @IM_LANDED: the function got it
 * @IM_DROPPED: the switch did not let it through
 * @IM_LATE: the switch has it still
 */
enum im_fate { IM_LANDED, IM_DROPPED, IM_LATE };

/**
 * struct im_write - a config write to the GPU, or to a port of its package
 * @func: to whom
 * @due: when it lands (boot time, ns), if it is late
 * @val: what is written
 * @where: offset
 * @size: bytes
 * @fate: what became of it
 */
struct im_write {
	struct im_func *func;
	u64 due;
	u32 val;
	u16 where;
	u8 size;
	u8 fate;
};

/**
 * struct im_switch - what the switch above a package does to config writes
 * @closed: it lets none through, as far as the settings go, until it opens
 * @dropped: it has dropped one since it closed
 * @count: writes to the GPU or to its package
 * @bar: what it answers for the GPU's BARs when they are virtual
 * @late: writes that it has still, a ring
 * @late_first: of them
 * @late_count: how many
 * @log: the last writes, a ring
 * @logged: how many there were in all
 */
struct im_switch {
	bool closed;
	bool dropped;
	u32 count;
	u32 bar[PCI_STD_NUM_BARS];
	struct im_write late[IM_LATE_MAX];
	unsigned int late_first;
	unsigned int late_count;
	struct im_write log[IM_LOG_MAX];
	unsigned int logged;
};

/**
 * struct im_heat - temperatures of a GPU beyond its settings
 * @ramp_from: where the hot spot's ramp began, in millidegrees
 * @ramp_begin: when (boot time, ns)
 * @ramp_end: when it reaches the hotspot setting (boot time, ns)
 * @noise: what the last jitter was made of
 * @hwmon: its hwmon device, or NULL
 */
struct im_heat {
	s32 ramp_from;
	u64 ramp_begin;
	u64 ramp_end;
	u32 noise;
	struct device *hwmon;
};

/**
 * struct im_dma - the state of QEMU's nvme as a GPU's DMA engine (worker only)
 * @next: when the engine looks at its queue again (boot time, ns)
 * @to: the page that nvme was started for, a DMA address
 * @slot: index of the next entry in nvme's submission queue
 * @sent: nvme has a command that it was not yet seen to finish
 */
struct im_dma {
	u64 next;
	u64 to;
	unsigned int slot;
	bool sent;
};

/**
 * struct im_tree - a root port and all that hangs below it
 * @node: in im_trees
 * @lock: see the top of this file
 * @funcs: all functions, parents before children
 * @root: the root port
 * @root_bus: its bus
 * @ops: the accessors that were there before ours
 * @index: number of the tree, counted from 0
 * @changes: counts what may change the way of accesses, from 1
 * @acs_reads: config reads of the ACS registers of switch ports
 * @acs_writes: likewise
 */
struct im_tree {
	struct list_head node;
	raw_spinlock_t lock;
	struct list_head funcs;
	struct im_func *root;
	struct pci_bus *root_bus;
	struct pci_ops *ops;
	unsigned int index;
	unsigned int changes;
	u64 acs_reads;
	u64 acs_writes;
};

/**
 * struct im_func - one modelled function
 * @node: in the tree's list of functions
 * @tree: its tree
 * @parent: the port above, NULL for the root port
 * @role: what it is
 * @devfn: device and function number
 * @path: a bus by that name only: reaches the real function by number
 * @real_id: vendor and device of QEMU's function, as read from it
 * @pm: offset of the Power Management capability, 0 for none
 * @exp: offset of the PCI Express capability
 * @aer: offset of the AER capability, 0 for none
 * @dpc: offset of the DPC capability, 0 for none
 * @acs: offset of the ACS capability, 0 for none or if it is QEMU's own
 * @arrived: config cycles came as far as this function
 * @arrived_at: the tree's @changes when that was found out
 * @contained: DPC has taken the link below this port down
 * @link_lost: the link below this port does not come up by itself
 * @asleep: a package's upstream port that takes nothing until it is enumerated
 * @irq_due: DPC or the slot has an interrupt to tell
 * @irq: its number, while the interrupt is on its way
 * @in_reset: the secondary bus of this port is held in reset
 * @gpu: what else belongs to a GPU, NULL for other functions
 * @cfg: the shadow
 * @def: what @cfg is after a reset
 * @wmask: bits that can be written
 * @w1c: bits that writing one clears
 * @through: bytes that are written to the real function too
 */
struct im_func {
	struct list_head node;
	struct im_tree *tree;
	struct im_func *parent;
	enum im_role role;
	u8 devfn;
	struct pci_bus *path;
	u32 real_id;
	u16 pm;
	u16 exp;
	u16 aer;
	u16 dpc;
	u16 acs;
	bool arrived;
	unsigned int arrived_at;
	bool contained;
	bool link_lost;
	bool asleep;
	bool irq_due;
	unsigned int irq;
	bool in_reset;
	struct im_gpu *gpu;
	u8 cfg[IM_SPACE];
	u8 def[IM_SPACE];
	u8 wmask[IM_SPACE];
	u8 w1c[IM_SPACE];
	u8 through[IM_SPACE];
};

/**
 * struct im_gpu - a GPU beyond its config space
 * @node: in im_gpus
 * @func: its function
 * @swus: upstream port of its package, or NULL
 * @swds: downstream port of its package, or NULL
 * @index: number of the GPU, counted from 0
 * @set: settings
 * @count: counters
 * @ready_at: when config accesses are answered again (boot time, ns)
 * @last_ready: when they last began to be (boot time, ns)
 * @hive_entered: when a mode-1 reset of the hive began for it (boot time, ns), 0
 *	if none is under way
 * @dead: answers nothing until the machine is rebooted
 * @blocked: registers and VRAM read all ones until the path and the config
 *	space are back
 * @scrub: VRAM is to be scrubbed
 * @generation: counts everything that makes @blocked true again
 * @discovery_stale: the discovery table is to be written again
 * @real_command: command register of the real function
 * @real_dword: what was written to the real function's BARs last; a modelled
 *	reset does not change it
 * @real_bar: addresses in the real function's BARs
 * @bar_size: sizes of the real function's BARs
 * @reached: what is at @real_bar is the real function's
 * @reached_at: the tree's @changes when that was found out, 0 if @real_bar is newer
 * @opened: im_regs_open() has run, though @blocked
 * @vram_enabled: QEMU shows the VRAM
 * @regs: mapping of the register BAR, or NULL
 * @regs_at: the address that @regs maps
 * @filled: generation whose all ones have been written
 * @mode1_due: when a mode-1 reset comes that was answered already (worker only)
 * @mail_due: when to answer a message of a slow mailbox (worker only)
 * @lie: what the next lie is made of
 * @sw: the switch above its package
 * @heat: its temperatures
 * @dma: its DMA engine
 * @dir: debugfs
 */
struct im_gpu {
	struct list_head node;
	struct im_func *func;
	struct im_func *swus;
	struct im_func *swds;
	unsigned int index;
	u32 set[IM_KNOBS];
	u64 count[IM_COUNTERS];
	u64 ready_at;
	u64 last_ready;
	u64 hive_entered;
	bool dead;
	bool blocked;
	bool scrub;
	unsigned int generation;
	bool discovery_stale;
	u16 real_command;
	u32 real_dword[PCI_STD_NUM_BARS];
	u64 real_bar[IM_BARS];
	u64 bar_size[IM_BARS];
	bool reached;
	unsigned int reached_at;
	bool opened;
	bool vram_enabled;
	void __iomem *regs;
	u64 regs_at;
	unsigned int filled;
	u64 mode1_due;
	u64 mail_due;
	u32 lie;
	struct im_switch *sw;
	struct im_heat heat;
	struct im_dma dma;
	struct dentry *dir;
};

/**
 * struct im_board - what the boards differ in
 * @name: as given to the module
 * @gpu: vendor and device of the GPU, vendor in the upper half
 * @nic: the same of the network card
 */
struct im_board {
	const char *name;
	u32 gpu;
	u32 nic;
};

extern struct list_head im_trees;
extern struct list_head im_gpus;
extern const struct im_board *im_board;

/* board.c */
int im_board_start(void);
int im_board_stop(void);
void im_board_free(void);
bool im_func_below(const struct im_func *f, const struct im_func *port);

/* hook.c */
void im_hook(struct pci_bus *bus, struct pci_ops *below);
int im_hook_check(struct pci_bus *bus);
void im_unhook(struct pci_bus *bus, struct pci_ops *below);

/* access.c */
u32 im_access_read(struct im_func *f, int where, int size);
void im_access_write(struct im_func *f, int where, int size, u32 val);
u32 im_real_read(struct im_func *f, int where, int size);
void im_real_write(struct im_func *f, int where, int size, u32 val);
void im_real_sync(struct im_gpu *g);
void im_real_master(struct im_gpu *g);
bool im_gpu_answers(const struct im_gpu *g);
bool im_gpu_decodes(const struct im_gpu *g);
bool im_real_reached(struct im_gpu *g);
void im_access_late(struct im_gpu *g);

/* space.c */
u32 im_space_read(const struct im_func *f, int where, int size);
void im_space_write(struct im_func *f, int where, int size, u32 val);
void im_space_reset(struct im_func *f);
void im_def(struct im_func *f, int where, int size, u32 val, u32 wmask);
void im_def_w1c(struct im_func *f, int where, int size, u32 w1c);
void im_def_through(struct im_func *f, int where, int len);
u32 im_def_get(const struct im_func *f, int where, int size);
void im_def_cap(struct im_func *f, u8 id, int where, int *last);
void im_def_extcap(struct im_func *f, u16 id, u8 version, int where, int *last);
void im_def_pm(struct im_func *f, int where, int *last);
void im_def_exp(struct im_func *f, int where, int *last, int type);
void im_def_aer(struct im_func *f, int where, int *last);
void im_def_dsn(struct im_func *f, int where, int *last, u64 serial);
void im_def_ats(struct im_func *f, int where, int *last);

/* gpu.c */
void im_gpu_define(struct im_func *f);
void im_gpu_set_id(struct im_gpu *g);
int im_gpu_real_where(int where);

/* port.c */
void im_port_define(struct im_func *f);
void im_nic_set_ats(struct im_tree *tree, bool present);
void im_nic_define(struct im_func *f, struct pci_dev *pdev);
void im_root_define(struct im_func *f, int exp);
bool im_port_forwards(struct im_func *f, u64 start, u64 size);
bool im_root_forwards(struct im_func *f, u64 start, u64 size);

/* reset.c */
void im_reset_block(struct im_gpu *g, bool scrub);
void im_reset_function(struct im_func *f);
void im_reset_port_written(struct im_func *port);
void im_reset_port_error(struct im_gpu *g, u32 errors);
void im_reset_forget_acs(struct im_gpu *g);
void im_reset_power_cycle(struct im_gpu *g);
void im_reset_retrain(struct im_func *port);
void im_reset_link_width(struct im_gpu *g, u32 lanes);
void im_reset_secondary(struct im_func *port, bool on);
void im_reset_mode1(struct im_gpu *g);
void im_reset_mode2(struct im_gpu *g);

/* regs.c */
int im_regs_start(void);
void im_regs_stop(void);
void im_regs_kick(void);
void im_regs_open(struct im_gpu *g);
void im_regs_power_on(struct im_gpu *g);
bool im_regs_decoded(struct im_gpu *g, enum im_bar bar, u64 at);
u64 im_regs_where(struct im_gpu *g, enum im_bar bar);
void __iomem *im_regs_map(u64 at, u64 size);

/* dma.c; byte offset in BAR 5 */
#define IM_REG_DMA	0x5a000
void im_dma_work(struct im_gpu *g);

/* heat.c */
int im_heat_start(void);
void im_heat_stop(void);

int im_neighbour_start(void);
void im_neighbour_stop(void);
void im_heat_ramp(struct im_gpu *g, const u32 *old);
s32 im_heat_hotspot(const struct im_gpu *g, u64 now);

/* switch.c */
struct im_gpu *im_switch_gpu(struct im_func *f);
bool im_switch_concerns(u32 where, const struct im_func *f);
void im_switch_close(struct im_gpu *g);
bool im_switch_passes(struct im_gpu *g, struct im_func *f, int where, int size, u32 val);
bool im_switch_answers(struct im_gpu *g, struct im_func *f, int where, int size, u32 *val);
void im_switch_landed(struct im_gpu *g, const struct im_write *write);
bool im_switch_due(struct im_gpu *g, struct im_write *write);
void im_switch_read(struct im_func *f, int where, int size);
void im_switch_written(struct im_func *f, int where, int size, u32 val);
extern const struct file_operations * const im_switch_writes_fops;
extern const struct file_operations * const im_switch_config_fops;

/* lie.c */
u32 im_lie(struct im_func *f, int where, int size, u32 val);

/* interrupt.c */
void im_interrupt_deliver(void);
void im_interrupt_stop(void);

/* discovery.c */
#define IM_DISCOVERY_FROM_END	(64 << 10)
#define IM_DISCOVERY_SIZE	(10 << 10)
void im_discovery_build(u8 *table, unsigned int kind, unsigned int index);

/* main.c */
int im_release(void);

/* knob.c */
void im_knob_init(struct im_gpu *g);
int im_knob_start(void);
void im_knob_stop(void);

/* counter.c */
extern const struct file_operations * const im_counter_fops;
extern const struct file_operations * const im_state_fops;

#endif
