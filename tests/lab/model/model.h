/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware model: QEMU functions in the roles of an AMD Instinct board.
 *
 * A *tree* is a root port and the functions below it; each modelled function has a shadow
 * config space of 4 KiB. The model also writes memory decoding, BARs, bus numbers and
 * windows to the real function, since QEMU needs them.
 *
 * Locking: one raw spinlock for each tree covers its shadows, the settings, the counters
 * and the state of its GPUs. Config accessors take it with interrupts off, and possibly
 * inside the PCI core's pci_lock. A holder does not sleep, and calls no outside code but
 * the host's config accessors and wake_up_process().
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
#define IM_LINK_SPEEDS	0x3e	/* and all lower speeds */
#define IM_LINK_WIDTH	16

/* VFs that the module parameter sriov can give each GPU: functions 1 to 7 of its device. */
#define IM_VFS_MAX	7
/* Qwords of the registers that the model keeps while a GPU is in D3hot. */
#define IM_KEPT_MAX	128

/**
 * enum im_role - role of a function on the board
 * @IM_ROOT: root port; QEMU's own, except for its link and its secondary bus reset
 * @IM_SWITCH_UP: upstream port of the board's switch
 * @IM_SWITCH_DOWN: downstream port of the board's switch
 * @IM_NIC: network card beside the GPU
 * @IM_SWUS: upstream port of the switch in the GPU's package
 * @IM_SWDS: downstream port of the switch in the GPU's package
 * @IM_GPU: the GPU
 * @IM_VF: a virtual function of the GPU; QEMU has no function behind it
 */
enum im_role {
	IM_ROOT,
	IM_SWITCH_UP,
	IM_SWITCH_DOWN,
	IM_NIC,
	IM_SWUS,
	IM_SWDS,
	IM_GPU,
	IM_VF,
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
	IM_FIRMWARE,
	IM_MP1,
	IM_POWER_CYCLE,
	IM_S3,
	IM_PATH_HEALS,
	IM_LINK_DOWN,
	IM_PENDING,
	IM_PACKAGE_MS,
	IM_TRAIN_MS,
	IM_D3HOT,
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
	IM_SYNTHETIC,
	IM_SYNTHETIC_WHERE,
	IM_SYNTHETIC_MS,
	IM_SOS,
	IM_BOOTLOADER,
	IM_BOOTLOADER_MS,
	IM_MODE1_ANSWERS,
	IM_SCRUB,
	IM_ASPM,
	IM_HIVE_NODES,
	IM_HARVESTED,
	IM_PARTITION,
	IM_PARTITION_NEXT,
	IM_LIE,
	IM_LIE_WHERE,
	IM_LIE_SEED,
	IM_KNOBS
};

/* Values of IM_FLR, IM_BUS_RESET and IM_MODE1; from the fourth on each has its own. */
enum {
	IM_RESET_OK,
	IM_RESET_KILLS,
	IM_RESET_DEAD,
	IM_RESET_NONE,			/* IM_BUS_RESET */
	IM_RESET_TIMEOUT = IM_RESET_NONE,	/* IM_MODE1 */
	IM_RESET_REFUSE,
	IM_RESET_FATAL,
	IM_RESET_HASTY,
};

/* Values of IM_S3. */
enum { IM_S3_OK, IM_S3_DEAD };

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
	IM_MAILBOX_DEAF,
	IM_MAILBOX_ECHO,
};

/* Values of IM_SYNTHETIC; from _TIME on, each reset brings the placeholder up. */
enum {
	IM_SYNTHETIC_NONE,
	IM_SYNTHETIC_AWAY,
	IM_SYNTHETIC_SCAN,
	IM_SYNTHETIC_TIME,
	IM_SYNTHETIC_RETRAIN,
	IM_SYNTHETIC_EVER,
};

/* Values of IM_SOS. */
enum { IM_SOS_RUNS, IM_SOS_NONE, IM_SOS_STAYS };

/* Values of IM_BOOTLOADER. */
enum { IM_BOOTLOADER_OK, IM_BOOTLOADER_FAILS, IM_BOOTLOADER_BUSY, IM_BOOTLOADER_MEMORY };

/* Values of IM_MODE1_ANSWERS. */
enum { IM_MODE1_SAYS_OK, IM_MODE1_SAYS_NOTHING };

