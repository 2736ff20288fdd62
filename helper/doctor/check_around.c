// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "say.h"

/* That align BARs in the guest to 1 GiB: QEMU 9.2 ("vfio/helpers: Align mmaps"), and: */
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
 * check_around_ipmi() - is there a way to the BMC?
 * @facts: facts
 * @result: set
 */
void check_around_ipmi(const struct facts *facts, struct result *result)
{
	if (!checks_need_gpus(facts, result))
		return;
	if (facts->around.ipmi.error && !facts->around.classes)
		result_skip(result, "/sys/class is not in the capture");
	else if (facts->around.ipmi.error)
		result_warn(result, RESULT_NO_FUNCTION,
			    "modprobe -a ipmi_si ipmi_devintf; if that finds none, temperatures have to be pushed (instinctctl push)",
			    "no IPMI device (/dev/ipmi0): the BMC cannot be asked for the GPUs' temperatures");
	result_ok(result, "/dev/%s", facts->around.ipmi.text);
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

	/* Without huge maps in the kernel alignment is of no use. */
	if (version->error || facts_kernel_before(facts, 6, 12) ||
	    !is_before(version, major, minor))
		return;
	snprintf(remedy, sizeof(remedy), "%s %d.%d or later", name, major, minor);
	result_warn(result, RESULT_NO_FUNCTION, remedy,
		    "%s %s does not align large BARs to 1 GiB: the kernel cannot map them in huge pages of that size",
		    name, version->text);
}

/**
 * check_around_vmm() - which VMMs are installed?
 * @facts: facts
 * @result: set
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
			    "install QEMU 9.2 or Cloud Hypervisor 53, or later; one in a container is not seen from here",
			    "neither QEMU nor Cloud Hypervisor is found");
	result_ok(result, "%s%s%s%s%s", qemu->error ? "" : "QEMU ", qemu->text,
		  !qemu->error && !cloud->error ? ", " : "",
		  cloud->error ? "" : "Cloud Hypervisor ", cloud->text);
}

/**
 * check_around_libvirt() - does libvirt find the module's driver?
 * @facts: facts
 * @result: set
 */
void check_around_libvirt(const struct facts *facts, struct result *result)
{
	const struct fact *version = &facts->around.program[PROGRAM_LIBVIRT];

	if (!checks_need_ours(facts, result) || !know_programs(facts, result))
		return;
	if (version->error)
		result_ok(result, "not installed");
	else if (is_before(version, LIBVIRT_MAJOR, 0))
		result_warn(result, RESULT_NO_FUNCTION,
			    "managed='no' in <hostdev> and instinctctl bind, or libvirt 10.0 or later",
			    "libvirt %s takes GPUs with managed='yes' to vfio-pci, not to the module",
			    version->text);
	else
		result_ok(result, "libvirt %s finds the module's driver", version->text);
}
