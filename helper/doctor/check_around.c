// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "say.h"

/* Releases that align BARs in the guest to 1 GiB; QEMU 9.2: "vfio/helpers: Align mmaps" */
#define QEMU_MAJOR		9
#define QEMU_MINOR		2
#define CLOUD_HYPERVISOR_MAJOR	53
/* "qemu: automatically bind to a vfio variant driver, if available" */
#define LIBVIRT_MAJOR		10

static void parse(const struct fact *version, int *major, int *minor)
{
	if (sscanf(version->text, "%d.%d", major, minor) == 2)
		return;
	*major = atoi(version->text);
	*minor = 0;
}

static bool is_before(const struct fact *version, int major, int minor)
{
	int is_major, is_minor;

	parse(version, &is_major, &is_minor);
	return is_major < major || (is_major == major && is_minor < minor);
}

/**
 * check_around_ipmi() - check that the host can reach its BMC by IPMI
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_around_ipmi(const struct facts *facts, struct result *result)
{
	if (!checks_need_gpus(facts, result))
		return;
	if (!facts->around.ipmi.error)
		result_ok(result, "the IPMI device is /dev/%s", facts->around.ipmi.text);
	else if (facts->around.redfish)
		result_ok(result, "the monitor asks the BMC by Redfish; the host has no IPMI device");
	else if (!facts->around.classes)
		result_skip(result, "/sys/class is not in the capture");
	else
		result_warn(result, RESULT_NO_FUNCTION,
			    "modprobe -a ipmi_si ipmi_devintf; if that finds no device, name the BMC's Redfish service in monitor.conf, or push temperatures (instinctctl push)",
			    "the host has no IPMI device (/dev/ipmi0): the monitor cannot ask the BMC for the GPUs' temperatures");
}

static bool know_programs(const struct facts *facts, struct result *result)
{
	int i;

	for (i = 0; i < PROGRAMS; i++)
		if (!facts->around.program[i].error)
			return true;
	if (facts->around.packages || !*opt_sysroot)
		return true;
	result_skip(result, "the list of packages (/var/lib/dpkg/status) is not in the capture");
	return false;
}

static void judge_vmm(const struct facts *facts, struct result *result, enum program program,
		      const char *name, int major, int minor)
{
	const struct fact *version = &facts->around.program[program];
	char remedy[64];

	/* Older kernels have no huge mappings, so alignment gains nothing. */
	if (version->error || facts_kernel_before(facts, 6, 12) ||
	    !is_before(version, major, minor))
		return;
	snprintf(remedy, sizeof(remedy), "install %s %d.%d or later", name, major, minor);
	result_warn(result, RESULT_NO_FUNCTION, remedy,
		    "%s %s does not align large BARs to 1 GiB: the kernel cannot map them in huge pages of that size",
		    name, version->text);
}

/**
 * check_around_vmm() - check that installed VMMs align large BARs
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_around_vmm(const struct facts *facts, struct result *result)
{
	const struct fact *qemu = &facts->around.program[PROGRAM_QEMU];
	const struct fact *cloud = &facts->around.program[PROGRAM_CLOUD_HYPERVISOR];

	if (!know_programs(facts, result))
		return;
	judge_vmm(facts, result, PROGRAM_QEMU, "QEMU", QEMU_MAJOR, QEMU_MINOR);
	judge_vmm(facts, result, PROGRAM_CLOUD_HYPERVISOR, "Cloud Hypervisor",
		  CLOUD_HYPERVISOR_MAJOR, 0);
	if (qemu->error && cloud->error)
		result_warn(result, RESULT_NO_FUNCTION,
			    "install QEMU 9.2 or Cloud Hypervisor 53, or later; doctor does not see a VMM in a container",
			    "the host has neither QEMU nor Cloud Hypervisor");
	result_ok(result, "%s%s%s%s%s", qemu->error ? "" : "QEMU ", qemu->text,
		  !qemu->error && !cloud->error ? ", " : "",
		  cloud->error ? "" : "Cloud Hypervisor ", cloud->text);
}

/**
 * check_around_libvirt() - check that libvirt finds the module's driver
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_around_libvirt(const struct facts *facts, struct result *result)
{
	const struct fact *version = &facts->around.program[PROGRAM_LIBVIRT];

	if (!checks_need_ours(facts, result) || !know_programs(facts, result))
		return;
	if (version->error)
		result_ok(result, "libvirt is not installed");
	else if (is_before(version, LIBVIRT_MAJOR, 0))
		result_warn(result, RESULT_NO_FUNCTION,
			    "use managed='no' in <hostdev> and instinctctl bind, or install libvirt 10.0 or later",
			    "libvirt %s binds GPUs with managed='yes' to vfio-pci, not to the module",
			    version->text);
	else
		result_ok(result, "libvirt %s finds the module's driver", version->text);
}
