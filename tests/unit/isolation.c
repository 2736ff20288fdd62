// SPDX-License-Identifier: GPL-2.0-only
/*
 * ACS plans: rules by hand, and 10,000 random hosts and policies against an oracle. The oracle
 * uses no tree: it lists every path, and decides bit by bit.
 */
#include <stdlib.h>
#include <linux/pci_regs.h>

#include "isolation/plan.h"
#include "peers.h"
#include "unit.h"

#define NODES_MAX	64
#define RANDOM_HOSTS	10000

static struct instinct_node node[NODES_MAX];
static struct instinct_topology host = { .node = node };

static int add(int parent, enum instinct_node_kind kind, u32 class, u32 id)
{
	int i = host.count++;

	node[i] = (struct instinct_node) {
		.parent = parent,
		.bdf = 0x100 + (u32)i * 8,
		.vendor = (u16)(id >> 16),
		.device = (u16)id,
		.class = class,
		.kind = kind,
	};
	return i;
}

#define GPU	0x120000, 0x100274a1
#define NIC	0x020000, 0x15b31021
#define PORT	0x060400, 0x1000c030

/* Indexes of the functions on a board. */
static struct {
	int root, up, nic_down, nic, gpu_down, swus, swds, gpu;
} at;

static void board(void)
{
	host.count = 0;
	at.root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	at.up = add(at.root, INSTINCT_NODE_UPSTREAM, PORT);
	at.nic_down = add(at.up, INSTINCT_NODE_DOWNSTREAM, PORT);
	at.nic = add(at.nic_down, INSTINCT_NODE_ENDPOINT, NIC);
	at.gpu_down = add(at.up, INSTINCT_NODE_DOWNSTREAM, PORT);
	at.swus = add(at.gpu_down, INSTINCT_NODE_UPSTREAM, PORT);
	at.swds = add(at.swus, INSTINCT_NODE_DOWNSTREAM, PORT);
	node[at.swus].package = true;
	node[at.swds].package = true;
	at.gpu = add(at.swds, INSTINCT_NODE_ENDPOINT, GPU);
}

static struct instinct_isolation_policy policy_of(enum instinct_vfio_acs preset,
						  const char *peers)
{
	struct instinct_isolation_policy policy = { .acs.preset = preset };
	const char *why;

	memset(policy.acs.bits, 0xff, sizeof(policy.acs.bits));
	CHECK_INT(peers_parse(&policy.peers, peers, &why), 0);
	return policy;
}

static void plan(int endpoint, const struct instinct_isolation_policy *policy)
{
	instinct_isolation_plan(&host, endpoint, policy);
}

static u16 value(int port)
{
	return instinct_acs_value(&node[port].planned.wish, 0x7f, 0x1d);
}

static void test_presets(void)
{
	struct instinct_isolation_policy policy;

	board();
	policy = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "auto");
	plan(at.gpu, &policy);
	CHECK(node[at.nic].peer);
	CHECK_INT(value(at.nic_down), 0x5d);
	CHECK_INT(value(at.gpu_down), 0x1d);
	CHECK_INT(value(at.swds), 0x1d);
	CHECK_INT(value(at.root), 0x1d);
	CHECK_INT(node[at.nic_down].planned.role, INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM);
	CHECK_INT(node[at.gpu_down].planned.role, INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM);
	CHECK_INT(node[at.swus].planned.role, INSTINCT_VFIO_ACS_ROLE_PACKAGE);
	CHECK_INT(node[at.up].planned.role, INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM);
	CHECK_INT(node[at.root].planned.role, INSTINCT_VFIO_ACS_ROLE_ROOT_PORT);
	CHECK(!node[at.nic].planned.spoken);

	instinct_isolation_plan_none(&host);
	policy = policy_of(INSTINCT_VFIO_ACS_VM, "auto");
	plan(at.gpu, &policy);
	CHECK_INT(value(at.nic_down), 0x1d);
	CHECK_INT(instinct_acs_value(&node[at.nic_down].planned.wish, 0x7f, 0x5f), 0x1f);

	instinct_isolation_plan_none(&host);
	policy = policy_of(INSTINCT_VFIO_ACS_BARE_METAL, "none");
	plan(at.gpu, &policy);
	CHECK(!node[at.nic_down].planned.spoken);
	CHECK_INT(value(at.gpu_down), 0x11);
	CHECK_INT(instinct_isolation_loss(&node[at.gpu_down].planned, 0x7f, 0x1d), 0x0c);
	node[at.gpu_down].planned.loss = true;
	CHECK_INT(instinct_isolation_loss(&node[at.gpu_down].planned, 0x7f, 0x1d), 0);

	instinct_isolation_plan_none(&host);
	policy = policy_of(INSTINCT_VFIO_ACS_KERNEL, "auto");
	plan(at.gpu, &policy);
	CHECK(!node[at.nic_down].planned.spoken);
	CHECK(!node[at.root].planned.spoken);
}

