// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "kind.h"
#include "say.h"
#include "sysfs.h"

#define KIB	1024

#define HOST(...)	{ __VA_ARGS__, false }
#define GUEST(...)	{ __VA_ARGS__, true }

/* The order is the one in which an engineer inspects a host; checks of a group are adjacent. */
const struct check checks[] = {
	HOST("gpus", "GPUs", "all GPUs are present and of one model", check_driver_gpus),
	HOST("gpu-answers", "GPUs", "each GPU answers config reads", check_driver_answers),
	HOST("driver", "GPUs", "each GPU has a driver for guests", check_driver_driver),
	HOST("driver-order", "GPUs", "the module comes before amdgpu and vfio-pci",
	     check_driver_order),
	HOST("module", "Module", "the module is loaded", check_module_loaded),
	HOST("module-version", "Module", "the module has the version of instinctctl",
	     check_module_version),
	HOST("dkms", "Module", "the module is installed for this kernel and the next",
	     check_module_dkms),
	HOST("module-signing", "Module", "the module passes lockdown and Secure Boot",
	     check_module_signing),
	HOST("policy", "Policy", "a policy is installed, correct and in force",
	     check_isolation_policy),
	HOST("policy-at-boot", "Policy", "policy is applied at boot, before users open GPUs",
	     check_driver_at_boot),
	HOST("acs-policy", "Policy", "ports have the ACS that policy wants", check_isolation_acs),
	HOST("ats-policy", "Policy", "ATS is as policy wants", check_isolation_ats),
	HOST("peers", "Policy", "peer paths; guest memory at addresses of switch windows",
	     check_isolation_peers),
	HOST("iommu-on", "IOMMU", "each GPU is behind an IOMMU", check_iommu_on),
	HOST("iommu-mode", "IOMMU", "mode for host drivers: passthrough, lazy or strict",
	     check_iommu_mode),
	HOST("interrupt-remapping", "IOMMU", "the IOMMU remaps interrupts", check_iommu_interrupts),
	HOST("iommu-groups", "IOMMU", "each GPU has a group of its own", check_isolation_groups),
	HOST("acs-groups", "IOMMU", "ports have the ACS that IOMMU groups rely on",
	     check_isolation_acs_groups),
	HOST("vfio-options", "IOMMU", "no VFIO option reduces safety or speed",
	     check_iommu_vfio_options),
	HOST("bar-vram", "BARs", "a BAR covers all of the video memory", check_bars_vram),
	HOST("bar-assigned", "BARs", "each BAR has an address", check_bars_assigned),
	HOST("bar-above-4g", "BARs", "large BARs are above 4 GiB", check_bars_above_4g),
	HOST("bar-windows", "BARs", "ports above forward requests to BARs", check_bars_windows),
	HOST("console", "BARs", "no BAR holds the firmware's framebuffer", check_bars_console),
	HOST("link-speed", "PCIe", "links are as fast as both ends support", check_link_speed),
	HOST("link-width", "PCIe", "links are as wide as both ends support", check_link_width),
	HOST("aer", "PCIe", "AER errors since boot", check_link_aer),
	HOST("error-owner", "PCIe", "Linux owns the errors of the ports above GPUs", check_link_owner),
	HOST("aspm", "PCIe", "ASPM is off", check_link_aspm),
	HOST("max-payload", "PCIe", "MaxPayload is equal along a path and maximal",
	     check_tlp_max_payload),
	HOST("max-read-request", "PCIe", "MaxReadReq is 512 bytes or more", check_tlp_max_read),
	HOST("relaxed-ordering", "PCIe", "relaxed ordering and No Snoop are on",
	     check_tlp_relaxed_ordering),
	HOST("extended-tags", "PCIe", "8-bit tags are on where functions have them",
	     check_tlp_extended_tags),
	HOST("tags-10bit", "PCIe", "10-bit tags are on exactly where both ends have them",
	     check_tlp_tags),
	HOST("atomics", "PCIe", "AtomicOps reach host memory", check_tlp_atomics),
	HOST("d3cold", "Power", "no GPU is switched off", check_power_d3cold),
	HOST("port-power", "Power", "ports above GPUs are awake", check_power_ports),
	HOST("idle-d3", "Power", "vfio-pci does not put GPUs to sleep", check_power_idle_d3),
	HOST("numa-node", "NUMA and memory", "the node of each GPU is known", check_numa_node),
	HOST("numa-nps", "NUMA and memory", "each socket is one node", check_numa_per_socket),
	HOST("numa-memory", "NUMA and memory", "nodes with GPUs have memory", check_numa_memory),
	HOST("numa-spread", "NUMA and memory", "GPUs are spread evenly over sockets", check_numa_spread),
	HOST("numa-balancing", "NUMA and memory", "the kernel moves no pages between nodes",
	     check_numa_balancing),
	HOST("hugepages", "NUMA and memory", "the host has huge pages for guests",
	     check_numa_hugepages),
	HOST("kernel-reset-at-close", "Kernel", "the kernel resets a GPU at each close",
	     check_kernel_reset_at_close),
	HOST("kernel-huge-maps", "Kernel", "the kernel maps BARs in huge pages; else the cost",
	     check_kernel_huge_maps),
	HOST("kernel-config-acs", "Kernel", "the kernel handles pci=config_acs= correctly",
	     check_kernel_config_acs),
	HOST("kernel-parameters", "Kernel", "no parameter is harmful", check_kernel_parameters),
	HOST("kernel-options", "Kernel", "the kernel has the options that VFIO needs", check_kernel_options),
	HOST("ipmi", "Around", "the host reaches its BMC by IPMI", check_around_ipmi),
	HOST("vmm", "Around", "QEMU and Cloud Hypervisor are new enough for large BARs",
	     check_around_vmm),
	HOST("libvirt", "Around", "libvirt finds the module's driver", check_around_libvirt),

	GUEST("guest-gpus", "GPUs", "all GPUs are present and of one model", check_guest_gpus),
	GUEST("guest-driver", "GPUs", "the vendor's driver has each GPU", check_guest_driver),
	GUEST("guest-links", "GPUs", "links are as fast and wide as the GPUs support",
	      check_guest_links),
	GUEST("guest-hive", "GPUs", "the XGMI hive is complete", check_guest_hive),
	GUEST("guest-iommu", "Memory", "no IOMMU translates a second time", check_guest_iommu),
	GUEST("guest-dmabuf", "Memory", "network cards can reach GPU memory", check_guest_dmabuf),
	GUEST("guest-memlock", "Memory", "RDMA may lock unlimited memory", check_guest_memlock),
	GUEST("guest-relaxed-ordering", "Memory", "network cards use relaxed ordering",
	      check_guest_relaxed_ordering),
	GUEST("nccl-socket", "NCCL and RCCL", "NCCL_SOCKET_IFNAME", check_nccl_socket),
	GUEST("nccl-dmabuf", "NCCL and RCCL", "NCCL_DMABUF_ENABLE", check_nccl_dmabuf),
	GUEST("nccl-relaxed-ordering", "NCCL and RCCL", "NCCL_IB_PCI_RELAXED_ORDERING",
	      check_nccl_relaxed_ordering),
	GUEST("nccl-data-direct", "NCCL and RCCL", "data-direct functions of NICs are used",
	      check_nccl_data_direct),
	GUEST("nccl-topology", "NCCL and RCCL", "NCCL_TOPO_FILE exists and fits the guest",
	      check_nccl_topology_file),
	GUEST("nccl-numa", "NCCL and RCCL", "NUMA nodes are known, or a file gives them",
	      check_nccl_numa),
};

