// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <linux/pci_regs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "isolation_plan.h"
#include "say.h"

#define GIB		((uint64_t)1 << 30)
/* Where guests have memory: below the hole that VMMs leave, and from 4 GiB on. */
#define LOW_MEMORY_END	((uint64_t)3 * GIB)
#define HIGH_MEMORY	(4 * GIB)

/* As the module has it. */
static struct instinct_isolation_policy policy_of(const struct policy *policy)
{
	struct instinct_isolation_policy isolation = {
		.acs = {
			.preset = policy->acs,
			.bits = {
				[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT] = policy->acs_root_port,
				[INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM] = policy->acs_switch_upstream,
				[INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM] = policy->acs_downstream,
				[INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM] = policy->acs_peer_downstream,
				[INSTINCT_VFIO_ACS_ROLE_PACKAGE] = policy->acs_package,
			},
			.loss = policy->allow_isolation_loss,
		},
		.ats = policy->ats,
		.check_interval = policy->check_interval,
	};
	const char *why;

	if (instinct_peers_parse(&isolation.peers, text_of(policy->peer), &why))
		isolation.peers = (struct instinct_peers) { 0 };
	return isolation;
}

static uint32_t ats_state(const struct host_function *function,
			  const struct isolation *isolation)
{
	size_t i;

	if (function->readable && !function->has_ats)
		return INSTINCT_VFIO_ATS_STATE_ABSENT;
	/* What the IOMMU driver believes only the module can tell. */
	for (i = 0; isolation && i < isolation->count; i++)
		if (*isolation->list[i].of &&
		    !strcmp(isolation->list[i].bdf, function->bdf))
			return isolation->list[i].ats_state;
	if (!function->readable)
		return INSTINCT_VFIO_ATS_STATE_GONE;
	return function->ats & PCI_ATS_CTRL_ENABLE ? INSTINCT_VFIO_ATS_STATE_ON :
						     INSTINCT_VFIO_ATS_STATE_OFF;
}

/* Bound to a VFIO driver it gets its IOMMU domain, and ATS with it, with a user. */
static bool waits_for_user(const struct host_function *function)
{
	return !*function->driver || strstr(function->driver, "vfio");
}

/* In the words of the module's own refusal. */
static const char *ats_unmet(const struct host_function *function, bool peer,
			     bool open, uint32_t state)
{
	switch (state) {
	case INSTINCT_VFIO_ATS_STATE_ABSENT:
		return peer ? "no ATS: switch it on in the NIC's firmware (mlxconfig: ATS_ENABLED=1)" :
			      "no ATS: switch it on in the BIOS";
	case INSTINCT_VFIO_ATS_STATE_OFF:
		if (!open && (waits_for_user(function) || (peer && function->vfs)))
			return NULL;
		return "off: the IOMMU must be on and translate (intel_iommu=on or amd_iommu=on, iommu=nopt, ATS on in the BIOS)";
	case INSTINCT_VFIO_ATS_STATE_LOST:
		return "lost: off, though the IOMMU driver has it on";
	case INSTINCT_VFIO_ATS_STATE_ASTRAY:
		return "on behind the IOMMU driver's back: unbind and bind its driver";
	case INSTINCT_VFIO_ATS_STATE_GONE:
		return "unknown: its config space cannot be read (are you root?)";
	default:
		return NULL;
	}
}

static void add_ats(struct findings *findings, int function, int of, uint32_t policy,
		    bool open, const struct isolation *isolation)
{
	const struct host_function *found = &findings->host.function[function];
	uint32_t state = ats_state(found, isolation);
	struct ats_finding *ats = list_add((void **)&findings->ats, &findings->atses,
					   sizeof(*ats));

	*ats = (struct ats_finding) {
		.function = function,
		.of = of,
		.policy = policy,
		.state = state,
	};
	if (policy == INSTINCT_VFIO_ATS_REQUIRED)
		ats->unmet = ats_unmet(found, function != of, open, state);
	else if (policy && (state == INSTINCT_VFIO_ATS_STATE_LOST ||
			    state == INSTINCT_VFIO_ATS_STATE_ASTRAY))
		ats->unmet = ats_unmet(found, function != of, open, state);
	findings->drift |= !!ats->unmet;
}

static void add_port(struct findings *findings, int i,
		     const struct instinct_planned *planned)
{
	const struct host_function *function = &findings->host.function[i];
	struct port_finding *port;

	if (function->readable && !function->has_acs)
		return;
	port = list_add((void **)&findings->port, &findings->ports, sizeof(*port));
	*port = (struct port_finding) {
		.function = i,
		.role = planned->role,
		.found = function->acs,
		.unreadable = !function->readable,
	};
	port->loss = instinct_isolation_loss(planned, function->acs_capable, port->found);
	port->wanted = instinct_acs_value(&planned->wish, function->acs_capable,
					  port->found);
	port->gone = function->acs_capable & ~port->wanted & INSTINCT_ACS_GROUP_BITS;
	port->mask = instinct_acs_mask(&planned->wish, function->acs_capable);
	findings->drift |= port->unreadable || port->found != port->wanted;
}

