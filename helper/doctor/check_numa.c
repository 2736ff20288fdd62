// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "say.h"

#define SOCKETS_MAX	16
#define GIB		((uint64_t)1 << 30)
#define MIB		((uint64_t)1 << 20)

static bool need_nodes(const struct facts *facts, struct result *result)
{
	if (facts->numa.count)
		return checks_need_gpus(facts, result);
	result_skip(result, "the host's nodes (/sys/devices/system/node) %s",
		    *opt_sysroot ? "are not in the capture" : "are missing");
	return false;
}

/**
 * check_numa_node() - check that the NUMA node of each GPU is known
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_node(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!need_nodes(facts, result))
		return;
	for (i = 0; i < facts->gpus && facts->numa.count > 1; i++) {
		int node = facts_function(facts, facts->gpu[i])->numa;

		if (node < 0)
			result_warn(result, facts->gpu[i],
				    "update the BIOS, which should report the node (_PXM); until then choose by host bridge: instinctctl topo show",
				    "the NUMA node of the GPU is unknown (numa_node -1), and the host has %d",
				    facts->numa.count);
		else if (!numa_find(&facts->numa, node))
			result_warn(result, facts->gpu[i], "update the BIOS",
				    "the GPU is at node %d, which is not online", node);
	}
	result_ok(result, "the node of each GPU is known; the host has %d node%s", facts->numa.count,
		  plural(facts->numa.count));
}

static int count_sockets(const struct numa *numa)
{
	bool seen[SOCKETS_MAX] = { false };
	int i, sockets = 0;

	for (i = 0; i < numa->count; i++) {
		int socket = numa->node[i].socket;

		if (socket >= 0 && socket < SOCKETS_MAX && !seen[socket]) {
			seen[socket] = true;
			sockets++;
		}
	}
	return sockets;
}

/* Nodes without processors, such as CXL memory, belong to no socket. */
static int count_nodes_with_cpus(const struct numa *numa)
{
	int i, nodes = 0;

	for (i = 0; i < numa->count; i++)
		nodes += !!*numa->node[i].cpus;
	return nodes;
}