const size_t checks_count = ARRAY_SIZE(checks);

/**
 * checks_find() - look up a check by its name
 * @name: name of the check
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
 * checks_need_gpus() - skip a check if there is no GPU
 * @facts: facts about the host or guest
 * @result: receives the reason if not
 *
 * Return: false if there is no GPU.
 */
bool checks_need_gpus(const struct facts *facts, struct result *result)
{
	if (!facts->gpus)
		result_skip(result, "sysfs shows no GPU");
	return facts->gpus;
}

/**
 * checks_need_ours() - skip a check if there is no GPU of a model that the module supports
 * @facts: facts about the host or guest
 * @result: receives the reason if not
 *
 * Return: false if there is no such GPU.
 */
bool checks_need_ours(const struct facts *facts, struct result *result)
{
	if (!facts->known)
		result_skip(result, "the host has no GPU of a model that the module supports");
	return facts->known;
}

static bool is_same_driver(const char *name, const char *other)
{
	for (; *name && *other; name++, other++)
		if (*name != *other && !(strchr("-_", *name) && strchr("-_", *other)))
			return false;
	return !*name && !*other;
}

/**
 * checks_given() - look for a parameter that gives a GPU to a driver
 * @facts: facts about the host
 * @gpu: index of the GPU in the host
 * @driver: name of the driver
 *
 * The drop-in serves GPUs by the module, so IDs for it do no harm.
 *
 * Return: the parameter, or NULL without one.
 */