/* The planner does not set a bit that the port lacks, and does not call it drift. */
static void test_capability(void)
{
	struct instinct_acs_wish wish = { .set = 0x5d, .rest = PCI_ACS_TB };

	CHECK_INT(instinct_acs_value(&wish, 0x1d, 0), 0x1d);
	CHECK_INT(instinct_acs_value(&wish, 0x0d, 0x10), 0x1d);
	CHECK_INT(instinct_acs_mask(&wish, 0x0d), 0x0d);
	CHECK_INT(instinct_acs_capable(0x085f), 0x5f);
	CHECK_INT(instinct_acs_capable(0x00df), 0x1fdf);
}

static void test_explicit_bits(void)
{
	struct instinct_isolation_policy policy = policy_of(INSTINCT_VFIO_ACS_VM, "auto");
	struct instinct_acs_wish wish;

	policy.acs.bits[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT] = 0x05;
	CHECK(instinct_acs_rules(&policy.acs, INSTINCT_VFIO_ACS_ROLE_ROOT_PORT, &wish));
	CHECK_INT(instinct_acs_value(&wish, 0x1fff, 0x1fff), 0x1f85);
	/* A policy covers the enhanced bits only if it names one of them. */
	policy.acs.bits[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT] = 0x1005;
	CHECK(instinct_acs_rules(&policy.acs, INSTINCT_VFIO_ACS_ROLE_ROOT_PORT, &wish));
	CHECK_INT(instinct_acs_value(&wish, 0x1fff, 0x0fff), 0x1005);
	policy.acs.preset = __INSTINCT_VFIO_ACS_MAX;
	CHECK(!instinct_acs_rules(&policy.acs, INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM, &wish));
	policy.acs.bits[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT] = 0;
	CHECK(instinct_acs_rules(&policy.acs, INSTINCT_VFIO_ACS_ROLE_ROOT_PORT, &wish));
	CHECK_INT(instinct_acs_value(&wish, 0x7f, 0x1d), 0);
}

static void test_merge(void)
{
	struct instinct_acs_wish strict = { .set = 0x1d, .clear = PCI_ACS_DT };
	struct instinct_acs_wish p2p = { .set = 0x5d, .rest = PCI_ACS_TB };
	struct instinct_acs_wish metal = { .clear = PCI_ACS_RR | PCI_ACS_CR };
	struct instinct_acs_wish wish = strict;

	instinct_acs_merge(&wish, &p2p);
	CHECK_INT(instinct_acs_value(&wish, 0x7f, 0), 0x1d);
	wish = metal;
	instinct_acs_merge(&wish, &strict);
	CHECK_INT(instinct_acs_value(&wish, 0x7f, 0), 0x1d);
	wish = (struct instinct_acs_wish) { .set = 0x1d, .rest = PCI_ACS_DT };
	instinct_acs_merge(&wish, &p2p);
	CHECK_INT(instinct_acs_value(&wish, 0x7f, 0), 0x5d);
}

