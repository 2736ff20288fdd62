// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

static const struct instinct_node *node_of(const struct facts *facts, size_t i)
{
	return &facts->findings.host.node[facts->gpu[i]];
}

static const char *model_of(const struct instinct_node *node, char *text, size_t size)
{
	const struct instinct_profile *profile =
		instinct_profile_find(node->vendor, node->device);

	if (profile)
		snprintf(text, size, "%s", profile->model);
	else
		snprintf(text, size, "%04x:%04x", node->vendor, node->device);
	return text;
}

/**
 * check_driver_gpus() - are all GPUs there?
 * @facts: facts
 * @result: set
 */
void check_driver_gpus(const struct facts *facts, struct result *result)
{
	const char *remedy = facts->is_guest ?
		"look at the VM's devices, and on the host: instinctctl doctor --only gpus" :
		"look at the BMC's list of modules, and at the kernel log for the slot's link; power the host off for a minute";
	char model[64], other[64];
	size_t i;

	if (!facts->gpus) {
		result_fail(result, RESULT_NO_FUNCTION, remedy, "no GPU is seen");
		return;
	}
	model_of(node_of(facts, 0), model, sizeof(model));
	if (facts->gpus & (facts->gpus - 1))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "%zu GPUs: boards have 1, 2, 4 or 8, so one may be missing",
			    facts->gpus);
	for (i = 1; i < facts->gpus; i++)
		if (node_of(facts, i)->device != node_of(facts, 0)->device)
			result_warn(result, facts->gpu[i],
				    "give a guest GPUs of one model",
				    "is %s, while the first is %s",
				    model_of(node_of(facts, i), other, sizeof(other)), model);
	result_ok(result, "%zu of model %s", facts->gpus, model);
}

static void judge_state(const struct facts *facts, int gpu, struct result *result)
{
	const struct device *device = devices_find(&facts->managed,
						   facts_function(facts, gpu)->bdf);

	if (facts->function[gpu].silent ||
	    (device && device->state == INSTINCT_VFIO_STATE_LOST))
		result_fail(result, gpu,
			    "instinctctl reset brings back one of ours; if not, power the host off and on",
			    "does not answer: its config space reads all ones");
	else if (device && device->state == INSTINCT_VFIO_STATE_QUARANTINED)
		result_fail(result, gpu, "instinctctl reset, or instinctctl release",
			    "is quarantined: %s", device->reason);
}

/**
 * check_driver_answers() - does each GPU answer?
 * @facts: facts
 * @result: set
 */
void check_driver_answers(const struct facts *facts, struct result *result)
{
	size_t i, resetting = 0, unread = 0;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct fact_function *function = &facts->function[facts->gpu[i]];

		judge_state(facts, facts->gpu[i], result);
		if (facts_function(facts, facts->gpu[i])->resetting)
			resetting++;
		else if (!function->config)
			unread++;
	}
	if (unread)
		result_skip(result, "the config space of %zu GPU%s cannot be read", unread,
			    plural(unread));
	else if (resetting)
		result_ok(result, "%zu do; %zu %s being reset, and not looked at",
			  facts->gpus - resetting, resetting, resetting == 1 ? "is" : "are");
	else
		result_ok(result, "all do");
}

static void judge_known(const struct facts *facts, int gpu, struct result *result)
{
	const char *driver = facts_function(facts, gpu)->driver;

	if (!strcmp(driver, DRIVER_NAME))
		return;
	if (!*driver)
		result_warn(result, gpu, "instinctctl bind --all", "no driver has it%s",
			    facts->module.amdgpu && !*facts->function[gpu].override ?
			    ", and amdgpu, which is loaded, may take it" : "");
	else if (!strcmp(driver, "vfio-pci"))
		result_fail(result, gpu, "stop its VM, then instinctctl bind --all",
			    "vfio-pci has it: the first reset may lose it until the host reboots");
	else
		result_fail(result, gpu,
			    "stop what uses it, instinctctl bind --all; at boot: systemctl enable instinct-vfio-bind, and a blacklist for amdgpu",
			    "%s has it: it cannot be handed out", driver);
}

