// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "checks.h"
#include "guest_flavor.h"
#include "say.h"

static const char *value_of(const struct facts *facts, const char *name)
{
	return nccl_environment_value(&facts->guest.environment, name);
}

/* "eth,ib0": beginnings of names; after "=" whole ones, after "^" those that are not meant. */
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
 * check_nccl_socket() - which network does the bootstrap go by?
 * @facts: facts
 * @result: set
 */
void check_nccl_socket(const struct facts *facts, struct result *result)
{
	const struct guest_facts *guest = &facts->guest;
	const char *value = value_of(facts, "NCCL_SOCKET_IFNAME");
	size_t i, named = 0;

	if (!guest->interfaces) {
		result_skip(result, "no network interface is known (/sys/class/net)");
		return;
	}
	for (i = 0; i < guest->interfaces && value; i++)
		named += is_named(value, guest->interface[i]);
	if (!value && guest->interfaces > 1)
		result_warn(result, RESULT_NO_FUNCTION,
			    "NCCL_SOCKET_IFNAME=NAME, the interface that all nodes reach each other by, in /etc/nccl.conf",
			    "NCCL_SOCKET_IFNAME is not set, and there are %zu interfaces (%s, %s%s): a wrong one hangs at the start",
			    guest->interfaces, guest->interface[0], guest->interface[1],
			    guest->interfaces > 2 ? ", ..." : "");
	else if (value && !named)
		result_fail(result, RESULT_NO_FUNCTION,
			    "ip -br link says what there is",
			    "NCCL_SOCKET_IFNAME=%s (%s) names no interface", value,
			    nccl_environment_find(&guest->environment,
						  "NCCL_SOCKET_IFNAME")->origin);
	if (value)
		result_ok(result, "NCCL_SOCKET_IFNAME=%s", value);
	else
		result_ok(result, "not set, and %s is the only one", guest->interface[0]);
}

/**
 * check_nccl_dmabuf() - may dma-buf be used?
 * @facts: facts
 * @result: set
 */
void check_nccl_dmabuf(const struct facts *facts, struct result *result)
{
	const char *value = value_of(facts, "NCCL_DMABUF_ENABLE");
	const char *remedy = "NCCL_DMABUF_ENABLE=1 in /etc/nccl.conf or the environment";

	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.peermem) {
		result_ok(result, "not needed: there is peer memory (%s)", facts->guest.peermem);
		return;
	}
	if (value && !strcmp(value, "0"))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "NCCL_DMABUF_ENABLE=0: network traffic goes through host memory");
	else if (!value && facts_are_amd(facts))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "NCCL_DMABUF_ENABLE is not set: off by default in most releases of RCCL, and network traffic then goes through host memory");
	result_ok(result, "%s", value ? "on" : "on by default");
}

/**
 * check_nccl_relaxed_ordering() - may RDMA use relaxed ordering?
 * @facts: facts
 * @result: set
 */
void check_nccl_relaxed_ordering(const struct facts *facts, struct result *result)
{
	const char *value = value_of(facts, "NCCL_IB_PCI_RELAXED_ORDERING");

	if (value && !strcmp(value, "0"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "drop it, or NCCL_IB_PCI_RELAXED_ORDERING=1",
			    "NCCL_IB_PCI_RELAXED_ORDERING=0: peer-to-peer DMA in a guest is slow, or fails with ACS redirect");
	result_ok(result, "%s", value ? "on" : "by default where the card has it");
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

#define AGAIN	"make it anew on the host: instinctctl topo xml --map ..."

/* Of switches that somebody made up, and of real ones, which a guest does not see. */
static bool is_switch(const struct guest_file_part *part)
{
	return !strncasecmp(part->busid, "ffff:", 5) || !strncmp(part->class, "0x06", 4);
}

static void judge_devices(const struct facts *facts, struct result *result, size_t *devices)
{
	const struct guest_facts *guest = &facts->guest;
	size_t i;

	for (i = 0; i < guest->topology.count; i++) {
		const struct guest_file_part *part = &guest->topology.list[i];

		if (part->is_node || is_switch(part))
			continue;
		++*devices;
		if (host_find(&facts->findings.host, part->busid) < 0)
			result_fail(result, RESULT_NO_FUNCTION, AGAIN,
				    "%s has %s, which is not in this guest",
				    guest->topology_path, part->busid);
	}
	for (i = 0; i < facts->gpus; i++)
		if (guest_file_find(&guest->topology,
				    facts_function(facts, facts->gpu[i])->bdf) < 0)
			result_fail(result, facts->gpu[i], AGAIN, "is not in %s",
				    guest->topology_path);
}

static void judge_file(const struct facts *facts, struct result *result)
{
	enum guest_flavor flavor = facts_are_amd(facts) ? GUEST_FLAVOR_RCCL : GUEST_FLAVOR_NCCL;
	const struct guest_facts *guest = &facts->guest;
	size_t devices = 0;

	if (guest->topology_error)
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s (%s): %s",
			    guest->topology_path, guest->topology_origin,
			    strerror(guest->topology_error));
	else if (*guest->topology_wrong)
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s", guest->topology_wrong);
	else if (guest->topology.form)
		result_fail(result, RESULT_NO_FUNCTION, AGAIN, "%s:%d: %s",
			    guest->topology_path, guest->topology.form_line,
			    guest->topology.form);
	else if (guest->topology.version != guest_flavor_version(flavor))
		result_fail(result, RESULT_NO_FUNCTION,
			    "instinctctl topo xml with the right --flavor: rccl for AMD's GPUs, nccl for NVIDIA's",
			    "%s has <system version=\"%u\">, %s wants %u",
			    guest->topology_path, guest->topology.version,
			    name_of(&guest_flavor_names, flavor), guest_flavor_version(flavor));
	else
		judge_devices(facts, result, &devices);
	result_ok(result, "%s: %zu device%s, all here", guest->topology_path, devices,
		  plural(devices));
}

/**
 * check_nccl_topology_file() - is the topology file there, and right?
 * @facts: facts
 * @result: set
 *
 * Whether it says what the hardware is only the host can tell (topo check).
 */
void check_nccl_topology_file(const struct facts *facts, struct result *result)
{
	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.topology_path)
		judge_file(facts, result);
	else if (is_flat(facts) && facts->gpus > 1)
		result_warn(result, RESULT_NO_FUNCTION,
			    "make one on the host (instinctctl topo xml), and NCCL_TOPO_FILE=FILE in /etc/nccl.conf",
			    "there is none, and the guest sees no switches: GPUs are paired with any network card, slowly and without an error");
	else
		result_ok(result, "none, and none is needed");
}

/**
 * check_nccl_numa() - are the devices' nodes known?
 * @facts: facts
 * @result: set
 */
void check_nccl_numa(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return;
	if (*facts->guest.topology_path && !facts->guest.topology_error) {
		result_ok(result, "the topology file says them");
		return;
	}
	for (i = 0; i < facts->gpus && facts->numa.count > 1; i++)
		if (facts_function(facts, facts->gpu[i])->numa < 0)
			result_warn(result, facts->gpu[i],
				    "a topology file (instinctctl topo xml), or pxb-pcie with numa_node= in the VM",
				    "its node is not known, and the guest has %d",
				    facts->numa.count);
	result_ok(result, "%d node%s", facts->numa.count, plural(facts->numa.count));
}
