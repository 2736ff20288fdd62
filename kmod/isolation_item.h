/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of isolation: ACS of a port and ATS of a function that policy speaks of,
 * looked at and mended. ATS belongs to the IOMMU driver: ATS that it has off stays off.
 */
#ifndef _INSTINCT_ISOLATION_ITEM_H
#define _INSTINCT_ISOLATION_ITEM_H

#include <linux/mutex.h>

#include "isolation.h"

struct pci_dev;

/*
 * By then Linux has done all that comes with a bind or a hot-add, and an IOMMU driver both
 * writes that switch ATS.
 */
#define INSTINCT_ISOLATION_SOON_MS	20

/**
 * struct instinct_item - a port, or a function with ATS; under instinct_isolation_lock
 * @node: in the list of ports or of functions
 * @pdev: the port or function, referenced
 * @seen: the state that a look has found; @seen.of, for events, is an endpoint whose policy
 *	speaks of a port
 * @planned: ACS that a port should carry; without @planned.spoken its ACS is to be put back
 * @fresh: a port was read a moment ago
 * @due: the plan for a port is new
 * @stubborn: a port could not be mended, and an event has told so
 * @returned: ACS bits that policy spoke of and does no longer: to be as before
 * @suspect: jiffies since when looks have found ATS lost, 0 if the last has not
 * @restored: the last look has switched ATS on, as the IOMMU driver had it
 * @adrift: ATS is not as the IOMMU driver has it, and an event has told so
 */
struct instinct_item {
	struct list_head node;
	struct pci_dev *pdev;
	struct instinct_isolation_item seen;
	struct instinct_planned planned;
	bool fresh;
	bool due;
	bool stubborn;
	u16 returned;
	unsigned long suspect;
	bool restored;
	bool adrift;
};

extern struct mutex instinct_isolation_lock;

void instinct_acs_learn(struct instinct_item *port);
void instinct_acs_plan(struct instinct_item *port, const struct instinct_planned *planned);
void instinct_acs_look(struct instinct_item *port, bool expected);
void instinct_acs_put_back(struct instinct_item *port);

enum instinct_vfio_ats_state instinct_ats_state(struct pci_dev *pdev);
bool instinct_ats_look(struct instinct_item *function);
const char *instinct_ats_unmet(const struct instinct_item *function);

#endif /* _INSTINCT_ISOLATION_ITEM_H */
