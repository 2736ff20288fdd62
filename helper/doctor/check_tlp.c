// SPDX-License-Identifier: GPL-2.0-or-later
/* What requests and their answers look like on the way to memory and to peers. */
#include <stdio.h>

#include "checks.h"
#include "command_line.h"
#include "say.h"

/* PCIe r6.0 sec 7.5.3.15 and 7.5.3.16: bits that older headers do not have. */
#define DEVCAP2_10BIT_COMPLETER		0x00010000
#define DEVCAP2_10BIT_REQUESTER		0x00020000
#define DEVCTL2_10BIT_REQUESTER		0x1000

#define MPS_SHIFT		5
#define MRRS_SHIFT		12
#define SIZE_MASK		7
#define SIZE_BYTES		128	/* of code 0; each further one doubles it */
#define MRRS_LEAST		512

static const struct fact_function *at(const struct facts *facts, int function)
{
	return &facts->function[function];
}

/* The root port above a function, or the last port before the root complex. */
static int root_of(const struct facts *facts, int function)
{
	int parent;

	while ((parent = facts_parent(facts, function)) != INSTINCT_NODE_NONE)
		function = parent;
	return function;
}

/* What sends requests: GPUs, then network functions; -1 after the last. */
static int requester(const struct facts *facts, size_t i)
{
	if (i < facts->gpus)
		return facts->gpu[i];
	i -= facts->gpus;
	return i < facts->peers ? facts->peer[i] : -1;
}

static bool has_path(const struct facts *facts, int function)
{
	return checks_is_whole_path(facts, function) &&
	       facts_parent(facts, function) != INSTINCT_NODE_NONE;
}

/**
 * check_tlp_tags() - 10-bit tags: many requests in flight
 * @facts: facts
 * @result: set
 */
void check_tlp_tags(const struct facts *facts, struct result *result)
{
	size_t i, on = 0;
	int function;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; (function = requester(facts, i)) >= 0; i++) {
		const struct fact_function *root = at(facts, root_of(facts, function));
		bool enabled = at(facts, function)->control2 & DEVCTL2_10BIT_REQUESTER;

		if (!has_path(facts, function))
			continue;
		on += enabled;
		if (enabled && !(root->device2 & DEVCAP2_10BIT_COMPLETER))
			result_fail(result, function,
				    "switch \"10-bit Tag\" (\"PCIe Ten Bit Tag Support\") off in the BIOS, or update it",
				    "uses 10-bit tags, which its root port cannot answer: reads of memory time out");
		else if (!enabled && root->device2 & DEVCAP2_10BIT_COMPLETER &&
			 at(facts, function)->device2 & DEVCAP2_10BIT_REQUESTER)
			result_warn(result, function,
				    "switch \"10-bit Tag\" (\"PCIe Ten Bit Tag Support\") on in the BIOS",
				    "10-bit tags are off, though it and its root port have them: fewer reads in flight");
	}
	result_ok(result, "%zu of %zu functions use them, as many as can", on,
		  facts->gpus + facts->peers);
}

/**
 * check_tlp_extended_tags() - 8-bit tags
 * @facts: facts
 * @result: set
 */
void check_tlp_extended_tags(const struct facts *facts, struct result *result)
{
	size_t i;
	int function;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; (function = requester(facts, i)) >= 0; i++)
		if (at(facts, function)->express &&
		    at(facts, function)->device & PCI_EXP_DEVCAP_EXT_TAG &&
		    !(at(facts, function)->control & PCI_EXP_DEVCTL_EXT_TAG))
			result_warn(result, function,
				    "switch \"Extended Tag\" on in the BIOS; a port above that cannot has Linux switch it off for all",
				    "8-bit tags are off, though it has them: 32 reads in flight at most");
	result_ok(result, "on wherever they are there");
}

/**
 * struct atomics_fault - why a port does not let AtomicOps to host memory through
 * @text: what it does
 * @remedy: what helps
 */
struct atomics_fault {
	const char *text;
	const char *remedy;
};

#define PORTS_ATOMICS	"switch \"PCIe AtomicOps\" on in the BIOS, or move the GPU to a slot whose ports have it"

static const struct atomics_fault blocks = {
	"port above a GPU blocks AtomicOps: ROCm has none to host memory",
	"switch \"AtomicOp egress blocking\" off in the BIOS or the switch's firmware",
};

static const struct atomics_fault does_not_complete = {
	"port above a GPU does not complete AtomicOps: ROCm has none to host memory",
	PORTS_ATOMICS,
};

static const struct atomics_fault does_not_forward = {
	"port above a GPU does not forward AtomicOps: ROCm has none to host memory",
	PORTS_ATOMICS,
};

/*
 * What goes to host memory leaves a switch by its upstream port: that is where egress may be
 * blocked. Of other ports the bit is about peers.
 */
static const struct atomics_fault *find_atomics_fault(const struct facts *facts, int port)
{
	uint32_t can = at(facts, port)->device2;

	if (facts_parent(facts, port) == INSTINCT_NODE_NONE)
		return can & PCI_EXP_DEVCAP2_ATOMIC_COMP32 &&
		       can & PCI_EXP_DEVCAP2_ATOMIC_COMP64 ? NULL : &does_not_complete;
	if (facts->findings.host.node[port].kind == INSTINCT_NODE_UPSTREAM &&
	    at(facts, port)->control2 & PCI_EXP_DEVCTL2_ATOMIC_EGRESS_BLOCK)
		return &blocks;
	return can & PCI_EXP_DEVCAP2_ATOMIC_ROUTE ? NULL : &does_not_forward;
}

