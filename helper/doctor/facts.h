/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about this host, a guest or a captured host: read once, then judged by the checks. */
#ifndef FACTS_H
#define FACTS_H

#include <dirent.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <sys/types.h>

#include "aer.h"
#include "findings.h"
#include "guest_file.h"
#include "host_link.h"
#include "nccl_environment.h"
#include "numa.h"
#include "ownership.h"

#define WORD_BYTES	64
#define FACTS_BARS	6

/**
 * struct fact - first line of a file
 * @error: 0, or the errno of the failed read
 * @text: the line
 */
struct fact {
	int error;
	char text[WORD_BYTES];
};

/**
 * struct fact_bar - base address register
 * @start: address, 0 without one
 * @bytes: size, 0 if there is no such BAR
 * @flags: IORESOURCE_*, as sysfs shows them
 * @resizable: supported sizes, bit n for 2^n MiB; 0 if it is not resizable
 * @lost: the GPU has the BAR, but Linux found no room and dropped its resource
 */
struct fact_bar {
	uint64_t start;
	uint64_t bytes;
	uint64_t flags;
	uint64_t resizable;
	bool lost;
};

/**
 * struct fact_function - a GPU, a network function below the same switch, or a port above
 * @near: the function is one of these; for other functions below a shared port, only @express
 *	and the registers of this capability are read
 * @config: at least the first 64 bytes of the config space could be read
 * @silent: the config space reads all ones
 * @placeholder: a switch in Synthetic Mode answers in place of the function
 * @had_gpu: a GPU had this address: it is bound there at each boot, or its number was noted (functions
 *	1000:02b2 only)
 * @express: the registers of the PCI Express capability could be read
 * @device: Device Capabilities
 * @control: Device Control
 * @device2: Device Capabilities 2
 * @control2: Device Control 2
 * @link_control: Link Control
 * @resources: number of BARs that sysfs lists (GPUs only)
 * @bar: base address registers (GPUs only)
 * @vram: bytes of video memory, 0 if unknown (GPUs only)
 * @aer: errors that AER has counted since boot
 * @own: owners of a port's errors and hot-plug events (ports above GPUs and network functions only)
 * @power: power state, such as "D0" and "D3hot"
 * @d3cold: the kernel may put the function into D3cold (read only outside D0)
 * @runtime: runtime power management, "auto" or "on" (read only outside D0)
 * @override: driver_override of a GPU without a driver, "" if not set
 * @boot_vga: the firmware's console was on this GPU
 */
struct fact_function {
	bool near;
	bool config;
	bool silent;
	bool placeholder;
	bool had_gpu;
	bool express;
	uint32_t device;
	uint16_t control;
	uint32_t device2;
	uint16_t control2;
	uint16_t link_control;
	unsigned int resources;
	struct fact_bar bar[FACTS_BARS];
	uint64_t vram;
	struct aer aer;
	struct ownership own;
	struct fact power;
	bool d3cold;
	struct fact runtime;
	char override[WORD_BYTES];
	bool boot_vga;
};

/* Options of the kernel's configuration that VFIO, peer-to-peer DMA and RDMA need. */
enum kernel_option {
	OPTION_VFIO_PCI,
	OPTION_VFIO_TYPE1,
	OPTION_IOMMUFD,
	OPTION_IOMMU,
	OPTION_PCI_ATS,
	OPTION_PCIEAER,
	OPTION_PCI_P2PDMA,
	OPTION_DMABUF_MOVE_NOTIFY,
	OPTIONS,
};

/**
 * struct kernel_facts - facts about the running kernel
 * @release: release, as in uname(2)
 * @version: numbers of the release, such as 6, 12, 117; all 0 if it is unknown
 * @command_error: 0, or the errno of reading the command line
 * @command: command line
 * @options_error: 0, or the errno of reading the configuration
 * @option: 'y', 'm' or 'n' for each option
 * @aspm: ASPM policy, "[default] performance powersave"
 * @numa_balancing: "1" if the kernel moves pages between nodes
 * @lockdown: lockdown mode, "[none] integrity confidentiality"
 * @sig_enforce: "Y" if the kernel loads only signed modules
 * @secure_boot: the firmware reports that Secure Boot is on
 * @unsafe_noiommu: enable_unsafe_noiommu_mode of vfio
 * @unsafe_interrupts: allow_unsafe_interrupts of vfio_iommu_type1
 * @unsafe_iommufd: allow_unsafe_interrupts of iommufd
 * @no_hugepages: disable_hugepages of vfio_iommu_type1
 * @dma_entries: dma_entry_limit of vfio_iommu_type1
 * @no_idle_d3: disable_idle_d3 of vfio_pci
 * @interrupt_chip: chip name of an interrupt, beginning with "IR-" if the IOMMU remaps it
 * @hugepages_1g: number of reserved 1 GiB pages
 * @hugepages_2m: number of reserved 2 MiB pages
 * @transparent: transparent huge pages, "[always] madvise never"
 */
