// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "checks.h"
#include "guest_flavor.h"
#include "guest_path.h"
#include "kind.h"
#include "say.h"

#define WRITE_FILE	"write a topology file on the host (instinctctl topo xml), and set NCCL_TOPO_FILE=FILE in /etc/nccl.conf"
#define AGAIN	"write it again on the host: instinctctl topo xml --map ..."

static const char *value_of(const struct facts *facts, const char *name)
{
	return nccl_environment_value(&facts->guest.environment, name);
}

/* "eth,ib0" lists prefixes of names; a leading "=" means whole names, "^" excludes them. */
static bool is_named(const char *list, const char *name)
{
	bool not = *list == '^', whole = false, found = false;
	size_t n;

	list += not;
	whole = *list == '=';
	list += whole;
	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		found |= n && !strncmp(list, name, n) && (!whole || !name[n]);
	}
	return found != not;
}

/**
 * check_nccl_socket() - check the network interface of NCCL's bootstrap
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_nccl_socket(const struct facts *facts, struct result *result)
{
	const struct guest_facts *guest = &facts->guest;
	const char *value = value_of(facts, "NCCL_SOCKET_IFNAME");
	size_t i, named = 0;

	if (!guest->interfaces) {
		result_skip(result, "the network interfaces are unknown (/sys/class/net)");
		return;
	}
	for (i = 0; i < guest->interfaces && value; i++)
		named += is_named(value, guest->interface[i]);
	if (!value && guest->interfaces > 1)
		result_warn(result, RESULT_NO_FUNCTION,
			    "set NCCL_SOCKET_IFNAME=NAME in /etc/nccl.conf, the interface by which all nodes reach each other",
			    "NCCL_SOCKET_IFNAME is not set, and the guest has %zu interfaces (%s, %s%s): with a wrong one NCCL hangs at its start",
			    guest->interfaces, guest->interface[0], guest->interface[1],
			    guest->interfaces > 2 ? ", ..." : "");
	else if (value && !named)
		result_fail(result, RESULT_NO_FUNCTION,
			    "ip -br link lists the interfaces",
			    "NCCL_SOCKET_IFNAME=%s (%s) names no interface", value,
			    nccl_environment_find(&guest->environment,
						  "NCCL_SOCKET_IFNAME")->origin);
	if (value)
		result_ok(result, "NCCL_SOCKET_IFNAME=%s", value);
	else
		result_ok(result, "NCCL_SOCKET_IFNAME is not set, and %s is the only interface", guest->interface[0]);
}

/**
 * check_nccl_dmabuf() - check that NCCL or RCCL uses dma-buf
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_nccl_dmabuf(const struct facts *facts, struct result *result)
{
	const char *value = value_of(facts, "NCCL_DMABUF_ENABLE");
	const char *remedy = "set NCCL_DMABUF_ENABLE=1 in /etc/nccl.conf or the environment";

	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.peermem) {
		result_ok(result, "network cards use peer memory (%s) instead", facts->guest.peermem);
		return;
	}
	if (value && !strcmp(value, "0"))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "NCCL_DMABUF_ENABLE=0: network traffic goes through host memory");
	else if (!value && facts_are_amd(facts))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "NCCL_DMABUF_ENABLE is not set: most releases of RCCL then do not use dma-buf, and network traffic goes through host memory");
	result_ok(result, "%s", value ? "dma-buf is on" : "dma-buf is on by default");
}

/**
 * check_nccl_relaxed_ordering() - check that RDMA uses relaxed ordering
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_nccl_relaxed_ordering(const struct facts *facts, struct result *result)
{
	const char *value = value_of(facts, "NCCL_IB_PCI_RELAXED_ORDERING");

	if (value && !strcmp(value, "0"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "remove it, or set NCCL_IB_PCI_RELAXED_ORDERING=1",
			    "NCCL_IB_PCI_RELAXED_ORDERING=0: peer-to-peer DMA in a guest is slow, or fails with ACS redirect");
	result_ok(result, "%s", value ? "relaxed ordering is on" : "relaxed ordering is on where the card has it");
}

/**
 * check_nccl_data_direct() - check that NCCL uses the data-direct functions of network cards
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_nccl_data_direct(const struct facts *facts, struct result *result)
{
	const char *value = value_of(facts, "NCCL_IB_DATA_DIRECT");
	const struct host *host = &facts->findings.host;
	size_t count = 0;
	int i;

	for (i = 0; i < host->count; i++) {
		if (!kind_is_data_direct(host->node[i].vendor, host->node[i].device))
			continue;
		count++;
		if (value && !strcmp(value, "0"))
			result_warn(result, i, "remove it, or set NCCL_IB_DATA_DIRECT=1",
				    "NCCL_IB_DATA_DIRECT=0: the data-direct function of the network card is of no use");
		if (*facts->guest.topology_path && !facts->guest.topology_error &&
		    guest_file_find(&facts->guest.topology, host->function[i].bdf) < 0)
			result_warn(result, i, AGAIN,
				    "the data-direct function is not in %s: NCCL places the network card there",
				    facts->guest.topology_path);
	}
	if (count)
		result_ok(result, "NCCL uses %zu data-direct function%s", count, plural(count));
	else
		result_ok(result, "the guest has no data-direct function of a network card");
}

static bool is_flat(const struct facts *facts)
{
	size_t i;

	for (i = 0; i < facts->gpus; i++)
		if (instinct_topology_switch(&facts->findings.host.topology, facts->gpu[i]) ==
		    INSTINCT_NODE_NONE)
			return true;
	return false;
}

/* Is the part a switch, invented (domain ffff) or of this guest? */
static bool is_switch(const struct facts *facts, size_t index)
{
	const struct guest_file *file = &facts->guest.topology;
	const struct guest_file_part *part = &file->list[index];
	int at = host_find(&facts->findings.host, part->busid);

	return !strncasecmp(part->busid, "ffff:", 5) || guest_path_is_bridge(file, index) ||
	       (at >= 0 && facts->findings.host.node[at].kind != INSTINCT_NODE_ENDPOINT);
}