/**
 * findings_isolation() - ACS and ATS of a host against policies
 * @findings: with its host; added to
 * @devices: endpoints
 * @wanted: policy of each
 * @isolation: what the module tells of them, or NULL
 */
void findings_isolation(struct findings *findings, const struct devices *devices,
			const struct policy *wanted,
			const struct isolation *isolation)
{
	struct host *host = &findings->host;
	struct instinct_planned *planned = calloc(host->count + 1, sizeof(*planned));
	bool *peer = calloc(host->count + 1, sizeof(*peer));
	size_t d;
	int i;

	if (!planned || !peer) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	for (d = 0; d < devices->count; d++) {
		struct instinct_isolation_policy policy = policy_of(&wanted[d]);
		int endpoint = host_find(host, devices->list[d].bdf);

		if (endpoint < 0)
			continue;
		instinct_isolation_peers(&host->topology, endpoint, &policy, peer);
		instinct_isolation_plan(&host->topology, endpoint, &policy, peer, planned);
		/* Of peers to which it does not matter there is a warning at most. */
		for (i = 0; i < host->count && (policy.ats || policy.acs.preset); i++)
			if (i == endpoint || peer[i])
				add_ats(findings, i, endpoint, policy.ats,
					i == endpoint && devices->list[d].open,
					isolation);
	}
	for (i = 0; i < host->count; i++)
		if (planned[i].spoken)
			add_port(findings, i, &planned[i]);
	free(planned);
	free(peer);
}

static void warn(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void warn(struct findings *findings, const char *format, ...)
{
	struct warning *warning = list_add((void **)&findings->warning,
					   &findings->warnings, sizeof(*warning));
	va_list args;

	va_start(args, format);
	vsnprintf(warning->text, sizeof(warning->text), format, args);
	va_end(args);
}

static bool overlaps(uint64_t start, uint64_t end, uint64_t from, uint64_t below)
{
	return from < below && start < below && end >= from;
}

/*
 * A switch takes a request whose address is in its upstream port's window for one
 * that goes to something below it, though in a guest that address is memory.
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
			warn(findings, "switch %s forwards 0x%" PRIx64 "-0x%" PRIx64 " downwards, where a guest of %" PRIu64 " GiB has memory: DMA to it from below the switch fails; give the guest less memory, or have the VMM leave that range out",
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
		warn(findings, "peer %s reaches %s through the root complex only: no switch is above both",
		     from, to);
	else if (reach.untranslated.verdict == REACH_REDIRECTED &&
		 ats->state != INSTINCT_VFIO_ATS_STATE_ON &&
		 (ats->state != INSTINCT_VFIO_ATS_STATE_OFF ||
		  !waits_for_user(&host->function[ats->function])))
		warn(findings, "peer %s has ATS %s and its requests are redirected at %s: what it sends to %s goes through the root complex, slowly",
		     from, name_of(&ats_state_names, ats->state),
		     host->function[reach.untranslated.port].bdf, to);
	else if (reach.translated.verdict == REACH_BLOCKED)
		warn(findings, "%s blocks translated requests (TB): ATS of %s is of no use",
		     host->function[reach.translated.port].bdf, from);
	else if (reach.translated.verdict == REACH_REDIRECTED)
		warn(findings, "%s has Direct Translated P2P off: what %s sends to %s goes through the root complex, slowly",
		     host->function[reach.translated.port].bdf, from, to);
}

static bool is_below(const struct host *host, int function, int port)
{
	while (function >= 0 && function != port)
		function = host->node[function].parent;
	return function == port;
}

/* Linux computed them from what is switched off now. */
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
		warn(findings, "%s off at %s: IOMMU groups %s do not isolate what they say",
		     bits, host->function[port->function].bdf, groups);
}

/**
 * findings_warn() - what a VM would meet
 * @findings: with its ACS and ATS; added to
 * @guest_memory: of the largest guest, bytes; 0: not looked at
 */
void findings_warn(struct findings *findings, uint64_t guest_memory)
{
	const struct host *host = &findings->host;
	size_t i;
	int port;

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

/**
 * findings_free() - let go of them
 * @findings: they
 */
void findings_free(struct findings *findings)
{
	free(findings->policies.list);
	free(findings->port);
	free(findings->ats);
	free(findings->warning);
	host_free(&findings->host);
	*findings = (struct findings) { 0 };
}
