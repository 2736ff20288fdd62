// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "say.h"

#define KIB	1024

#define HOST(...)	{ __VA_ARGS__, false }
#define GUEST(...)	{ __VA_ARGS__, true }

/* In the order in which an engineer goes through a host; groups together. */
const struct check checks[] = {
	HOST("gpus", "GPUs", "all there, of one model", check_driver_gpus),
	HOST("gpu-answers", "GPUs", "each answers", check_driver_answers),
	HOST("driver", "GPUs", "which driver has each", check_driver_driver),
	HOST("driver-order", "GPUs", "the module comes before amdgpu and vfio-pci",
	     check_driver_order),
	HOST("module", "Module", "loaded", check_module_loaded),
	HOST("module-version", "Module", "of the same version as instinctctl",
	     check_module_version),
	HOST("dkms", "Module", "installed for this kernel and the next", check_module_dkms),
	HOST("module-signing", "Module", "may be loaded under lockdown and Secure Boot",
	     check_module_signing),
	HOST("policy", "Policy", "installed, right and in force", check_isolation_policy),
	HOST("policy-at-boot", "Policy", "applied at boot, before GPUs are handed out",
	     check_driver_at_boot),
	HOST("acs-policy", "Policy", "ports carry the ACS that policy wants", check_isolation_acs),
	HOST("ats-policy", "Policy", "ATS is on where policy wants it", check_isolation_ats),
	HOST("peers", "Policy", "paths of peers, guest memory at addresses of switches",
	     check_isolation_peers),
	HOST("iommu-on", "IOMMU", "each GPU is behind one", check_iommu_on),
	HOST("iommu-mode", "IOMMU", "passthrough, lazy or strict for host drivers",
	     check_iommu_mode),
	HOST("interrupt-remapping", "IOMMU", "on", check_iommu_interrupts),
	HOST("iommu-groups", "IOMMU", "each GPU has one of its own", check_isolation_groups),
	HOST("acs-groups", "IOMMU", "ports carry what groups were computed from",
	     check_isolation_acs_groups),
	HOST("vfio-options", "IOMMU", "none that takes away safety or speed",
	     check_iommu_vfio_options),
	HOST("bar-vram", "BARs", "show all of the video memory", check_bars_vram),
	HOST("bar-assigned", "BARs", "each has an address", check_bars_assigned),
	HOST("bar-above-4g", "BARs", "large ones are above 4 GiB", check_bars_above_4g),
	HOST("bar-windows", "BARs", "ports above forward them", check_bars_windows),
	HOST("console", "BARs", "no framebuffer of the firmware in one", check_bars_console),
	HOST("link-speed", "PCIe", "as fast as both ends can do", check_link_speed),
	HOST("link-width", "PCIe", "as wide as both ends can do", check_link_width),
	HOST("aer", "PCIe", "errors since boot", check_link_aer),
	HOST("aspm", "PCIe", "links do not save power", check_link_aspm),
	HOST("max-payload", "PCIe", "the same along each path, as large as can be",
	     check_tlp_max_payload),
	HOST("max-read-request", "PCIe", "512 bytes or more", check_tlp_max_read),
	HOST("relaxed-ordering", "PCIe", "on, No Snoop too", check_tlp_relaxed_ordering),
	HOST("extended-tags", "PCIe", "on where they are there", check_tlp_extended_tags),
	HOST("tags-10bit", "PCIe", "on where both ends have them, and only there", check_tlp_tags),
	HOST("atomics", "PCIe", "AtomicOps reach host memory", check_tlp_atomics),
	HOST("d3cold", "Power", "no GPU is switched off", check_power_d3cold),
	HOST("port-power", "Power", "ports above GPUs are awake", check_power_ports),
	HOST("idle-d3", "Power", "vfio-pci does not put GPUs to sleep", check_power_idle_d3),
	HOST("numa-node", "NUMA and memory", "known of each GPU", check_numa_node),
	HOST("numa-nps", "NUMA and memory", "nodes per socket", check_numa_per_socket),
	HOST("numa-memory", "NUMA and memory", "nodes of GPUs have memory", check_numa_memory),
	HOST("numa-spread", "NUMA and memory", "GPUs are spread evenly", check_numa_spread),
	HOST("numa-balancing", "NUMA and memory", "the kernel moves no pages",
	     check_numa_balancing),
	HOST("hugepages", "NUMA and memory", "there are some for guests", check_numa_hugepages),
	HOST("kernel-reset-at-close", "Kernel", "resets at each close",
	     check_kernel_reset_at_close),
	HOST("kernel-huge-maps", "Kernel", "maps BARs in huge pages; else what that costs",
	     check_kernel_huge_maps),
	HOST("kernel-config-acs", "Kernel", "understands its pci=config_acs=",
	     check_kernel_config_acs),
	HOST("kernel-parameters", "Kernel", "none that hurts", check_kernel_parameters),
	HOST("kernel-options", "Kernel", "built with what VFIO needs", check_kernel_options),
	HOST("ipmi", "Around", "a way to the BMC", check_around_ipmi),
	HOST("vmm", "Around", "QEMU, Cloud Hypervisor: new enough for large BARs",
	     check_around_vmm),
	HOST("libvirt", "Around", "finds the module's driver", check_around_libvirt),

	GUEST("guest-gpus", "GPUs", "all there, of one model", check_guest_gpus),
	GUEST("guest-driver", "GPUs", "their own driver has each", check_guest_driver),
	GUEST("guest-links", "GPUs", "PCIe links as good as the GPU can do", check_guest_links),
	GUEST("guest-hive", "GPUs", "the XGMI hive is whole", check_guest_hive),
	GUEST("guest-iommu", "Memory", "no IOMMU that translates once more", check_guest_iommu),
	GUEST("guest-dmabuf", "Memory", "network cards reach GPU memory", check_guest_dmabuf),
	GUEST("guest-memlock", "Memory", "RDMA may lock as much as it wants", check_guest_memlock),
	GUEST("guest-relaxed-ordering", "Memory", "on at network cards",
	      check_guest_relaxed_ordering),
	GUEST("nccl-socket", "NCCL and RCCL", "NCCL_SOCKET_IFNAME", check_nccl_socket),
	GUEST("nccl-dmabuf", "NCCL and RCCL", "NCCL_DMABUF_ENABLE", check_nccl_dmabuf),
	GUEST("nccl-relaxed-ordering", "NCCL and RCCL", "NCCL_IB_PCI_RELAXED_ORDERING",
	      check_nccl_relaxed_ordering),
	GUEST("nccl-topology", "NCCL and RCCL", "NCCL_TOPO_FILE: there and right",
	      check_nccl_topology_file),
	GUEST("nccl-numa", "NCCL and RCCL", "nodes are known, or a file says them",
	      check_nccl_numa),
};

