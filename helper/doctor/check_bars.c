// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "checks.h"
#include "say.h"

#define MIB		((uint64_t)1 << 20)
#define ABOVE_4G	((uint64_t)1 << 32)
/* BARs of this size below 4 GiB take room from devices that need to be there. */
#define LARGE		(256 * MIB)
/* Linux, include/linux/ioport.h: flags in sysfs' "resource" files. */
#define RESOURCE_MEMORY		0x00000200
#define RESOURCE_PREFETCH	0x00002000
#define RESOURCE_UNSET		0x20000000

#define BIOS_BARS	"switch on \"Above 4G Decoding\" and \"Resizable BAR\" in the BIOS, and give MMIO above 4G (\"MMIOH size\") room for all GPUs"

#define BMC_VGA		"choose the BMC's VGA as primary display in the BIOS"
#define BOOT_VGA	"the firmware's console is on this GPU (boot_vga)"

static bool is_memory(const struct fact_bar *bar)
{
	return bar->bytes && bar->flags & RESOURCE_MEMORY;
}

static bool is_assigned(const struct fact_bar *bar)
{
	return bar->start && !(bar->flags & RESOURCE_UNSET);
}

static bool has_bars(const struct facts *facts, size_t g)
{
	const struct fact_function *function = &facts->function[facts->gpu[g]];
	int i;

	for (i = 0; i < FACTS_BARS; i++)
		if (is_memory(&function->bar[i]))
			return true;
	return false;
}

static bool need_bars(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result))
		return false;
	for (i = 0; i < facts->gpus; i++)
		if (has_bars(facts, i))
			return true;
	result_skip(result, "the GPUs' BARs are unknown (\"resource\" in sysfs)");
	return false;
}

/* The largest memory BAR is the one for the video memory. */
static int largest_bar(const struct fact_function *function)
{
	int i, largest = 0;

	for (i = 1; i < FACTS_BARS; i++)
		if (is_memory(&function->bar[i]) &&
		    function->bar[i].bytes > function->bar[largest].bytes)
			largest = i;
	return largest;
}

static uint64_t largest_size(const struct fact_bar *bar)
{
	int bit;

	for (bit = 43; bit >= 0; bit--)
		if (bar->resizable >> bit & 1)
			return MIB << bit;
	return 0;
}

static void judge_vram(const struct facts *facts, int gpu, struct result *result)
{
	const struct fact_function *function = &facts->function[gpu];
	int at = largest_bar(function);
	const struct fact_bar *bar = &function->bar[at];
	uint64_t most = largest_size(bar);
	char is[32], wanted[32], could[32];

	checks_size(bar->bytes, is, sizeof(is));
	checks_size(function->vram, wanted, sizeof(wanted));
	checks_size(most, could, sizeof(could));
	if (function->vram && bar->bytes < function->vram)
		result_fail(result, gpu, BIOS_BARS,
			    "BAR %d covers %s of %s of video memory%s%s: peers cannot reach the rest",
			    at, is, wanted, most > bar->bytes ? ", and could cover " : "",
			    most > bar->bytes ? could : "");
	else if (!function->vram && most > bar->bytes)
		result_warn(result, gpu, BIOS_BARS, "BAR %d is resizable: it has %s, and could have %s",
			    at, is, could);
}

/**
 * check_bars_vram() - check that a BAR of each GPU covers all of the video memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_bars_vram(const struct facts *facts, struct result *result)
{
	const struct fact_function *function;
	size_t i, known = 0;
	char size[32] = "";

	if (!need_bars(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct fact_bar *bar;

		if (!has_bars(facts, i))
			continue;
		function = &facts->function[facts->gpu[i]];
		bar = &function->bar[largest_bar(function)];
		known += function->vram || bar->resizable;
		checks_size(bar->bytes, size, sizeof(size));
		judge_vram(facts, facts->gpu[i], result);
	}
	if (known)
		result_ok(result, "BARs of %s cover all of the video memory", size);
	else if (checks_need_paths(facts, result))
		result_skip(result, "the video memory of these GPUs is unknown, and their BARs are not resizable");
}

/**
 * checks_bar_without_address() - find a BAR of a GPU that has no address
 * @facts: facts about the host or guest
 * @gpu: index of the GPU in the host
 *
 * Return: number of the BAR, or -1.
 */
int checks_bar_without_address(const struct facts *facts, int gpu)
{
	int i;

	for (i = 0; i < FACTS_BARS; i++) {
		const struct fact_bar *bar = &facts->function[gpu].bar[i];

		if (bar->lost || (is_memory(bar) && !is_assigned(bar)))
			return i;
	}
	return -1;
}

