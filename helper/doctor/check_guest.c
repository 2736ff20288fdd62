// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "profile.h"
#include "say.h"

/* GPUs of a board's hive. */
#define HIVE_WHOLE		8
#define HIVE_WHOLE_MI300A	4

static const struct instinct_node *node_of(const struct facts *facts, int function)
{
	return &facts->findings.host.node[function];
}

/**
 * check_guest_links() - are the GPUs' links as good as they can do?
 * @facts: facts
 * @result: set
 *
 * What the port above can do is the VMM's invention: that does not count.
 */
void check_guest_links(const struct facts *facts, struct result *result)
{
	char is[32], could[32];
	size_t i, seen = 0;

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct host_link *link =
			&facts->findings.host.function[facts->gpu[i]].link;

		if (!link->speed || !link->width)
			continue;
		seen++;
		if (link->speed >= link->max_speed && link->width >= link->max_width)
			continue;
		host_link_speed_text(link->speed, is, sizeof(is));
		host_link_speed_text(link->max_speed, could, sizeof(could));
		result_warn(result, facts->gpu[i],
			    link->width < link->max_width || facts_is_known(facts, facts->gpu[i]) ?
			    "on the host: instinctctl doctor --only link-speed link-width" :
			    CHECKS_LINK_IDLE,
			    "link at %s x%u, it can do %s x%u", is, link->width, could,
			    link->max_width);
	}
	if (seen)
		result_ok(result, "%zu link%s, as good as the GPU can do", seen, plural(seen));
	else
		result_skip(result, "the VMM shows no link: GPUs are on no PCIe root port");
}

/* 0 where that is not known, and for a card that has no XGMI. */
static size_t hive_size(const struct instinct_node *node)
{
	const struct instinct_profile *profile =
		instinct_profile_find(node->vendor, node->device);

	if (!profile || !strcmp(profile->family->name, "mi350p"))
		return 0;
	return strcmp(profile->family->name, "mi300a") ? HIVE_WHOLE : HIVE_WHOLE_MI300A;
}

static bool same_hive(const struct facts *facts, size_t a, size_t b)
{
	return !strcmp(facts->guest.hive[a].text, facts->guest.hive[b].text);
}

/**
 * check_guest_hive() - are all GPUs of the board in one XGMI hive?
 * @facts: facts
 * @result: set
 */
void check_guest_hive(const struct facts *facts, struct result *result)
{
	const char *remedy = "give the guest all GPUs of the board, and reset them together on the host: instinctctl reset --all";
	size_t i, in = 0, whole;

	if (!checks_need_gpus(facts, result))
		return;
	if (!facts_are_amd(facts)) {
		result_skip(result, "not AMD's: nvidia-smi topo -m tells of NVLink");
		return;
	}
	whole = hive_size(node_of(facts, facts->gpu[0]));
	if (!whole) {
		result_skip(result, "no board whose hive is known: amd-smi topology tells of XGMI");
		return;
	}
	for (i = 0; i < facts->gpus; i++)
		in += !facts->guest.hive[i].error;
	for (i = 0; i < facts->gpus && facts->gpus > 1; i++)
		if (facts->guest.hive[i].error)
			result_fail(result, facts->gpu[i], remedy,
				    "in no XGMI hive (xgmi_hive_info): between GPUs all goes over PCIe");
		else if (!same_hive(facts, i, 0))
			result_fail(result, facts->gpu[i], remedy,
				    "in another XGMI hive than the first GPU");
	if (in > 1 && in < whole)
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "%zu of a board's %zu GPUs are here: amdgpu resets a hive at its probe only when it sees all of it",
			    in, whole);
	if (facts->gpus == 1)
		result_ok(result, "one GPU alone");
	else
		result_ok(result, "all %zu in hive %s", in, facts->guest.hive[0].text);
}

/**
 * check_guest_iommu() - does the guest have an IOMMU that translates once more?
 * @facts: facts
 * @result: set
 */