struct kernel_facts {
	struct fact release;
	int version[3];
	int command_error;
	char command[4096];
	int options_error;
	char option[OPTIONS];
	struct fact aspm;
	struct fact numa_balancing;
	struct fact lockdown;
	struct fact sig_enforce;
	bool secure_boot;
	struct fact unsafe_noiommu;
	struct fact unsafe_interrupts;
	struct fact unsafe_iommufd;
	struct fact no_hugepages;
	struct fact dma_entries;
	struct fact no_idle_d3;
	struct fact interrupt_chip;
	struct fact hugepages_1g;
	struct fact hugepages_2m;
	struct fact transparent;
};

/**
 * struct iommu_facts - IOMMUs, and their mode for devices with host drivers
 * @error: 0, or the errno of listing them
 * @count: number of IOMMUs
 * @name: name of the first one, such as dmar0 or ivhd0
 * @identity: number of groups that are passed through
 * @lazy: number of groups translated with deferred invalidation
 * @strict: number of groups translated with immediate invalidation
 */
struct iommu_facts {
	int error;
	int count;
	char name[WORD_BYTES];
	int identity;
	int lazy;
	int strict;
};

/* Does the kernel trust the key that signed the module? */
enum trust {
	TRUST_UNKNOWN,
	TRUST_NO,
	TRUST_YES,
};

/**
 * struct signing_facts - signature of the installed module
 * @known: the file was readable; the other members are valid only then
 * @is_signed: the module has a signature
 * @signer: name of the signer, "" if libcrypto is not there to read it
 * @certificate: path of the signer's certificate, "" if it was not found
 * @trust: the kernel's trust in the key
 */
struct signing_facts {
	bool known;
	bool is_signed;
	char signer[WORD_BYTES];
	char certificate[128];
	enum trust trust;
};

/**
 * struct given_ids - PCI IDs that a parameter gives to a driver when it is loaded
 * @driver: name of the driver, with "_" between its parts
 * @text: the parameter as it is written, such as "vfio-pci.ids=1002:74a1"
 * @ids: its value
 * @file: file with the parameter, "" for the kernel's command line
 */
struct given_ids {
	char driver[WORD_BYTES];
	char text[512];
	char ids[512];
	char file[PATH_MAX];
};

/**
 * struct module_facts - the loaded and the installed module, and its surroundings
 * @state: "live" if the module is loaded
 * @version: version of the loaded module
 * @taint: taint flags of the loaded module, "E" if it is unsigned
 * @require_policy: "Y" if users cannot open a GPU without a policy
 * @dkms_error: 0, or the errno of reading DKMS' tree
 * @dkms: newest version that DKMS has, "" without one
 * @dkms_built: DKMS has built this helper's version for the running kernel
 * @dropin: newest version of the drop-in that DKMS has, "" without one
 * @dropin_built: DKMS has built it for the running kernel
 * @installed: path of the module's file for the running kernel, "" without one
 * @signing: signature of the installed module
 * @enabled: systemd applies policy at boot
 * @first: modprobe loads the module before amdgpu
 * @first_vfio: modprobe loads the module before vfio-pci
 * @amdgpu: amdgpu is loaded
 * @no_amdgpu: amdgpu is blacklisted
 * @early: the initramfs contains amdgpu or vfio-pci
 * @early_ours: the initramfs contains the module
 * @given: IDs that parameters give to drivers, on the command line and in files
 * @givens: number of these
 * @modprobe_files: number of modprobe.d files that were read
 * @modules: the running kernel has a folder of modules
 * @systemd: the host has a folder of systemd units
 */
struct module_facts {
	struct fact state;
	struct fact version;
	struct fact taint;
	struct fact require_policy;
	int dkms_error;
	char dkms[WORD_BYTES];
	bool dkms_built;
	char dropin[WORD_BYTES];
	bool dropin_built;
	char installed[PATH_MAX];
	struct signing_facts signing;
	bool enabled;
	bool first;
	bool first_vfio;
	bool amdgpu;
	bool no_amdgpu;
	bool early;
	bool early_ours;
	struct given_ids *given;
	size_t givens;
	size_t modprobe_files;
	bool modules;
	bool systemd;
};

/* Programs that start virtual machines. */
enum program {
	PROGRAM_QEMU,
	PROGRAM_CLOUD_HYPERVISOR,
	PROGRAM_LIBVIRT,
	PROGRAMS,
};

/**
 * struct range - address range
 * @start: first address
 * @end: last address
 * @name: owner according to /proc/iomem
 */
struct range {
	uint64_t start;
	uint64_t end;
	char name[WORD_BYTES];
};

/**
 * struct around_facts - VMMs, the BMC and the firmware's console
 * @program: version of each program, error ENOENT if it is not installed
 * @packages: the list of installed packages could be read
 * @ipmi: name of the IPMI device, error ENOENT without one
 * @redfish: monitor.conf names a BMC that the monitor asks by Redfish
 * @classes: sysfs has a folder of device classes
 * @console: framebuffers of the firmware according to /proc/iomem
 * @consoles: number of framebuffers
 * @iomem_error: 0, or the errno of reading addresses from /proc/iomem
 */
