/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An item is a port or a function that policy covers. The module looks at its ACS or ATS, and mends
 * it. instinct_isolation_lock guards all items.
 */
#ifndef _INSTINCT_ISOLATION_ITEM_H
#define _INSTINCT_ISOLATION_ITEM_H

#include <linux/mutex.h>

#include "isolation/isolation.h"

struct pci_dev;

/*
 * After this time Linux has completed a bind or a hot-add, and an IOMMU driver has done both
 * writes that switch ATS.
 */
#define INSTINCT_ISOLATION_SOON_MS	20

/**
 * struct instinct_item - a port, or a function with ATS
 * @node: links the list of ports or the list of functions
 * @pdev: the port or function, referenced
 * @seen: the state that the last look found
 * @planned: the plan for a port; without @planned.spoken the next look puts its ACS back
 * @due: the plan for a port has changed since the last look, or a reset has just cleared its ACS
 * @stubborn: a write to the port's ACS had no effect, and an event has reported that
 * @adrift: ATS differs from the IOMMU driver's belief, and an event has reported that
 */
struct instinct_item {
	struct list_head node;
	struct pci_dev *pdev;
	struct instinct_isolation_item seen;
	struct instinct_planned planned;
	bool due;
	bool stubborn;
	bool adrift;
};

extern struct mutex instinct_isolation_lock;

void instinct_acs_learn(struct instinct_item *port);
void instinct_acs_look(struct instinct_item *port);
void instinct_ats_look(struct instinct_item *function);
const char *instinct_ats_unmet(const struct instinct_item *function, bool attached);

#endif /* _INSTINCT_ISOLATION_ITEM_H */