void check_guest_iommu(const struct facts *facts, struct result *result)
{
	const struct iommu_facts *iommu = &facts->iommu;

	if (iommu->count && (iommu->lazy || iommu->strict))
		result_warn(result, RESULT_NO_FUNCTION,
			    "take it out of the VM, or iommu=pt on the guest's kernel command line",
			    "the guest has an IOMMU of its own (%s) that translates: peer-to-peer DMA is off the direct path",
			    iommu->name);
	if (iommu->count)
		result_ok(result, "%s, which passes through", iommu->name);
	else
		result_ok(result, "none");
}

/**
 * check_guest_dmabuf() - can network cards reach the GPUs' memory?
 * @facts: facts
 * @result: set
 */
void check_guest_dmabuf(const struct facts *facts, struct result *result)
{
	const struct kernel_facts *kernel = &facts->kernel;

	if (*facts->guest.peermem) {
		result_ok(result, "by peer memory (%s)", facts->guest.peermem);
		return;
	}
	/* "RDMA/umem: Support importing dma-buf as user memory region" */
	if (facts_kernel_before(facts, 5, 12)) {
		result_fail(result, RESULT_NO_FUNCTION, "Linux 5.12 or later",
			    "%s has no RDMA with dma-buf", kernel->release.text);
		return;
	}
	if (kernel->options_error) {
		result_skip(result, "/boot/config-%s %s", kernel->release.text,
			    fact_why(kernel->options_error));
		return;
	}
	if (kernel->option[OPTION_PCI_P2PDMA] == 'n')
		result_fail(result, RESULT_NO_FUNCTION, "take a kernel that is built with it",
			    "the kernel is built without CONFIG_PCI_P2PDMA: no peer-to-peer DMA");
	/* RCCL asks for both before it uses dma-buf. */
	if (facts_are_amd(facts) && kernel->option[OPTION_DMABUF_MOVE_NOTIFY] == 'n')
		result_warn(result, RESULT_NO_FUNCTION,
			    "take a kernel that is built with it, or load the vendor's peer memory module",
			    "the kernel is built without CONFIG_DMABUF_MOVE_NOTIFY: RCCL does without dma-buf");
	result_ok(result, "by dma-buf: %s has what it takes", kernel->release.text);
}

/**
 * check_guest_memlock() - may RDMA lock as much memory as it wants?
 * @facts: facts
 * @result: set
 */
void check_guest_memlock(const struct facts *facts, struct result *result)
{
	const struct fact *memlock = &facts->guest.memlock;

	if (!checks_need(memlock, "/proc/self/limits", result))
		return;
	if (!fact_is(memlock, "unlimited"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "ulimit -l unlimited: LimitMEMLOCK=infinity in the unit, --ulimit memlock=-1 of the container, or /etc/security/limits.d",
			    "%s bytes at most may be locked here: RDMA fails to register memory",
			    memlock->text);
	result_ok(result, "no limit");
}

/* PCIe r6.0 sec 9.3.5.4: of a virtual function these bits read zero, the physical decides. */
static bool is_virtual(const struct fact_function *function)
{
	return !(function->control & (PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
				      PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_READRQ));
}

/**
 * check_guest_relaxed_ordering() - may a network card's requests pass each other?
 * @facts: facts
 * @result: set
 */
void check_guest_relaxed_ordering(const struct facts *facts, struct result *result)
{
	size_t i, known = 0, virtual = 0;

	for (i = 0; i < facts->peers; i++) {
		const struct fact_function *function = &facts->function[facts->peer[i]];

		if (!function->express)
			continue;
		if (is_virtual(function)) {
			virtual++;
			continue;
		}
		known++;
		if (!(function->control & PCI_EXP_DEVCTL_RELAX_EN))
			result_warn(result, facts->peer[i],
				    "on the host: \"Relaxed Ordering\" in the BIOS, mlxconfig set PCI_WR_ORDERING=1 (force_relax)",
				    "relaxed ordering is off at this network card: peer-to-peer DMA is slow, or fails with ACS redirect");
	}
	if (known)
		result_ok(result, "on at %zu network card%s", known, plural(known));
	else if (virtual)
		result_skip(result, "network cards are virtual functions: on the host, instinctctl doctor --only relaxed-ordering");
	else if (facts->peers)
		result_skip(result, "config spaces of network cards may be read by root only");
	else
		result_skip(result, "no network card but virtio's");
}