/**
 * check_numa_per_socket() - check that each socket is one NUMA node
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_per_socket(const struct facts *facts, struct result *result)
{
	int sockets = count_sockets(&facts->numa);
	int nodes = count_nodes_with_cpus(&facts->numa);

	if (!need_nodes(facts, result))
		return;
	if (!sockets)
		result_skip(result, "the socket of each node (physical_package_id) %s",
			    *opt_sysroot ? "is not in the capture" : "is unknown");
	else if (nodes > sockets)
		result_warn(result, RESULT_NO_FUNCTION,
			    "set \"NUMA Nodes per Socket\" to NPS1 in the BIOS (Intel: \"SNC\" off), unless guests are sized to fit these nodes",
			    "the host has %d nodes on %d socket%s: a guest with many GPUs spans small nodes",
			    nodes, sockets, plural(sockets));
	result_ok(result, "each socket of %d socket%s is one node (NPS1)", sockets, plural(sockets));
}

/**
 * check_numa_memory() - check that nodes with GPUs have memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_memory(const struct facts *facts, struct result *result)
{
	const struct numa_node *node;
	bool known = false;
	size_t i;
	int n;

	if (!need_nodes(facts, result))
		return;
	for (n = 0; n < facts->numa.count; n++)
		known |= facts->numa.node[n].memory;
	if (!known) {
		result_skip(result, "the nodes' memory (meminfo) %s",
			    *opt_sysroot ? "is not in the capture" : "is unknown");
		return;
	}
	for (i = 0; i < facts->gpus; i++) {
		node = numa_find(&facts->numa, facts_function(facts, facts->gpu[i])->numa);
		if (node && !node->memory)
			result_warn(result, facts->gpu[i],
				    "install memory at that socket, or put the guest's memory on the nearest node that has some",
				    "node %d of the GPU has no memory: the memory of its guest is far away",
				    node->number);
	}
	result_ok(result, "each node with a GPU has memory");
}

/**
 * check_numa_spread() - check that GPUs are spread evenly over the sockets
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_spread(const struct facts *facts, struct result *result)
{
	size_t count[SOCKETS_MAX] = { 0 }, most = 0, least = facts->gpus, placed = 0, i;
	int sockets = count_sockets(&facts->numa), used = 0;

	if (!need_nodes(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct numa_node *node =
			numa_find(&facts->numa, facts_function(facts, facts->gpu[i])->numa);

		if (!node || node->socket < 0 || node->socket >= SOCKETS_MAX)
			continue;
		count[node->socket]++;
		placed++;
	}
	for (i = 0; i < SOCKETS_MAX; i++) {
		if (!count[i])
			continue;
		used++;
		if (count[i] > most)
			most = count[i];
		if (count[i] < least)
			least = count[i];
	}
	if (!placed)
		result_skip(result, "the sockets of the GPUs are unknown");
	else if (placed < facts->gpus)
		result_skip(result, "the socket of %zu GPU%s is unknown, see numa-node",
			    facts->gpus - placed, plural(facts->gpus - placed));
	else if ((used == sockets && most - least > 1) ||
		 (used < sockets && facts->gpus >= (size_t)sockets))
		result_warn(result, RESULT_NO_FUNCTION,
			    "look for a missing GPU (instinctctl topo show), and move cards if slots allow",
			    "GPUs are not spread evenly: %zu at one socket, %zu at another",
			    most, used < sockets ? (size_t)0 : least);
	result_ok(result, "GPUs: %zu on %d socket%s", facts->gpus, used, plural(used));
}

/**
 * check_numa_balancing() - check that the kernel does not move pages between nodes
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_balancing(const struct facts *facts, struct result *result)
{
	const struct fact *balancing = &facts->kernel.numa_balancing;

	if (!checks_need(balancing, "/proc/sys/kernel/numa_balancing", result))
		return;
	if (!fact_is(balancing, "0") && facts->numa.count > 1)
		result_warn(result, RESULT_NO_FUNCTION,
			    "sysctl kernel.numa_balancing=0, and the same in /etc/sysctl.d",
			    "automatic NUMA balancing is on: it scans for pages to move, but pinned guest memory cannot move");
	result_ok(result, "automatic NUMA balancing is off, or the host has one node only");
}

/**
 * check_numa_hugepages() - check that the host has huge pages for guest memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_numa_hugepages(const struct facts *facts, struct result *result)
{
	const struct kernel_facts *kernel = &facts->kernel;
	uint64_t large = strtoull(kernel->hugepages_1g.text, NULL, 10);
	uint64_t small = strtoull(kernel->hugepages_2m.text, NULL, 10);
	uint64_t all = large < 1 << 20 && small < 1 << 30 ? large * GIB + small * 2 * MIB : 0;
	bool transparent = fact_choice_is(&kernel->transparent, "always") ||
			   fact_choice_is(&kernel->transparent, "madvise");
	char have[32], want[32];

	if (kernel->hugepages_1g.error && kernel->hugepages_2m.error &&
	    !checks_need(&kernel->transparent, "/sys/kernel/mm", result))
		return;
	checks_size(all, have, sizeof(have));
	checks_size(facts->guest_memory, want, sizeof(want));
	if (all && facts->guest_memory > all)
		result_warn(result, RESULT_NO_FUNCTION,
			    "add default_hugepagesz=1G hugepagesz=1G hugepages=N to the kernel's command line",
			    "the host reserves %s of huge pages, but a guest of %s needs more", have, want);
	else if (!all && !transparent)
		result_warn(result, RESULT_NO_FUNCTION,
			    "add hugepagesz=1G hugepages=N to the kernel's command line, or transparent_hugepage=madvise",
			    "the host has no huge pages: it maps guest memory, and pins it for DMA, in pages of 4 KiB");
	if (all)
		result_ok(result, "the host reserves %s of huge pages", have);
	else
		result_ok(result, "the host has transparent huge pages");
}