static void test_peers(void)
{
	struct instinct_peers peers;
	const char *why;
	int far_root, far_nic;

	CHECK_INT(peers_parse(&peers, "0000:c1:00.0 15b3:1021", &why), 0);
	CHECK_INT(peers.count, 2);
	CHECK_INT(peers.item[0].value, 0xc100);
	CHECK_INT(peers.item[1].value, 0x15b31021);
	CHECK_INT(peers.item[0].kind, INSTINCT_VFIO_PEER_ADDRESS);
	CHECK_INT(peers.item[1].kind, INSTINCT_VFIO_PEER_ID);
	CHECK_INT(peers_parse(&peers, "", &why), -EINVAL);
	CHECK_STR(why, "peer must be none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021");
	CHECK_INT(peers_parse(&peers, "some", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0000:c1:20.0", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0000:c1:00.00", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0000:c1:0.0", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "00000:c1:00.0", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0000:c1:00.", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0x15:1021", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "-5b3:1021", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "15b3:+102", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "15b3: 102", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "15b3:1021 some", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "0000:c1:00.8", &why), -EINVAL);
	CHECK_INT(peers_parse(&peers, "15b3:1021,15b3:1021", &why), -EINVAL);

	/* An ID and auto select the nearest functions; an address selects at any distance. */
	board();
	far_root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	far_nic = add(far_root, INSTINCT_NODE_ENDPOINT, NIC);
	peers_parse(&peers, "15b3:1021", &why);
	CHECK(instinct_topology_is_peer(&host, at.gpu, at.nic, &peers));
	CHECK(!instinct_topology_is_peer(&host, at.gpu, far_nic, &peers));
	peers.item[0].kind = INSTINCT_VFIO_PEER_ADDRESS;
	peers.item[0].value = node[far_nic].bdf;
	CHECK(instinct_topology_is_peer(&host, at.gpu, far_nic, &peers));
	peers_parse(&peers, "auto", &why);
	CHECK(!instinct_topology_is_peer(&host, at.gpu, far_nic, &peers));
	CHECK(!instinct_topology_is_peer(&host, at.gpu, at.gpu, &peers));
}

static void test_peers_text(void)
{
	static const char full[] = "0000:c1:00.0 15b3:1021";
	struct instinct_peers peers;
	char text[PEERS_BYTES], many[17 * sizeof("15b3:1021")] = "";
	const char *why;
	int i;

	CHECK_INT(peers_parse(&peers, "0000:C1:00.0 15B3:1021", &why), 0);
	peers_format(&peers, text);
	CHECK_STR(text, full);
	CHECK_INT(peers_parse(&peers, "auto", &why), 0);
	peers_format(&peers, text);
	CHECK_STR(text, "auto");
	for (i = 0; i < INSTINCT_PEERS_MAX; i++)
		strcat(many, "15b3:1021 ");
	CHECK_INT(peers_parse(&peers, many, &why), 0);
	strcat(many, "15b3:1021");
	CHECK_INT(peers_parse(&peers, many, &why), -EINVAL);
	CHECK_STR(why, "peer names more than 16 functions");
}

static void test_kinds(void)
{
	CHECK_INT(instinct_node_kind(false, PCI_EXP_TYPE_ROOT_PORT), INSTINCT_NODE_ENDPOINT);
	CHECK_INT(instinct_node_kind(true, PCI_EXP_TYPE_ROOT_PORT), INSTINCT_NODE_ROOT_PORT);
	CHECK_INT(instinct_node_kind(true, PCI_EXP_TYPE_UPSTREAM), INSTINCT_NODE_UPSTREAM);
	CHECK_INT(instinct_node_kind(true, PCI_EXP_TYPE_DOWNSTREAM), INSTINCT_NODE_DOWNSTREAM);
	CHECK_INT(instinct_node_kind(true, PCI_EXP_TYPE_PCI_BRIDGE), INSTINCT_NODE_BRIDGE);
	CHECK_INT(instinct_node_kind(true, -1), INSTINCT_NODE_BRIDGE);
}

static bool is_same(const struct instinct_isolation_policy *a,
		    const struct instinct_isolation_policy *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The driver compares policies byte by byte, so the parser must leave no old bytes. */
static void test_same(void)
{
	struct instinct_isolation_policy policy = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "auto"), other;
	const char *why;

	other = policy;
	CHECK(is_same(&policy, &other));
	other.ats = policy.ats + 1;
	CHECK(!is_same(&policy, &other));
	other = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "15b3:1021");
	CHECK(!is_same(&policy, &other));
	CHECK_INT(peers_parse(&policy.peers, "15b3:1022 0000:c1:00.0", &why), 0);
	CHECK(!is_same(&policy, &other));
	CHECK_INT(peers_parse(&policy.peers, "  15B3:1021 ", &why), 0);
	CHECK(is_same(&policy, &other));
	policy = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "0000:c1:00.0");
	other = policy;
	other.peers.item[0].kind = INSTINCT_VFIO_PEER_ID;
	CHECK(!is_same(&policy, &other));
}

