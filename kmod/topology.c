// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "topology.h"

#define CLASS_NETWORK	0x02

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
	switch (type) {
	case PCI_EXP_TYPE_ROOT_PORT:
		return INSTINCT_NODE_ROOT_PORT;
	case PCI_EXP_TYPE_UPSTREAM:
		return INSTINCT_NODE_UPSTREAM;
	case PCI_EXP_TYPE_DOWNSTREAM:
		return INSTINCT_NODE_DOWNSTREAM;
	default:
		return INSTINCT_NODE_BRIDGE;
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Exactly @digits hexadecimal digits; returns what comes after, NULL if not so. */
static const char *hex_number(const char *text, unsigned int digits, u32 *value)
{
	*value = 0;
	for (; digits; digits--, text++) {
		int digit = hex_digit(*text);

		if (digit < 0)
			return NULL;
		*value = *value << 4 | (u32)digit;
	}
	return text;
}

static bool is_end(const char *text)
{
	return !*text || *text == ' ';
}

static const char *parse_id(const char *text, u32 *value)
{
	u32 vendor, device;

	text = hex_number(text, 4, &vendor);
	if (!text || *text != ':')
		return NULL;
	text = hex_number(text + 1, 4, &device);
	if (!text || !is_end(text))
		return NULL;
	*value = vendor << 16 | device;
	return text;
}

static const char *parse_bdf(const char *text, u32 *value)
{
	u32 domain, bus, slot, function;

	text = hex_number(text, 4, &domain);
	if (!text || *text != ':')
		return NULL;
	text = hex_number(text + 1, 2, &bus);
	if (!text || *text != ':')
		return NULL;
	text = hex_number(text + 1, 2, &slot);
	if (!text || *text != '.' || slot > 31)
		return NULL;
	text = hex_number(text + 1, 1, &function);
	if (!text || function > 7 || !is_end(text))
		return NULL;
	*value = domain << 16 | bus << 8 | slot << 3 | function;
	return text;
}

static const char *parse_item(struct instinct_peers *peers, const char *text)
{
	unsigned int i = peers->count;
	const char *end;

	peers->item[i].by_id = false;
	end = parse_bdf(text, &peers->item[i].value);
	if (!end) {
		peers->item[i].by_id = true;
		end = parse_id(text, &peers->item[i].value);
	}
	peers->count += !!end;
	return end;
}

static bool is_word(const char *text, const char *word)
{
	return !strcmp(text, word);
}

/**
 * instinct_peers_parse() - which peers an operator names
 * @peers: set
 * @text: "none", "auto", or BDFs and vendor:device pairs with a blank between
 * @why: set to what is wrong, for people
 *
 * Return: 0 or -EINVAL.
 */
int instinct_peers_parse(struct instinct_peers *peers, const char *text,
			 const char **why)
{
	*peers = (struct instinct_peers) { .automatic = is_word(text, "auto") };
	if (peers->automatic || is_word(text, "none"))
		return 0;
	for (;;) {
		while (*text == ' ')
			text++;
		if (!*text)
			break;
		if (peers->count == INSTINCT_PEERS_MAX) {
			*why = "peer names more than 16 functions";
			return -EINVAL;
		}
		text = parse_item(peers, text);
		if (!text)
			break;
	}
	if (text && peers->count)
		return 0;
	*why = "peer must be none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021";
	return -EINVAL;
}

/**
 * instinct_peers_format() - the same as an operator writes it
 * @peers: to write
 * @text: set
 * @size: of @text in bytes; INSTINCT_PEERS_BYTES are enough
 */
void instinct_peers_format(const struct instinct_peers *peers, char *text,
			   size_t size)
{
	size_t used = 0;
	unsigned int i;

	if (!peers->count)
		snprintf(text, size, "%s", peers->automatic ? "auto" : "none");
	for (i = 0; i < peers->count && used < size; i++) {
		u32 value = peers->item[i].value;
		const char *gap = i ? " " : "";

		if (peers->item[i].by_id)
			used += snprintf(text + used, size - used, "%s%04x:%04x",
					 gap, value >> 16, value & 0xffff);
		else
			used += snprintf(text + used, size - used,
					 "%s%04x:%02x:%02x.%u", gap, value >> 16,
					 (value >> 8) & 0xff, (value >> 3) & 31,
					 value & 7);
	}
}

static const struct instinct_node *node_at(const struct instinct_topology *topology,
					   int node)
{
	return &topology->node[node];
}

static bool is_valid(const struct instinct_topology *topology, int node)
{
	return node >= 0 && node < topology->count;
}

static int parent_of(const struct instinct_topology *topology, int node)
{
	int parent = node_at(topology, node)->parent;

	return is_valid(topology, parent) ? parent : INSTINCT_NODE_NONE;
}

static bool is_above(const struct instinct_topology *topology, int port, int node)
{
	int depth;

	for (depth = 0; is_valid(topology, node) && depth < INSTINCT_PATH_MAX; depth++) {
		node = parent_of(topology, node);
		if (node == port)
			return node != INSTINCT_NODE_NONE;
	}
	return false;
}

/**
 * instinct_topology_path() - the ports above a function
 * @topology: all functions
 * @node: function
 * @path: of INSTINCT_PATH_MAX, set to them, the nearest first
 *
 * Return: how many.
 */
int instinct_topology_path(const struct instinct_topology *topology, int node,
			   int *path)
{
	int count;

	for (count = 0; count < INSTINCT_PATH_MAX; count++) {
		node = parent_of(topology, node);
		if (node == INSTINCT_NODE_NONE)
			break;
		path[count] = node;
	}
	return count;
}

/**
 * instinct_topology_meet() - where the paths of two functions meet
 * @topology: all functions
 * @a: one
 * @b: the other
 *
 * Return: the lowest port above both, INSTINCT_NODE_NONE if that is the root
 * complex.
 */
int instinct_topology_meet(const struct instinct_topology *topology, int a, int b)
{
	int depth, port = a;

	for (depth = 0; depth < INSTINCT_PATH_MAX; depth++) {
		port = parent_of(topology, port);
		if (port == INSTINCT_NODE_NONE || is_above(topology, port, b))
			return port;
	}
	return INSTINCT_NODE_NONE;
}

/**
 * instinct_topology_toward() - the port below another on the way to a function
 * @topology: all functions
 * @above: port above @node, or INSTINCT_NODE_NONE for the root complex
 * @node: function
 *
 * Return: the first on the way down; @node itself if nothing is between.
 */
int instinct_topology_toward(const struct instinct_topology *topology, int above,
			     int node)
{
	int depth;

	for (depth = 0; depth < INSTINCT_PATH_MAX; depth++) {
		int parent = parent_of(topology, node);

		if (parent == above || parent == INSTINCT_NODE_NONE)
			break;
		node = parent;
	}
	return node;
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
	int depth;

	for (depth = 0; depth < INSTINCT_PATH_MAX; depth++) {
		node = parent_of(topology, node);
		if (node == INSTINCT_NODE_NONE)
			break;
		if (node_at(topology, node)->kind == INSTINCT_NODE_UPSTREAM &&
		    !node_at(topology, node)->package)
			return node;
	}
	return INSTINCT_NODE_NONE;
}

/**
 * instinct_topology_same_chip() - are two functions below partitions of one chip?
 * @topology: all functions
 * @a: one
 * @b: the other
 *
 * Return: true if the switches that they are below have the same serial number.
 */
bool instinct_topology_same_chip(const struct instinct_topology *topology, int a,
				 int b)
{
	int x = instinct_topology_switch(topology, a);
	int y = instinct_topology_switch(topology, b);

	if (x == INSTINCT_NODE_NONE || y == INSTINCT_NODE_NONE)
		return false;
	return x == y || (node_at(topology, x)->serial &&
			  node_at(topology, x)->serial ==
			  node_at(topology, y)->serial);
}

/* How near two functions are: the nearer the higher. */
static int nearness(const struct instinct_topology *topology, int a, int b)
{
	int meet = instinct_topology_meet(topology, a, b);

	if (meet == INSTINCT_NODE_NONE)
		return instinct_topology_same_chip(topology, a, b) ? 1 : 0;
	return node_at(topology, meet)->kind == INSTINCT_NODE_UPSTREAM ? 2 : 1;
}

static bool is_candidate(const struct instinct_topology *topology, int endpoint,
			 int node, const struct instinct_peers *peers)
{
	const struct instinct_node *candidate = node_at(topology, node);
	unsigned int i;

	if (node == endpoint || candidate->kind != INSTINCT_NODE_ENDPOINT)
		return false;
	if (peers->automatic)
		return candidate->class >> 16 == CLASS_NETWORK;
	for (i = 0; i < peers->count; i++)
		if (peers->item[i].by_id && peers->item[i].value ==
		    ((u32)candidate->vendor << 16 | candidate->device))
			return true;
	return false;
}

static bool is_named(const struct instinct_topology *topology, int endpoint,
		     int node, const struct instinct_peers *peers)
{
	unsigned int i;

	for (i = 0; i < peers->count; i++)
		if (!peers->item[i].by_id && node != endpoint &&
		    peers->item[i].value == node_at(topology, node)->bdf)
			return true;
	return false;
}

/**
 * instinct_topology_is_peer() - is a function paired with an endpoint?
 * @topology: all functions
 * @endpoint: the endpoint
 * @node: the function
 * @peers: which are
 *
 * One named by its address is, wherever it sits. Of those named by ID, and of
 * network functions where the choice is automatic, the nearest are: those below
 * the same switch, else those below the same root port or another partition of
 * the same switch; none that is further away.
 *
 * Return: true if so.
 */
bool instinct_topology_is_peer(const struct instinct_topology *topology,
			       int endpoint, int node,
			       const struct instinct_peers *peers)
{
	int near, other;

	if (is_named(topology, endpoint, node, peers))
		return true;
	if (!is_candidate(topology, endpoint, node, peers))
		return false;
	near = nearness(topology, endpoint, node);
	if (near != 1)
		return near;
	for (other = 0; other < topology->count; other++)
		if (is_candidate(topology, endpoint, other, peers) &&
		    nearness(topology, endpoint, other) > near)
			return false;
	return true;
}

/* A port below which a peer can reach the endpoint without the root complex. */
static bool is_direct(const struct instinct_topology *topology, int endpoint,
		      int peer)
{
	int meet = instinct_topology_meet(topology, endpoint, peer);

	return meet != INSTINCT_NODE_NONE &&
	       node_at(topology, meet)->kind == INSTINCT_NODE_UPSTREAM;
}

/**
 * instinct_topology_role() - what a port is to an endpoint and its peers
 * @topology: all functions
 * @endpoint: the endpoint
 * @peer: for each function whether it is a peer
 * @port: the port
 *
 * Return: enum instinct_vfio_acs_role, or -1 if it is on none of their paths.
 */
int instinct_topology_role(const struct instinct_topology *topology, int endpoint,
			   const bool *peer, int port)
{
	bool above = is_above(topology, port, endpoint);
	bool on_path = above, direct = false;
	int i;

	for (i = 0; i < topology->count; i++) {
		if (!peer[i] || !is_above(topology, port, i))
			continue;
		on_path = true;
		direct |= is_direct(topology, endpoint, i);
	}
	if (!on_path)
		return -1;
	if (node_at(topology, port)->package)
		return INSTINCT_VFIO_ACS_ROLE_PACKAGE;
	switch (node_at(topology, port)->kind) {
	case INSTINCT_NODE_ROOT_PORT:
		return INSTINCT_VFIO_ACS_ROLE_ROOT_PORT;
	case INSTINCT_NODE_UPSTREAM:
		return INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM;
	case INSTINCT_NODE_DOWNSTREAM:
		return direct && !above ? INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM :
					  INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM;
	default:
		return -1;
	}
}
