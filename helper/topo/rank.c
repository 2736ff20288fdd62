// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>

#include "rank.h"

const char *const rank_names[RANKS] = {
	[RANK_SWITCH] = "same-switch",
	[RANK_STACKED] = "stacked-switches",
	[RANK_CHIP] = "same-switch-chip",
	[RANK_ROOT_COMPLEX] = "same-root-complex",
	[RANK_NODE] = "same-numa-node",
	[RANK_OTHER_NODE] = "other-numa-node",
	[RANK_OTHER_SOCKET] = "other-socket",
	[RANK_UNKNOWN] = "unknown",
};

const char *const rank_texts[RANKS] = {
	[RANK_SWITCH] = "same switch",
	[RANK_STACKED] = "stacked switches",
	[RANK_CHIP] = "same switch chip",
	[RANK_ROOT_COMPLEX] = "same root complex",
	[RANK_NODE] = "same NUMA node",
	[RANK_OTHER_NODE] = "other NUMA node",
	[RANK_OTHER_SOCKET] = "other socket",
	[RANK_UNKNOWN] = "unknown",
};

/* The words of nvidia-smi topo -m, which NCCL uses, too. */
const char *const rank_words[RANKS] = {
	[RANK_SWITCH] = "PIX",
	[RANK_STACKED] = "PXB",
	[RANK_CHIP] = "PXB",
	[RANK_ROOT_COMPLEX] = "PHB",
	[RANK_NODE] = "NODE",
	[RANK_OTHER_NODE] = "SYS",
	[RANK_OTHER_SOCKET] = "SYS",
	[RANK_UNKNOWN] = "?",
};

const char *const way_names[WAYS] = {
	[WAY_DIRECT] = "direct",
	[WAY_UNCHECKED] = "direct-unchecked",
	[WAY_REDIRECTED] = "redirected",
	[WAY_ROOT] = "root-complex",
	[WAY_BLOCKED] = "blocked",
	[WAY_UNKNOWN] = "unknown",
};

static enum rank rank_by_node(const struct topo *topo, int a, int b)
{
	const struct host_function *x = &topo->host.function[a], *y = &topo->host.function[b];
	const struct numa_node *node, *other;

	if (x->bridge >= 0 && x->bridge == y->bridge)
		return RANK_ROOT_COMPLEX;
	if (x->numa < 0 || y->numa < 0)
		return RANK_UNKNOWN;
	if (x->numa == y->numa)
		return RANK_NODE;
	node = numa_find(&topo->numa, x->numa);
	other = numa_find(&topo->numa, y->numa);
	if (node && other && node->socket != NUMA_NONE && other->socket != NUMA_NONE &&
	    node->socket != other->socket)
		return RANK_OTHER_SOCKET;
	return RANK_OTHER_NODE;
}

/**
 * rank_of() - get the distance between two devices
 * @topo: host
 * @a: index of one device
 * @b: index of the other device
 *
 * The function ignores switches in GPU packages, since each GPU is below one of its own.
 *
 * Return: the rank.
 */
enum rank rank_of(const struct topo *topo, int a, int b)
{
	int meet = instinct_topology_meet(&topo->host.topology, a, b);

	if (meet == INSTINCT_NODE_NONE)
		return topo_same_chip(topo, a, b) ? RANK_CHIP : rank_by_node(topo, a, b);
	/* Any other port has one device below it, or a switch that is one of its functions. */
	if (topo->host.node[meet].kind != INSTINCT_NODE_UPSTREAM)
		return topo_switch(topo, a) == topo_switch(topo, b) ? RANK_SWITCH : RANK_STACKED;
	return topo_switch(topo, a) == meet && topo_switch(topo, b) == meet ? RANK_SWITCH :
	       RANK_STACKED;
}

/**
 * rank_through() - get the distance between a GPU and a NIC by either of the NIC's functions
 * @topo: host
 * @gpu: index of the GPU
 * @nic: index of the NIC, or of another device
 * @through: set to the NIC's data-direct function if that is nearer than the NIC, else to -1;
 *	may be NULL
 *
 * Return: the rank.
 */
enum rank rank_through(const struct topo *topo, int gpu, int nic, int *through)
{
	int direct = topo->kind[nic] == TOPO_NIC ? topo->partner[nic] : -1;
	enum rank rank = rank_of(topo, gpu, nic), by_direct;

	by_direct = direct >= 0 ? rank_of(topo, gpu, direct) : RANKS;
	if (through)
		*through = by_direct < rank ? direct : -1;
	return by_direct < rank ? by_direct : rank;
}

static enum way way_of(const struct reach_step *step, bool ats)
{
	switch (step->verdict) {
	case REACH_DIRECT:
		return ats ? WAY_DIRECT : WAY_UNCHECKED;
	case REACH_REDIRECTED:
		return WAY_REDIRECTED;
	case REACH_ROOT:
	case REACH_ISOLATED:
		return WAY_ROOT;
	default:
		return WAY_BLOCKED;
	}
}

/**
 * way_find() - find the path that requests take today
 * @topo: host
 * @from: index of the sender
 * @to: index of the receiver
 *
 * Return: the path.
 */
struct way_found way_find(const struct topo *topo, int from, int to)
{
	const struct host_function *function = &topo->host.function[from];
	struct way_found found = { .way = WAY_UNKNOWN, .port = INSTINCT_NODE_NONE };
	const struct reach_step *step;
	struct reach reach;

	reach_find(&topo->host.topology, topo->host.port, from, to, &reach);
	if (!function->readable) {
		if (reach.meet == INSTINCT_NODE_NONE)
			found.way = WAY_ROOT;
		return found;
	}
	found.ats = function->has_ats && function->ats & PCI_ATS_CTRL_ENABLE;
	step = found.ats ? &reach.translated : &reach.untranslated;
	found.way = way_of(step, found.ats);
	if (reach.meet == INSTINCT_NODE_NONE && found.way != WAY_BLOCKED)
		found.way = WAY_ROOT;
	found.port = step->port;
	found.bit = step->bit;
	return found;
}
