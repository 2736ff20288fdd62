// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "conf_key.h"
#include "isolation/plan.h"
#include "quirk.h"
#include "say.h"

#define WARNINGS_MAX	8

static bool is_compared(const struct facts *facts, struct result *result)
{
	if (!facts->findings_code && facts->findings.conf.name)
		return true;
	result_skip(result, facts->findings_code ? "the policy is wrong, see policy above" :
		    facts->tells_policy ? "no policy is installed, see policy above" :
		    "the policy (/etc/instinct-vfio) is not in the capture");
	return false;
}

/* Writes what is in force while the installed policy cannot be applied. */
static const char *in_force(const struct facts *facts, char *text, size_t size)
{
	bool required = !fact_is(&facts->module.require_policy, "N");
	size_t all = facts->managed.count, under = 0, i;

	for (i = 0; i < all; i++)
		under += facts->managed.list[i].policy_set;
	if (!facts->told)
		snprintf(text, size, "only the module can tell what is in force");
	else if (facts->findings.no_module)
		snprintf(text, size, "the module is not loaded, so no policy is in force");
	else if (!all)
		snprintf(text, size, "no GPU is bound, so no policy is in force");
	else if (under == all)
		snprintf(text, size, "the earlier policy stays in force on %zu GPU%s, and users can open %s",
			 all, plural(all), all == 1 ? "it if it is ready" : "those that are ready");
	else if (under)
		snprintf(text, size, "the earlier policy stays in force on %zu of %zu GPUs; %s", under, all,
			 required ? "no user can open the others" :
			 "users can open the others, with the defaults (require_policy=N)");
	else
		snprintf(text, size, "no policy is in force, and %s", required ? "no user can open a GPU" :
			 "users can open GPUs, with the defaults (require_policy=N)");
	return text;
}

/* Compares the policies in force with the installed one. */
static void judge_policies(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	size_t all = findings->policies, differ = 0, unset = 0, unsure = 0, i;

	for (i = 0; i < all; i++) {
		const struct policy_finding *policy = &findings->policy[i];

		if (policy->unsure)
			unsure++;
		else if (!policy->ok && !policy->change.policy_set && !policy->change.unmanaged)
			unset++;
		else
			differ += !policy->ok;
	}
	if (findings->no_module && (unset || differ)) {
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply, which loads the module",
			    "the module is not loaded, so the installed policy is not in force");
		return;
	}
	if (unset)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply",
			    "no policy has been applied to %zu of %zu device%s: the module hands them to %s",
			    unset, all, plural(all), fact_is(&facts->module.require_policy, "N") ?
			    "users with the defaults (require_policy=N)" : "no user");
	if (differ)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply; instinctctl diff lists the differences",
			    "%zu of %zu policies in force differ from the files", differ, all);
	if (unsure)
		result_skip(result, "the section of %zu GPU%s is unknown: the serial number cannot be read",
			    unsure, plural(unsure));
}

/**
 * check_isolation_policy() - check that a policy is installed, correct and in force
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_isolation_policy(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	char text[TEXT_BYTES];

	if (!checks_need_ours(facts, result))
		return;
	if (!facts->findings_code && !findings->conf.name && !facts->tells_policy) {
		result_skip(result, "the policy (/etc/instinct-vfio) is not in the capture");
		return;
	}
	if (facts->findings_code && findings->conf.errors)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl apply --dry-run lists the lines",
			    "the installed policy has %d error%s, so it cannot be applied; %s",
			    findings->conf.errors, plural(findings->conf.errors),
			    in_force(facts, text, sizeof(text)));
	else if (facts->findings_code)
		result_fail(result, RESULT_NO_FUNCTION, "instinctctl check", "%s",
			    facts->findings_error);
	else if (!findings->conf.name)
		result_fail(result, RESULT_NO_FUNCTION,
			    "write one, see instinct-vfio-policy.conf(5), then instinctctl apply",
			    "no policy is installed (" CONF_INSTALLED "); %s",
			    in_force(facts, text, sizeof(text)));
	judge_policies(facts, result);
	if (!facts->told)
		result_ok(result, "a correct policy is installed; only the module can tell whether it is in force");
	else if (!findings->policies)
		result_ok(result, "a correct policy is installed; no GPU is bound yet");
	else
		result_ok(result, "the installed policy is in force on %zu device%s", findings->policies,
			  plural(findings->policies));
}

/**
 * check_isolation_acs() - check that ports have the ACS that policy wants
 * @facts: facts about the host or guest
 * @result: receives the findings
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
			    "instinctctl apply; instinctctl check gives details",
			    "the port has ACS 0x%02x %s, policy wants 0x%02x %s", port->found, found,
			    port->wanted, wanted);
	}
	if (unreadable)
		result_skip(result, "the config spaces of %zu port%s %s", unreadable,
			    plural(unreadable), checks_unread());
	else if (findings->ports)
		result_ok(result, "ACS is as policy wants on %zu port%s", findings->ports,
			  plural(findings->ports));
	else
		result_ok(result, "policy covers no port%s", findings->pending ?
			  " before the GPUs are bound" : "");
}

/**
 * check_isolation_ats() - check that ATS is as policy wants
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_isolation_ats(const struct facts *facts, struct result *result)
{
	const struct findings *findings = &facts->findings;
	size_t i, policy_set = 0;

	if (!is_compared(facts, result))
		return;
	for (i = 0; i < findings->atses; i++) {
		policy_set += findings->ats[i].policy != INSTINCT_VFIO_ATS_IGNORE;
		if (findings->ats[i].unmet)
			result_fail(result, findings->ats[i].function,
				    "instinctctl check lists the changes for each function",
				    "ATS is %s, but policy has ats = %s",
				    name_of(&ats_state_names, findings->ats[i].state),
				    conf_key_word(CONF_ATS, findings->ats[i].policy));
	}
	if (policy_set)
		result_ok(result, "ATS is as policy wants on %zu function%s", policy_set, plural(policy_set));
	else
		result_ok(result, "policy covers no function%s", findings->pending ?
			  " before the GPUs are bound" : "");
}

/*
 * Functions of one card, such as a GPU and its audio, go to one guest anyway, and so do a GPU and the
 * data-direct function beside it.
 */
