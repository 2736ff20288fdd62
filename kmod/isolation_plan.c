// SPDX-License-Identifier: GPL-2.0-only
#include "isolation_plan.h"

#define CLASS_NETWORK	0x02
/* No path is longer; a loop of parents ends here. */
#define PATH_MAX_PORTS	64
#define PEER_BYTES	16

static_assert(sizeof(struct instinct_isolation_policy) ==
	      (11 + 2 * INSTINCT_PEERS_MAX) * sizeof(u32), "it has a gap");

/**
 * instinct_node_kind() - what a function is on a path
 * @port: its header is that of a bridge
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

static void format_item(const struct instinct_peer *item, char *text)
{
	u32 value = item->value;

	if (item->by_id)
		snprintf(text, PEER_BYTES, "%04x:%04x", value >> 16, value & 0xffff);
	else
		snprintf(text, PEER_BYTES, "%04x:%02x:%02x.%u", value >> 16, (value >> 8) & 0xff,
			 (value >> 3) & 31, value & 7);
}

static bool parse_item(struct instinct_peer *item, const char *text, size_t length)
{
	unsigned int domain, bus, slot, function;
	char again[PEER_BYTES];

	if (sscanf(text, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4)
		item->value = domain << 16 | bus << 8 | slot << 3 | function;
	else if (sscanf(text, "%4x:%4x", &domain, &bus) == 2)
		*item = (struct instinct_peer) { .by_id = true, .value = domain << 16 | bus };
	else
		return false;
	/* What is written in another way has too many digits, too few, or too large numbers. */
	format_item(item, again);
	return length == strlen(again) && !strncasecmp(text, again, length);
}

/**
 * instinct_peers_parse() - which peers an operator names
 * @peers: set
 * @text: "none", "auto", or BDFs and vendor:device pairs with a blank between
 * @why: set to what is wrong, for people
 *
 * Return: 0 or -EINVAL.
 */
int instinct_peers_parse(struct instinct_peers *peers, const char *text, const char **why)
{
	*peers = (struct instinct_peers) { .automatic = !strcmp(text, "auto") };
	if (peers->automatic || !strcmp(text, "none"))
		return 0;
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");

		if (peers->count == INSTINCT_PEERS_MAX) {
			*why = "peer names more than 16 functions";
			return -EINVAL;
		}
		if (!parse_item(&peers->item[peers->count++], text, length)) {
			peers->count = 0;
			break;
		}
		text += length;
	}
	if (peers->count)
		return 0;
	*why = "peer must be none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021";
	return -EINVAL;
}

/**
 * instinct_peers_format() - the same as an operator writes it
 * @peers: to write
 * @text: of INSTINCT_PEERS_BYTES, set
 */
void instinct_peers_format(const struct instinct_peers *peers, char *text)
{
	char item[PEER_BYTES];
	size_t used = 0;
	unsigned int i;

	if (!peers->count)
		snprintf(text, INSTINCT_PEERS_BYTES, "%s", peers->automatic ? "auto" : "none");
	for (i = 0; i < peers->count; i++) {
		format_item(&peers->item[i], item);
		used += snprintf(text + used, INSTINCT_PEERS_BYTES - used, "%s%s", i ? " " : "",
				 item);
	}
}

static int parent_of(const struct instinct_topology *topology, int node)
{
	int parent = topology->node[node].parent;

	return parent >= 0 && parent < topology->count ? parent : INSTINCT_NODE_NONE;
}

/* The ports above @node, the nearest first. */
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
 * instinct_topology_meet() - where the paths of two functions meet
 * @topology: all functions
 * @a: index of a function
 * @b: index of another function
 *
 * Return: the lowest port above both, INSTINCT_NODE_NONE if that is the root
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
 * instinct_topology_switch() - the switch that a function is below
 * @topology: all functions
 * @node: function
 *
 * Return: the upstream port of the nearest that is not in a GPU's package, or
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
 * instinct_topology_same_chip() - are two functions below partitions of one chip?
 * @topology: all functions
 * @a: index of a function
 * @b: index of another function
 *
 * Return: true if the switches that they are below have the same serial number.
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

/* Does @peers have an item for the function, by its ID or by its address? */
static bool is_named(const struct instinct_peers *peers, const struct instinct_node *node,
		     bool by_id)
{
	u64 value = by_id ? (u32)node->vendor << 16 | node->device : node->bdf;
	unsigned int i;

	for (i = 0; i < peers->count; i++)
		if (peers->item[i].by_id == by_id && peers->item[i].value == value)
			return true;
	return false;
}

