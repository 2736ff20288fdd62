/* SPDX-License-Identifier: GPL-2.0-only */
/* One port whose ACS policy speaks of: looked at, and mended. */
#ifndef _INSTINCT_ACS_PORT_H
#define _INSTINCT_ACS_PORT_H

#include <linux/list.h>
#include <linux/pci.h>

#include "event.h"
#include "isolation_plan.h"

/**
 * struct instinct_acs_port - all of it under isolation's lock
 * @node: in the list of ports
 * @pdev: it, referenced
 * @of: an endpoint whose policy speaks of it, for events
 * @planned: what it should carry; not @spoken of: it is to be put back
 * @known: it was read, and @capable and @before are set
 * @fresh: it was read a moment ago
 * @due: the plan for it is new
 * @adrift: it was found not to be as planned
 * @stubborn: and could not be mended, which was told
 * @capable: bits that its ACS Control has, 0 if it has no ACS
 * @before: ACS Control before policy spoke of it
 * @returned: bits that policy spoke of and does no longer: to be as before
 * @found: as it was when it was looked at last
 * @wanted: what it should be then
 * @drifts: times that it was not so
 */
struct instinct_acs_port {
	struct list_head node;
	struct pci_dev *pdev;
	char of[INSTINCT_BDF_BYTES];
	struct instinct_planned planned;
	bool known;
	bool fresh;
	bool due;
	bool adrift;
	bool stubborn;
	u16 capable;
	u16 before;
	u16 returned;
	u16 found;
	u16 wanted;
	u64 drifts;
};

void instinct_acs_port_plan(struct instinct_acs_port *port,
			    const struct instinct_planned *planned);
void instinct_acs_port_learn(struct instinct_acs_port *port);
void instinct_acs_port_look(struct instinct_acs_port *port, bool expected);
void instinct_acs_port_put_back(struct instinct_acs_port *port);
u16 instinct_acs_port_loss(const struct instinct_acs_port *port);

#endif /* _INSTINCT_ACS_PORT_H */