static void judge_unknown(const struct facts *facts, int gpu, struct result *result)
{
	const struct host_function *function = facts_function(facts, gpu);

	if (*function->driver && !host_has_vfio(function))
		result_warn(result, gpu, "driverctl set-override BDF vfio-pci, if it is for guests",
			    "%s has it: it cannot be handed out", function->driver);
}

/**
 * check_driver_driver() - which driver has each GPU?
 * @facts: facts
 * @result: set
 */
void check_driver_driver(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++)
		if (facts_is_known(facts, facts->gpu[i]))
			judge_known(facts, facts->gpu[i], result);
		else
			judge_unknown(facts, facts->gpu[i], result);
	if (facts->known == facts->gpus)
		result_ok(result, DRIVER_NAME " has all %zu", facts->gpus);
	else
		result_ok(result, "%zu: VFIO drivers have them, or none", facts->gpus);
}

/**
 * check_driver_order() - is the module there before amdgpu and vfio-pci?
 * @facts: facts
 * @result: set
 */
void check_driver_order(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;
	bool amdgpu = !module->first && !module->no_amdgpu;

	if (!checks_need_ours(facts, result))
		return;
	if (!module->modprobe_files && *opt_sysroot)
		result_skip(result, "modprobe.d is not in the capture");
	else if (amdgpu || !module->first_vfio)
		result_warn(result, RESULT_NO_FUNCTION,
			    "make install puts /usr/lib/modprobe.d/instinct-vfio.conf there, which says so: softdep amdgpu pre: instinct_vfio_pci, and the same for vfio-pci",
			    "%s may be loaded before the module, take GPUs, and reset them",
			    !amdgpu ? "vfio-pci" : module->first_vfio ? "amdgpu" :
			    "amdgpu or vfio-pci");
	if (module->early && !module->early_ours)
		result_warn(result, RESULT_NO_FUNCTION,
			    "add instinct_vfio_pci to /etc/initramfs-tools/modules, and update-initramfs -u (dracut: add_drivers, dracut -f)",
			    "amdgpu or vfio-pci is put into the initramfs without the module, and takes GPUs first");
	result_ok(result, "the module is loaded before amdgpu and vfio-pci");
}

/**
 * check_driver_at_boot() - is policy applied at boot, and no GPU handed out before?
 * @facts: facts
 * @result: set
 */
void check_driver_at_boot(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;

	if (!checks_need_ours(facts, result))
		return;
	if (!module->systemd) {
		result_skip(result, "/etc/systemd/system is not %s",
			    *opt_sysroot ? "in the capture" : "there: apply policy in another way");
		return;
	}
	if (!module->enabled)
		result_warn(result, RESULT_NO_FUNCTION,
			    "systemctl enable --now instinct-vfio-apply",
			    "policy is not applied at boot%s",
			    fact_is(&module->require_policy, "N") ? "" :
			    ": no GPU is handed out then");
	if (fact_is(&module->require_policy, "N"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "echo Y >/sys/module/instinct_vfio_pci/parameters/require_policy; delete the option from /etc/modprobe.d",
			    "GPUs are handed out without a policy (require_policy=N)");
	if (checks_need(&module->require_policy, "the module's require_policy", result))
		result_ok(result, "policy is applied at boot, before GPUs are handed out");
}

/**
 * check_guest_gpus() - are all GPUs in the guest?
 * @facts: facts
 * @result: set
 */
void check_guest_gpus(const struct facts *facts, struct result *result)
{
	check_driver_gpus(facts, result);
}

/**
 * check_guest_driver() - has the GPUs' own driver each of them?
 * @facts: facts
 * @result: set
 */
void check_guest_driver(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const char *driver = facts_function(facts, facts->gpu[i])->driver;
		const char *wanted = node_of(facts, i)->vendor == INSTINCT_VENDOR_AMD_GPU ?
				     "amdgpu" : "nvidia";

		if (strcmp(driver, wanted))
			result_fail(result, facts->gpu[i],
				    "load the driver, and look at the guest's kernel log for what it says at its probe",
				    "%s%s has it, not %s", *driver ? driver : "no", *driver ?
				    "" : " driver", wanted);
	}
	result_ok(result, "%s has all %zu",
		  facts_function(facts, facts->gpu[0])->driver, facts->gpus);
}
