// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>

#include "reach.h"

static struct reach_step step(enum reach_verdict verdict, int port, uint16_t bit)
{
	return (struct reach_step) { verdict, port, bit };
}

/* The first port on the way up to @last that stops translated requests. */
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

/* PCIe r6.0 sec 6.12.3: where P2P Request Redirect is off they go across. */
static struct reach_step requests_at(const struct reach_port *port, int ingress)
{
	if (port[ingress].has_acs && port[ingress].control & PCI_ACS_RR)
		return step(REACH_REDIRECTED, ingress, PCI_ACS_RR);
	return step(REACH_DIRECT, ingress, 0);
}

static struct reach_step translated_at(const struct reach_port *port, int ingress)
{
	if (port[ingress].has_acs && port[ingress].control & PCI_ACS_DT)
		return step(REACH_DIRECT, ingress, PCI_ACS_DT);
	return requests_at(port, ingress);
}

/**
 * reach_toward() - the port below another on the way to a function
 * @topology: all functions
 * @above: index of the port above @node, or INSTINCT_NODE_NONE for the root complex
 * @node: index of the function
 *
 * Return: index of the first port on the way down; @node if there is none.
 */
int reach_toward(const struct instinct_topology *topology, int above, int node)
{
	int depth, parent;

	/* A loop of parents ends, too. */
	for (depth = 0; depth < topology->count; depth++) {
		parent = topology->node[node].parent;
		if (parent == above || parent == INSTINCT_NODE_NONE)
			break;
		node = parent;
	}
	return node;
}

/**
 * reach_find() - can one function reach another?
 * @topology: all functions
 * @port: ACS of each of them
 * @from: who sends requests
 * @to: to whom
 * @reach: set
 *
 * Egress Control is not looked at: a port that has it on may block what this calls
 * direct.
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
		/* They have left the switches: the root complex may pass them on. */
		reach->translated = step(REACH_ROOT, ingress, 0);
	}
	if (blocking != INSTINCT_NODE_NONE)
		reach->translated = step(REACH_BLOCKED, blocking, PCI_ACS_TB);
}
