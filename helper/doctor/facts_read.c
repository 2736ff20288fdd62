// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "facts.h"
#include "gather.h"
#include "inventory.h"
#include "module.h"
#include "say.h"

/*
 * Doctor checks a host even if its policy has errors, so errors of gather() are kept, not printed.
 * The module tells the GPUs that are being reset, so that reads do not wait for a reset.
 */
static int gather_quietly(struct facts *facts)
{
	struct findings *findings = &facts->findings;
	bool hushed = say_is_hushed();
	int code = EXIT_OK;

	say_hush(true);
	facts->findings_code = gather(findings, conf_files_exist() ? GATHER_BY_FILE :
				      GATHER_BY_FORCE, NULL, facts->guest_memory);
	if (facts->findings_code)
		snprintf(facts->findings_error, sizeof(facts->findings_error), "%s",
			 say_last_error());
	say_hush(hushed);
	if (!facts->findings_code)
		findings_expect(findings);
	facts->told = module_is_told_of();
	facts->tells_policy = host_capture_has("/etc");
	inventory_managed(&facts->managed);
	if (!findings->host.node)
		code = host_read(&findings->host, &facts->managed);
	return code;
}

/**
 * facts_read() - read all facts about this host, this guest, or the host of --sysroot
 * @facts: receives the facts; the caller must call facts_free() in any case
 * @guest: doctor runs inside a guest
 * @guest_memory: memory of the largest guest in bytes, 0 if unknown
 *
 * Return: 0, or an exit code after printing the error.
 */
int facts_read(struct facts *facts, bool guest, uint64_t guest_memory)
{
	int code;

	*facts = (struct facts) { .is_guest = guest, .guest_memory = guest_memory };
	facts->tells_modules = host_capture_has("/sys/module");
	code = guest ? host_read(&facts->findings.host, NULL) : gather_quietly(facts);
	if (code)
		return code;
	facts_read_pci(facts);
	facts_read_kernel(&facts->kernel);
	facts_read_iommu(facts);
	numa_read(&facts->numa);
	if (guest) {
		facts_read_guest(facts);
		return EXIT_OK;
	}
	facts_read_module(facts);
	facts_read_around(&facts->around);
	return EXIT_OK;
}

/**
 * facts_free() - free the memory of facts
 * @facts: facts, read or zeroed
 */
void facts_free(struct facts *facts)
{
	free(facts->function);
	free(facts->gpu);
	free(facts->peer);
	free(facts->module.given);
	devices_free(&facts->managed);
	nccl_environment_free(&facts->guest.environment);
	free(facts->guest.hive);
	free(facts->guest.interface);
	guest_file_free(&facts->guest.topology);
	findings_free(&facts->findings);
}
