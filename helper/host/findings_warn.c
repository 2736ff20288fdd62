// SPDX-License-Identifier: GPL-2.0-or-later
/* Warnings of problems that a VM will have and no policy key covers. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "conf_key.h"
#include "findings.h"

#define GIB		((uint64_t)1 << 30)
/* Guests have memory below the hole that VMMs leave under 4 GiB, and from 4 GiB on. */
#define LOW_MEMORY_END	((uint64_t)3 * GIB)
#define HIGH_MEMORY	(4 * GIB)

/**
 * findings_tell() - add a warning
 * @findings: findings that receive the warning
 * @format: as for printf(), without a newline
 */
void findings_tell(struct findings *findings, const char *format, ...)
{
	struct warning *warning = list_add((void **)&findings->warning,
					   &findings->warnings, sizeof(*warning));
	va_list args;

	va_start(args, format);
	vsnprintf(warning->text, sizeof(warning->text), format, args);
	va_end(args);
}

/* List the network functions that "peer = auto" would take. */
static void list_near(const struct host *host, int endpoint, char *text, size_t size)
{
	const struct instinct_peers automatic = {
		.count = 1, .item[0].kind = INSTINCT_VFIO_PEER_AUTO
	};
	size_t used = 0;
	int i;

	snprintf(text, size, "none");
	for (i = 0; i < host->count && used + 32 < size; i++)
		if (instinct_topology_is_peer(&host->topology, endpoint, i, &automatic))
			used += snprintf(text + used, size - used, "%s%s (%04x:%04x)",
					 used ? ", " : "", host->function[i].bdf,
					 host->node[i].vendor, host->node[i].device);
}

/**
 * findings_warn_peers() - warn if policy names peers and none of them is near
 * @findings: findings with a host whose last planned endpoint is @endpoint
 * @endpoint: index of the endpoint in the host
 * @peers: peers of the endpoint by policy
 *
 * One match is enough, since a policy may name the IDs of both VFs and PFs. conf_check_present()
 * complains of an address without an endpoint.
 */
void findings_warn_peers(struct findings *findings, int endpoint,
			 const struct instinct_peers *peers)
{
	const struct host *host = &findings->host;
	char near[TEXT_BYTES];
	int i;

	for (i = 0; i < host->count; i++)
		if (host->node[i].peer)
			return;
	if (!peers->count || peers->item[0].kind == INSTINCT_VFIO_PEER_AUTO)
		return;
	list_near(host, endpoint, near, sizeof(near));
	findings_tell(findings, "peer of %s names no function near it: policy does nothing for peer-to-peer DMA; network functions near it: %s",
		      host->function[endpoint].bdf, near);
}

static bool overlaps(uint64_t start, uint64_t end, uint64_t from, uint64_t below)
{
	return from < below && start < below && end >= from;
}

/*
 * A switch routes a request whose address is in its upstream port's window downstream, even if
 * the guest means its own memory at that address.
 */
static void warn_of_window(struct findings *findings, int port, uint64_t memory)
{
	const struct host_function *function = &findings->host.function[port];
	uint64_t low = memory < LOW_MEMORY_END ? memory : LOW_MEMORY_END;
	uint64_t high = memory > LOW_MEMORY_END ?
			HIGH_MEMORY + memory - LOW_MEMORY_END : HIGH_MEMORY;
	unsigned int i;

	for (i = 0; i < function->windows; i++) {
		uint64_t start = function->window[i].start, end = function->window[i].end;

		if (overlaps(start, end, 0, low) || overlaps(start, end, HIGH_MEMORY, high))
			findings_tell(findings, "switch %s forwards 0x%" PRIx64 "-0x%" PRIx64 " downwards, where a guest of %" PRIu64 " GiB has memory: DMA to it from below the switch fails; give the guest less memory, or have the VMM leave that range out",
				      function->bdf, start, end, memory / GIB);
	}
}