const struct given_ids *checks_given(const struct facts *facts, int gpu, const char *driver)
{
	size_t i;

	for (i = 0; i < facts->module.givens; i++)
		if (is_same_driver(facts->module.given[i].driver, driver) && !sysfs_is_ours(driver) &&
		    facts_are_given(facts, &facts->module.given[i], gpu))
			return &facts->module.given[i];
	return NULL;
}

/* Guests get GPUs of NVIDIA and Intel by vfio-pci, but those of AMD may not survive its resets. */
static bool harms(const struct facts *facts, const struct given_ids *given, int gpu)
{
	const struct instinct_node *node = &facts->findings.host.node[gpu];

	return facts_is_known(facts, gpu) || kind_is_amd_accelerator(node->vendor, node->class) ||
	       !strstr(given->driver, "vfio");
}

/**
 * checks_judge_given() - report parameters that give GPUs to drivers that do them harm
 * @facts: facts about the host
 * @in_files: report those in files, not those on the kernel's command line
 * @result: receives a finding for each, with its GPUs
 */
void checks_judge_given(const struct facts *facts, bool in_files, struct result *result)
{
	char remedy[2 * TEXT_BYTES];
	size_t i, k;

	for (i = 0; i < facts->module.givens; i++) {
		const struct given_ids *given = &facts->module.given[i];

		if (!*given->file == in_files)
			continue;
		facts_given_where(given, remedy, sizeof(remedy));
		for (k = 0; k < facts->gpus; k++) {
			int gpu = facts->gpu[k];
			const char *driver = facts_function(facts, gpu)->driver;

			if (!harms(facts, given, gpu) || !facts_are_given(facts, given, gpu) ||
			    is_same_driver(given->driver, DRIVER_NAME) ||
			    (is_same_driver(given->driver, DROPIN_NAME) && sysfs_has_dropin()))
				continue;
			if (is_same_driver(driver, given->driver))
				result_fail(result, gpu, remedy, "%s gave the GPU to %s", given->text, driver);
			else
				result_warn(result, gpu, remedy, "%s gives the GPU to another driver at boot",
					    given->text);
		}
	}
}

/**
 * checks_need_drivers() - skip a check if the capture has no drivers
 * @facts: facts about the host or guest
 * @result: receives the reason if not
 *
 * Return: false if a function without a driver may have had one on its host.
 */
bool checks_need_drivers(const struct facts *facts, struct result *result)
{
	if (!facts->findings.host.tells_drivers)
		result_skip(result, "the devices' drivers are not in the capture");
	return facts->findings.host.tells_drivers;
}

/**
 * checks_unread() - explain why whole config spaces could not be read
 *
 * Return: predicate of a sentence whose subject is the config spaces.
 */
const char *checks_unread(void)
{
	return *opt_sysroot ? "are not in the capture" : "may be read by root only";
}

/**
 * checks_is_whole_path() - check that PCI Express registers were readable along a path
 * @facts: facts about the host or guest
 * @function: index of the function at the lower end of the path
 *
 * Return: true if those of the function and of all ports above it were readable.
 */
bool checks_is_whole_path(const struct facts *facts, int function)
{
	for (; function != INSTINCT_NODE_NONE; function = facts_parent(facts, function))
		if (!facts->function[function].express)
			return false;
	return true;
}

/**
 * checks_need_paths() - skip a check if no GPU has a path with readable registers
 * @facts: facts about the host or guest
 * @result: receives the reason if not
 *
 * Return: false if no GPU has one.
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
		result_skip(result, "GPUs are being reset, and doctor does not wait for them");
	else
		result_skip(result, *opt_sysroot ? "the capture has no whole config spaces: %s" :
			    "doctor cannot read whole config spaces: %s", *opt_sysroot ?
			    host_unread_remedy() : "that takes root");
	return false;
}

/**
 * checks_need() - skip a check if a fact could not be read
 * @fact: fact
 * @what: name of the fact in the message
 * @result: receives the reason if not
 *
 * Return: false if it could not be read.
 */
bool checks_need(const struct fact *fact, const char *what, struct result *result)
{
	if (fact->error)
		result_skip(result, "%s %s", what, fact_why(fact->error));
	return !fact->error;
}

/**
 * checks_size() - write a size with a unit
 * @bytes: size
 * @text: receives the text, such as "256 GiB"
 * @size: bytes of @text
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
