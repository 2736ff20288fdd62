/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks: checks.c has a row for each, and each is a function of the facts alone. */
#ifndef CHECKS_H
#define CHECKS_H

#include "facts.h"
#include "result.h"

#define CHECKS_LINK_IDLE	"many GPUs slow their link when idle: run doctor again under load"

/**
 * struct check - a check of a host or of a guest
 * @name: stable name
 * @group: heading of the check in the output
 * @what: statement that holds if all is well
 * @judge: function that judges the facts
 * @guest: the check is for the inside of a guest
 */
struct check {
	const char *name;
	const char *group;
	const char *what;
	void (*judge)(const struct facts *facts, struct result *result);
	bool guest;
};

extern const struct check checks[];
extern const size_t checks_count;

const struct check *checks_find(const char *name);
bool checks_need_gpus(const struct facts *facts, struct result *result);
bool checks_need_ours(const struct facts *facts, struct result *result);
const struct given_ids *checks_given(const struct facts *facts, int gpu, const char *driver);
void checks_judge_given(const struct facts *facts, bool in_files, struct result *result);
bool checks_need_drivers(const struct facts *facts, struct result *result);
const char *checks_unread(void);
bool checks_need_paths(const struct facts *facts, struct result *result);
bool checks_need(const struct fact *fact, const char *what, struct result *result);
bool checks_is_whole_path(const struct facts *facts, int function);
int checks_bar_without_address(const struct facts *facts, int gpu);
const char *checks_size(uint64_t bytes, char *text, size_t size);

void check_kernel_reset_at_close(const struct facts *facts, struct result *result);
void check_kernel_huge_maps(const struct facts *facts, struct result *result);
void check_kernel_config_acs(const struct facts *facts, struct result *result);
void check_kernel_parameters(const struct facts *facts, struct result *result);
void check_kernel_options(const struct facts *facts, struct result *result);
void check_iommu_on(const struct facts *facts, struct result *result);
void check_iommu_mode(const struct facts *facts, struct result *result);
void check_iommu_interrupts(const struct facts *facts, struct result *result);
void check_iommu_vfio_options(const struct facts *facts, struct result *result);
void check_bars_vram(const struct facts *facts, struct result *result);
void check_bars_assigned(const struct facts *facts, struct result *result);
void check_bars_above_4g(const struct facts *facts, struct result *result);
void check_bars_windows(const struct facts *facts, struct result *result);
void check_bars_console(const struct facts *facts, struct result *result);
void check_link_speed(const struct facts *facts, struct result *result);
void check_link_width(const struct facts *facts, struct result *result);
void check_link_aer(const struct facts *facts, struct result *result);
void check_link_owner(const struct facts *facts, struct result *result);
void check_link_aspm(const struct facts *facts, struct result *result);
void check_tlp_tags(const struct facts *facts, struct result *result);
void check_tlp_extended_tags(const struct facts *facts, struct result *result);
void check_tlp_atomics(const struct facts *facts, struct result *result);
void check_tlp_max_payload(const struct facts *facts, struct result *result);
void check_tlp_max_read(const struct facts *facts, struct result *result);
void check_tlp_relaxed_ordering(const struct facts *facts, struct result *result);
void check_numa_node(const struct facts *facts, struct result *result);
void check_numa_per_socket(const struct facts *facts, struct result *result);
void check_numa_memory(const struct facts *facts, struct result *result);
void check_numa_spread(const struct facts *facts, struct result *result);
void check_numa_balancing(const struct facts *facts, struct result *result);
void check_numa_hugepages(const struct facts *facts, struct result *result);
void check_isolation_policy(const struct facts *facts, struct result *result);
void check_isolation_acs(const struct facts *facts, struct result *result);
void check_isolation_ats(const struct facts *facts, struct result *result);
void check_isolation_groups(const struct facts *facts, struct result *result);
void check_isolation_acs_groups(const struct facts *facts, struct result *result);
void check_isolation_peers(const struct facts *facts, struct result *result);
void check_driver_gpus(const struct facts *facts, struct result *result);
void check_driver_answers(const struct facts *facts, struct result *result);
void check_driver_driver(const struct facts *facts, struct result *result);
void check_driver_order(const struct facts *facts, struct result *result);
void check_driver_at_boot(const struct facts *facts, struct result *result);
void check_module_loaded(const struct facts *facts, struct result *result);
void check_module_version(const struct facts *facts, struct result *result);
void check_module_dkms(const struct facts *facts, struct result *result);
void check_module_signing(const struct facts *facts, struct result *result);
void check_power_d3cold(const struct facts *facts, struct result *result);
void check_power_ports(const struct facts *facts, struct result *result);
void check_power_idle_d3(const struct facts *facts, struct result *result);
void check_around_ipmi(const struct facts *facts, struct result *result);
void check_around_vmm(const struct facts *facts, struct result *result);
void check_around_libvirt(const struct facts *facts, struct result *result);
void check_guest_gpus(const struct facts *facts, struct result *result);
void check_guest_driver(const struct facts *facts, struct result *result);
void check_guest_links(const struct facts *facts, struct result *result);
void check_guest_hive(const struct facts *facts, struct result *result);
void check_guest_dmabuf(const struct facts *facts, struct result *result);
void check_guest_iommu(const struct facts *facts, struct result *result);
void check_guest_memlock(const struct facts *facts, struct result *result);
void check_guest_relaxed_ordering(const struct facts *facts, struct result *result);
void check_nccl_socket(const struct facts *facts, struct result *result);
void check_nccl_dmabuf(const struct facts *facts, struct result *result);
void check_nccl_relaxed_ordering(const struct facts *facts, struct result *result);
void check_nccl_data_direct(const struct facts *facts, struct result *result);
void check_nccl_numa(const struct facts *facts, struct result *result);
void check_nccl_topology_file(const struct facts *facts, struct result *result);

#endif /* CHECKS_H */
