// SPDX-License-Identifier: GPL-2.0-only
#include "isolation_plan.h"

static bool same_peers(const struct instinct_peers *a, const struct instinct_peers *b)
{
	unsigned int i;

	if (a->automatic != b->automatic || a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (a->item[i].by_id != b->item[i].by_id ||
		    a->item[i].value != b->item[i].value)
			return false;
	return true;
}

/**
 * instinct_isolation_same() - are two policies the same?
 * @a: one
 * @b: the other
 *
 * Return: true if all of it is.
 */
bool instinct_isolation_same(const struct instinct_isolation_policy *a,
			     const struct instinct_isolation_policy *b)
{
	return a->acs.preset == b->acs.preset && a->acs.loss == b->acs.loss &&
	       !memcmp(a->acs.bits, b->acs.bits, sizeof(a->acs.bits)) &&
	       a->ats == b->ats && a->check_interval == b->check_interval &&
	       same_peers(&a->peers, &b->peers);
}

/**
 * instinct_isolation_peers() - the peers of an endpoint
 * @topology: all functions
 * @endpoint: the endpoint
 * @policy: of it
 * @peer: set for each function
 */
void instinct_isolation_peers(const struct instinct_topology *topology, int endpoint,
			      const struct instinct_isolation_policy *policy,
			      bool *peer)
{
	int i;

	for (i = 0; i < topology->count; i++)
		peer[i] = instinct_topology_is_peer(topology, endpoint, i,
						    &policy->peers);
}

static void plan_port(struct instinct_planned *port, enum instinct_vfio_acs_role role,
		      const struct instinct_acs_wish *wish, bool loss)
{
	if (port->spoken) {
		instinct_acs_merge(&port->wish, wish);
		port->loss &= loss;
		return;
	}
	*port = (struct instinct_planned) {
		.spoken = true,
		.role = role,
		.wish = *wish,
		.loss = loss,
	};
}

/**
 * instinct_isolation_plan() - add an endpoint's wishes to what is planned
 * @topology: all functions
 * @endpoint: the endpoint
 * @policy: of it
 * @peer: its peers, by instinct_isolation_peers()
 * @port: for each function, zeroed before the first endpoint; added to
 */
void instinct_isolation_plan(const struct instinct_topology *topology, int endpoint,
			     const struct instinct_isolation_policy *policy,
			     const bool *peer, struct instinct_planned *port)
{
	bool loss = policy->acs.loss == INSTINCT_VFIO_ISOLATION_LOSS_YES;
	struct instinct_acs_wish wish;
	int path[INSTINCT_PATH_MAX], count, role, i, j;

	/* A port above several of them is planned as often, and each time the same. */
	for (i = 0; i < topology->count; i++) {
		if (i != endpoint && !peer[i])
			continue;
		count = instinct_topology_path(topology, i, path);
		for (j = 0; j < count; j++) {
			role = instinct_topology_role(topology, endpoint, peer, path[j]);
			if (role >= 0 && instinct_acs_rules(&policy->acs, role, &wish))
				plan_port(&port[path[j]], role, &wish, loss);
		}
	}
}

/**
 * instinct_isolation_loss() - what IOMMU groups would miss
 * @port: planned
 * @capable: bits that its ACS Control has
 * @before: its ACS Control before any policy spoke of it
 *
 * Linux computes the groups once, when it finds the functions.
 *
 * Return: bits that the groups may rely on, that the plan takes away, and whose
 * loss is not allowed.
 */
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable,
			    u16 before)
{
	u16 wanted = instinct_acs_value(&port->wish, capable, before);

	if (port->loss)
		return 0;
	return before & (u16)~wanted & INSTINCT_ACS_GROUP_BITS;
}
