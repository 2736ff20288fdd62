// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "conf_key.h"
#include "isolation_plan.h"
#include "say.h"

#define WARNINGS_MAX	8

static bool is_compared(const struct facts *facts, struct result *result)
{
	if (!facts->findings_code && facts->findings.conf.name)
		return true;
	result_skip(result, facts->findings_code ? "the policy is wrong, see policy above" :
		    "no policy is installed, see policy above");
	return false;
}

/**
 * check_isolation_policy() - is a policy installed, right, and in force?
 * @facts: facts
 * @result: set
 */
void check_isolation_policy(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	size_t i, wrong = 0;

	if (!checks_need_ours(facts, result))
		return;
	if (facts->findings_code && findings->conf.errors)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply --dry-run says which lines",
			    "the policy has %d error%s: nothing of it is in force, and no GPU is handed out",
			    findings->conf.errors, plural(findings->conf.errors));
	else if (facts->findings_code)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl check", "%s",
			    facts->findings_error);
	else if (!findings->conf.name)
		result_fail(result, RESULT_NO_FUNCTION,
			    "write one, see instinct-vfio-policy.conf(5), and instinctctl apply",
			    "no policy is installed (" CONF_INSTALLED ")");
	for (i = 0; i < findings->policies; i++)
		wrong += !findings->policy[i].ok;
	if (wrong)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply; instinctctl diff says what differs",
			    "%zu of %zu policies are not in force as the files say", wrong,
			    findings->policies);
	if (!facts->told)
		result_ok(result, "installed and right; whether it is in force only the module can tell");
	else if (!findings->policies)
		result_ok(result, "installed and right; no GPU is bound yet");
	else
		result_ok(result, "installed, and in force on %zu device%s", findings->policies,
			  plural(findings->policies));
}

/**
 * check_isolation_acs() - do ports carry the ACS that policy wants?
 * @facts: facts
 * @result: set
 */
void check_isolation_acs(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	char found[TEXT_BYTES], wanted[TEXT_BYTES];
	size_t i, unreadable = 0;

	if (!is_compared(facts, result))
		return;
	for (i = 0; i < findings->ports; i++) {
		const struct port_finding *port = &findings->port[i];

		unreadable += port->unreadable;
		if (port->unreadable || findings_port_is_right(port))
			continue;
		acs_format(port->found, found, sizeof(found));
		acs_format(port->wanted, wanted, sizeof(wanted));
		result_fail(result, port->function,
			    "instinctctl apply; instinctctl check says more",
			    "ACS 0x%02x %s, policy wants 0x%02x %s", port->found, found,
			    port->wanted, wanted);
	}
	if (unreadable)
		result_skip(result, "the config spaces of %zu port%s may be read by root only",
			    unreadable, plural(unreadable));
	else if (findings->ports)
		result_ok(result, "%zu port%s as policy says", findings->ports,
			  plural(findings->ports));
	else
		result_ok(result, "policy speaks of no port%s", findings->waiting ?
			  " before the GPUs are bound" : "");
}

/**
 * check_isolation_ats() - is ATS on where policy wants it?
 * @facts: facts
 * @result: set
 */
void check_isolation_ats(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	size_t i, ruled = 0;

	if (!is_compared(facts, result))
		return;
	for (i = 0; i < findings->atses; i++) {
		ruled += findings->ats[i].policy != INSTINCT_VFIO_ATS_IGNORE;
		if (findings->ats[i].unmet)
			result_fail(result, findings->ats[i].function,
				    "instinctctl check says what to change for each function",
				    "ATS is %s, policy: %s",
				    name_of(&ats_state_names, findings->ats[i].state),
				    conf_key_word(CONF_ATS, findings->ats[i].policy));
	}
	if (ruled)
		result_ok(result, "%zu function%s as policy says", ruled, plural(ruled));
	else
		result_ok(result, "policy speaks of no function%s", findings->waiting ?
			  " before the GPUs are bound" : "");
}