/* Values of IM_D3HOT. */
enum { IM_D3HOT_KEEPS, IM_D3HOT_RESETS };

/* Values of IM_NOTREADY. */
enum { IM_NOTREADY_ONES, IM_NOTREADY_RRS };

/* Values of IM_PATH_HEALS. */
enum { IM_PATH_WRITTEN, IM_PATH_ENUMERATED };

/* Values of IM_SWITCH_WHERE, of IM_LIE_WHERE, and of IM_SYNTHETIC_WHERE, which alone has _SWDS. */
enum { IM_SWITCH_GPU, IM_SWITCH_PACKAGE, IM_SWITCH_BOTH, IM_SWITCH_SWDS };

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
 * enum im_counter - counters of each GPU; counter.c has their names
 */
enum im_counter {
	IM_N_FLR,
	IM_N_BUS_RESET,
	IM_N_LINK_DISABLE,
	IM_N_D3HOT_RESET,
	IM_N_MODE1,
	IM_N_MODE1_REQUESTS,
	IM_N_MODE2,
	IM_N_MAILBOX_MESSAGES,
	IM_N_PATH_LOST,
	IM_N_POWER_LOST,
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
	IM_N_PLACEHOLDER_READS,
	IM_N_PLACEHOLDER_WRITES,
	IM_N_MODE1_FATAL,
	IM_N_EARLY_ACCESSES,
	IM_N_DMA_WRITES,
	IM_N_DMA_FAULTS,
	IM_COUNTERS
};

/* Roles of the BARs of QEMU's nvme. */
enum im_bar { IM_DOORBELLS, IM_REGS, IM_VRAM, IM_BARS };

struct im_board;
struct im_func;
struct im_gpu;

#define IM_LATE_MAX	256
#define IM_LOG_MAX	1024

/**
 * enum im_fate - fate of a config write
 * @IM_LANDED: the function received it
 * @IM_DROPPED: the switch dropped it
 * @IM_LATE: the switch delays it
 * @IM_VOID: the switch's placeholder received it
 */
enum im_fate { IM_LANDED, IM_DROPPED, IM_LATE, IM_VOID };

/**
 * struct im_write - a config write to the GPU, or to a port of its package
 * @func: function that it is addressed to
 * @due: time at which it lands (boot time, ns), if it is late
 * @val: value
 * @where: offset
 * @size: bytes
 * @fate: an enum im_fate
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
 * struct im_switch - misbehaviour of the switch above a package towards config writes
 * @closed: it drops the writes that the settings name, until it opens
 * @dropped: it has dropped one since it closed
 * @count: writes that it could have dropped, for IM_SWITCH_ONE_IN
 * @bar: its answer for the GPU's BARs when they are virtual
 * @late: delayed writes, a ring
 * @late_first: index of the oldest of them
 * @late_count: number of them
 * @log: the last writes, a ring
 * @logged: number of writes ever logged
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
 * @ramp_from: temperature at the beginning of the hot spot's ramp, in millidegrees
 * @ramp_begin: time at which the ramp began (boot time, ns)
 * @ramp_end: time at which it reaches the hotspot setting (boot time, ns)
 * @noise: state of the generator of jitter
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
 * @next: time of the engine's next round (boot time, ns)
 * @to: DMA address of the page that nvme writes
 * @slot: index of the next entry in nvme's submission queue
 * @sent: nvme has a command that the model has not seen completed
 */
struct im_dma {
	u64 next;
	u64 to;
	unsigned int slot;
	bool sent;
};

