// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "checks.h"
#include "say.h"

/* A good link corrects some errors in years, a bad one some in a second. */
#define CORRECTABLE_MANY	1000

#define RESEAT	"power the host off for a minute; if it stays, reseat or replace the module, the riser or the cable, and look at the slot's link speed in the BIOS"

/* Is the function at the lower end of a link on the path of a GPU or a network function? */
static bool is_at_link(const struct facts *facts, int function)
{
	struct host_link link;

	if (!facts->function[function].near ||
	    facts_function(facts, function)->resetting)
		return false;
	link = host_link_best(&facts->findings.host, function);
	return link.speed && link.width;
}

static size_t count_links(const struct facts *facts, struct result *result)
{
	size_t count = 0;
	int i;

	if (!checks_need_gpus(facts, result))
		return 0;
	for (i = 0; i < facts->findings.host.count; i++)
		count += is_at_link(facts, i);
	if (!count)
		result_skip(result, "speed and width of the links are unknown (current_link_speed in sysfs)");
	return count;
}

/* GPUs that the module does not support may slow idle links, also inside their package. */
static bool may_slow_down(const struct facts *facts, int function)
{
	const struct instinct_node *node = facts->findings.host.node;
	size_t i;
	int at;

	for (i = 0; i < facts->gpus; i++) {
		if (facts_is_known(facts, facts->gpu[i]))
			continue;
		for (at = facts->gpu[i]; at != INSTINCT_NODE_NONE &&
		     node[at].vendor == node[facts->gpu[i]].vendor; at = facts_parent(facts, at))
			if (at == function)
				return true;
	}
	return false;
}

/**
 * check_link_speed() - check that links are as fast as both ends support
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_link_speed(const struct facts *facts, struct result *result)
{
	size_t count = count_links(facts, result);
	char is[32], could[32];
	int i;

	for (i = 0; i < facts->findings.host.count && count; i++) {
		struct host_link link;

		if (!is_at_link(facts, i))
			continue;
		link = host_link_best(&facts->findings.host, i);
		if (link.speed >= link.max_speed)
			continue;
		host_link_speed_text(link.speed, is, sizeof(is));
		host_link_speed_text(link.max_speed, could, sizeof(could));
		if (may_slow_down(facts, i))
			result_warn(result, i, CHECKS_LINK_IDLE,
				    "the link runs at %s, but both ends support %s", is, could);
		else
			result_fail(result, i, RESEAT, "the link runs at %s, but both ends support %s", is,
				    could);
	}
	if (count)
		result_ok(result, "%zu link%s, each as fast as both ends support", count,
			  plural(count));
}

/**
 * check_link_width() - check that links are as wide as both ends support
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_link_width(const struct facts *facts, struct result *result)
{
	size_t count = count_links(facts, result);
	int i;

	for (i = 0; i < facts->findings.host.count && count; i++) {
		struct host_link link;

		if (!is_at_link(facts, i))
			continue;
		link = host_link_best(&facts->findings.host, i);
		if (link.width < link.max_width)
			result_fail(result, i, RESEAT, "the link is x%u, but both ends support x%u",
				    link.width, link.max_width);
	}
	if (count)
		result_ok(result, "%zu link%s, each as wide as both ends support", count,
			  plural(count));
}

/**
 * check_link_aer() - check the AER error counts since boot
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_link_aer(const struct facts *facts, struct result *result)
{
	size_t count = 0;
	int i;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->findings.host.count; i++) {
		const struct fact_function *function = &facts->function[i];

		if (!function->near || !function->aer.known)
			continue;
		count++;
		if (function->aer.fatal)
			result_fail(result, i, RESEAT,
				    "AER counted %" PRIu64 " fatal error%s since boot", function->aer.fatal,
				    plural(function->aer.fatal));
		if (function->aer.nonfatal)
			result_warn(result, i,
				    "look for \"AER\" in the kernel log: the error, and the event before it",
				    "AER counted %" PRIu64 " uncorrectable, nonfatal error%s since boot",
				    function->aer.nonfatal, plural(function->aer.nonfatal));
		if (function->aer.correctable >= CORRECTABLE_MANY)
			result_warn(result, i, RESEAT,
				    "AER counted %" PRIu64 " corrected errors since boot",
				    function->aer.correctable);
	}
	if (count)
		result_ok(result, "AER counted few errors or none on %zu function%s", count, plural(count));
	else
		result_skip(result, "sysfs has no AER counters (aer_dev_fatal): the firmware has kept AER for itself, or pci=noaer is set");
}

/**
 * check_link_owner() - check that Linux, not the firmware, handles the errors of the ports above GPUs
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * Firmware that owns the errors can end the host at one that a reset causes.
 */
void check_link_owner(const struct facts *facts, struct result *result)
{
	size_t count = 0, i;
	int at;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		for (at = facts_parent(facts, facts->gpu[i]); at != INSTINCT_NODE_NONE;
		     at = facts_parent(facts, at)) {
			const struct ownership *own = &facts->function[at].own;

			count += own->aer == OWNER_LINUX;
			/* The root port answers for the ports below. */
			if (facts_parent(facts, at) != INSTINCT_NODE_NONE)
				continue;
			if (own->aer == OWNER_OFF)
				result_warn(result, facts->gpu[i],
					    "remove pci=noaer, pci=nomsi or pcie_ports=compat from the kernel's command line",
					    "the kernel's command line leaves PCIe errors to the firmware, which may end the host at one that a reset causes");
			else if (own->aer == OWNER_FIRMWARE)
				result_warn(result, facts->gpu[i],
					    "let the BIOS leave AER to the operating system (no firmware-first error handling); until then see contain in instinct-vfio-policy.conf(5) before the first reset",
					    "the firmware owns PCIe errors (AER), and may end the host at one that a reset causes");
		}
	}
	if (count)
		result_ok(result, "Linux owns the errors of the ports above GPUs");
	else
		result_skip(result, "the owner of PCIe errors is unknown (/sys/bus/pci_express)");
}

/**
 * check_link_aspm() - check that ASPM is off, which saves power at the cost of latency
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_link_aspm(const struct facts *facts, struct result *result)
{
	const struct fact *policy = &facts->kernel.aspm;
	int i;

	if (!checks_need_gpus(facts, result))
		return;
	if (fact_choice_is(policy, "powersave") || fact_choice_is(policy, "powersupersave"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "add pcie_aspm.policy=performance to the kernel's command line",
			    "the ASPM policy is %s: links have to wake up first", policy->text);
	for (i = 0; i < facts->findings.host.count; i++)
		if (facts->function[i].near && facts->function[i].express &&
		    facts->function[i].link_control & PCI_EXP_LNKCTL_ASPMC)
			result_warn(result, i,
				    "switch ASPM off in the BIOS, or add pcie_aspm.policy=performance to the kernel's command line",
				    "ASPM is on: the link has to wake up first");
	if (checks_need_paths(facts, result))
		result_ok(result, "ASPM is off");
}
