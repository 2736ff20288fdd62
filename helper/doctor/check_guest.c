// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "core/profile.h"
#include "say.h"

/* The number of GPUs in the hive of a board. */
#define HIVE_WHOLE		8

static const struct instinct_node *node_of(const struct facts *facts, int function)
{
	return &facts->findings.host.node[function];
}

/**
 * check_guest_links() - check that links are as fast and wide as the GPUs support
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * The VMM invents the capabilities of the port above, so only those of the GPU count.
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
			    "run on the host: instinctctl doctor --only link-speed link-width" :
			    CHECKS_LINK_IDLE,
			    "the link runs at %s x%u, but the GPU supports %s x%u", is, link->width, could,
			    link->max_width);
	}
	if (seen)
		result_ok(result, "%zu link%s, as fast and wide as the GPU supports", seen, plural(seen));
	else
		result_skip(result, "the VMM shows no link: GPUs are on no PCIe root port");
}

/* GPUs in the hive of this board; 0 for an unknown model, and for a card without XGMI. */
static size_t hive_size(const struct instinct_node *node)
{
	const struct instinct_profile *profile =
		instinct_profile_find(node->vendor, node->device);

	return profile && strcmp(profile->family->name, "mi350p") ? HIVE_WHOLE : 0;
}

static bool same_hive(const struct facts *facts, size_t a, size_t b)
{
	return !strcmp(facts->guest.hive[a].text, facts->guest.hive[b].text);
}

/**
 * check_guest_hive() - check that the guest has all GPUs of an XGMI hive
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_guest_hive(const struct facts *facts, struct result *result)
{
	const char *remedy = "give the guest all GPUs of the board, and reset them together on the host: instinctctl reset --all";
	size_t i, in = 0, whole;

	if (!checks_need_gpus(facts, result))
		return;
	if (!facts_are_amd(facts)) {
		result_skip(result, "the GPUs are not AMD's; nvidia-smi topo -m shows NVLink");
		return;
	}
	whole = hive_size(node_of(facts, facts->gpu[0]));
	if (!whole) {
		result_skip(result, "the size of this board's hive is unknown; amd-smi topology shows XGMI");
		return;
	}
	for (i = 0; i < facts->gpus; i++)
		in += !facts->guest.hive[i].error;
	for (i = 0; i < facts->gpus && facts->gpus > 1; i++)
		if (facts->guest.hive[i].error)
			result_fail(result, facts->gpu[i], remedy,
				    "the GPU is in no XGMI hive (xgmi_hive_info): traffic between GPUs goes over PCIe");
		else if (!same_hive(facts, i, 0))
			result_fail(result, facts->gpu[i], remedy,
				    "the GPU is in another XGMI hive than the first one");
	if (in > 1 && in < whole)
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "the guest has %zu of a board's %zu GPUs: amdgpu resets a hive at its probe only when it sees all members",
			    in, whole);
	if (facts->gpus == 1)
		result_ok(result, "the guest has one GPU");
	else
		result_ok(result, "all GPUs (%zu) are in hive %s", in, facts->guest.hive[0].text);
}

/**
 * check_guest_iommu() - check that no IOMMU of the guest translates DMA a second time
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_guest_iommu(const struct facts *facts, struct result *result)
{
	const struct iommu_facts *iommu = &facts->iommu;

	if (iommu->count && (iommu->lazy || iommu->strict))
		result_warn(result, RESULT_NO_FUNCTION,
			    "remove it from the VM, or add iommu=pt to the guest's kernel command line",
			    "the guest has an IOMMU of its own (%s) that translates: peer-to-peer DMA leaves the direct path",
			    iommu->name);
	if (iommu->count)
		result_ok(result, "the guest's IOMMU (%s) passes DMA through", iommu->name);
	else
		result_ok(result, "the guest has no IOMMU");
}

/**
 * check_guest_dmabuf() - check that network cards can reach GPU memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_guest_dmabuf(const struct facts *facts, struct result *result)
{
	const struct kernel_facts *kernel = &facts->kernel;

	if (*facts->guest.peermem) {
		result_ok(result, "network cards use peer memory (%s)", facts->guest.peermem);
		return;
	}
	/* "RDMA/umem: Support importing dma-buf as user memory region" */
	if (facts_kernel_before(facts, 5, 12)) {
		result_fail(result, RESULT_NO_FUNCTION, "install Linux 5.12 or later",
			    "Linux %s has no RDMA with dma-buf", kernel->release.text);
		return;
	}
	if (kernel->options_error) {
		result_skip(result, "/boot/config-%s %s", kernel->release.text,
			    fact_why(kernel->options_error));
		return;
	}
	if (kernel->option[OPTION_PCI_P2PDMA] == 'n')
		result_fail(result, RESULT_NO_FUNCTION, "install a kernel with this option",
			    "the kernel lacks CONFIG_PCI_P2PDMA: it has no peer-to-peer DMA");
	/* RCCL checks for both options before it uses dma-buf. */
	if (facts_are_amd(facts) && kernel->option[OPTION_DMABUF_MOVE_NOTIFY] == 'n')
		result_warn(result, RESULT_NO_FUNCTION,
			    "install a kernel with this option, or load the vendor's peer memory module",
			    "the kernel lacks CONFIG_DMABUF_MOVE_NOTIFY: RCCL does not use dma-buf");
	result_ok(result, "network cards can use dma-buf on Linux %s", kernel->release.text);
}

/**
 * check_guest_memlock() - check that RDMA may lock unlimited memory
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_guest_memlock(const struct facts *facts, struct result *result)
{
	const struct fact *memlock = &facts->guest.memlock;

	if (!checks_need(memlock, "/proc/self/limits", result))
		return;
	if (!fact_is(memlock, "unlimited"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "set ulimit -l unlimited: LimitMEMLOCK=infinity in the unit, --ulimit memlock=-1 of the container, or /etc/security/limits.d",
			    "a process may lock only %s bytes here: RDMA fails to register memory",
			    memlock->text);
	result_ok(result, "locked memory has no limit");
}

/* PCIe r6.0 sec 9.3.5.4: these bits of a virtual function read zero; its PF's bits apply. */
static bool is_virtual(const struct fact_function *function)
{
	return !(function->control & (PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
				      PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_READRQ));
}

/**
 * check_guest_relaxed_ordering() - check that network cards use relaxed ordering
 * @facts: facts about the host or guest
 * @result: receives the findings
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
				    "on the host, switch \"Relaxed Ordering\" on in the BIOS, and mlxconfig set PCI_WR_ORDERING=1 (force_relax)",
				    "relaxed ordering is off at this network card: peer-to-peer DMA is slow, or fails with ACS redirect");
	}
	if (known)
		result_ok(result, "relaxed ordering is on at %zu network card%s", known, plural(known));
	else if (virtual)
		result_skip(result, "the network cards are virtual functions; run on the host: instinctctl doctor --only relaxed-ordering");
	else if (facts->peers)
		result_skip(result, "the config spaces of network cards %s", checks_unread());
	else
		result_skip(result, "the guest has no network card except virtio's");
}