/* The first port above that does not let them through, if any, says why. */
static void judge_atomics(const struct facts *facts, int gpu, struct result *result)
{
	const struct atomics_fault *fault = NULL;
	int port;

	for (port = facts_parent(facts, gpu); port != INSTINCT_NODE_NONE && !fault;
	     port = facts_parent(facts, port)) {
		fault = find_atomics_fault(facts, port);
		if (fault)
			result_warn(result, port, fault->remedy, "%s", fault->text);
	}
}

/**
 * check_tlp_atomics() - do AtomicOps of GPUs reach host memory?
 * @facts: facts
 * @result: set
 *
 * That a GPU asks is switched on by its driver, inside the guest.
 */
void check_tlp_atomics(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++)
		if (has_path(facts, facts->gpu[i]))
			judge_atomics(facts, facts->gpu[i], result);
	result_ok(result, "forwarded by all ports above, completed by root ports");
}

/*
 * Linux, pcie_configure_mps(): with this no function has more than the port above it, but
 * one may have less; and what it reads at once is no more than that.
 */
static bool is_bus_perf(const struct facts *facts)
{
	return command_line_says(facts->kernel.command, "pci", "pcie_bus_perf");
}

#define SAME_PAYLOAD	"\"Max Payload Size\" in the BIOS on auto; pci=pcie_bus_safe on the kernel's command line makes it the same everywhere, but 128 bytes where a switch below the root port has hot-plug slots"

static unsigned int mps(const struct fact_function *function)
{
	return SIZE_BYTES << (function->control >> MPS_SHIFT & SIZE_MASK);
}

/* Below one root port all have the same, so the least of all. */
static unsigned int least_payload(const struct facts *facts, int root)
{
	unsigned int least = SIZE_BYTES << SIZE_MASK, size;
	int i;

	for (i = 0; i < facts->findings.host.count; i++) {
		if (!at(facts, i)->express || root_of(facts, i) != root)
			continue;
		size = SIZE_BYTES << (at(facts, i)->device & PCI_EXP_DEVCAP_PAYLOAD);
		if (size < least)
			least = size;
	}
	return least;
}

static void judge_payload(const struct facts *facts, int function, struct result *result,
			  unsigned int *is)
{
	bool may_be_less = is_bus_perf(facts);
	unsigned int could;
	int above;

	for (above = function; above != INSTINCT_NODE_NONE; above = facts_parent(facts, above)) {
		if (mps(at(facts, above)) == mps(at(facts, function)) ||
		    (may_be_less && mps(at(facts, above)) > mps(at(facts, function))))
			continue;
		result_fail(result, function, SAME_PAYLOAD,
			    "MaxPayload of %u bytes, but a port above has %u: packets in between are malformed",
			    mps(at(facts, function)), mps(at(facts, above)));
		return;
	}
	*is = mps(at(facts, function));
	could = least_payload(facts, root_of(facts, function));
	if (*is < could)
		result_warn(result, function, SAME_PAYLOAD,
			    "MaxPayload of %u bytes, though all below its root port can do %u", *is, could);
}

/**
 * check_tlp_max_payload() - MaxPayload: the same along a path, and as large as can be
 * @facts: facts
 * @result: set
 */
void check_tlp_max_payload(const struct facts *facts, struct result *result)
{
	unsigned int size = 0;
	int function;
	size_t i;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; (function = requester(facts, i)) >= 0; i++)
		if (has_path(facts, function))
			judge_payload(facts, function, result, &size);
	if (size && is_bus_perf(facts))
		result_ok(result, "nowhere more than the port above has (pci=pcie_bus_perf)");
	else if (size)
		result_ok(result, "%u bytes, the same along each path", size);
	else
		result_skip(result, "no port above the GPUs is seen");
}

/**
 * check_tlp_max_read() - MaxReadReq
 * @facts: facts
 * @result: set
 */
void check_tlp_max_read(const struct facts *facts, struct result *result)
{
	char remedy[128];
	size_t i;
	int function;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	if (is_bus_perf(facts))
		snprintf(remedy, sizeof(remedy),
			 "take pci=pcie_bus_perf off the kernel's command line, which limits reads to MaxPayload");
	else
		snprintf(remedy, sizeof(remedy),
			 "\"Max Read Request Size\" in the BIOS on auto or %u%s", MRRS_LEAST,
			 facts_kernel_is_locked(facts) ? "" :
			 "; at once: setpci -s BDF CAP_EXP+8.w=2000:7000");
	for (i = 0; (function = requester(facts, i)) >= 0; i++) {
		unsigned int size = SIZE_BYTES << (at(facts, function)->control >> MRRS_SHIFT &
						   SIZE_MASK);

		if (at(facts, function)->express && size < MRRS_LEAST)
			result_warn(result, function, remedy,
				    "MaxReadReq of %u bytes: more requests for the same data",
				    size);
	}
	result_ok(result, "%u bytes or more", MRRS_LEAST);
}

/**
 * check_tlp_relaxed_ordering() - may requests pass each other?
 * @facts: facts
 * @result: set
 */
void check_tlp_relaxed_ordering(const struct facts *facts, struct result *result)
{
	size_t i;
	int function;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; (function = requester(facts, i)) >= 0; i++) {
		const struct fact_function *is = at(facts, function);

		if (!is->express)
			continue;
		if (!(is->control & PCI_EXP_DEVCTL_RELAX_EN))
			result_warn(result, function,
				    "switch \"Relaxed Ordering\" on in the BIOS; Linux switches it off below root ports that do it wrongly (kernel log)",
				    "relaxed ordering is off: peer-to-peer DMA waits for what is before it");
		if (!(is->control & PCI_EXP_DEVCTL_NOSNOOP_EN))
			result_warn(result, function, "switch \"No Snoop\" on in the BIOS",
				    "No Snoop is off: caches are asked for what they cannot have");
	}
	result_ok(result, "on, and No Snoop too");
}