/* The planner ends even if the host's ports form a loop. */
static void test_loop(void)
{
	struct instinct_isolation_policy policy = policy_of(INSTINCT_VFIO_ACS_VM, "none");
	int far_root;

	board();
	far_root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	node[at.root].parent = at.gpu_down;
	plan(at.gpu, &policy);
	CHECK(!node[far_root].planned.spoken);
	CHECK(node[at.root].planned.spoken);
	CHECK_INT(instinct_topology_meet(&host, at.gpu, far_root), INSTINCT_NODE_NONE);
	CHECK_INT(instinct_topology_switch(&host, at.up), at.up);
}

/* One PEX89104 shows as two switches: the GPU is below one, its NIC below the other. */
static void test_two_partitions(void)
{
	struct instinct_isolation_policy policy = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "auto");
	int root, up, down, nic, gpu_up, gpu_down, gpu;

	host.count = 0;
	root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	gpu_up = add(root, INSTINCT_NODE_UPSTREAM, PORT);
	gpu_down = add(gpu_up, INSTINCT_NODE_DOWNSTREAM, PORT);
	gpu = add(gpu_down, INSTINCT_NODE_ENDPOINT, GPU);
	root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	up = add(root, INSTINCT_NODE_UPSTREAM, PORT);
	down = add(up, INSTINCT_NODE_DOWNSTREAM, PORT);
	nic = add(down, INSTINCT_NODE_ENDPOINT, NIC);
	instinct_isolation_plan_none(&host);
	plan(gpu, &policy);
	CHECK(!node[nic].peer);

	node[gpu_up].serial = 0xc0300;
	node[up].serial = 0xc0300;
	plan(gpu, &policy);
	CHECK(node[nic].peer);
	CHECK(instinct_topology_same_chip(&host, gpu, nic));
	/* Peer traffic still passes the root complex, so the port needs no direct path. */
	CHECK_INT(value(down), 0x1d);
	CHECK_INT(node[down].planned.role, INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM);
}

/* root -> A { down -> B { GPU, NIC }, down -> NIC } */
static void test_stacked_switches(void)
{
	struct instinct_isolation_policy policy = policy_of(INSTINCT_VFIO_ACS_VM_P2P, "auto");
	int root, a, shared, b, gpu_down, gpu, near_down, near, far_down, far;

	host.count = 0;
	root = add(-1, INSTINCT_NODE_ROOT_PORT, PORT);
	a = add(root, INSTINCT_NODE_UPSTREAM, PORT);
	shared = add(a, INSTINCT_NODE_DOWNSTREAM, PORT);
	b = add(shared, INSTINCT_NODE_UPSTREAM, PORT);
	gpu_down = add(b, INSTINCT_NODE_DOWNSTREAM, PORT);
	gpu = add(gpu_down, INSTINCT_NODE_ENDPOINT, GPU);
	near_down = add(b, INSTINCT_NODE_DOWNSTREAM, PORT);
	near = add(near_down, INSTINCT_NODE_ENDPOINT, NIC);
	far_down = add(a, INSTINCT_NODE_DOWNSTREAM, PORT);
	far = add(far_down, INSTINCT_NODE_ENDPOINT, NIC);
	instinct_isolation_plan_none(&host);
	plan(gpu, &policy);
	CHECK(node[near].peer);
	CHECK(node[far].peer);
	CHECK_INT(value(near_down), 0x5d);
	CHECK_INT(value(far_down), 0x5d);
	CHECK_INT(value(shared), 0x1d);
	CHECK_INT(value(gpu_down), 0x1d);
	CHECK_INT(value(root), 0x1d);
}

/* ---- the oracle ---- */

static int path[NODES_MAX][NODES_MAX];	/* from the function up, ending in -1 */

static void oracle_paths(void)
{
	for (int i = 0; i < host.count; i++) {
		int n = 0;

		for (int up = node[i].parent; up >= 0; up = node[up].parent)
			path[i][n++] = up;
		path[i][n] = -1;
	}
}

static bool oracle_on_path(int i, int port)
{
	for (int *up = path[i]; *up >= 0; up++)
		if (*up == port)
			return true;
	return false;
}

static int oracle_common(int a, int b)
{
	for (int *up = path[a]; *up >= 0; up++)
		if (oracle_on_path(b, *up))
			return *up;
	return -1;
}

static u64 oracle_chip(int i)
{
	for (int *up = path[i]; *up >= 0; up++)
		if (node[*up].kind == INSTINCT_NODE_UPSTREAM && !node[*up].package)
			return node[*up].serial ? node[*up].serial : (u64)1 << 40 | (u64)*up;
	return (u64)1 << 41 | (u64)i;
}

