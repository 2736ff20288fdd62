// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "command_line.h"
#include "sysfs.h"

#define PAGE_BYTES	4096
#define PTE_BYTES	8
#define GIB		((uint64_t)1 << 30)

/*
 * Linux: vfio-pci has huge_fault since v6.12; the type 1 IOMMU driver walks such a mapping in
 * steps of a huge page since v6.15 (0fd06844de5d).
 */
#define HUGE_MAPS_MAJOR		6
#define HUGE_MAPS_MINOR		12
#define HUGE_STEPS_MINOR	15

/**
 * struct release - version of a Linux release
 * @major: first number of the version
 * @minor: second number
 * @patch: third number
 */
struct release {
	int major;
	int minor;
	int patch;
};

/* Linux, "vfio/pci: Lock upstream bridge for vfio_pci_core_disable()": it only tries the lock. */
static const struct release skips_reset[] = {
	{ 6, 12, 117 }, { 6, 18, 14 }, { 6, 19, 4 }, { 7, 0, 0 },
};

/* Linux, "PCI/ACS: Fix 'pci=config_acs=' parameter" */
static const struct release config_acs_right[] = {
	{ 6, 12, 23 }, { 6, 13, 11 }, { 6, 14, 2 }, { 6, 15, 0 },
};

/*
 * Does the kernel have a change? @list has the first release with it in each stable branch; its
 * last entry is also the first release for all other branches.
 */
static bool has_change(const struct facts *facts, const struct release *list, size_t count)
{
	const int *version = facts->kernel.version;
	size_t i;

	for (i = 0; i < count; i++)
		if (version[0] == list[i].major && version[1] == list[i].minor)
			return version[2] >= list[i].patch;
	return !facts_kernel_before(facts, list[count - 1].major, list[count - 1].minor);
}

/* Distributions that leave the patch level at 0 backport changes without telling which. */
static const char *as_released(const struct facts *facts)
{
	return facts->kernel.version[2] ? "" : ", as released upstream,";
}

static bool need_version(const struct facts *facts, struct result *result)
{
	if (facts->kernel.version[0])
		return true;
	result_skip(result, "the kernel's release (/proc/sys/kernel/osrelease) %s",
		    fact_why(facts->kernel.release.error));
	return false;
}

/**
 * check_kernel_reset_at_close() - check for kernels that may skip the reset at a close
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_kernel_reset_at_close(const struct facts *facts, struct result *result)
{
	const char *release = facts->kernel.release.text;
	size_t i;

	if (!need_version(facts, result) || !checks_need_gpus(facts, result))
		return;
	if (!has_change(facts, skips_reset, ARRAY_SIZE(skips_reset))) {
		result_ok(result, "Linux %s%s resets at each close", release, as_released(facts));
		return;
	}
	for (i = 0; i < facts->gpus; i++) {
		const struct host_function *function = facts_function(facts, facts->gpu[i]);

		if (host_has_vfio(function) && !sysfs_is_ours(function->driver))
			result_warn(result, facts->gpu[i], facts_is_known(facts, facts->gpu[i]) ?
				    "instinctctl bind --all" :
				    "have the VMM's wrapper reset the GPU before each start",
				    "Linux %s%s silently skips the reset at a close while the bridge above is locked; %s relies on this reset",
				    release, as_released(facts), function->driver);
	}
	result_ok(result, "Linux %s may skip the reset at a close; the module resets by itself", release);
}

static uint64_t bar_bytes(const struct fact_function *function)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < FACTS_BARS; i++)
		bytes += function->bar[i].bytes;
	return bytes;
}

/* The size of page tables in which each 4 KiB page of a BAR has an entry. */
static void cost_text(uint64_t most, uint64_t all, size_t gpus, char *text, size_t size)
{
	char bars[32], tables[32], vm[32];

	snprintf(text, size, "%" PRIu64 " entries and %s of page tables for a GPU (BARs of %s), %s for a VM with all %zu (computed, not measured)",
		 most / PAGE_BYTES,
		 checks_size(most / PAGE_BYTES * PTE_BYTES, tables, sizeof(tables)),
		 checks_size(most, bars, sizeof(bars)),
		 checks_size(all / PAGE_BYTES * PTE_BYTES, vm, sizeof(vm)), gpus);
}