static bool is_other_endpoint(const struct facts *facts, int gpu, int other)
{
	const struct instinct_node *node = facts->findings.host.node;

	return other != gpu && node[other].kind == INSTINCT_NODE_ENDPOINT &&
	       node[other].bdf >> 3 != node[gpu].bdf >> 3 &&
	       !quirk_is_direct(&facts->findings.host.topology, gpu, other) &&
	       facts_function(facts, other)->group == facts_function(facts, gpu)->group;
}

/* Counts the data-direct functions that share a GPU's group, and reports those that do not. */
static size_t judge_direct(const struct facts *facts, struct result *result, int gpu)
{
	const struct host *host = &facts->findings.host;
	size_t shared = 0;
	int i;

	for (i = 0; i < host->count; i++) {
		if (host->function[i].group == GROUP_NONE ||
		    !quirk_is_direct(&host->topology, gpu, i))
			continue;
		if (host->function[i].group == host->function[gpu].group)
			shared++;
		else
			result_warn(result, gpu,
				    "rdma_topo write-grub-acs, of rdma-core, writes the pci=config_acs= that puts both into one group",
				    "the data-direct function %s beside the GPU is in IOMMU group %d, the GPU in %d: NVIDIA's driver wants both in one",
				    host->function[i].bdf, host->function[i].group,
				    host->function[gpu].group);
	}
	return shared;
}

/**
 * check_isolation_groups() - check that each GPU has an IOMMU group of its own
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_isolation_groups(const struct facts *facts, struct result *result)
{
	size_t i, grouped = 0, direct = 0;
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
		direct += judge_direct(facts, result, gpu);
		if (others)
			result_fail(result, gpu,
				    "switch \"ACS\" on in the BIOS; remove pci=disable_acs_redir and pci=config_acs= from the kernel's command line",
				    "IOMMU group %d has %d other device%s: all go to one guest together, or none can",
				    facts_function(facts, gpu)->group, others, plural(others));
	}
	if (direct)
		result_ok(result, "no GPU shares its IOMMU group, except with data-direct functions of NICs (%zu), as these want it",
			  direct);
	else if (grouped)
		result_ok(result, "each GPU has an IOMMU group of its own");
	else
		result_skip(result, facts->findings.host.tells_groups ?
			    "no GPU has an IOMMU group, see iommu-on above" :
			    "IOMMU groups are not in the capture");
}

/* Policy covers the port, so check_isolation_acs() judges its ACS. */
static bool is_covered(const struct findings *findings, int function)
{
	size_t i;

	for (i = 0; i < findings->ports; i++)
		if (findings->port[i].function == function)
			return true;
	return false;
}

/**
 * check_isolation_acs_groups() - check that ports have the ACS that IOMMU groups rely on
 * @facts: facts about the host or guest
 * @result: receives the findings
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
		uint16_t gone = port->acs_capable & ~port->acs &
				quirk_group_bits(&facts->findings.host.topology, i);

		if (!facts->function[i].near || !port->readable || !port->has_acs ||
		    facts->findings.host.node[i].kind == INSTINCT_NODE_ENDPOINT)
			continue;
		ports++;
		if (!gone || is_covered(&facts->findings, i))
			continue;
		acs_format(gone, bits, sizeof(bits));
		result_warn(result, i,
			    "unless this is intended, set acs = vm-p2p (or vm) in the policy, then instinctctl apply",
			    "ACS %s is off: IOMMU groups below may isolate less than Linux assumes",
			    bits);
	}
	if (ports)
		result_ok(result, "ACS is as IOMMU groups or policy require on %zu port%s",
			  ports, plural(ports));
	else
		checks_need_paths(facts, result);
}

/**
 * check_isolation_peers() - check peer paths, and guest memory at addresses of switch windows
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_isolation_peers(const struct facts *facts, struct result *result)
{
	size_t i, unreadable = 0, told = 0;

	if (!is_compared(facts, result))
		return;
	for (i = 0; i < facts->findings.ports; i++)
		unreadable += facts->findings.port[i].unreadable;
	for (i = 0; i < facts->findings.warnings; i++) {
		/* check_driver_driver() reports unbound GPUs. */
		if (facts->findings.warning[i].unbound || told++ >= WARNINGS_MAX)
			continue;
		result_warn(result, RESULT_NO_FUNCTION,
			    "instinctctl isolation --why FROM TO shows the path",
			    "%s", facts->findings.warning[i].text);
	}
	if (told > WARNINGS_MAX)
		result_warn(result, RESULT_NO_FUNCTION, "instinctctl check", "warnings of this kind that are not shown: %zu",
			    told - WARNINGS_MAX);
	if (unreadable)
		result_skip(result, "the config spaces of %zu port%s %s", unreadable,
			    plural(unreadable), checks_unread());
	result_ok(result, "no warnings about peer paths%s", facts->guest_memory ? "" :
		  "; --guest-memory checks the addresses of guest memory, too");
}