static int oracle_distance(int a, int b)
{
	int common = oracle_common(a, b);

	if (common >= 0 && node[common].kind == INSTINCT_NODE_UPSTREAM)
		return 0;
	return common >= 0 || oracle_chip(a) == oracle_chip(b) ? 1 : 2;
}

static bool oracle_matches(int endpoint, int i, const struct instinct_peers *peers)
{
	if (i == endpoint || node[i].kind != INSTINCT_NODE_ENDPOINT)
		return false;
	for (unsigned int k = 0; k < peers->count; k++)
		if (peers->item[k].kind == INSTINCT_VFIO_PEER_AUTO ? node[i].class == 0x020000 :
		    peers->item[k].kind == INSTINCT_VFIO_PEER_ID &&
		    peers->item[k].value >> 16 == node[i].vendor &&
		    (peers->item[k].value & 0xffff) == node[i].device)
			return true;
	return false;
}

static bool oracle_peer(int endpoint, int i, const struct instinct_peers *peers)
{
	int nearest = 2;

	for (unsigned int k = 0; k < peers->count; k++)
		if (peers->item[k].kind == INSTINCT_VFIO_PEER_ADDRESS && i != endpoint &&
		    peers->item[k].value == node[i].bdf)
			return true;
	for (int k = 0; k < host.count; k++)
		if (oracle_matches(endpoint, k, peers) &&
		    oracle_distance(endpoint, k) < nearest)
			nearest = oracle_distance(endpoint, k);
	return nearest < 2 && oracle_matches(endpoint, i, peers) &&
	       oracle_distance(endpoint, i) == nearest;
}

/* The policy's wish for one bit of a port: on (1), off (0), preferably off (2), none (3). */
static int oracle_bit(const struct instinct_isolation_policy *policy, bool package,
		      enum instinct_node_kind kind, bool direct, u16 bit)
{
	enum instinct_vfio_acs_role role =
		package ? INSTINCT_VFIO_ACS_ROLE_PACKAGE :
		kind == INSTINCT_NODE_ROOT_PORT ? INSTINCT_VFIO_ACS_ROLE_ROOT_PORT :
		kind == INSTINCT_NODE_UPSTREAM ? INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM :
		direct ? INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM :
			 INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM;
	u32 bits = policy->acs.bits[role];

	if (bits != 0xffffffff)
		return bit > 0x40 && !(bits & 0x1f80) ? 3 : !!(bits & bit);
	switch (policy->acs.preset) {
	case INSTINCT_VFIO_ACS_VM_P2P:
		if (bit == 0x40)
			return role == INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM ? 1 : 2;
		return bit & 0x1d ? 1 : bit == 0x02 ? 2 : 3;
	case INSTINCT_VFIO_ACS_VM:
		return bit & 0x1d ? 1 : bit == 0x40 ? 0 : 3;
	case INSTINCT_VFIO_ACS_BARE_METAL:
		return bit & 0x0c ? 0 : 3;
	default:
		return 3;
	}
}

static bool oracle_peers[4][NODES_MAX];

static u16 oracle_value(const int *endpoint, const struct instinct_isolation_policy *policy,
			int members, int port, u16 capable, u16 now)
{
	u16 result = now;

	for (u16 bit = 1; bit <= 0x1000; bit <<= 1) {
		bool on = false, off = false, rather_off = false;

		if (!(capable & bit))
			continue;
		for (int m = 0; m < members; m++) {
			bool above = oracle_on_path(endpoint[m], port), with_peer = false,
			     direct = false;
			int word;

			for (int i = 0; i < host.count; i++) {
				if (!oracle_peers[m][i] || !oracle_on_path(i, port))
					continue;
				with_peer = true;
				direct |= oracle_distance(endpoint[m], i) == 0;
			}
			if ((!above && !with_peer) || node[port].kind == INSTINCT_NODE_BRIDGE)
				continue;
			word = oracle_bit(&policy[m], node[port].package, node[port].kind,
					  direct && !above, bit);
			on |= word == 1;
			off |= word == 0;
			rather_off |= word == 2;
		}
		if (on && !(off && bit == 0x40))
			result |= bit;
		else if (on || off || rather_off)
			result &= (u16)~bit;
	}
	return result;
}

static unsigned int seed = 1;

static unsigned int draw(unsigned int below)
{
	seed = seed * 1103515245u + 12345u;
	return below ? (seed >> 16) % below : 0;
}