static void judge_assigned(const struct facts *facts, int gpu, struct result *result,
			   size_t *count)
{
	char size[32];
	int i;

	for (i = 0; i < FACTS_BARS; i++) {
		const struct fact_bar *bar = &facts->function[gpu].bar[i];

		if (bar->lost)
			result_fail(result, gpu, BIOS_BARS,
				    "BAR %d is lost: Linux found no room for it", i);
		if (!is_memory(bar))
			continue;
		++*count;
		if (!is_assigned(bar))
			result_fail(result, gpu, BIOS_BARS,
				    "BAR %d (%s) has no address: Linux found no room for it", i,
				    checks_size(bar->bytes, size, sizeof(size)));
	}
}

/**
 * check_bars_assigned() - check that each BAR of a GPU has an address
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_bars_assigned(const struct facts *facts, struct result *result)
{
	size_t i, count = 0;

	for (i = 0; i < facts->gpus; i++)
		judge_assigned(facts, facts->gpu[i], result, &count);
	if (need_bars(facts, result))
		result_ok(result, "all %zu BARs have addresses", count);
}

/**
 * check_bars_above_4g() - check that large BARs are above 4 GiB
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_bars_above_4g(const struct facts *facts, struct result *result)
{
	char size[32];
	size_t i;
	int bar;

	if (!need_bars(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++)
		for (bar = 0; bar < FACTS_BARS; bar++) {
			const struct fact_bar *at = &facts->function[facts->gpu[i]].bar[bar];

			if (is_memory(at) && is_assigned(at) && at->bytes >= LARGE &&
			    at->start < ABOVE_4G)
				result_fail(result, facts->gpu[i], BIOS_BARS,
					    "BAR %d (%s) is below 4 GiB", bar,
					    checks_size(at->bytes, size, sizeof(size)));
		}
	result_ok(result, "all large BARs are above 4 GiB");
}

static bool is_forwarded(const struct host_function *port, const struct fact_bar *bar)
{
	unsigned int i;

	for (i = 0; i < port->windows; i++)
		if (port->window[i].start <= bar->start &&
		    bar->start + bar->bytes - 1 <= port->window[i].end)
			return true;
	return false;
}

static void judge_windows(const struct facts *facts, int gpu, struct result *result,
			  size_t *ports)
{
	int port, bar;

	for (port = facts_parent(facts, gpu); port != INSTINCT_NODE_NONE;
	     port = facts_parent(facts, port)) {
		const struct host_function *function = facts_function(facts, port);

		/* The windows of a port are unknown if its config space cannot be read. */
		if (!function->readable)
			continue;
		++*ports;
		for (bar = 0; bar < FACTS_BARS; bar++) {
			const struct fact_bar *at = &facts->function[gpu].bar[bar];

			if (is_memory(at) && is_assigned(at) && !is_forwarded(function, at))
				result_fail(result, port,
					    "instinctctl reset restores the path of a GPU of a supported model; else reboot, and look for \"can't assign\" in the kernel log",
					    "the port has no window for BAR %d of a GPU below: requests to that BAR do not arrive",
					    bar);
		}
	}
}

/**
 * check_bars_windows() - check that windows of the ports above contain the BARs
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_bars_windows(const struct facts *facts, struct result *result)
{
	size_t i, ports = 0;

	if (!need_bars(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++)
		if (!facts_function(facts, facts->gpu[i])->resetting)
			judge_windows(facts, facts->gpu[i], result, &ports);
	if (ports)
		result_ok(result, "all ports above forward requests to the BARs");
	else
		checks_need_paths(facts, result);
}

/**
 * check_bars_console() - check that the firmware's console is in no BAR of a GPU
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_bars_console(const struct facts *facts, struct result *result)
{
	const struct around_facts *around = &facts->around;
	size_t i, j;
	int bar;

	if (!need_bars(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct fact_function *function = &facts->function[facts->gpu[i]];

		/* On a card for the host itself the console may be intended. */
		if (function->boot_vga && facts_is_known(facts, facts->gpu[i]))
			result_fail(result, facts->gpu[i], BMC_VGA, BOOT_VGA);
		else if (function->boot_vga)
			result_warn(result, facts->gpu[i], BMC_VGA, BOOT_VGA);
		for (bar = 0; bar < FACTS_BARS; bar++)
			for (j = 0; j < around->consoles; j++)
				if (is_memory(&function->bar[bar]) &&
				    is_assigned(&function->bar[bar]) && around->console[j].start <=
				    function->bar[bar].start + function->bar[bar].bytes - 1 &&
				    around->console[j].end >= function->bar[bar].start)
					result_fail(result, facts->gpu[i],
						    "add initcall_blacklist=sysfb_init to the kernel's command line, or choose the BMC's VGA as primary display in the BIOS",
						    "the firmware's framebuffer %s is in BAR %d: VFIO cannot map it",
						    around->console[j].name, bar);
	}
	if (around->iomem_error)
		result_skip(result, "/proc/iomem %s", fact_why(around->iomem_error));
	result_ok(result, "no BAR holds a framebuffer of the firmware");
}