/**
 * struct im_tree - a root port and all modelled functions below it
 * @node: in im_trees
 * @lock: see the top of this file
 * @funcs: all functions, parents before children
 * @root: the root port
 * @root_bus: its bus
 * @ops: the host's accessors, which the model's replace
 * @index: number of the tree, counted from 0
 * @changes: counts changes that may affect the path of accesses, from 1
 * @sleeps: the host is going to sleep or waking up, and the power may be lost
 * @acs_reads: count of config reads of the ACS registers of switch ports
 * @acs_writes: count of config writes of those
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
	bool sleeps;
	u64 acs_reads;
	u64 acs_writes;
};

/**
 * struct im_func - one modelled function
 * @node: in the tree's list of functions
 * @tree: its tree
 * @parent: the port above, NULL for the root port
 * @role: its role
 * @devfn: device and function number
 * @path: a minimal bus with which the host's accessors reach the real function
 * @real_id: vendor and device ID of QEMU's function, as the dword reads
 * @pm: offset of the Power Management capability, 0 for none
 * @exp: offset of the PCI Express capability
 * @aer: offset of the AER capability, 0 for none
 * @dpc: offset of the DPC capability, 0 for none
 * @acs: offset of the ACS capability, 0 for none or for QEMU's own
 * @arrived: config cycles reach this function
 * @arrived_at: the tree's @changes at the last update of @arrived
 * @contained: DPC holds the link below this port down
 * @link_lost: the link below this port does not come up by itself
 * @silent_until: the function answers nothing before this time, ktime_get_ns()
 * @asleep: a package's upstream port, which ignores all writes until enumeration
 * @irq_due: DPC or the slot has an interrupt to raise
 * @irq: the interrupt's number from its preparation until it is raised
 * @in_reset: this port holds its secondary bus in reset
 * @disabled: Link Disable holds the link below this port down
 * @trained_at: time at which the link below this port comes up (boot time, ns), 0 if it does
 *	not train
 * @pf: the GPU to which a VF belongs, NULL for other functions
 * @gpu: the GPU's other state, NULL for other functions
 * @cfg: the shadow
 * @def: contents of @cfg after a reset
 * @wmask: writable bits
 * @w1c: write-1-to-clear bits
 * @through: marks bytes whose writes also go to the real function
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
	u64 silent_until;
	bool asleep;
	bool irq_due;
	unsigned int irq;
	bool in_reset;
	bool disabled;
	u64 trained_at;
	struct im_func *pf;
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
 * @ready_at: time from which the GPU answers config accesses again (boot time, ns)
 * @last_ready: time at which it last became ready (boot time, ns)
 * @hive_entered: time at which it entered a mode-1 reset of the hive (boot time, ns), 0
 *	for none under way
 * @asked: time of the host's last request for a mode-1 reset (boot time, ns), 0 for none
 * @mode1_silent: the SMU's response register stays 0 after a mode-1 reset
 * @boots: its bootloader is not ready yet
 * @flicker: counts the thread's visits while the GPU's registers oscillate (ASPM)
 * @synthetic: the placeholder answers for the functions even if they can be reached
 * @dead: the GPU answers nothing until a power cycle
 * @blocked: registers read all ones until the path and the config space are back
 * @gated: registers read all ones, and lose writes, until the GPU leaves D3hot
 * @kept: what the registers hold meanwhile
 * @scrub: the model must scrub VRAM
 * @generation: counts the events that set @blocked
 * @discovery_stale: the model must write the discovery table again
 * @real_command: Command register of the real function
 * @real_dword: the model's last values for the real function's BARs; a modelled
 *	reset does not change them
 * @real_bar: addresses in the real function's BARs
 * @bar_size: sizes of the real function's BARs
 * @reached: the real function's root port forwards @real_bar
 * @reached_at: the tree's @changes at the last update of @reached, 0 if @real_bar is newer
 * @opened: im_regs_open() has run since @blocked was set
 * @vram_enabled: QEMU maps the VRAM
 * @regs: mapping of the register BAR, or NULL
 * @regs_at: the address that @regs maps
 * @filled: the last @generation for which the model has written all ones, and prepared VRAM
 * @mode1_due: time of a mode-1 reset that the SMU has already acknowledged (worker only)
 * @mail_due: time of a slow mailbox's answer (worker only)
 * @lie: state of the generator of lies
 * @sw: the switch above its package
 * @heat: its temperatures
 * @dma: its DMA engine
 * @dir: its debugfs folder
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
	u64 asked;
	bool mode1_silent;
	bool boots;
	unsigned int flicker;
	bool synthetic;
	bool dead;
	bool blocked;
	bool gated;
	u64 *kept;
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
 * struct im_board - properties that differ between boards
 * @name: value of the module parameter "board"
 * @gpu: vendor and device ID of the GPU, vendor in the upper half
 * @nic: the network card's, likewise
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
bool im_func_sleeps(const struct im_func *f);
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
void im_def_msi(struct im_func *f, int where, int *last);
void im_def_exp(struct im_func *f, int where, int *last, int type);
void im_def_aer(struct im_func *f, int where, int *last);
void im_def_dsn(struct im_func *f, int where, int *last, u64 serial);
void im_def_ats(struct im_func *f, int where, int *last);

/* gpu.c */
void im_gpu_define(struct im_func *f);
void im_gpu_set_id(struct im_gpu *g);
int im_gpu_real_where(int where);
void im_gpu_set_d3hot(struct im_gpu *g);
void im_gpu_size_vram(struct im_func *f);
u32 im_gpu_vfs(const struct im_func *pf);
void im_vf_define(struct im_func *f);