static bool is_candidate(const struct instinct_topology *topology, int endpoint,
			 int node, const struct instinct_peers *peers)
{
	const struct instinct_node *candidate = &topology->node[node];

	if (node == endpoint || candidate->kind != INSTINCT_NODE_ENDPOINT)
		return false;
	return peers->automatic ? candidate->class >> 16 == CLASS_NETWORK :
				  is_named(peers, candidate, true);
}

/**
 * instinct_topology_is_peer() - is a function paired with an endpoint?
 * @topology: all functions
 * @endpoint: the endpoint
 * @node: the function
 * @peers: which are
 *
 * A function that policy names by its address is a peer, wherever it sits. Of functions
 * named by ID, and of network functions where the choice is automatic, the nearest are
 * peers: those below the same switch, else those below the same root port or another
 * partition of the same switch; none that is further away.
 *
 * Return: true if so.
 */
bool instinct_topology_is_peer(const struct instinct_topology *topology, int endpoint, int node,
			       const struct instinct_peers *peers)
{
	enum nearness near;
	int other;

	if (node != endpoint && is_named(peers, &topology->node[node], false))
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

/* What a port on the path of an endpoint or of its peers is to them; negative: nothing. */
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
	/* A peer reaches the endpoint below the same switch, not by the root complex. */
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
 * instinct_acs_rules() - what policy wants of a port
 * @policy: of an endpoint
 * @role: of the port
 * @wish: set
 *
 * Policy leaves the Enhanced bits alone unless it names one of them.
 *
 * Return: false if the port is to be left alone.
 */
bool instinct_acs_rules(const struct instinct_acs_policy *policy, enum instinct_vfio_acs_role role,
			struct instinct_acs_wish *wish)
{
	u32 bits = policy->bits[role];
	u16 named = bits & ~INSTINCT_ACS_BASIC_BITS ? INSTINCT_ACS_ALL_BITS :
						      INSTINCT_ACS_BASIC_BITS;

	/* One that the helper has from a newer module is as good as none. */
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
 * instinct_acs_merge() - the wishes of two endpoints for one port
 * @wish: of one endpoint, set to what both get
 * @other: of the other
 *
 * Where they disagree, the stricter wish counts for both: bits that redirect, validate or
 * block go on, Direct Translated P2P goes off.
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

/* PCIe r6.0 sec 7.7.11.2: bit 7 says so, the bits above it are something else. */
#define ENHANCED_CAPABILITY	0x0080

/**
 * instinct_acs_capable() - the bits that ACS Control of a port has
 * @capability: its ACS Capability register
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
 * instinct_acs_mask() - the bits that matter of a port's ACS Control
 * @wish: for it
 * @capable: bits that its ACS Control has
 *
 * Return: those that it has, and about which there is a wish.
 */
u16 instinct_acs_mask(const struct instinct_acs_wish *wish, u16 capable)
{
	return (wish->set | wish->clear | wish->rest) & capable;
}

/**
 * instinct_acs_value() - what a port should carry
 * @wish: for it
 * @capable: bits that its ACS Control has
 * @now: its ACS Control as it is
 *
 * Return: ACS Control.
 */
u16 instinct_acs_value(const struct instinct_acs_wish *wish, u16 capable, u16 now)
{
	u16 mask = instinct_acs_mask(wish, capable);

	return (now & (u16)~mask) | (wish->set & mask);
}

/* A port above several of these functions is planned as often, and each time the same. */
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
 * instinct_isolation_plan_none() - begin a plan
 * @topology: all functions; nothing is planned for any of them
 */
void instinct_isolation_plan_none(const struct instinct_topology *topology)
{
	int i;

	for (i = 0; i < topology->count; i++)
		topology->node[i].planned = (struct instinct_planned) { };
}

/**
 * instinct_isolation_plan() - add an endpoint's wishes to what is planned
 * @topology: all functions; which are its peers is set, and what is planned is added to
 * @endpoint: the endpoint
 * @policy: of it
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
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable, u16 before)
{
	u16 wanted = instinct_acs_value(&port->wish, capable, before);

	return port->loss ? 0 : before & (u16)~wanted & INSTINCT_ACS_GROUP_BITS;
}