/**
 * check_kernel_huge_maps() - check that the kernel maps BARs in huge pages
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_kernel_huge_maps(const struct facts *facts, struct result *result)
{
	const char *release = facts->kernel.release.text;
	uint64_t most = 0, all = 0, bytes;
	char cost[TEXT_BYTES];
	size_t i;

	if (!need_version(facts, result) || !checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		bytes = bar_bytes(&facts->function[facts->gpu[i]]);
		all += bytes;
		if (bytes > most)
			most = bytes;
	}
	if (!most) {
		result_skip(result, "the sizes of the GPUs' BARs are unknown");
		return;
	}
	cost_text(most, all, facts->gpus, cost, sizeof(cost));
	if (most < GIB)
		result_ok(result, "the BARs are small: %" PRIu64 " entries of page tables for a GPU",
			  most / PAGE_BYTES);
	else if (facts_kernel_before(facts, HUGE_MAPS_MAJOR, HUGE_MAPS_MINOR))
		result_warn(result, RESULT_NO_FUNCTION,
			    "install Linux 6.15 or later, with QEMU 9.2 or Cloud Hypervisor 53 or later",
			    "Linux %s maps BARs in pages of 4 KiB: %s", release, cost);
	else if (facts_kernel_before(facts, HUGE_MAPS_MAJOR, HUGE_STEPS_MINOR))
		result_warn(result, RESULT_NO_FUNCTION, "install Linux 6.15 or later",
			    "Linux %s maps BARs in huge pages, but walks them in steps of 4 KiB for DMA: %" PRIu64 " steps for a GPU at each start of a VM (computed)",
			    release, most / PAGE_BYTES);
	else
		result_ok(result, "Linux %s maps BARs in huge pages", release);
}

/**
 * check_kernel_config_acs() - check that the kernel handles pci=config_acs= correctly
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * The same code of the kernel handles pci=disable_acs_redir=.
 */
void check_kernel_config_acs(const struct facts *facts, struct result *result)
{
	const char *command = facts->kernel.command, *release = facts->kernel.release.text;
	bool config = command_line_says(command, "pci", "config_acs");
	const char *name = config ? "config_acs" : "disable_acs_redir";

	if (facts->kernel.command_error) {
		result_skip(result, "/proc/cmdline %s", fact_why(facts->kernel.command_error));
		return;
	}
	if (!command_line_says(command, "pci", name)) {
		result_ok(result, "the command line has neither pci=config_acs= nor pci=disable_acs_redir=");
		return;
	}
	if (!need_version(facts, result))
		return;
	if (config && facts_kernel_before(facts, 6, 11))
		result_fail(result, RESULT_NO_FUNCTION,
			    "remove it, and let policy set ACS: acs = vm-p2p, then instinctctl apply",
			    "Linux %s does not know pci=config_acs= (6.11 and later do)", release);
	else if (!facts_kernel_before(facts, 6, 11) &&
		 !has_change(facts, config_acs_right, ARRAY_SIZE(config_acs_right)))
		result_fail(result, RESULT_NO_FUNCTION,
			    "remove it, and let policy set ACS: acs = vm-p2p, then instinctctl apply; or install Linux 6.12.23, 6.13.11, 6.14.2 or later",
			    "Linux %s%s computes ACS wrongly from pci=%s=", release,
			    as_released(facts), name);
	else
		result_ok(result, "Linux %s handles pci=%s= correctly", release, name);
}

/**
 * struct bad_word - a parameter that should not be on the kernel's command line
 * @name: name of the parameter
 * @part: one of its values, NULL for any value
 * @fails: the parameter breaks passthrough or peer-to-peer DMA
 * @why: effect of the parameter
 */
struct bad_word {
	const char *name;
	const char *part;
	bool fails;
	const char *why;
};