const size_t checks_count = ARRAY_SIZE(checks);

/**
 * checks_find() - a check by its name
 * @name: of it
 *
 * Return: the check or NULL.
 */
const struct check *checks_find(const char *name)
{
	size_t i;

	for (i = 0; i < checks_count; i++)
		if (!strcmp(checks[i].name, name))
			return &checks[i];
	return NULL;
}

/**
 * checks_need_gpus() - is there a GPU to look at?
 * @facts: facts
 * @result: set, if not
 *
 * Return: false if not.
 */
bool checks_need_gpus(const struct facts *facts, struct result *result)
{
	if (!facts->gpus)
		result_skip(result, "no GPU is seen");
	return facts->gpus;
}

/**
 * checks_need_ours() - is there a GPU that the module drives?
 * @facts: facts
 * @result: set, if not
 *
 * Return: false if not.
 */
bool checks_need_ours(const struct facts *facts, struct result *result)
{
	if (!facts->known)
		result_skip(result, "no GPU of ours");
	return facts->known;
}

/**
 * checks_is_whole_path() - are the registers known all the way up?
 * @facts: facts
 * @function: where it begins
 *
 * Return: true if so.
 */
bool checks_is_whole_path(const struct facts *facts, int function)
{
	for (; function != INSTINCT_NODE_NONE; function = facts_parent(facts, function))
		if (!facts->function[function].express)
			return false;
	return true;
}

/**
 * checks_need_paths() - are the registers of a GPU and of its ports known?
 * @facts: facts
 * @result: set, if not
 *
 * Return: false if not.
 */
bool checks_need_paths(const struct facts *facts, struct result *result)
{
	size_t i, resetting = 0;

	for (i = 0; i < facts->gpus; i++) {
		if (checks_is_whole_path(facts, facts->gpu[i]))
			return true;
		resetting += facts_function(facts, facts->gpu[i])->resetting;
	}
	if (resetting)
		result_skip(result, "GPUs are being reset, and not waited for");
	else
		result_skip(result, "config spaces cannot be read whole: %s", *opt_sysroot ?
			    "the capture was not made by root" : "that takes root");
	return false;
}

/**
 * checks_need() - could it be read?
 * @fact: it
 * @what: it is called
 * @result: set, if not
 *
 * Return: false if not.
 */
bool checks_need(const struct fact *fact, const char *what, struct result *result)
{
	if (fact->error)
		result_skip(result, "%s %s", what, fact_why(fact->error));
	return !fact->error;
}

/**
 * checks_size() - a size for people
 * @bytes: it
 * @text: set to "256 GiB", say
 * @size: of @text in bytes
 *
 * Return: @text.
 */
const char *checks_size(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	double value = bytes;

	while (value >= KIB && unit + 1 < ARRAY_SIZE(units)) {
		value /= KIB;
		unit++;
	}
	snprintf(text, size, "%.*f %s", value < 10 && value != (int)value, value, units[unit]);
	return text;
}