/*
 * The libraries read the class of a switch from sysfs if the file omits it, and fail without it.
 * Returns the number of devices of this guest in the file, and sets @devices to that of all.
 */
static size_t judge_parts(const struct facts *facts, struct result *result, size_t *devices)
{
	const struct guest_facts *guest = &facts->guest;
	size_t here = 0, i;

	for (i = 0; i < guest->topology.count; i++) {
		const struct guest_file_part *part = &guest->topology.list[i];
		bool is_here = host_find(&facts->findings.host, part->busid) >= 0;

		if (part->is_node)
			continue;
		if (!is_switch(facts, i)) {
			++*devices;
			here += is_here;
			if (!is_here)
				result_fail(result, RESULT_NO_FUNCTION, AGAIN,
					    "%s has %s, which is not in this guest",
					    guest->topology_path, part->busid);
		} else if (!is_here && !*part->class) {
			result_fail(result, RESULT_NO_FUNCTION, AGAIN,
				    "%s has the switch %s without a class, which is not in this guest: the library fails to start",
				    guest->topology_path, part->busid);
		}
	}
	return here;
}

/* Returns the nearest switch above a GPU that the file names, INSTINCT_NODE_NONE without one. */
static int named_switch(const struct facts *facts, int gpu)
{
	const struct host *host = &facts->findings.host;
	int at = instinct_topology_switch(&host->topology, gpu);

	while (at != INSTINCT_NODE_NONE &&
	       guest_file_find(&facts->guest.topology, host->function[at].bdf) < 0)
		at = instinct_topology_switch(&host->topology, at);
	return at;
}

/*
 * The library places a GPU that the file omits where sysfs shows it: below the file's switch, if the
 * file names one above it. Returns the number of such GPUs, and sets @first to one. @leaves: the file
 * has other devices of this guest, so it may leave all GPUs to the library.
 */
static size_t judge_gpus(const struct facts *facts, struct result *result, bool leaves, int *first)
{
	const struct guest_file *file = &facts->guest.topology;
	size_t i, omitted = 0, placed = 0;

	for (i = 0; i < facts->gpus; i++)
		omitted += guest_file_find(file, facts_function(facts, facts->gpu[i])->bdf) < 0;
	for (i = 0; i < facts->gpus; i++) {
		if (guest_file_find(file, facts_function(facts, facts->gpu[i])->bdf) >= 0)
			continue;
		if (named_switch(facts, facts->gpu[i]) != INSTINCT_NODE_NONE) {
			if (!placed++)
				*first = facts->gpu[i];
		} else if (omitted < facts->gpus || !leaves) {
			result_fail(result, facts->gpu[i], AGAIN, "the GPU is not in %s",
				    facts->guest.topology_path);
		} else {
			result_warn(result, facts->gpu[i], AGAIN,
				    "%s names neither the GPU nor a switch above it: the library places it where this guest shows it",
				    facts->guest.topology_path);
		}
	}
	return placed;
}

