// SPDX-License-Identifier: GPL-2.0-only
#include "isolation/plan.h"

#define CLASS_NETWORK	0x02
/* No path has more ports; this limit ends a loop of parents. */
#define PATH_MAX_PORTS	64

/**
 * instinct_node_kind() - find out the part of a function on a path
 * @port: the function has a bridge's header
 * @type: Device/Port Type of its PCI Express capability, -1 without one
 *
 * Return: the kind.
 */
enum instinct_node_kind instinct_node_kind(bool port, int type)
{
	if (!port)
		return INSTINCT_NODE_ENDPOINT;
	return type >= INSTINCT_NODE_ROOT_PORT && type <= INSTINCT_NODE_DOWNSTREAM ?
	       type : INSTINCT_NODE_BRIDGE;
}

static int parent_of(const struct instinct_topology *topology, int node)
{
	int parent = topology->node[node].parent;

	return parent >= 0 && parent < topology->count ? parent : INSTINCT_NODE_NONE;
}

/* Walks the ports above @node, beginning with the nearest. */
#define for_each_port_above(topology, port, node, depth)				\
	for ((port) = parent_of(topology, node), (depth) = 0;				\
	     (port) != INSTINCT_NODE_NONE && (depth) < PATH_MAX_PORTS;			\
	     (port) = parent_of(topology, port), (depth)++)

static bool is_above(const struct instinct_topology *topology, int port, int node)
{
	int above, depth;

	for_each_port_above(topology, above, node, depth)
		if (above == port)
			return true;
	return false;
}

/**
 * instinct_topology_meet() - find the port where the paths of two functions meet
 * @topology: all functions
 * @a: index of a function
 * @b: index of another function
 *
 * Return: index of the lowest port above both, or INSTINCT_NODE_NONE if they meet in the root
 * complex.
 */
int instinct_topology_meet(const struct instinct_topology *topology, int a, int b)
{
	int port, depth;

	for_each_port_above(topology, port, a, depth)
		if (is_above(topology, port, b))
			return port;
	return INSTINCT_NODE_NONE;
}

/**
 * instinct_topology_switch() - find the switch above a function
 * @topology: all functions
 * @node: index of the function
 *
 * Return: index of the upstream port of the nearest switch that is not in a GPU's package, or
 * INSTINCT_NODE_NONE.
 */
int instinct_topology_switch(const struct instinct_topology *topology, int node)
{
	int port, depth;

	for_each_port_above(topology, port, node, depth)
		if (topology->node[port].kind == INSTINCT_NODE_UPSTREAM &&
		    !topology->node[port].package)
			return port;
	return INSTINCT_NODE_NONE;
}

/**
 * instinct_topology_same_chip() - are two functions below partitions of one switch chip?
 * @topology: all functions
 * @a: index of a function
 * @b: index of another function
 *
 * Return: true if the switches above both have the same serial number.
 */
bool instinct_topology_same_chip(const struct instinct_topology *topology, int a, int b)
{
	const struct instinct_node *node = topology->node;
	int x = instinct_topology_switch(topology, a);
	int y = instinct_topology_switch(topology, b);

	if (x == INSTINCT_NODE_NONE || y == INSTINCT_NODE_NONE)
		return false;
	return x == y || (node[x].serial && node[x].serial == node[y].serial);
}

enum nearness { APART, SAME_ROOT, SAME_SWITCH };

static enum nearness nearness(const struct instinct_topology *topology, int a, int b)
{
	int meet = instinct_topology_meet(topology, a, b);

	if (meet == INSTINCT_NODE_NONE)
		return instinct_topology_same_chip(topology, a, b) ? SAME_ROOT : APART;
	return topology->node[meet].kind == INSTINCT_NODE_UPSTREAM ? SAME_SWITCH : SAME_ROOT;
}

/* Does @peers name the function by its address, or else in another way? */
static bool is_named(const struct instinct_peers *peers, const struct instinct_node *node,
		     bool by_address)
{
	const struct instinct_peer *item;

	for (item = peers->item; item < peers->item + peers->count; item++)
		if (item->kind == INSTINCT_VFIO_PEER_ADDRESS ?
		    by_address && item->value == node->bdf :
		    !by_address && (item->kind == INSTINCT_VFIO_PEER_AUTO ?
				    node->class >> 16 == CLASS_NETWORK :
				    item->value == ((u32)node->vendor << 16 | node->device)))
			return true;
	return false;
}

