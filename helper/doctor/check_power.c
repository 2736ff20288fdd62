// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "sysfs.h"

static bool need_power(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return false;
	for (i = 0; i < facts->gpus; i++)
		if (!facts->function[facts->gpu[i]].power.error)
			return true;
	checks_need(&facts->function[facts->gpu[0]].power, "power_state of the GPUs", result);
	return false;
}

/**
 * check_power_d3cold() - check that no GPU is switched off
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_power_d3cold(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!need_power(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct fact_function *function = &facts->function[facts->gpu[i]];

		if (fact_is(&function->power, "D3cold"))
			result_fail(result, facts->gpu[i],
				    "echo 0 >/sys/bus/pci/devices/BDF/d3cold_allowed; add pcie_port_pm=off to the kernel's command line",
				    "the GPU is switched off (D3cold): it may not come back as it was");
	}
	result_ok(result, "no GPU is switched off");
}

/**
 * check_power_ports() - check that ports above GPUs are awake
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_power_ports(const struct facts *facts, struct result *result)
{
	int i;

	if (!need_power(facts, result))
		return;
	for (i = 0; i < facts->findings.host.count; i++) {
		const struct fact_function *function = &facts->function[i];

		if (!function->near || function->power.error ||
		    facts->findings.host.node[i].kind == INSTINCT_NODE_ENDPOINT)
			continue;
		if (strcmp(function->power.text, "D0") &&
		    strcmp(function->power.text, "unknown"))
			result_warn(result, i,
				    "add pcie_port_pm=off to the kernel's command line; at once: echo on >/sys/bus/pci/devices/BDF/power/control",
				    "the port is asleep (%s%s): devices below it have to wait",
				    function->power.text, function->d3cold &&
				    fact_is(&function->runtime, "auto") ?
				    ", and D3cold is allowed" : "");
	}
	result_ok(result, "all ports above GPUs are awake");
}

/**
 * check_power_idle_d3() - check that vfio-pci does not put idle GPUs to sleep
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_power_idle_d3(const struct facts *facts, struct result *result)
{
	const struct fact *no_idle = &facts->kernel.no_idle_d3;
	size_t i;

	if (!checks_need_gpus(facts, result) || !checks_need_drivers(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		if (strcmp(facts_function(facts, facts->gpu[i])->driver, "vfio-pci"))
			continue;
		if (!checks_need(no_idle, "/sys/module/vfio_pci/parameters/disable_idle_d3",
				 result))
			return;
		if (fact_is(no_idle, "N"))
			result_warn(result, facts->gpu[i],
				    "put options vfio-pci disable_idle_d3=1 into /etc/modprobe.d, and load vfio-pci again",
				    "vfio-pci puts the GPU to sleep (D3hot) between guests: each start waits for it to wake up, and some boards do not wake up");
	}
	result_ok(result, "vfio-pci puts no GPU to sleep between guests");
}
