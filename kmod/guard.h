/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The config-write guard: stands between Linux and the config space of a
 * managed GPU by interposing the accesses of its bus.
 */
#ifndef _INSTINCT_GUARD_H
#define _INSTINCT_GUARD_H

#include <linux/types.h>

struct pci_dev;
struct instinct_guard;

/**
 * struct instinct_guard_watch - whom the guard tells
 * @flr_held: an FLR was held back
 * @touched: a write has reached the function that instinct_touch_config()
 *	calls a touch, and Linux did not do it on its own account
 *
 * Both get what was given to instinct_guard_attach(), in atomic context, maybe
 * with pci_lock held and interrupts off.
 */
struct instinct_guard_watch {
	void (*flr_held)(void *data);
	void (*touched)(void *data);
};

struct instinct_guard *
instinct_guard_attach(struct pci_dev *pdev,
		      const struct instinct_guard_watch *watch, void *data);
void instinct_guard_detach(struct instinct_guard *guard);
void instinct_guard_pass_flr(struct instinct_guard *guard, bool pass);
void instinct_guard_own_begin(struct instinct_guard *guard);
void instinct_guard_own_end(struct instinct_guard *guard);
void instinct_guard_hold_d3(struct instinct_guard *guard, bool hold);

#endif /* _INSTINCT_GUARD_H */