struct around_facts {
	struct fact program[PROGRAMS];
	bool packages;
	struct fact ipmi;
	bool redfish;
	bool classes;
	struct range console[4];
	size_t consoles;
	int iomem_error;
};

/**
 * struct guest_facts - facts that matter only inside a guest
 * @environment: settings of NCCL and RCCL
 * @topology: topology file that NCCL or RCCL reads
 * @topology_path: path of the topology file, "" without one
 * @topology_origin: file or environment that names the topology file
 * @topology_error: 0, or the errno of reading the topology file
 * @topology_wrong: error in the topology file, or ""
 * @interface: names of network interfaces except the loopback
 * @interfaces: number of network interfaces
 * @memlock: soft limit of locked memory, "unlimited" or bytes
 * @peermem: name of the peer memory client, by which network cards reach GPU memory without
 *	dma-buf, or ""
 * @hive: ID of the XGMI hive of each GPU, in order of the GPUs
 */
struct guest_facts {
	struct nccl_environment environment;
	struct guest_file topology;
	char topology_path[NCCL_VALUE_BYTES];
	char topology_origin[NCCL_VALUE_BYTES];
	int topology_error;
	char topology_wrong[2 * TEXT_BYTES];
	char (*interface)[WORD_BYTES];
	size_t interfaces;
	struct fact memlock;
	char peermem[WORD_BYTES];
	struct fact *hive;
};

/**
 * struct facts - all facts
 * @findings: the host's functions, and differences from its policy
 * @findings_code: exit code of gather()
 * @findings_error: error of gather()
 * @told: the policies in force are known from the module
 * @tells_modules: the kernel has no other modules than sysfs shows; false for a capture without them
 * @tells_policy: the host has no other policy than is found; false for a capture without /etc
 * @managed: GPUs that the module manages; empty without the module and in a captured host
 * @is_guest: the facts are those of the inside of a guest
 * @guest_memory: memory of the largest guest in bytes, 0 if unknown
 * @function: more facts for each function of the host
 * @gpu: indices of the GPUs
 * @gpus: number of GPUs
 * @known: number of GPUs that are physical functions of a supported model
 * @peer: indices of network functions below the same switch as a GPU; in a guest, which
 *	may not see switches, of all network functions except virtio's
 * @peers: number of these network functions
 * @numa: NUMA nodes
 * @kernel: facts about the kernel
 * @iommu: facts about IOMMUs
 * @module: facts about the module (host only)
 * @around: facts about VMMs, the BMC and the console (host only)
 * @guest: facts about NCCL, RCCL and RDMA (guest only)
 */
struct facts {
	struct findings findings;
	int findings_code;
	char findings_error[2 * TEXT_BYTES];
	bool told;
	bool tells_modules;
	bool tells_policy;
	struct devices managed;
	bool is_guest;
	uint64_t guest_memory;
	struct fact_function *function;
	int *gpu;
	size_t gpus;
	size_t known;
	int *peer;
	size_t peers;
	struct numa numa;
	struct kernel_facts kernel;
	struct iommu_facts iommu;
	struct module_facts module;
	struct around_facts around;
	struct guest_facts guest;
};

int facts_read(struct facts *facts, bool guest, uint64_t guest_memory);
void facts_free(struct facts *facts);
void facts_read_pci(struct facts *facts);
void facts_read_kernel(struct kernel_facts *kernel);
void facts_read_iommu(struct facts *facts);
void facts_read_module(struct facts *facts);
void facts_read_signing(struct signing_facts *signing, const char *path);
void facts_read_around(struct around_facts *around);
void facts_read_guest(struct facts *facts);
bool facts_program_version(enum program program, char *version, size_t size);

void fact_read(struct fact *fact, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void fact_take(struct fact *fact, ssize_t n);
bool fact_is(const struct fact *fact, const char *text);
bool fact_choice_is(const struct fact *fact, const char *choice);
const char *fact_why(int error);
char *facts_read_file(const char *path, size_t limit, size_t *bytes, int *error);
int facts_is_conf(const struct dirent *entry);
bool facts_exist(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool facts_kernel_is_locked(const struct facts *facts);
bool facts_kernel_before(const struct facts *facts, int major, int minor);
bool facts_is_known(const struct facts *facts, int function);
bool facts_are_given(const struct facts *facts, const struct given_ids *given, int function);
void facts_given_where(const struct given_ids *given, char *text, size_t size);
bool facts_are_amd(const struct facts *facts);
const struct host_function *facts_function(const struct facts *facts, int function);
int facts_parent(const struct facts *facts, int function);
bool facts_is_dead(const struct facts *facts, int function);

#endif /* FACTS_H */
