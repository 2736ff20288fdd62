// SPDX-License-Identifier: GPL-2.0-or-later
/* Tags, sizes, ordering and AtomicOps of requests on the path to memory and to peers. */
#include <stdio.h>

#include "checks.h"
#include "command_line.h"
#include "say.h"

/* PCIe r6.0 sec 7.5.3.15 and 7.5.3.16: bits that older kernel headers lack. */
#define DEVCAP2_10BIT_COMPLETER		0x00010000
#define DEVCAP2_10BIT_REQUESTER		0x00020000
#define DEVCTL2_10BIT_REQUESTER		0x1000

#define MPS_SHIFT		5
#define MRRS_SHIFT		12
#define SIZE_MASK		7
#define SIZE_BYTES		128	/* of code 0; each next code doubles the size */
#define MRRS_LEAST		512

static const struct fact_function *at(const struct facts *facts, int function)
{
	return &facts->function[function];
}

/* The root port above a function, or the topmost port that the host shows. */
static int root_of(const struct facts *facts, int function)
{
	int parent;

	while ((parent = facts_parent(facts, function)) != INSTINCT_NODE_NONE)
		function = parent;
	return function;
}

/* Index of the i-th requester: GPUs first, then network functions; -1 after the last. */
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
 * check_tlp_tags() - check that 10-bit tags are on exactly where both ends have them
 * @facts: facts about the host or guest
 * @result: receives the findings
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
				    "the function uses 10-bit tags, but its root port cannot complete them: reads of memory time out");
		else if (!enabled && root->device2 & DEVCAP2_10BIT_COMPLETER &&
			 at(facts, function)->device2 & DEVCAP2_10BIT_REQUESTER)
			result_warn(result, function,
				    "switch \"10-bit Tag\" (\"PCIe Ten Bit Tag Support\") on in the BIOS",
				    "10-bit tags are off, though the function and its root port have them: fewer reads in flight");
	}
	result_ok(result, "%zu of %zu functions use 10-bit tags, as many as can", on,
		  facts->gpus + facts->peers);
}

/**
 * check_tlp_extended_tags() - check that 8-bit tags are on where functions have them
 * @facts: facts about the host or guest
 * @result: receives the findings
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
				    "switch \"Extended Tag\" on in the BIOS; Linux switches it off for all below a port that lacks it",
				    "8-bit tags are off, though the function has them: 32 reads in flight at most");
	result_ok(result, "8-bit tags are on at all functions that have them");
}

/**
 * struct atomics_fault - reason why AtomicOps to host memory do not pass a port
 * @text: text of the finding
 * @remedy: remedy for the operator
 */
struct atomics_fault {
	const char *text;
	const char *remedy;
};

#define PORTS_ATOMICS	"switch \"PCIe AtomicOps\" on in the BIOS, or move the GPU to a slot whose ports have it"

static const struct atomics_fault blocks = {
	"the port above a GPU blocks AtomicOps: ROCm has none to host memory",
	"switch \"AtomicOp egress blocking\" off in the BIOS or the switch's firmware",
};

static const struct atomics_fault does_not_complete = {
	"the port above a GPU does not complete AtomicOps: ROCm has none to host memory",
	PORTS_ATOMICS,
};

static const struct atomics_fault does_not_forward = {
	"the port above a GPU does not forward AtomicOps: ROCm has none to host memory",
	PORTS_ATOMICS,
};

/*
 * Requests to host memory leave a switch by its upstream port, so AtomicOp egress blocking
 * matters there. At other ports the bit concerns requests to peers.
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

/* Report the first port above the GPU that AtomicOps do not pass. */
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
 * check_tlp_atomics() - check that AtomicOps of GPUs reach host memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * The driver inside the guest enables the GPU as a requester.
 */
void check_tlp_atomics(const struct facts *facts, struct result *result)
{
	size_t i;

	if (!checks_need_gpus(facts, result) || !checks_need_paths(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++)
		if (has_path(facts, facts->gpu[i]))
			judge_atomics(facts, facts->gpu[i], result);
	result_ok(result, "all ports above forward AtomicOps, and root ports complete them");
}

/*
 * Linux, pcie_configure_mps(): with this parameter MaxPayload of a function may be smaller than
 * that of the port above, but not larger; and MaxReadReq is limited to MaxPayload.
 */
static bool is_bus_perf(const struct facts *facts)
{
	return command_line_says(facts->kernel.command, "pci", "pcie_bus_perf");
}

#define SAME_PAYLOAD	"set \"Max Payload Size\" in the BIOS to auto; pci=pcie_bus_safe on the kernel's command line makes it the same everywhere, but 128 bytes where a switch below the root port has hot-plug slots"

static unsigned int mps(const struct fact_function *function)
{
	return SIZE_BYTES << (function->control >> MPS_SHIFT & SIZE_MASK);
}

/* All functions below one root port share a MaxPayload, so the smallest supported one. */
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
			    "MaxPayload is %u bytes, but a port above has %u: packets in between are malformed",
			    mps(at(facts, function)), mps(at(facts, above)));
		return;
	}
	*is = mps(at(facts, function));
	could = least_payload(facts, root_of(facts, function));
	if (*is < could)
		result_warn(result, function, SAME_PAYLOAD,
			    "MaxPayload is %u bytes, though all functions below its root port support %u", *is, could);
}

/**
 * check_tlp_max_payload() - check that MaxPayload is equal along a path, and at its maximum
 * @facts: facts about the host or guest
 * @result: receives the findings
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
		result_ok(result, "no function has a larger MaxPayload than the port above (pci=pcie_bus_perf)");
	else if (size)
		result_ok(result, "MaxPayload is %u bytes, the same along each path", size);
	else
		result_skip(result, "sysfs shows no port above the GPUs");
}

/**
 * check_tlp_max_read() - check that MaxReadReq is 512 bytes or more
 * @facts: facts about the host or guest
 * @result: receives the findings
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
			 "take pci=pcie_bus_perf off the kernel's command line; it limits reads to MaxPayload");
	else
		snprintf(remedy, sizeof(remedy),
			 "set \"Max Read Request Size\" in the BIOS to auto or %u%s", MRRS_LEAST,
			 facts_kernel_is_locked(facts) ? "" :
			 "; at once: setpci -s BDF CAP_EXP+8.w=2000:7000");
	for (i = 0; (function = requester(facts, i)) >= 0; i++) {
		unsigned int size = SIZE_BYTES << (at(facts, function)->control >> MRRS_SHIFT &
						   SIZE_MASK);

		if (at(facts, function)->express && size < MRRS_LEAST)
			result_warn(result, function, remedy,
				    "MaxReadReq is %u bytes: the same data takes more requests",
				    size);
	}
	result_ok(result, "MaxReadReq is %u bytes or more", MRRS_LEAST);
}

/**
 * check_tlp_relaxed_ordering() - check that relaxed ordering and No Snoop are on
 * @facts: facts about the host or guest
 * @result: receives the findings
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
				    "switch \"Relaxed Ordering\" on in the BIOS; Linux switches it off below root ports that implement it wrongly (kernel log)",
				    "relaxed ordering is off: peer-to-peer DMA waits for earlier requests");
		if (!(is->control & PCI_EXP_DEVCTL_NOSNOOP_EN))
			result_warn(result, function, "switch \"No Snoop\" on in the BIOS",
				    "No Snoop is off: requests snoop caches for data that they cannot have");
	}
	result_ok(result, "relaxed ordering and No Snoop are on");
}
