/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module decides here what ports should carry by all endpoints' policies: which ports lie
 * between an endpoint and its peers, what each is to them, and which Access Control Services
 * policy gives it. The helper compiles the same source.
 */
#ifndef _INSTINCT_ISOLATION_PLAN_H
#define _INSTINCT_ISOLATION_PLAN_H

#include <linux/pci_regs.h>

#include "pure.h"

#define INSTINCT_NODE_NONE	(-1)
#define INSTINCT_PEERS_MAX	16
#define INSTINCT_PEERS_BYTES	256

/**
 * enum instinct_node_kind - what a PCI function is on a path
 * @INSTINCT_NODE_ENDPOINT: no port at all
 * @INSTINCT_NODE_ROOT_PORT: root port
 * @INSTINCT_NODE_UPSTREAM: upstream port of a switch
 * @INSTINCT_NODE_DOWNSTREAM: downstream port of a switch
 * @INSTINCT_NODE_BRIDGE: any other bridge
 */
enum instinct_node_kind {
	INSTINCT_NODE_ENDPOINT = PCI_EXP_TYPE_ENDPOINT,
	INSTINCT_NODE_ROOT_PORT = PCI_EXP_TYPE_ROOT_PORT,
	INSTINCT_NODE_UPSTREAM = PCI_EXP_TYPE_UPSTREAM,
	INSTINCT_NODE_DOWNSTREAM = PCI_EXP_TYPE_DOWNSTREAM,
	INSTINCT_NODE_BRIDGE = PCI_EXP_TYPE_PCI_BRIDGE,
};

/**
 * struct instinct_peer - what an operator names
 * @by_id: all functions of an ID, else one by its address
 * @value: BDF, or vendor << 16 | device
 */
struct instinct_peer {
	u32 by_id;
	u32 value;
};

/**
 * struct instinct_peers - which functions are paired with an endpoint
 * @automatic: the network functions below the same switch
 * @count: of @item
 * @item: the others, and zeroes behind them
 */
struct instinct_peers {
	u32 automatic;
	u32 count;
	struct instinct_peer item[INSTINCT_PEERS_MAX];
};

/* What Linux computes IOMMU groups from. */
#define INSTINCT_ACS_GROUP_BITS		0x001d	/* SV, RR, CR, UF */
/* Of PCIe r6.0 sec 7.7.11.3 all that are there, and without the Enhanced ones. */
#define INSTINCT_ACS_ALL_BITS		0x1fff
#define INSTINCT_ACS_BASIC_BITS		0x007f

/**
 * struct instinct_acs_wish - what a port should carry
 * @set: bits that are to be on, where the port has them
 * @clear: bits that are to be off
 * @rest: bits that are to be off unless somebody else wants them on
 *
 * All others stay as they are.
 */
struct instinct_acs_wish {
	u16 set;
	u16 clear;
	u16 rest;
};

/**
 * struct instinct_acs_policy - an operator's wishes for the ports of an endpoint
 * @preset: for all roles
 * @bits: for each role the bits themselves, or INSTINCT_VFIO_ACS_BITS_PRESET
 * @loss: whether bits may go off that IOMMU groups rely on
 */
struct instinct_acs_policy {
	enum instinct_vfio_acs preset;
	u32 bits[__INSTINCT_VFIO_ACS_ROLE_MAX];
	enum instinct_vfio_isolation_loss loss;
};

/**
 * struct instinct_isolation_policy - an operator's wishes for an endpoint
 * @acs: of the ports on its path, and on its peers'
 * @ats: of itself and its peers
 * @check_interval: how often that is looked at, ms; 0: never
 * @peers: which they are
 *
 * Without a gap: two that are the same have the same bytes.
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
 * @endpoint: index of the first endpoint whose policy does
 * @role: what the port is to @endpoint
 * @wish: what it should carry
 * @loss: every policy that speaks of it allows that IOMMU groups isolate no more
 */
struct instinct_planned {
	bool spoken;
	int endpoint;
	enum instinct_vfio_acs_role role;
	struct instinct_acs_wish wish;
	bool loss;
};

/**
 * struct instinct_node - a PCI function
 * @parent: index of the port above, INSTINCT_NODE_NONE: the root complex
 * @bdf: domain << 16 | bus << 8 | devfn; a domain may be wider than the four digits
 *	that policies know
 * @vendor: Vendor ID
 * @device: Device ID
 * @class: base class, sub-class, interface
 * @kind: what it is on a path
 * @package: it is a port inside a GPU's package
 * @serial: PCIe Device Serial Number, 0 if unknown
 * @peer: it is a peer of the endpoint that was planned last
 * @planned: what is planned for it
 * @pdev: the function, referenced; in the module
 */
struct instinct_node {
	int parent;
	u64 bdf;
	u16 vendor;
	u16 device;
	u32 class;
	enum instinct_node_kind kind;
	bool package;
	u64 serial;
	bool peer;
	struct instinct_planned planned;
	struct pci_dev *pdev;
};

/**
 * struct instinct_topology - all functions
 * @node: they, in any order
 * @count: how many
 */
struct instinct_topology {
	struct instinct_node *node;
	int count;
};

enum instinct_node_kind instinct_node_kind(bool port, int type);
int instinct_peers_parse(struct instinct_peers *peers, const char *text, const char **why);
void instinct_peers_format(const struct instinct_peers *peers, char *text);
int instinct_topology_meet(const struct instinct_topology *topology, int a, int b);
int instinct_topology_switch(const struct instinct_topology *topology, int node);
bool instinct_topology_same_chip(const struct instinct_topology *topology, int a, int b);
bool instinct_topology_is_peer(const struct instinct_topology *topology, int endpoint, int node,
			       const struct instinct_peers *peers);

bool instinct_acs_rules(const struct instinct_acs_policy *policy, enum instinct_vfio_acs_role role,
			struct instinct_acs_wish *wish);
void instinct_acs_merge(struct instinct_acs_wish *wish, const struct instinct_acs_wish *other);
u16 instinct_acs_capable(u16 capability);
u16 instinct_acs_value(const struct instinct_acs_wish *wish, u16 capable, u16 now);
u16 instinct_acs_mask(const struct instinct_acs_wish *wish, u16 capable);

void instinct_isolation_plan_none(const struct instinct_topology *topology);
void instinct_isolation_plan(const struct instinct_topology *topology, int endpoint,
			     const struct instinct_isolation_policy *policy);
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable, u16 before);

#endif /* _INSTINCT_ISOLATION_PLAN_H */
