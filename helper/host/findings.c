// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "findings.h"
#include "quirk.h"
#include "isolation/plan.h"
#include "say.h"

/* Convert the ACS and ATS keys into the module's representation. */
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
 * findings_unsure() - set aside the devices whose wanted policy is unknown
 * @findings: findings with policy files; receives a finding for each such device
 * @devices: all devices; such devices are removed
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
		/* The list has the same device as a pending GPU, which is reported. */
		if (dev->unmanaged)
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
 * findings_policies() - compare policies in force with wanted ones
 * @findings: receives a finding for each device
 * @devices: devices with the policy in force on each
 * @wanted: wanted policy of each of @devices
 */
void findings_policies(struct findings *findings, const struct devices *devices,
		       const struct policy *wanted)
{
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];
		struct policy_finding *policy = add_policy(findings);

		policy->silent = dev->pending && dev->silent;
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
	/* Only the module knows whether the IOMMU driver believes ATS to be on. */
	for (i = 0; isolation && i < isolation->count; i++)
		if (*isolation->list[i].of &&
		    !strcmp(isolation->list[i].bdf, function->bdf))
			return isolation->list[i].ats_state;
	if (!function->readable)
		return INSTINCT_VFIO_ATS_STATE_GONE;
	return function->ats & PCI_ATS_CTRL_ENABLE ? INSTINCT_VFIO_ATS_STATE_ON :
						     INSTINCT_VFIO_ATS_STATE_OFF;
}

/* The texts are those of the module's own refusal. */
static const char *ats_unmet(const struct host_function *function, bool peer,
			     bool open, uint32_t state)
{
	static char unread[TEXT_BYTES];

	switch (state) {
	case INSTINCT_VFIO_ATS_STATE_ABSENT:
		return peer ? "no ATS: switch it on in the NIC's firmware (mlxconfig: ATS_ENABLED=1)" :
			      "no ATS: switch it on in the BIOS";
	case INSTINCT_VFIO_ATS_STATE_OFF:
		if (!open && (host_waits_for_user(function) || (peer && function->vfs)))
			return NULL;
		return "off: the IOMMU must be on and translate (intel_iommu=on or amd_iommu=on, iommu=nopt, ATS on in the BIOS)";
	case INSTINCT_VFIO_ATS_STATE_LOST:
		return "lost: off, though the IOMMU driver has it on";
	case INSTINCT_VFIO_ATS_STATE_ASTRAY:
		return "on behind the IOMMU driver's back: unbind and bind its driver";
	case INSTINCT_VFIO_ATS_STATE_GONE:
		snprintf(unread, sizeof(unread), "unknown: its config space %s", host_unread_why());
		return unread;
	default:
		return NULL;
	}
}

static bool is_lost(const struct findings *findings, const char *bdf)
{
	size_t i;

	for (i = 0; i < findings->gpus; i++)
		if (!strcmp(findings->gpu[i].bdf, bdf))
			return findings->gpu[i].state == INSTINCT_VFIO_STATE_LOST;
	return false;
}

static void add_ats(struct findings *findings, int function, int of, uint32_t policy,
		    bool open, const struct isolation *isolation)
{
	const struct host_function *found = &findings->host.function[function];
	uint32_t state = ats_state(found, isolation);
	struct ats_finding *ats;

	if (found->resetting) {
		findings_tell(findings, "%s is in reset: instinctctl has not read its ATS",
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
	if (policy && function == of && is_lost(findings, found->bdf)) {
		ats->state = INSTINCT_VFIO_ATS_STATE_GONE;
		ats->unmet = "unknown: the GPU is lost";
	} else if (policy == INSTINCT_VFIO_ATS_REQUIRED ||
		   (policy && (state == INSTINCT_VFIO_ATS_STATE_LOST ||
			       state == INSTINCT_VFIO_ATS_STATE_ASTRAY))) {
		ats->unmet = ats_unmet(found, function != of, open, state);
	}
	findings->drift |= !!ats->unmet;
}

/**
 * findings_port_is_right() - tell whether a port has the wanted ACS bits
 * @port: finding about the port
 *
 * Return: true if its ACS Control could be read and has them.
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
	port->gone = function->acs_capable & ~port->wanted &
		     quirk_group_bits(&findings->host.topology, i);
	port->mask = instinct_acs_mask(&planned->wish, function->acs_capable);
	findings->drift |= !findings_port_is_right(port);
}

/*
 * The module sets ACS around a GPU when it binds the GPU, so a pending GPU is left out. A GPU
 * that policy names is on the list as an unmanaged device, too, and that entry counts.
 */
static bool leaves(struct findings *findings, const struct devices *devices,
		   const struct device *dev, const struct instinct_isolation_policy *policy)
{
	if (!dev->pending || findings->ahead)
		return false;
	findings->pending += (policy->ats || policy->acs.preset) &&
			     !devices_find_as(devices, dev->bdf, true, false);
	return true;
}

/*
 * A preset wants no bit on that a port needs off, see quirk_off(). The module does not know such ports,
 * and sets the bit all the same; a policy that names the bits by role keys means it.
 */
static void spare(struct findings *findings, int endpoint, const struct instinct_acs_policy *policy)
{
	const struct host *host = &findings->host;
	char bits[TEXT_BYTES];
	int i;

	for (i = 0; i < host->count; i++) {
		struct instinct_planned *planned = &host->node[i].planned;
		uint16_t off;

		if (!planned->spoken || planned->endpoint != endpoint ||
		    policy->bits[planned->role] != INSTINCT_VFIO_ACS_BITS_PRESET)
			continue;
		off = planned->wish.set & quirk_off(&host->topology, i);
		if (!off)
			continue;
		planned->wish.set &= ~off;
		acs_format(off, bits, sizeof(bits));
		findings_tell(findings, "%s has to stay off at %s, beside a data-direct function; the module's presets set it: for %s give acs = kernel",
			      bits, host->function[i].bdf, host->function[endpoint].bdf);
	}
}

/**
 * findings_isolation() - compare ACS and ATS of a host with policies
 * @findings: findings with a host; receives findings about ports and ATS
 * @devices: endpoints
 * @wanted: wanted policy of each of @devices
 * @isolation: the module's last check, or NULL
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
		spare(findings, endpoint, &policy.acs);
		if (policy.ats || policy.acs.preset)
			findings_warn_peers(findings, endpoint, &policy.peers);
		/* With "ats = ignore" ATS is recorded only for the warnings of findings_warn(). */
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
 * findings_free() - free findings and leave them empty
 * @findings: findings
 */
void findings_free(struct findings *findings)
{
	conf_free(&findings->conf);
	free(findings->policy);
	free(findings->port);
	free(findings->ats);
	free(findings->warning);
	free(findings->gpu);
	free(findings->count);
	host_free(&findings->host);
	*findings = (struct findings) { 0 };
}