static void warn_of_reach(struct findings *findings, const struct ats_finding *ats)
{
	const struct host *host = &findings->host;
	const char *from = host->function[ats->function].bdf;
	const char *to = host->function[ats->of].bdf;
	struct reach reach;

	if (ats->function == ats->of)
		return;
	reach_find(&host->topology, host->port, ats->function, ats->of, &reach);
	if (reach.meet == INSTINCT_NODE_NONE)
		findings_tell(findings, "peer %s reaches %s through the root complex only: no switch is above both",
			      from, to);
	else if (reach.untranslated.verdict == REACH_REDIRECTED &&
		 ats->state != INSTINCT_VFIO_ATS_STATE_ON &&
		 (ats->state != INSTINCT_VFIO_ATS_STATE_OFF ||
		  !host_waits_for_user(&host->function[ats->function])))
		findings_tell(findings, "peer %s has ATS %s and its requests are redirected at %s: its DMA to %s goes through the root complex, slowly",
			      from, name_of(&ats_state_names, ats->state),
			      host->function[reach.untranslated.port].bdf, to);
	else if (reach.translated.verdict == REACH_BLOCKED)
		findings_tell(findings, "%s blocks translated requests (TB): ATS of %s is of no use",
			      host->function[reach.translated.port].bdf, from);
	else if (reach.translated.verdict == REACH_REDIRECTED)
		findings_tell(findings, "%s has Direct Translated P2P off: DMA from %s to %s goes through the root complex, slowly",
			      host->function[reach.translated.port].bdf, from, to);
}

static bool is_below(const struct host *host, int function, int port)
{
	while (function >= 0 && function != port)
		function = host->node[function].parent;
	return function == port;
}

/* Linux computed the groups, when it found the functions, from bits that are off now. */
static void warn_of_groups(struct findings *findings, const struct port_finding *port)
{
	const struct host *host = &findings->host;
	char groups[TEXT_BYTES] = "", bits[TEXT_BYTES];
	size_t used = 0;
	int i;

	for (i = 0; i < host->count && used + 16 < sizeof(groups); i++)
		if (host->node[i].kind == INSTINCT_NODE_ENDPOINT &&
		    host->function[i].group != GROUP_NONE &&
		    is_below(host, i, port->function))
			used += snprintf(groups + used, sizeof(groups) - used, "%s%d",
					 used ? ", " : "", host->function[i].group);
	acs_format(port->gone, bits, sizeof(bits));
	if (used)
		findings_tell(findings, "%s off at %s: IOMMU groups %s isolate less than they claim",
			      bits, host->function[port->function].bdf, groups);
}

/**
 * findings_warn() - add warnings of problems that a VM would have
 * @findings: findings about ACS and ATS; receives the warnings
 * @guest_memory: memory of the largest guest, bytes; 0 to skip the check of windows
 */
void findings_warn(struct findings *findings, uint64_t guest_memory)
{
	const struct host *host = &findings->host;
	size_t i;
	int port;

	if (findings->pending) {
		findings_tell(findings, "%zu GPU%s not bound: the module sets and checks the ports above from the bind on",
			      findings->pending, findings->pending == 1 ? " is" : "s are");
		findings->warning[findings->warnings - 1].unbound = true;
	}
	for (i = 0; i < findings->ports; i++)
		if (findings->port[i].gone && !findings->port[i].loss)
			warn_of_groups(findings, &findings->port[i]);
	for (i = 0; i < findings->atses; i++)
		warn_of_reach(findings, &findings->ats[i]);
	for (port = 0; port < host->count && guest_memory; port++) {
		bool seen = false;

		if (host->node[port].kind != INSTINCT_NODE_UPSTREAM ||
		    host->node[port].package)
			continue;
		for (i = 0; i < findings->ports; i++)
			seen |= findings->port[i].function == port ||
				host->node[findings->port[i].function].parent == port;
		if (seen)
			warn_of_window(findings, port, guest_memory);
	}
}
