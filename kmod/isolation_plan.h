/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ports of a whole host should carry, by all endpoints' policies. */
#ifndef _INSTINCT_ISOLATION_PLAN_H
#define _INSTINCT_ISOLATION_PLAN_H

#include "acs.h"
#include "topology.h"

/**
 * struct instinct_isolation_policy - an operator's wishes for an endpoint
 * @acs: of the ports on its path, and on its peers'
 * @ats: of itself and its peers
 * @check_interval: how often that is looked at, ms; 0: never
 * @peers: which they are
 */
struct instinct_isolation_policy {
	struct instinct_acs_policy acs;
	enum instinct_vfio_ats ats;
	u32 check_interval;
	struct instinct_peers peers;
};

/**
 * struct instinct_planned - what is planned for a port
 * @spoken: some policy speaks of it
 * @role: what it is, to the first endpoint whose policy does
 * @wish: what it should carry
 * @loss: every policy that speaks of it allows that IOMMU groups isolate no more
 */
struct instinct_planned {
	bool spoken;
	enum instinct_vfio_acs_role role;
	struct instinct_acs_wish wish;
	bool loss;
};

bool instinct_isolation_same(const struct instinct_isolation_policy *a,
			     const struct instinct_isolation_policy *b);
void instinct_isolation_peers(const struct instinct_topology *topology, int endpoint,
			      const struct instinct_isolation_policy *policy,
			      bool *peer);
void instinct_isolation_plan(const struct instinct_topology *topology, int endpoint,
			     const struct instinct_isolation_policy *policy,
			     const bool *peer, struct instinct_planned *port);
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable,
			    u16 before);

#endif /* _INSTINCT_ISOLATION_PLAN_H */
