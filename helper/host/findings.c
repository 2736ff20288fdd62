// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "findings.h"
#include "isolation_plan.h"
#include "say.h"

/* As the module has it. */
static struct instinct_isolation_policy policy_of(const struct policy *policy)
{
	struct instinct_policy rules;

	conf_key_rules(policy, &rules);
	return rules.isolation;
}

static struct policy_finding *add_policy(struct findings *findings)
{
	return list_add((void **)&findings->policy, &findings->policies,
			sizeof(*findings->policy));
}

/**
 * findings_unsure() - the devices for which nobody can tell what is wanted
 * @findings: with its files; added to
 * @devices: all; without these after it
 */
void findings_unsure(struct findings *findings, struct devices *devices)
{
	struct policy_finding *policy;
	size_t kept = 0, i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		if (!conf_is_unsure(&findings->conf, dev)) {
			devices->list[kept++] = *dev;
			continue;
		}
		findings->drift = true;
		/* That one is there once more, as a GPU that waits. */
		if (dev->plain)
			continue;
		policy = add_policy(findings);
		policy->unsure = true;
		policy->silent = dev->silent;
		findings->closed |= !dev->silent;
		plan_change(dev, &dev->policy, &policy->change);
	}
	devices->count = kept;
}

/**
 * findings_policies() - the policies of a host against those that are wanted
 * @findings: added to
 * @devices: with what is in force on each
 * @wanted: policy of each
 */
void findings_policies(struct findings *findings, const struct devices *devices,
		       const struct policy *wanted)
{
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];
		struct policy_finding *policy = add_policy(findings);

		policy->silent = dev->waiting && dev->silent;
		policy->ok = plan_is_done(dev, &wanted[i]) && !policy->silent;
		plan_change(dev, &wanted[i], &policy->change);
		findings->drift |= !policy->ok;
	}
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

/**
 * findings_waits_for_user() - is ATS of a function only missing for want of a user?
 * @function: it
 *
 * Bound to a VFIO driver it gets its IOMMU domain, and ATS with it, with a user.
 *
 * Return: true if so.
 */
bool findings_waits_for_user(const struct host_function *function)
{
	return !*function->driver || host_has_vfio(function);
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
		if (!open && (findings_waits_for_user(function) || (peer && function->vfs)))
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
	struct ats_finding *ats;

	if (found->resetting) {
		findings_tell(findings, "%s is being reset: its ATS was not looked at",
			      found->bdf);
		return;
	}
	ats = list_add((void **)&findings->ats, &findings->atses, sizeof(*ats));
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

/**
 * findings_port_is_right() - does a port carry what is wanted?
 * @port: it
 *
 * Return: true if it was seen to.
 */
bool findings_port_is_right(const struct port_finding *port)
{
	return !port->unreadable && port->found == port->wanted;
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
	findings->drift |= !findings_port_is_right(port);
}

/*
 * The module sets what is around a GPU when it gets it, and not before; but for one that
 * is named, which is on the list as what somebody else drives as well.
 */
static bool leaves(struct findings *findings, const struct devices *devices,
		   const struct device *dev, const struct instinct_isolation_policy *policy)
{
	if (!dev->waiting || findings->ahead)
		return false;
	findings->waiting += (policy->ats || policy->acs.preset) &&
			     !devices_find_as(devices, dev->bdf, true, false);
	return true;
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
	size_t d;
	int i;

	instinct_isolation_plan_none(&host->topology);
	for (d = 0; d < devices->count; d++) {
		struct instinct_isolation_policy policy = policy_of(&wanted[d]);
		int endpoint = host_find(host, devices->list[d].bdf);

		if (endpoint < 0 || leaves(findings, devices, &devices->list[d], &policy))
			continue;
		instinct_isolation_plan(&host->topology, endpoint, &policy);
		if (policy.ats || policy.acs.preset)
			findings_warn_peers(findings, endpoint, &policy.peers);
		/* Of peers to which it does not matter there is a warning at most. */
		for (i = 0; i < host->count && (policy.ats || policy.acs.preset); i++)
			if (i == endpoint || host->node[i].peer)
				add_ats(findings, i, endpoint, policy.ats,
					i == endpoint && devices->list[d].open,
					isolation);
	}
	for (i = 0; i < host->count; i++)
		if (host->node[i].planned.spoken)
			add_port(findings, i, &host->node[i].planned);
}

/**
 * findings_free() - let go of them
 * @findings: they
 */
void findings_free(struct findings *findings)
{
	conf_free(&findings->conf);
	free(findings->policy);
	free(findings->port);
	free(findings->ats);
	free(findings->warning);
	host_free(&findings->host);
	*findings = (struct findings) { 0 };
}