static bool is_candidate(const struct instinct_topology *topology, int endpoint,
			 int node, const struct instinct_peers *peers)
{
	const struct instinct_node *candidate = &topology->node[node];

	return node != endpoint && candidate->kind == INSTINCT_NODE_ENDPOINT &&
	       is_named(peers, candidate, false);
}

/**
 * instinct_topology_is_peer() - is a function paired with an endpoint?
 * @topology: all functions
 * @endpoint: index of the endpoint
 * @node: index of the function
 * @peers: policy's choice of peers
 *
 * A function that policy names by its address is always a peer. If policy names an ID, or leaves
 * the choice of network functions to the module, only the nearest matches are peers: functions
 * below the same switch, else functions below the same root port or another partition of the same
 * switch. Functions further away are no peers.
 *
 * Return: true if the function is a peer of the endpoint.
 */
bool instinct_topology_is_peer(const struct instinct_topology *topology, int endpoint, int node,
			       const struct instinct_peers *peers)
{
	enum nearness near;
	int other;

	if (node != endpoint && is_named(peers, &topology->node[node], true))
		return true;
	if (!is_candidate(topology, endpoint, node, peers))
		return false;
	near = nearness(topology, endpoint, node);
	if (near != SAME_ROOT)
		return near == SAME_SWITCH;
	for (other = 0; other < topology->count; other++)
		if (is_candidate(topology, endpoint, other, peers) &&
		    nearness(topology, endpoint, other) == SAME_SWITCH)
			return false;
	return true;
}

/* The role of a port on the path of an endpoint or of its peers; negative without a role. */
static int role_of(const struct instinct_topology *topology, int endpoint, int port)
{
	bool above = is_above(topology, port, endpoint);
	const struct instinct_node *node = topology->node;
	int i;

	if (node[port].package)
		return INSTINCT_VFIO_ACS_ROLE_PACKAGE;
	if (node[port].kind == INSTINCT_NODE_ROOT_PORT)
		return INSTINCT_VFIO_ACS_ROLE_ROOT_PORT;
	if (node[port].kind == INSTINCT_NODE_UPSTREAM)
		return INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM;
	if (node[port].kind != INSTINCT_NODE_DOWNSTREAM)
		return -1;
	/* A peer below the same switch reaches the endpoint without the root complex. */
	for (i = 0; i < topology->count && !above; i++)
		if (node[i].peer && is_above(topology, port, i) &&
		    nearness(topology, endpoint, i) == SAME_SWITCH)
			return INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM;
	return INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM;
}

static const struct instinct_acs_wish presets[__INSTINCT_VFIO_ACS_MAX] = {
	/*
	 * A NIC's translated requests may go straight to the GPU below the same switch (Direct
	 * Translated P2P, at the NIC's port alone); ports redirect all else to the IOMMU. A port
	 * that blocked translated requests would make ATS useless.
	 */
	[INSTINCT_VFIO_ACS_VM_P2P] = {
		.set = INSTINCT_ACS_GROUP_BITS,
		.rest = PCI_ACS_TB | PCI_ACS_DT,
	},
	[INSTINCT_VFIO_ACS_VM] = { .set = INSTINCT_ACS_GROUP_BITS, .clear = PCI_ACS_DT },
	[INSTINCT_VFIO_ACS_BARE_METAL] = { .clear = PCI_ACS_RR | PCI_ACS_CR },
};

/**
 * instinct_acs_rules() - compute the ACS that one endpoint's policy wants of a port
 * @policy: the endpoint's policy
 * @role: the port's role
 * @wish: set to the wanted ACS
 *
 * Policy leaves the Enhanced bits alone unless it names one of them.
 *
 * Return: false if policy leaves the port alone.
 */
bool instinct_acs_rules(const struct instinct_acs_policy *policy, enum instinct_vfio_acs_role role,
			struct instinct_acs_wish *wish)
{
	u32 bits = policy->bits[role];
	u16 named = bits & ~INSTINCT_ACS_BASIC_BITS ? INSTINCT_ACS_ALL_BITS :
						      INSTINCT_ACS_BASIC_BITS;

	/* A newer module may have given the helper a preset unknown here: it wants nothing. */
	*wish = presets[policy->preset < ARRAY_SIZE(presets) ? policy->preset : 0];
	if (bits != INSTINCT_VFIO_ACS_BITS_PRESET)
		*wish = (struct instinct_acs_wish) {
			.set = (u16)bits,
			.clear = (u16)(named & ~bits),
		};
	else if (policy->preset == INSTINCT_VFIO_ACS_VM_P2P &&
		 role == INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM)
		wish->set |= PCI_ACS_DT;
	return wish->set | wish->clear | wish->rest;
}