/* Linux, Documentation/admin-guide/kernel-parameters.txt */
static const struct bad_word bad_words[] = {
	{ "pci", "noats", true, "no ATS: peer-to-peer DMA goes through the root complex" },
	{ "pci", "nommconf", true, "no extended config space: no ACS, ATS and AER" },
	{ "pci", "nomsi", true, "no MSI-X: no interrupts for guests" },
	{ "pci", "noaer", false, "Linux neither counts nor reports link errors" },
	{ "pci", "pcie_bus_peer2peer", false, "MaxPayload of 128 bytes everywhere" },
	{ "pci", "pcie_bus_perf", false,
	  "MaxPayload differs between peers: peer-to-peer packets can be malformed" },
	{ "pci", "realloc", false, "Linux may move and shrink BARs that the firmware placed" },
	{ "pci", "nocrs", false, "Linux may put BARs at addresses that the firmware uses" },
	{ "pci", "disable_acs_redir", false,
	  "ports lose isolation, and IOMMU groups grow; policy does not need it" },
	{ "pcie_acs_override", NULL, true,
	  "IOMMU groups promise an isolation that the hardware does not have" },
	{ "pcie_aspm", "force", false, "links save power against the firmware's advice" },
	{ "pcie_ports", "compat", false, "no AER, DPC and hot-plug" },
	{ "amd_iommu", "force_isolation", false,
	  "since Linux 6.7 AMD's IOMMU driver then keeps ATS off: no peer-to-peer DMA with ATS" },
	{ "nox2apic", NULL, false, "interrupts reach 255 processors only" },
	{ "nomodule", NULL, true, "Linux loads no module" },
};

/**
 * check_kernel_parameters() - check for harmful parameters on the command line
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_kernel_parameters(const struct facts *facts, struct result *result)
{
	const char *command = facts->kernel.command;
	char name[64], remedy[128], value[64];
	size_t i;

	if (facts->kernel.command_error) {
		result_skip(result, "/proc/cmdline %s", fact_why(facts->kernel.command_error));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(bad_words); i++) {
		const struct bad_word *bad = &bad_words[i];

		if (bad->part ? !command_line_part(command, bad->name, bad->part, value,
						   sizeof(value)) :
				!command_line_value(command, bad->name, value, sizeof(value)))
			continue;
		if (!strcmp(value, "off"))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", bad->name, bad->part ? "=" : "",
			 bad->part ? bad->part : "");
		snprintf(remedy, sizeof(remedy),
			 "take %s off the kernel's command line, and reboot", name);
		if (bad->fails)
			result_fail(result, RESULT_NO_FUNCTION, remedy, "%s: %s", name, bad->why);
		else
			result_warn(result, RESULT_NO_FUNCTION, remedy, "%s: %s", name, bad->why);
	}
	checks_judge_given(facts, false, result);
	result_ok(result, "the command line has no harmful parameter");
}

static void need_option(const struct facts *facts, struct result *result,
			enum kernel_option option, const char *name, const char *why)
{
	if (facts->kernel.option[option] == 'n')
		result_fail(result, RESULT_NO_FUNCTION,
			    "install a kernel with this option",
			    "the kernel lacks %s: %s", name, why);
}

/**
 * check_kernel_options() - check that the kernel has the options that VFIO needs
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_kernel_options(const struct facts *facts, struct result *result)
{
	const char *option = facts->kernel.option;

	if (!need_version(facts, result))
		return;
	if (facts->kernel.options_error) {
		result_skip(result, "/boot/config-%s %s", facts->kernel.release.text,
			    fact_why(facts->kernel.options_error));
		return;
	}
	need_option(facts, result, OPTION_VFIO_PCI, "CONFIG_VFIO_PCI", "no VFIO");
	need_option(facts, result, OPTION_IOMMU, "CONFIG_IOMMU_API", "no IOMMU");
	need_option(facts, result, OPTION_PCI_ATS, "CONFIG_PCI_ATS", "no peer-to-peer with ATS");
	need_option(facts, result, OPTION_PCIEAER, "CONFIG_PCIEAER", "Linux does not report errors");
	if (option[OPTION_VFIO_TYPE1] == 'n' && option[OPTION_IOMMUFD] == 'n')
		result_fail(result, RESULT_NO_FUNCTION, "install a kernel with one of them",
			    "the kernel lacks CONFIG_VFIO_IOMMU_TYPE1 and CONFIG_IOMMUFD: no VMM can map memory");
	result_ok(result, "the kernel has VFIO, IOMMU, ATS and AER");
}
