// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>

#include "reach.h"

static struct reach_step step(enum reach_verdict verdict, int port, uint16_t bit)
{
	return (struct reach_step) { verdict, port, bit };
}

/* The first port on the way up to @last that blocks translated requests. */
static int blocking_port(const struct instinct_topology *topology,
			 const struct reach_port *port, int from, int last)
{
	int node = topology->node[from].parent;

	while (node != INSTINCT_NODE_NONE) {
		if (port[node].has_acs && port[node].control & PCI_ACS_TB)
			return node;
		if (node == last)
			break;
		node = topology->node[node].parent;
	}
	return INSTINCT_NODE_NONE;
}

/* PCIe r6.0 sec 6.12.3: with P2P Request Redirect off, the switch routes requests directly. */
static struct reach_step requests_at(const struct reach_port *port, int ingress)
{
	if (port[ingress].has_acs && port[ingress].control & PCI_ACS_RR)
		return step(REACH_REDIRECTED, ingress, PCI_ACS_RR);
	if (port[ingress].isolates)
		return step(REACH_ISOLATED, ingress, 0);
	return step(REACH_DIRECT, ingress, 0);
}

static struct reach_step translated_at(const struct reach_port *port, int ingress)
{
	if (port[ingress].has_acs && port[ingress].control & PCI_ACS_DT)
		return step(REACH_DIRECT, ingress, PCI_ACS_DT);
	return requests_at(port, ingress);
}

/**
 * reach_toward() - find the port below another on the way to a function
 * @topology: all functions
 * @above: index of the port above @node, or INSTINCT_NODE_NONE for the root complex
 * @node: index of the function
 *
 * Return: index of the first port on the way down; @node if there is no port between.
 */
int reach_toward(const struct instinct_topology *topology, int above, int node)
{
	int depth, parent;

	/* The bound also ends a loop of parents. */
	for (depth = 0; depth < topology->count; depth++) {
		parent = topology->node[node].parent;
		if (parent == above || parent == INSTINCT_NODE_NONE)
			break;
		node = parent;
	}
	return node;
}

/**
 * reach_find() - determine the path of DMA from one function to another
 * @topology: all functions
 * @port: ACS of each function
 * @from: index of the function that sends requests
 * @to: index of the function that receives them
 * @reach: receives the result
 *
 * The result ignores P2P Egress Control: a port with Egress Control on may block requests that
 * count as direct here.
 */
void reach_find(const struct instinct_topology *topology,
		const struct reach_port *port, int from, int to,
		struct reach *reach)
{
	int meet = instinct_topology_meet(topology, from, to);
	int ingress = reach_toward(topology, meet, from);
	int blocking = blocking_port(topology, port, from, ingress);

	reach->meet = meet;
	if (meet != INSTINCT_NODE_NONE) {
		reach->untranslated = requests_at(port, ingress);
		reach->translated = translated_at(port, ingress);
	} else {
		reach->untranslated = requests_at(port, ingress);
		if (reach->untranslated.verdict == REACH_DIRECT)
			reach->untranslated.verdict = REACH_ROOT;
		/* The requests have left the switches; the root complex may route them. */
		reach->translated = step(REACH_ROOT, ingress, 0);
	}
	if (blocking != INSTINCT_NODE_NONE)
		reach->translated = step(REACH_BLOCKED, blocking, PCI_ACS_TB);
}