/* Functions of one card, a GPU and its sound say, come and go together anyway. */
static bool is_other_endpoint(const struct facts *facts, int gpu, int other)
{
	const struct instinct_node *node = facts->findings.host.node;

	return other != gpu && node[other].kind == INSTINCT_NODE_ENDPOINT &&
	       node[other].bdf >> 3 != node[gpu].bdf >> 3 &&
	       facts_function(facts, other)->group == facts_function(facts, gpu)->group;
}

/**
 * check_isolation_groups() - has each GPU an IOMMU group of its own?
 * @facts: facts
 * @result: set
 */
void check_isolation_groups(const struct facts *facts, struct result *result)
{
	size_t i, grouped = 0;
	int other;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		int gpu = facts->gpu[i], others = 0;

		if (facts_function(facts, gpu)->group == GROUP_NONE)
			continue;
		grouped++;
		for (other = 0; other < facts->findings.host.count; other++)
			others += is_other_endpoint(facts, gpu, other);
		if (others)
			result_fail(result, gpu,
				    "switch \"ACS\" on in the BIOS; drop pci=disable_acs_redir and pci=config_acs= from the kernel's command line",
				    "IOMMU group %d has %d other device%s: they go to one guest together, or none does",
				    facts_function(facts, gpu)->group, others, plural(others));
	}
	if (grouped)
		result_ok(result, "each GPU has one of its own");
	else
		result_skip(result, "no GPU has an IOMMU group, see iommu-on above");
}

/* Policy may have taken them, and says so by itself. */
static bool is_ruled(const struct findings *findings, int function)
{
	size_t i;

	for (i = 0; i < findings->ports; i++)
		if (findings->port[i].function == function)
			return true;
	return false;
}

/**
 * check_isolation_acs_groups() - do ports still carry what IOMMU groups were computed from?
 * @facts: facts
 * @result: set
 */
void check_isolation_acs_groups(const struct facts *facts, struct result *result)
{
	char bits[TEXT_BYTES];
	size_t ports = 0;
	int i;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->findings.host.count; i++) {
		const struct host_function *port = facts_function(facts, i);
		uint16_t gone = port->acs_capable & ~port->acs & INSTINCT_ACS_GROUP_BITS;

		if (!facts->function[i].near || !port->readable || !port->has_acs ||
		    facts->findings.host.node[i].kind == INSTINCT_NODE_ENDPOINT)
			continue;
		ports++;
		if (!gone || is_ruled(&facts->findings, i))
			continue;
		acs_format(gone, bits, sizeof(bits));
		result_warn(result, i,
			    "if nobody wants that, let policy put it right: acs = vm-p2p (or vm), instinctctl apply",
			    "ACS %s is off: IOMMU groups below may not isolate what they say",
			    bits);
	}
	if (ports)
		result_ok(result, "%zu port%s carry what IOMMU groups rely on, or what policy says",
			  ports, plural(ports));
	else
		checks_need_paths(facts, result);
}

/**
 * check_isolation_peers() - what check warns of: paths of peers, memory at a window's addresses
 * @facts: facts
 * @result: set
 */
void check_isolation_peers(const struct facts *facts, struct result *result)
{
	size_t i, unreadable = 0, told = 0;

	if (!is_compared(facts, result))
		return;
	for (i = 0; i < facts->findings.ports; i++)
		unreadable += facts->findings.port[i].unreadable;
	for (i = 0; i < facts->findings.warnings; i++) {
		/* That is check driver's. */
		if (facts->findings.warning[i].unbound || told++ >= WARNINGS_MAX)
			continue;
		result_warn(result, RESULT_NO_FUNCTION,
			    "instinctctl isolation --why FROM TO says by which path",
			    "%s", facts->findings.warning[i].text);
	}
	if (told > WARNINGS_MAX)
		result_warn(result, RESULT_NO_FUNCTION, "instinctctl check", "%zu more of this kind",
			    told - WARNINGS_MAX);
	if (unreadable)
		result_skip(result, "the config spaces of %zu port%s may be read by root only",
			    unreadable, plural(unreadable));
	result_ok(result, "nothing that a guest would miss%s", facts->guest_memory ? "" :
		  "; its memory's addresses with --guest-memory");
}
