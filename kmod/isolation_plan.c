// SPDX-License-Identifier: GPL-2.0-only
#include "isolation_plan.h"

/**
 * instinct_isolation_defaults() - the policy of an endpoint that nobody spoke about
 * @policy: set: all is left as Linux has it
 */
void instinct_isolation_defaults(struct instinct_isolation_policy *policy)
{
	unsigned int role;

	*policy = (struct instinct_isolation_policy) {
		.acs.preset = INSTINCT_VFIO_ACS_KERNEL,
		.acs.loss = INSTINCT_VFIO_ISOLATION_LOSS_NO,
		.ats = INSTINCT_VFIO_ATS_IGNORE,
		.check_interval = INSTINCT_CHECK_INTERVAL_DEFAULT,
		.peers.automatic = true,
	};
	for (role = 0; role < INSTINCT_VFIO_ACS_ROLES; role++)
		policy->acs.bits[role] = INSTINCT_VFIO_ACS_BITS_PRESET;
}

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
 * instinct_isolation_policy_check() - is a policy one at all?
 * @policy: to check
 * @why: set to what is wrong, for people
 *
 * Return: 0 or -ERANGE.
 */
int instinct_isolation_policy_check(const struct instinct_isolation_policy *policy,
				    const char **why)
{
	unsigned int role;

	if (policy->acs.preset > INSTINCT_VFIO_ACS_BARE_METAL) {
		*why = "acs must be kernel, vm-p2p, vm or bare-metal";
		return -ERANGE;
	}
	for (role = 0; role < INSTINCT_VFIO_ACS_ROLES; role++)
		if (policy->acs.bits[role] > INSTINCT_VFIO_ACS_BITS_MAX &&
		    policy->acs.bits[role] != INSTINCT_VFIO_ACS_BITS_PRESET) {
			*why = "ACS bits of a role must be preset, or 0x0 to 0x1fff";
			return -ERANGE;
		}
	if (policy->acs.loss > INSTINCT_VFIO_ISOLATION_LOSS_YES) {
		*why = "allow_isolation_loss must be no or yes";
		return -ERANGE;
	}
	if (policy->ats > INSTINCT_VFIO_ATS_REQUIRED) {
		*why = "ats must be ignore, preferred or required";
		return -ERANGE;
	}
	if (policy->check_interval &&
	    (policy->check_interval < INSTINCT_VFIO_CHECK_INTERVAL_MIN ||
	     policy->check_interval > INSTINCT_VFIO_CHECK_INTERVAL_MAX)) {
		*why = "check_interval must be 0, or 100 to 3600000 ms";
		return -ERANGE;
	}
	return 0;
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
	int i, role;

	for (i = 0; i < topology->count; i++) {
		if (topology->node[i].kind == INSTINCT_NODE_ENDPOINT)
			continue;
		role = instinct_topology_role(topology, endpoint, peer, i);
		if (role >= 0 && instinct_acs_rules(&policy->acs, role, &wish))
			plan_port(&port[i], role, &wish, loss);
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
