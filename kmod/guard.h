/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The config-write guard: stands between Linux and the config space of a GPU,
 * or of a port of its package, and sees to it that what is written lands.
 */
#ifndef _INSTINCT_GUARD_H
#define _INSTINCT_GUARD_H

#include <linux/types.h>

#include "keeper.h"

struct pci_dev;
struct instinct_fabric;
struct instinct_guard;

/**
 * struct instinct_guard_episode - writes were blocked, and what became of that
 * @pdev: the function
 * @result: KEPT when it begins, then DONE or FAILED
 * @first: the write that was the first, or that could not land
 * @name: of its register
 * @count: writes that were kept in it; 0 when it begins
 * @dropped: of those, how many a reset came before; 0 until it is DONE
 * @lasted: for how long, ns
 * @rung: how far the ladder was climbed
 */
struct instinct_guard_episode {
	struct pci_dev *pdev;
	enum instinct_keeper_result result;
	struct instinct_write first;
	const char *name;
	u64 count;
	unsigned int dropped;
	u64 lasted;
	enum instinct_vfio_unblock rung;
};

/**
 * struct instinct_guard_watch - whom the guard tells
 * @flr_held: an FLR was held back
 * @episode: of blocked writes; process context, nothing held
 *
 * Both get what was given to instinct_guard_attach(), the first in atomic
 * context, maybe with pci_lock held and interrupts off.
 */
struct instinct_guard_watch {
	void (*flr_held)(void *data);
	void (*episode)(void *data, const struct instinct_guard_episode *episode);
};

/**
 * struct instinct_guard_rules - what policy allows
 * @verify: look whether writes land, and repeat those that do not
 * @keep: keep those that do not for all that, and replay them
 * @unblock: what may be tried to let them land
 * @timeout: how long anything is kept, ns
 */
struct instinct_guard_rules {
	bool verify;
	bool keep;
	enum instinct_vfio_unblock unblock;
	u64 timeout;
};

struct instinct_guard *
instinct_guard_attach(struct pci_dev *pdev, const struct instinct_fabric *fabric,
		      unsigned long *touched,
		      const struct instinct_guard_watch *watch, void *data);
void instinct_guard_detach(struct instinct_guard *guard);
void instinct_guard_free(struct instinct_guard *guard);
void instinct_guard_pass_flr(struct instinct_guard *guard, bool pass);
void instinct_guard_own_begin(struct instinct_guard *guard);
void instinct_guard_own_end(struct instinct_guard *guard);
void instinct_guard_hold_bridge(struct instinct_guard *guard, u32 buses);
int instinct_guard_hold_caps(struct instinct_guard *guard);
void instinct_guard_let_caps(struct instinct_guard *guard);
u32 instinct_guard_peek(struct instinct_guard *guard, int where, int size);
void instinct_guard_hold_d3(struct instinct_guard *guard, bool hold);

void instinct_guard_check(struct instinct_guard *guard);
void instinct_guard_set_rules(struct instinct_guard *guard,
			      const struct instinct_guard_rules *rules);
void instinct_guard_survey(struct instinct_guard *guard);
void instinct_guard_suspend(struct instinct_guard *guard);
void instinct_guard_resume(struct instinct_guard *guard);
void instinct_guard_ready(struct instinct_guard *guard);
void instinct_guard_refuse(struct instinct_guard *guard);
enum instinct_keeper_result instinct_guard_push(struct instinct_guard *guard);
void instinct_guard_nudge(struct instinct_guard *guard, int where, u32 val);
int instinct_guard_settle(struct instinct_guard *guard);
bool instinct_guard_is_settled(const struct instinct_guard *guard);
void instinct_guard_forced(struct instinct_guard *guard, unsigned int writes);
bool instinct_guard_why(struct instinct_guard *guard, char *why);
void instinct_guard_counts(struct instinct_guard *guard,
			   struct instinct_keeper_counts *counts);

#endif /* _INSTINCT_GUARD_H */