/* port.c */
void im_port_define(struct im_func *f);
void im_nic_set_ats(struct im_tree *tree, bool present);
void im_nic_define(struct im_func *f, struct pci_dev *pdev);
void im_root_define(struct im_func *f, int exp);
bool im_port_forwards(struct im_func *f, u64 start, u64 size);
bool im_root_forwards(struct im_func *f, u64 start, u64 size);

/* synthetic.c */
void im_synthetic_begin(struct im_gpu *g);
void im_synthetic_retrained(const struct im_func *port);
void im_synthetic_sized(const struct im_func *f, int where, u32 val);
bool im_synthetic_answers(struct im_func *f, bool arrives);
void im_synthetic_write(struct im_func *f, int where, int size, u32 val);
u32 im_synthetic_read(struct im_gpu *g, int where, int size);

/* reset.c */
void im_reset_block(struct im_gpu *g, bool scrub);
void im_reset_accessed(struct im_gpu *g);
void im_reset_function(struct im_func *f);
void im_reset_port_written(struct im_func *port);
void im_reset_port_error(struct im_gpu *g, u32 errors);
void im_reset_forget_acs(struct im_gpu *g);
void im_reset_power_cycle(struct im_gpu *g);
void im_reset_sleep(bool sleeps);
void im_reset_wake(struct im_tree *tree);
void im_reset_retrain(struct im_func *port);
void im_reset_link_width(struct im_gpu *g, u32 lanes);
void im_reset_secondary(struct im_func *port, bool on);
void im_reset_disable(struct im_func *port, bool on);
void im_reset_trained(struct im_tree *tree);
void im_reset_d3hot(struct im_gpu *g);
void im_reset_mode1(struct im_gpu *g);
void im_reset_mode2(struct im_gpu *g);

/* regs.c */
int im_regs_start(void);
void im_regs_stop(void);
void im_regs_kick(void);
void im_regs_open(struct im_gpu *g);
void im_regs_power_on(struct im_gpu *g);
void im_regs_show(struct im_gpu *g);
bool im_regs_posted(struct im_gpu *g);
void im_regs_sleep(struct im_gpu *g);
void im_regs_wake(struct im_gpu *g);
bool im_regs_decoded(struct im_gpu *g, enum im_bar bar, u64 at);
u64 im_regs_where(struct im_gpu *g, enum im_bar bar);
void __iomem *im_regs_map(u64 at, u64 size);

/* dma.c; byte offset in BAR 5 */
#define IM_REG_DMA	0x5a000
#define IM_GC1		0x12000	/* first dword of the graphics engine on the second die */
void im_dma_work(struct im_gpu *g);

/* heat.c */
int im_heat_start(void);
void im_heat_stop(void);

int im_neighbour_start(void);
void im_neighbour_stop(void);

/* importer.c */
#if IS_ENABLED(CONFIG_VFIO_PCI_DMABUF)
extern const struct attribute_group *im_import_groups[];
void im_import_end(void);
#else
#define im_import_groups NULL
static inline void im_import_end(void)
{
}
#endif
void im_heat_ramp(struct im_gpu *g, const u32 *old);
s32 im_heat_hotspot(const struct im_gpu *g, u64 now);

/* switch.c */
struct im_gpu *im_switch_gpu(struct im_func *f);
bool im_switch_concerns(u32 where, const struct im_func *f);
void im_switch_log(struct im_gpu *g, const struct im_write *write);
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
void im_discovery_build(u8 *table, unsigned int kind, unsigned int index, bool harvested);

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
