// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "module.h"
#include "say.h"
#include "sysfs.h"

static bool is_loaded(const struct facts *facts)
{
	size_t i;

	/* A capture without modules may have drivers, as the text of lspci -v. */
	for (i = 0; i < facts->gpus && !facts->tells_modules; i++)
		if (!strcmp(facts_function(facts, facts->gpu[i])->driver, DRIVER_NAME))
			return true;
	return fact_is(&facts->module.state, "live");
}

/**
 * check_module_loaded() - check that the kernel has loaded the module
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_module_loaded(const struct facts *facts, struct result *result)
{
	if (!checks_need_ours(facts, result))
		return;
	if (!is_loaded(facts) && !facts->tells_modules)
		result_skip(result, "the loaded modules (/sys/module) are not in the capture");
	else if (!is_loaded(facts))
		result_fail(result, RESULT_NO_FUNCTION,
			    "modprobe " DRIVER_NAME "; if it is not installed, install the package instinct-vfio-dkms, or make dkms-install",
			    "the module " DRIVER_NAME " is not loaded");
	result_ok(result, DRIVER_NAME " is loaded");
}

/**
 * check_module_version() - check that module and helper have the same version
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_module_version(const struct facts *facts, struct result *result)
{
	const struct fact *version = &facts->module.version;

	if (!checks_need_ours(facts, result))
		return;
	if (!is_loaded(facts) && facts->tells_modules) {
		result_skip(result, "the module is not loaded, see module above");
		return;
	}
	if (!checks_need(version, "/sys/module/" DRIVER_NAME "/version", result))
		return;
	if (!fact_is(version, INSTINCT_VERSION))
		result_fail(result, RESULT_NO_FUNCTION, sysfs_has_dropin() ?
			    "install both in the same version; the new module takes over at the next boot, or, when no VM has a device of vfio-pci, after: "
			    MODULE_TAKES_OVER("vfio_pci ", " && modprobe vfio-pci") :
			    "install both in the same version; the new module takes over at the next boot, or, when no VM has a GPU, after: "
			    MODULE_TAKES_OVER("", ""),
			    "module %s and instinctctl " INSTINCT_VERSION " do not match",
			    version->text);
	result_ok(result, "module and instinctctl are both " INSTINCT_VERSION);
}

/* Without a kernel's headers DKMS builds no drop-in for it, and says so to nobody who reads it. */
static void judge_dropin(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;
	const char *release = facts->kernel.release.text;
	char remedy[2 * TEXT_BYTES];

	if (!*module->dropin || module->dropin_built || facts->kernel.option[OPTION_VFIO_PCI] == 'y')
		return;
	snprintf(remedy, sizeof(remedy),
		 "install this kernel's headers, which has DKMS build it (else dkms install instinct-vfio-dropin/%s -k %s); then, when no VM has a device of vfio-pci: "
		 MODULE_DROPIN_TAKES_OVER, module->dropin, release);
	result_warn(result, RESULT_NO_FUNCTION, remedy,
		    "the drop-in vfio-pci is installed, but not for the running kernel %s, which loads its own vfio-pci: its resets can lose a GPU",
		    release);
}

/**
 * check_module_dkms() - check that DKMS will build the module for the next kernel
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_module_dkms(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;
	const char *release = facts->kernel.release.text;

	if (!checks_need_ours(facts, result))
		return;
	if (*opt_sysroot && !module->modules && module->dkms_error) {
		result_skip(result, "neither /var/lib/dkms nor /lib/modules is in the capture");
		return;
	}
	if (!*module->installed && !module->dkms_built)
		result_fail(result, RESULT_NO_FUNCTION,
			    "install instinct-vfio-dkms and this kernel's headers (or make dkms-install), or dkms install instinct-vfio/" INSTINCT_VERSION,
			    "no module is installed for the running kernel %s", release);
	else if (!*module->dkms)
		result_warn(result, RESULT_NO_FUNCTION, "install instinct-vfio-dkms, or make dkms-install",
			    "the module is installed for %s alone, not by DKMS: the next kernel will lack it",
			    release);
	else if (strcmp(module->dkms, INSTINCT_VERSION))
		result_warn(result, RESULT_NO_FUNCTION,
			    "install instinct-vfio-dkms of the same version (or make dkms-install); dkms remove the other one",
			    "DKMS has %s, instinctctl is " INSTINCT_VERSION, module->dkms);
	judge_dropin(facts, result);
	result_ok(result, "DKMS has %s", module->dkms);
}

/* Find now whether the kernel would refuse the module when it is loaded the next time. */
static void judge_signing(const struct facts *facts, struct result *result)
{
	const struct signing_facts *signing = &facts->module.signing;
	const struct kernel_facts *kernel = &facts->kernel;
	char remedy[2 * TEXT_BYTES], why[64];

	snprintf(why, sizeof(why), "the kernel loads only signed modules (%s%s)",
		 facts_kernel_is_locked(facts) ? "lockdown" : "sig_enforce",
		 kernel->secure_boot ? ", Secure Boot" : "");
	if (signing->known && !signing->is_signed) {
		snprintf(remedy, sizeof(remedy),
			 "dkms install --force instinct-vfio/" INSTINCT_VERSION " -k %s, which signs it; if it does not, its output gives the reason",
			 kernel->release.text);
		result_fail(result, RESULT_NO_FUNCTION, remedy,
			    "%s, and the installed one is not signed", why);
	} else if (signing->trust == TRUST_NO && (*signing->certificate || !is_loaded(facts))) {
		snprintf(remedy, sizeof(remedy),
			 "mokutil --import %s, reboot, and choose \"Enroll MOK\" on the console before the kernel starts",
			 *signing->certificate ? signing->certificate : "CERTIFICATE");
		result_fail(result, RESULT_NO_FUNCTION, remedy,
			    "%s, and does not trust the signer of the installed one, \"%s\"",
			    why, signing->signer);
	} else if (signing->trust == TRUST_YES) {
		result_ok(result, "%s, and trusts the signer of the installed one, \"%s\"", why,
			  signing->signer);
	} else if (!is_loaded(facts)) {
		result_fail(result, RESULT_NO_FUNCTION,
			    "enrol the key that DKMS signs with: mokutil --import /var/lib/dkms/mok.pub, reboot, and choose \"Enroll MOK\" on the console",
			    "%s, and this one is not loaded", why);
	} else {
		result_ok(result, "the kernel loads only signed modules, and has loaded this one");
	}
}

/**
 * check_module_signing() - check that the kernel loads the module with its signature
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_module_signing(const struct facts *facts, struct result *result)
{
	const struct kernel_facts *kernel = &facts->kernel;

	if (!checks_need_ours(facts, result))
		return;
	if (kernel->lockdown.error && kernel->sig_enforce.error) {
		result_skip(result, "neither /sys/kernel/security/lockdown nor sig_enforce %s",
			    *opt_sysroot ? "is in the capture" : "can be read");
		return;
	}
	if (!is_loaded(facts) && !facts->tells_modules)
		result_skip(result, "the loaded modules (/sys/module) are not in the capture");
	else if (facts_kernel_is_locked(facts) || fact_is(&kernel->sig_enforce, "Y"))
		judge_signing(facts, result);
	else
		result_ok(result, "the kernel loads unsigned modules%s%s",
			  kernel->secure_boot ? ", though Secure Boot is on" : "",
			  strchr(facts->module.taint.text, 'E') ? ", and this one is unsigned" : "");
}
