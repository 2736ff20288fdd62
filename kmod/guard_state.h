/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a guard is made of: for guard*.c, accessor.c and replay.c only.
 */
#ifndef _INSTINCT_GUARD_STATE_H
#define _INSTINCT_GUARD_STATE_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "cap_list.h"
#include "event.h"
#include "guard.h"
#include "touch.h"
#include "unblock.h"

/* How long each write is looked at: after a reset, and after one was blocked. */
#define INSTINCT_ALERT_AFTER_RESET	(2 * NSEC_PER_SEC)
#define INSTINCT_ALERT_AFTER_BLOCK	(60 * NSEC_PER_SEC)

/**
 * enum instinct_guard_mode - what becomes of writes
 * @INSTINCT_GUARD_SUSPENDED: all are passed on
 * @INSTINCT_GUARD_ON: those that do not land are kept
 * @INSTINCT_GUARD_REFUSING: none is passed on: the device is lost
 */
enum instinct_guard_mode {
	INSTINCT_GUARD_SUSPENDED,
	INSTINCT_GUARD_ON,
	INSTINCT_GUARD_REFUSING,
};

/**
 * enum instinct_guard_way - the way that a write takes, by all that matters to it
 * @INSTINCT_GUARD_PASS: passed on
 * @INSTINCT_GUARD_NOTE: passed on with a note, to be looked at later
 * @INSTINCT_GUARD_LOCKED: under the lock, as the mode has it
 */
enum instinct_guard_way {
	INSTINCT_GUARD_PASS,
	INSTINCT_GUARD_NOTE,
	INSTINCT_GUARD_LOCKED,
};

/**
 * struct instinct_guard_caps - what others are shown of the capabilities
 * @rcu: readers hold no lock
 * @list: it
 */
struct instinct_guard_caps {
	struct rcu_head rcu;
	struct instinct_cap_list list;
};

/**
 * struct instinct_guard - of one function
 * @interposer: stands before it
 * @pdev: it, referenced
 * @fabric: the path to the GPU, on which it is or at the end of which
 * @answers: others are not to be told all that the function answers: there are @buses
 *	or @caps
 * @buses: a port's bus numbers, see instinct_guard_hold_bridge(); else 0
 * @bridge: a port's dword with Bridge Control, as it was when it answered last before
 * @caps: see instinct_guard_hold_caps(); else NULL
 * @devctl: offset of its Device Control register
 * @touch: where the function has what does not touch it
 * @command: Command register as it was written last
 * @pass_flr: an FLR may reach the function: the engine is doing it
 * @hold_d3: nor may D3hot while not 0: the PCI core is resetting by power management
 *	what the engine has reset already
 * @touched: gets INSTINCT_TOUCHED_DIRTY when a write has reached the function
 *	that instinct_touch_config() calls a touch, and Linux did not do it on its
 *	own account; NULL: neither that nor an FLR is looked for
 * @own: writes are Linux's own, and nobody else's are possible, while not 0
 * @watch: whom it tells
 * @data: for @watch
 * @prompt: dwords whose writes are looked at, and looked into, at once whatever
 *	@way is: of Command, power state, Device Control, MSI, MSI-X, ATS, PRI and
 *	PASID, and of what a probe toggles
 * @way: for writes; changed under @lock
 * @notes: taken without a lock while @way is INSTINCT_GUARD_NOTE, and of changes of the
 *	power state; read by the worker, after the last who took one
 * @looked_at: when the worker read them last, jiffies
 * @lock: guards what follows, and the order of the function's writes; taken
 *	inside the config space's own locks, and nothing but the lower accessors
 *	is called under it
 * @mode: see there
 * @rules: by policy
 * @io: how the keeper reaches the function
 * @keeper: of writes that do not land
 * @looking: the notes are read, so none is to be taken
 * @alert: each write is looked at before the next
 * @alert_until: until when, ns
 * @why: which write could not land, empty if none; changed under @push_lock too
 * @push_lock: one goes about bringing kept writes to land at a time; guards
 *	@unblock and what follows it; taken before @lock and before what a port's
 *	config accesses need
 * @unblock: how far the ladder was climbed
 * @seen_blocked: writes that were blocked, as far as was looked
 * @episode_open: an episode was told of that has no end yet
 * @episode_began: when, ns
 * @episode_blocked: writes that were blocked before it
 * @episode_first: the first of its writes
 * @episode_rung: how far the ladder was climbed in it, also before a reset began
 * @episode_dropped: writes that were kept when a reset or loss came
 * @quiet_since: since when nothing new was blocked and nothing kept, ns
 * @failed: a write that could not land
 * @failure_untold: it is to be told of
 * @work: looks at what was passed on, goes about what is kept, tells
 */
struct instinct_guard {
	struct instinct_interposer *interposer;
	struct pci_dev *pdev;
	const struct instinct_fabric *fabric;
	bool answers;
	u32 buses;
	u32 bridge;
	struct instinct_guard_caps __rcu *caps;
	u16 devctl;
	struct instinct_touch_map touch;
	u16 command;
	bool pass_flr;
	atomic_t hold_d3;
	unsigned long *touched;
	atomic_t own;
	const struct instinct_guard_watch *watch;
	void *data;

	DECLARE_BITMAP(prompt, INSTINCT_CONFIG_BYTES / 4);
	enum instinct_guard_way way;
	unsigned long looked_at;
	raw_spinlock_t lock;		/* see above */
	enum instinct_guard_mode mode;
	struct instinct_guard_rules rules;
	struct instinct_config_io io;
	bool looking;
	bool alert;
	u64 alert_until;
	char why[INSTINCT_REASON_BYTES];

	struct mutex push_lock;		/* see above */
	struct instinct_unblock unblock;
	u64 seen_blocked;
	bool episode_open;
	u64 episode_began;
	u64 episode_blocked;
	struct instinct_write episode_first;
	enum instinct_vfio_unblock episode_rung;
	unsigned int episode_dropped;
	u64 quiet_since;
	struct instinct_write failed;
	bool failure_untold;
	struct delayed_work work;

	/* Large, what is asked at each access first. */
	struct instinct_notes notes;
	struct instinct_keeper keeper;
};

/* accessor.c */
extern const struct pci_ops instinct_accessors;

/* guard.c */
void instinct_guard_set_way(struct instinct_guard *guard);
void instinct_guard_alarm(struct instinct_guard *guard);
u32 instinct_guard_value(struct instinct_guard *guard, int where, int size);

/* guard_map.c */
void instinct_guard_map(struct instinct_guard *guard);

/* guard_answer.c */
bool instinct_guard_answer(struct instinct_guard *guard, int where, int size, u32 *val);

/* replay.c */
void instinct_replay_work(struct work_struct *work);

#endif /* _INSTINCT_GUARD_STATE_H */
