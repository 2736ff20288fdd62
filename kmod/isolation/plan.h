/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan for the ACS of all ports, from the policies of all endpoints. The planner finds the
 * ports on the paths of an endpoint and its peers, gives each port a role, and computes the Access
 * Control Services that policy wants there. The helper compiles the same source.
 */
#ifndef _INSTINCT_ISOLATION_PLAN_H
#define _INSTINCT_ISOLATION_PLAN_H

#include <linux/pci_regs.h>

#include "policy/policy.h"

#define INSTINCT_NODE_NONE	(-1)

/**
 * enum instinct_node_kind - the part of a PCI function on a path
 * @INSTINCT_NODE_ENDPOINT: a function that is no port
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

/* Linux computes IOMMU groups from these bits. */
#define INSTINCT_ACS_GROUP_BITS		0x001d	/* SV, RR, CR, UF */
/* PCIe r6.0 sec 7.7.11.3 defines these bits; the basic ones are those without the Enhanced ones. */
#define INSTINCT_ACS_ALL_BITS		0x1fff
#define INSTINCT_ACS_BASIC_BITS		0x007f

/**
 * struct instinct_acs_wish - the ACS that policy wants of a port
 * @set: bits that policy wants on, where the port has them
 * @clear: bits that policy wants off
 * @rest: bits that policy wants off unless another endpoint's policy wants them on
 *
 * The port keeps all other bits as they are.
 */
struct instinct_acs_wish {
	u16 set;
	u16 clear;
	u16 rest;
};

/**
 * struct instinct_planned - the plan for a port
 * @spoken: some policy covers the port
 * @endpoint: index of the first endpoint whose policy covers the port
 * @role: role of the port on the paths of @endpoint
 * @wish: the ACS that all policies together want of the port
 * @loss: every policy that covers the port allows that IOMMU groups lose their isolation
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
 * @parent: index of the port above, INSTINCT_NODE_NONE below the root complex
 * @bdf: domain << 16 | bus << 8 | devfn; a domain may have more than the four digits that a
 *	policy can name
 * @vendor: Vendor ID
 * @device: Device ID
 * @class: base class, sub-class, interface
 * @kind: its part on a path
 * @package: the function is a port inside a GPU's package
 * @serial: PCIe Device Serial Number, 0 if unknown
 * @peer: the function is a peer of the endpoint that was planned last
 * @planned: the plan for a port
 * @pdev: the function, referenced; the module alone uses it
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
 * struct instinct_topology - all PCI functions of a host
 * @node: the functions, in any order
 * @count: number of functions
 */
struct instinct_topology {
	struct instinct_node *node;
	int count;
};

/**
 * instinct_acs_mask() - find out which ACS Control bits of a port policy covers
 * @wish: the ACS that policy wants of the port
 * @capable: ACS Control bits that the port implements
 *
 * Return: the implemented bits that policy wants on or off.
 */
static inline u16 instinct_acs_mask(const struct instinct_acs_wish *wish, u16 capable)
{
	return (wish->set | wish->clear | wish->rest) & capable;
}

/**
 * instinct_isolation_plan_none() - begin a new plan, with nothing planned for any port
 * @topology: all functions
 */
static inline void instinct_isolation_plan_none(const struct instinct_topology *topology)
{
	int i;

	for (i = 0; i < topology->count; i++)
		topology->node[i].planned = (struct instinct_planned) { };
}

enum instinct_node_kind instinct_node_kind(bool port, int type);
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

void instinct_isolation_plan(const struct instinct_topology *topology, int endpoint,
			     const struct instinct_isolation_policy *policy);
u16 instinct_isolation_loss(const struct instinct_planned *port, u16 capable, u16 before);

#endif /* _INSTINCT_ISOLATION_PLAN_H */
