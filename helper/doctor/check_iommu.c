// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "command_line.h"
#include "say.h"

/* Linux, vfio_iommu_type1: the default is U16_MAX. */
#define DMA_ENTRIES	65535

#define SWITCH_ON	"switch it on in the BIOS (\"IOMMU\", \"AMD-Vi\", \"Intel VT-d\"); with Intel also add intel_iommu=on to the kernel's command line"

#define UNSAFE_INTERRUPTS	"allow_unsafe_interrupts: a guest may inject any interrupt into the host"

static bool is_switched_off(const char *command, char *word, size_t size)
{
	static const char *const names[] = { "iommu", "intel_iommu", "amd_iommu" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (command_line_says(command, names[i], "off")) {
			snprintf(word, size, "%s=off", names[i]);
			return true;
		}
	return false;
}

/**
 * check_iommu_on() - check that each GPU is behind an IOMMU
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_iommu_on(const struct facts *facts, struct result *result)
{
	char word[32], remedy[128];
	size_t i, without = 0;

	if (!checks_need_gpus(facts, result))
		return;
	if (!facts->findings.host.tells_groups) {
		result_skip(result, "IOMMU groups are not in the capture");
		return;
	}
	for (i = 0; i < facts->gpus; i++)
		without += facts_function(facts, facts->gpu[i])->group == GROUP_NONE;
	if (without && is_switched_off(facts->kernel.command, word, sizeof(word))) {
		snprintf(remedy, sizeof(remedy),
			 "take %s off the kernel's command line, and reboot", word);
		result_fail(result, RESULT_NO_FUNCTION, remedy,
			    "%s switches the IOMMU off: VFIO gives no device to a VM", word);
	} else if (without == facts->gpus) {
		result_fail(result, RESULT_NO_FUNCTION, SWITCH_ON,
			    "no GPU has an IOMMU group: VFIO gives no GPU to a VM");
	}
	for (i = 0; i < facts->gpus && without < facts->gpus; i++)
		if (facts_function(facts, facts->gpu[i])->group == GROUP_NONE)
			result_fail(result, facts->gpu[i],
				    "look for DMAR or IVRS errors in the kernel log; update the BIOS",
				    "the GPU has no IOMMU group, though others have one");
	if (facts->iommu.count)
		result_ok(result, "%zu GPU%s behind %d IOMMU%s (%s)", facts->gpus,
			  plural(facts->gpus), facts->iommu.count,
			  plural(facts->iommu.count), facts->iommu.name);
	else
		result_ok(result, "%zu GPU%s with IOMMU groups", facts->gpus,
			  plural(facts->gpus));
}

/* Does policy want ATS on a network function that a host driver has, and ATS is off? */
static bool misses_ats_on_host(const struct facts *facts)
{
	size_t i;

	for (i = 0; i < facts->findings.atses; i++) {
		const struct ats_finding *ats = &facts->findings.ats[i];

		if (ats->policy && ats->function != ats->of &&
		    ats->state == INSTINCT_VFIO_ATS_STATE_OFF &&
		    !host_waits_for_user(facts_function(facts, ats->function)))
			return true;
	}
	return false;
}

/**
 * check_iommu_mode() - check the IOMMU mode of devices with host drivers
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_iommu_mode(const struct facts *facts, struct result *result)
{
	const struct iommu_facts *iommu = &facts->iommu;

	if (!iommu->identity && !iommu->lazy && !iommu->strict) {
		result_skip(result, "the types of host drivers' IOMMU groups (/sys/kernel/iommu_groups) are unknown");
		return;
	}
	if (iommu->strict)
		result_warn(result, RESULT_NO_FUNCTION,
			    "add iommu=pt to the kernel's command line for passthrough, or iommu.strict=0",
			    "the IOMMU translates %d group%s of host drivers' devices strictly: each unmap of the host's network and disks waits for the IOMMU",
			    iommu->strict, iommu->strict == 1 ? "" : "s");
	if (iommu->identity && misses_ats_on_host(facts))
		result_warn(result, RESULT_NO_FUNCTION,
			    "add iommu=nopt to the kernel's command line, or give the guest a virtual function",
			    "network functions with host drivers are passed through (iommu=pt) and have ATS off, though policy wants it: some IOMMU drivers switch ATS on in translated mode only");
	if (iommu->identity && iommu->lazy)
		result_ok(result, "the IOMMU passes %d groups of host drivers through, and translates %d lazily",
			  iommu->identity, iommu->lazy);
	else if (iommu->identity)
		result_ok(result, "the IOMMU passes host drivers through (iommu=pt)");
	else
		result_ok(result, "the IOMMU translates host drivers lazily");
}

/**
 * check_iommu_interrupts() - check that the IOMMU remaps interrupts
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_iommu_interrupts(const struct facts *facts, struct result *result)
{
	const struct fact *chip = &facts->kernel.interrupt_chip;
	const char *command = facts->kernel.command;
	bool off = command_line_says(command, "intremap", "off");
	char value[16];

	if (off || command_line_value(command, "nointremap", value, sizeof(value)))
		result_fail(result, RESULT_NO_FUNCTION, off ?
			    "take intremap=off off the kernel's command line, and reboot" :
			    "take nointremap off the kernel's command line, and reboot",
			    "interrupt remapping is switched off: VFIO gives no device to a VM");
	else if (!chip->error && strncmp(chip->text, "IR-", 3))
		result_fail(result, RESULT_NO_FUNCTION,
			    "switch it on in the BIOS (\"Interrupt Remapping\", x2APIC); look for \"IRQ remapping\" in the kernel log",
			    "the IOMMU does not remap interrupts (%s): VFIO gives no device to a VM, or a guest can inject any interrupt",
			    chip->text);
	else if (!checks_need(chip, "the interrupt chip (/sys/kernel/irq)", result))
		return;
	result_ok(result, "the IOMMU remaps interrupts (%s)", chip->text);
}

/**
 * check_iommu_vfio_options() - check for VFIO options that reduce safety or speed
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_iommu_vfio_options(const struct facts *facts, struct result *result)
{
	const struct kernel_facts *kernel = &facts->kernel;
	unsigned long entries = strtoul(kernel->dma_entries.text, NULL, 10);

	if (fact_is(&kernel->unsafe_noiommu, "Y"))
		result_fail(result, RESULT_NO_FUNCTION,
			    "remove options vfio enable_unsafe_noiommu_mode=1 from /etc/modprobe.d, and reboot",
			    "enable_unsafe_noiommu_mode: users can open devices without an IOMMU");
	if (fact_is(&kernel->unsafe_interrupts, "Y"))
		result_fail(result, RESULT_NO_FUNCTION,
			    "remove options vfio_iommu_type1 allow_unsafe_interrupts=1, and switch interrupt remapping on",
			    UNSAFE_INTERRUPTS);
	if (fact_is(&kernel->unsafe_iommufd, "Y"))
		result_fail(result, RESULT_NO_FUNCTION,
			    "remove options iommufd allow_unsafe_interrupts=1, and switch interrupt remapping on",
			    UNSAFE_INTERRUPTS);
	if (fact_is(&kernel->no_hugepages, "Y"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "remove options vfio_iommu_type1 disable_hugepages=1",
			    "disable_hugepages: VFIO maps guest memory for DMA in pages of 4 KiB");
	if (!kernel->dma_entries.error && entries < DMA_ENTRIES)
		result_warn(result, RESULT_NO_FUNCTION,
			    "remove options vfio_iommu_type1 dma_entry_limit=",
			    "dma_entry_limit is %lu, less than the default %d: a guest with many mappings fails",
			    entries, DMA_ENTRIES);
	if (kernel->dma_entries.error && kernel->unsafe_noiommu.error && !facts->tells_modules)
		result_skip(result, "the options of modules (/sys/module) are not in the capture");
	else if (kernel->dma_entries.error && kernel->unsafe_noiommu.error)
		result_ok(result, "vfio is not loaded, or has no such options");
	else
		result_ok(result, "no VFIO option reduces safety or speed");
}
