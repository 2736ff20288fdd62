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
 * typedef instinct_guard_flr_t - an FLR was held back
 * @data: as given to instinct_guard_attach()
 *
 * Called in atomic context, maybe with pci_lock held and interrupts off.
 */
typedef void (*instinct_guard_flr_t)(void *data);

struct instinct_guard *instinct_guard_attach(struct pci_dev *pdev,
					     instinct_guard_flr_t held,
					     void *data);
void instinct_guard_detach(struct instinct_guard *guard);
void instinct_guard_pass_flr(struct instinct_guard *guard, bool pass);

#endif /* _INSTINCT_GUARD_H */