static void draw_endpoint(int parent)
{
	static const u32 ids[] = { 0x15b31021, 0x1dd81003, 0x15b3101e };

	if (draw(2))
		add(parent, INSTINCT_NODE_ENDPOINT, GPU);
	else
		add(parent, INSTINCT_NODE_ENDPOINT, 0x020000, ids[draw(3)]);
}

static void draw_below(int port, int depth)
{
	int up, down, downs;

	if (host.count > NODES_MAX - 24)
		return;
	if (depth > 2 || draw(3) == 0) {
		draw_endpoint(port);
		if (draw(8) == 0)
			draw_endpoint(port);
		return;
	}
	if (draw(16) == 0) {
		draw_below(add(port, INSTINCT_NODE_BRIDGE, PORT), depth + 1);
		return;
	}
	up = add(port, INSTINCT_NODE_UPSTREAM, PORT);
	node[up].package = draw(4) == 0;
	if (!node[up].package && draw(3) == 0)
		node[up].serial = 1 + draw(3);
	for (downs = 1 + (int)draw(3); downs; downs--) {
		down = add(up, INSTINCT_NODE_DOWNSTREAM, PORT);
		node[down].package = node[up].package;
		draw_below(down, depth + 1);
	}
}

static void draw_host(void)
{
	host.count = 0;
	for (unsigned int roots = 1 + draw(4); roots; roots--)
		draw_below(add(-1, INSTINCT_NODE_ROOT_PORT, PORT), 0);
	oracle_paths();
}

static void draw_policy(struct instinct_isolation_policy *policy)
{
	static const char *const peers[] = { "none", "auto", "15b3:1021", "1dd8:1003 15b3:101e" };
	char address[32];

	*policy = policy_of(draw(4), peers[draw(4)]);
	if (draw(4) == 0) {
		u32 bdf = node[draw((unsigned int)host.count)].bdf;

		snprintf(address, sizeof(address), "0000:%02x:%02x.%u", bdf >> 8,
			 (bdf >> 3) & 31, bdf & 7);
		*policy = policy_of(policy->acs.preset, address);
	}
	for (int role = 0; role < __INSTINCT_VFIO_ACS_ROLE_MAX; role++)
		if (draw(6) == 0)
			policy->acs.bits[role] = draw(2) ? draw(0x80) : draw(0x2000);
}

static void test_random_hosts(void)
{
	struct instinct_isolation_policy policy[4];
	int endpoint[4], ports = 0, spoken = 0;

	for (int round = 0; round < RANDOM_HOSTS && !unit_test_failed; round++) {
		int members = 1 + (int)draw(4), drawn = 0;

		draw_host();
		instinct_isolation_plan_none(&host);
		for (int tries = 0; tries < 200 && drawn < members; tries++) {
			int i = (int)draw((unsigned int)host.count);

			if (node[i].kind != INSTINCT_NODE_ENDPOINT)
				continue;
			endpoint[drawn] = i;
			draw_policy(&policy[drawn]);
			plan(i, &policy[drawn]);
			for (int k = 0; k < host.count; k++) {
				oracle_peers[drawn][k] =
					oracle_peer(i, k, &policy[drawn].peers);
				CHECK(node[k].peer == oracle_peers[drawn][k]);
			}
			drawn++;
		}
		for (int i = 0; i < host.count; i++) {
			u16 capable = (u16)draw(0x2000), now = (u16)(draw(0x2000) & capable);

			if (node[i].kind == INSTINCT_NODE_ENDPOINT) {
				CHECK(!node[i].planned.spoken);
				continue;
			}
			ports++;
			spoken += node[i].planned.spoken;
			CHECK_INT(instinct_acs_value(&node[i].planned.wish, capable, now),
				  oracle_value(endpoint, policy, drawn, i, capable, now));
		}
		if (unit_test_failed)
			printf("# in round %d\n", round);
	}
	/* The random policies cover some of the ports, but not all. */
	CHECK(spoken > ports / 4 && spoken < ports);
}

int main(void)
{
	RUN(test_presets);
	RUN(test_capability);
	RUN(test_explicit_bits);
	RUN(test_merge);
	RUN(test_peers);
	RUN(test_peers_text);
	RUN(test_kinds);
	RUN(test_same);
	RUN(test_loop);
	RUN(test_two_partitions);
	RUN(test_stacked_switches);
	RUN(test_random_hosts);
	return unit_end();
}