/**
 * instinct_acs_merge() - merge the wishes of two endpoints for one port
 * @wish: wish of one endpoint, set to the merged wish
 * @other: wish of the other endpoint
 *
 * Where the wishes disagree, the stricter one counts: bits that redirect, validate or block go
 * on, Direct Translated P2P goes off.
 */
void instinct_acs_merge(struct instinct_acs_wish *wish, const struct instinct_acs_wish *other)
{
	u16 set = wish->set | other->set;
	u16 clear = wish->clear | other->clear;
	u16 both = set & clear;

	set &= (u16)~(both & PCI_ACS_DT);
	clear &= (u16)~(both & ~PCI_ACS_DT);
	wish->set = set;
	wish->clear = clear;
	wish->rest = (wish->rest | other->rest) & (u16)~(set | clear);
}

/* PCIe r6.0 sec 7.7.11.2: bit 7 alone reports it; the bits above it have another meaning. */
#define ENHANCED_CAPABILITY	0x0080

/**
 * instinct_acs_capable() - find out which ACS Control bits a port implements
 * @capability: the port's ACS Capability register
 *
 * Return: bits of ACS Control.
 */
u16 instinct_acs_capable(u16 capability)
{
	u16 bits = capability & INSTINCT_ACS_BASIC_BITS;

	if (capability & ENHANCED_CAPABILITY)
		bits |= INSTINCT_ACS_ALL_BITS & ~INSTINCT_ACS_BASIC_BITS;
	return bits;
}

/**
 * instinct_acs_value() - compute the wanted ACS Control of a port
 * @wish: the ACS that policy wants of the port
 * @capable: ACS Control bits that the port implements
 * @now: ACS Control now
 *
 * Return: the wanted value of ACS Control.
 */
u16 instinct_acs_value(const struct instinct_acs_wish *wish, u16 capable, u16 now)
{
	u16 mask = instinct_acs_mask(wish, capable);

	return (now & (u16)~mask) | (wish->set & mask);
}

/* A port above several of an endpoint's functions gets the same plan once for each of them. */
static void plan_above(const struct instinct_topology *topology, int endpoint,
		       const struct instinct_acs_policy *policy, int node)
{
	struct instinct_planned *planned;
	struct instinct_acs_wish wish;
	int port, depth, role;

	for_each_port_above(topology, port, node, depth) {
		planned = &topology->node[port].planned;
		role = role_of(topology, endpoint, port);
		if (role < 0 || !instinct_acs_rules(policy, role, &wish))
			continue;
		if (!planned->spoken)
			*planned = (struct instinct_planned) {
				.spoken = true,
				.endpoint = endpoint,
				.role = role,
				.loss = true,
			};
		instinct_acs_merge(&planned->wish, &wish);
		planned->loss &= policy->loss == INSTINCT_VFIO_ISOLATION_LOSS_YES;
	}
}

/**
 * instinct_isolation_plan() - add an endpoint's wishes to the plan
 * @topology: all functions; the peers of @endpoint are marked, and the plans of ports extended
 * @endpoint: index of the endpoint
 * @policy: the endpoint's policy
 */
void instinct_isolation_plan(const struct instinct_topology *topology, int endpoint,
			     const struct instinct_isolation_policy *policy)
{
	struct instinct_node *node = topology->node;
	int i;

	for (i = 0; i < topology->count; i++)
		node[i].peer = instinct_topology_is_peer(topology, endpoint, i, &policy->peers);
	for (i = 0; i < topology->count; i++)
		if (i == endpoint || node[i].peer)
			plan_above(topology, endpoint, &policy->acs, i);
}

/**
 * instinct_isolation_loss() - find the ACS bits whose loss would break IOMMU groups
 * @port: plan for the port
 * @capable: ACS Control bits that the port implements
 * @before: ACS Control before any policy covered the port
 *
 * Linux computes the groups once, when it finds the functions.
 *
 * Return: bits that the groups may rely on and that the plan takes away, unless policy allows
 * their loss.
 */
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable, u16 before)
{
	u16 wanted = instinct_acs_value(&port->wish, capable, before);

	return port->loss ? 0 : before & (u16)~wanted & INSTINCT_ACS_GROUP_BITS;
}