static void judge_file(const struct facts *facts, struct result *result)
{
	enum guest_flavor flavor = facts_are_amd(facts) ? GUEST_FLAVOR_RCCL : GUEST_FLAVOR_NCCL;
	const struct guest_facts *guest = &facts->guest;
	size_t devices = 0, here, placed = 0;
	int first = 0;

	if (guest->topology_error) {
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s (%s): %s",
			    guest->topology_path, guest->topology_origin,
			    strerror(guest->topology_error));
	} else if (*guest->topology_wrong) {
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s", guest->topology_wrong);
	} else if (guest->topology.form) {
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s:%d: %s",
			    guest->topology_path, guest->topology.form_line,
			    guest->topology.form);
	} else if (guest->topology.version != guest_flavor_version(flavor)) {
		result_fail(result, RESULT_NO_FUNCTION,
			    "write it again by instinctctl topo xml with the right --flavor: rccl for AMD's GPUs, nccl for NVIDIA's",
			    "%s has <system version=\"%u\">, %s wants %u",
			    guest->topology_path, guest->topology.version,
			    name_of(&guest_flavor_names, flavor), guest_flavor_version(flavor));
	} else {
		here = judge_parts(facts, result, &devices);
		placed = judge_gpus(facts, result, here, &first);
	}
	if (placed == facts->gpus)
		result_ok(result, "each GPU is below a switch that the file names and that the guest has (%s below %s)",
			  facts_function(facts, first)->bdf,
			  facts_function(facts, named_switch(facts, first))->bdf);
	else if (placed)
		result_ok(result, "%s has %zu device%s, all in this guest, and switches above %zu other GPU%s",
			  guest->topology_path, devices, plural(devices), placed, plural(placed));
	else
		result_ok(result, "%s has %zu device%s, all in this guest", guest->topology_path,
			  devices, plural(devices));
}

/*
 * Returns the GB/s that NCCL and RCCL count for a link (ncclTopoAddPci() in src/graph/topo.cc): 80ths
 * of these units a lane.
 */
static double library_speed(const struct host_link *link)
{
	static const struct {
		unsigned int speed, units;
	} known[] = {
		{ 2500, 15 }, { 5000, 30 }, { 8000, 60 }, { 16000, 120 }, { 32000, 240 },
		{ 64000, 480 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].speed == link->max_speed)
			return known[i].units * link->max_width / 80.0;
	return 0;
}

/*
 * A virtual switch or root port reports a link that it does not have, often 2.5 GT/s x1, and the
 * libraries believe it. Judges the links above an endpoint, each function once.
 */
static void judge_virtual_links(const struct facts *facts, struct result *result, int endpoint,
				bool *judged)
{
	const struct host *host = &facts->findings.host;
	double own = library_speed(&host->function[endpoint].link), told;
	struct host_link link;
	char speed[32];
	int at;

	for (at = endpoint; at != INSTINCT_NODE_NONE; at = facts_parent(facts, at)) {
		bool is_switch = host->node[at].kind == INSTINCT_NODE_UPSTREAM;
		int port = is_switch ? at : facts_parent(facts, at);

		link = host_link_best(host, at);
		told = library_speed(&link);
		if ((at != endpoint && !is_switch) || port == INSTINCT_NODE_NONE || judged[port] ||
		    host->node[at].package || !told || 2 * told >= own)
			continue;
		judged[port] = true;
		snprintf(speed, sizeof(speed), "%u.%u GT/s x%u", link.max_speed / 1000,
			 link.max_speed % 1000 / 100, link.max_width);
		result_warn(result, port, WRITE_FILE,
			    is_switch ?
			    "the guest's switch reports %s upwards, which %s takes for %.1f GB/s" :
			    "the guest's port reports %s downwards, which %s takes for %.1f GB/s",
			    speed, facts_are_amd(facts) ? "RCCL" : "NCCL", told);
	}
}

static void judge_all_virtual_links(const struct facts *facts, struct result *result)
{
	bool *judged = array_new(facts->findings.host.count, sizeof(*judged));
	size_t i;

	for (i = 0; i < facts->gpus; i++)
		judge_virtual_links(facts, result, facts->gpu[i], judged);
	for (i = 0; i < facts->peers; i++)
		judge_virtual_links(facts, result, facts->peer[i], judged);
	free(judged);
}

/**
 * check_nccl_topology_file() - check that the topology file exists and fits the guest
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * Only the host can compare the file with the hardware (topo check).
 */
void check_nccl_topology_file(const struct facts *facts, struct result *result)
{
	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.topology_path)
		judge_file(facts, result);
	else if (is_flat(facts) && facts->gpus > 1)
		result_warn(result, RESULT_NO_FUNCTION, WRITE_FILE,
			    "the guest has no topology file and sees no switches: the library pairs GPUs with any network card, slowly and without an error");
	else
		judge_all_virtual_links(facts, result);
	if (!*facts->guest.topology_path)
		result_ok(result, "the guest needs no topology file");
}

/**
 * check_nccl_numa() - check that the NUMA nodes of GPUs are known
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_nccl_numa(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.topology_path && !facts->guest.topology_error) {
		result_ok(result, "the topology file gives the NUMA nodes");
		return;
	}
	for (i = 0; i < facts->gpus && facts->numa.count > 1; i++)
		if (facts_function(facts, facts->gpu[i])->numa < 0)
			result_warn(result, facts->gpu[i],
				    "use a topology file (instinctctl topo xml), or pxb-pcie with numa_node= in the VM",
				    "the NUMA node of the GPU is unknown, and the guest has %d",
				    facts->numa.count);
	result_ok(result, "the guest has %d NUMA node%s", facts->numa.count, plural(facts->numa.count));
}
