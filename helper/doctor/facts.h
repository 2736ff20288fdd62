/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that checks judge by, of this host or of a captured one: read once, then only looked at. */
#ifndef FACTS_H
#define FACTS_H

#include <dirent.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <sys/types.h>

#include "findings.h"
#include "guest_file.h"
#include "host_link.h"
#include "nccl_environment.h"
#include "numa.h"

#define WORD_BYTES	64
#define FACTS_BARS	6

/**
 * struct fact - the first line of a file
 * @error: 0, or why it could not be read, an errno
 * @text: it
 */
struct fact {
	int error;
	char text[WORD_BYTES];
};

/**
 * struct fact_bar - a base address register
 * @start: bus address, 0 where it has none
 * @bytes: size, 0: there is none
 * @flags: IORESOURCE_*, as sysfs shows them
 * @resizable: sizes that it can have, bit n: 2^n MiB; 0: it has one only
 * @lost: the GPU has it, and Linux has given it up: it has no size there
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
 * @near: it is one of these; of others that share a port with one nothing but @express
 *	and what belongs to it is read
 * @config: its config space could be read, or at least its first 64 bytes
 * @silent: its config space reads all ones
 * @express: the registers of its PCI Express capability could be read
 * @device: Device Capabilities
 * @control: Device Control
 * @device2: Device Capabilities 2
 * @control2: Device Control 2
 * @link_control: Link Control
 * @resources: of how many of its base address registers Linux tells, of GPUs only
 * @bar: base address registers, of GPUs only
 * @vram: bytes of video memory, 0 where that is unknown, of GPUs only
 * @correctable: errors that AER has counted since boot
 * @nonfatal: likewise
 * @fatal: likewise
 * @has_aer: there are such counters
 * @power: its power state: D0, D3hot
 * @d3cold: of what is not in D0: whether the kernel may switch it off
 * @runtime: likewise: whether it suspends by itself: "auto" or "on"
 * @override: driver_override of a GPU without a driver, "" without
 * @boot_vga: the firmware's console was on it
 */
struct fact_function {
	bool near;
	bool config;
	bool silent;
	bool express;
	uint32_t device;
	uint16_t control;
	uint32_t device2;
	uint16_t control2;
	uint16_t link_control;
	unsigned int resources;
	struct fact_bar bar[FACTS_BARS];
	uint64_t vram;
	uint64_t correctable;
	uint64_t nonfatal;
	uint64_t fatal;
	bool has_aer;
	struct fact power;
	bool d3cold;
	struct fact runtime;
	char override[WORD_BYTES];
	bool boot_vga;
};

/* Options of the kernel's build that something here needs. */
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
 * struct kernel_facts - the kernel
 * @release: as uname has it
 * @version: of it: 6, 12, 117; all 0 where it is unknown
 * @command_error: 0, or why the command line could not be read, an errno
 * @command: its command line
 * @options_error: 0, or why what it was built with could not be read, an errno
 * @option: 'y', 'm' or 'n' of each option
 * @aspm: policy of the link's power saving, "[default] performance powersave"
 * @numa_balancing: "1" if pages are moved between nodes
 * @lockdown: "[none] integrity confidentiality"
 * @sig_enforce: "Y" if modules must be signed
 * @secure_boot: the firmware says that it is on
 * @unsafe_noiommu: of vfio
 * @unsafe_interrupts: of vfio_iommu_type1
 * @unsafe_iommufd: the same of iommufd
 * @no_hugepages: of vfio_iommu_type1
 * @dma_entries: of vfio_iommu_type1
 * @no_idle_d3: of vfio_pci
 * @interrupt_chip: name of an interrupt's chip, with "IR-" where it is remapped
 * @hugepages_1g: reserved pages of 1 GiB
 * @hugepages_2m: reserved pages of 2 MiB
 * @transparent: "[always] madvise never"
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
 * struct iommu_facts - IOMMUs, and how they translate
 * @error: 0, or why they could not be listed, an errno
 * @count: how many
 * @name: of the first, such as dmar0 or ivhd0
 * @identity: how many groups of devices that host drivers have are passed through
 * @lazy: how many are translated, with invalidations put off
 * @strict: how many are translated, without
 */
struct iommu_facts {
	int error;
	int count;
	char name[WORD_BYTES];
	int identity;
	int lazy;
	int strict;
};

/* Whether the kernel has the key that a module is signed with among those it trusts. */
enum trust {
	TRUST_UNKNOWN,
	TRUST_NO,
	TRUST_YES,
};

/**
 * struct signing_facts - the signature of the installed module
 * @known: its file could be looked at; what is below says nothing without
 * @is_signed: it has one
 * @signer: who it names
 * @certificate: path of the certificate that goes with it, "" if it was not found
 * @trust: of the key
 */
struct signing_facts {
	bool known;
	bool is_signed;
	char signer[WORD_BYTES];
	char certificate[128];
	enum trust trust;
};

/**
 * struct module_facts - the module, as it is loaded and as it is installed
 * @state: "live" if it is loaded
 * @version: of it
 * @taint: "E": not signed
 * @require_policy: "Y": no GPU is handed out without a policy
 * @dkms_error: 0, or why DKMS' tree could not be read, an errno
 * @dkms: the newest version that DKMS has, "" without
 * @dkms_built: that DKMS has built this helper's version for the running kernel
 * @installed: path of the module's file for the running kernel, "" without
 * @signing: its signature
 * @enabled: the policy is applied at boot
 * @first: modprobe loads it before amdgpu
 * @first_vfio: and before vfio-pci
 * @amdgpu: amdgpu is loaded
 * @no_amdgpu: amdgpu is blacklisted
 * @early: amdgpu or vfio-pci is put into the initramfs
 * @early_ours: the module is
 * @modprobe_files: how many files of modprobe.d were read
 * @modules: there is a folder of modules for the running kernel
 * @systemd: there is a folder of systemd's units
 */
struct module_facts {
	struct fact state;
	struct fact version;
	struct fact taint;
	struct fact require_policy;
	int dkms_error;
	char dkms[WORD_BYTES];
	bool dkms_built;
	char installed[PATH_MAX];
	struct signing_facts signing;
	bool enabled;
	bool first;
	bool first_vfio;
	bool amdgpu;
	bool no_amdgpu;
	bool early;
	bool early_ours;
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
 * struct range - of addresses
 * @start: first
 * @end: last
 * @name: who has it
 */
struct range {
	uint64_t start;
	uint64_t end;
	char name[WORD_BYTES];
};

/**
 * struct around_facts - what is around the kernel
 * @program: version of each, error ENOENT without it
 * @packages: the list of installed packages could be read
 * @ipmi: name of the BMC's device, error ENOENT without
 * @classes: there is a folder of device classes
 * @console: framebuffers of the firmware, by /proc/iomem
 * @consoles: how many
 * @iomem_error: 0, or why addresses could not be read, an errno
 */
struct around_facts {
	struct fact program[PROGRAMS];
	bool packages;
	struct fact ipmi;
	bool classes;
	struct range console[4];
	size_t consoles;
	int iomem_error;
};

/**
 * struct guest_facts - what is of interest inside a guest only
 * @environment: what NCCL and RCCL are told
 * @topology: the topology file that they are told
 * @topology_path: of it, "" without
 * @topology_origin: who says so
 * @topology_error: 0, or why it could not be read, an errno
 * @topology_wrong: why it could not be understood, or ""
 * @interface: names of network interfaces, but for the loopback
 * @interfaces: how many
 * @memlock: soft limit of locked memory, "unlimited" or bytes
 * @peermem: what lets network cards reach GPU memory without dma-buf, or ""
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
 * struct facts - all of it
 * @findings: the host, and how it compares with its policy
 * @findings_code: exit code of who gathered them
 * @findings_error: why, then
 * @told: the module has told what is in force
 * @managed: what the module tells of its GPUs; none without it and of a captured host
 * @is_guest: it is the inside of a guest that is looked at
 * @guest_memory: of the largest guest, bytes; 0: it was not said
 * @function: more of each function
 * @gpu: indices of the GPUs
 * @gpus: how many
 * @known: how many of them are physical functions that the module knows
 * @peer: indices of network functions below the same switch as a GPU; in a guest, which
 *	may not see switches, of all that are no virtio devices
 * @peers: how many
 * @numa: nodes
 * @kernel: see there
 * @iommu: see there
 * @module: see there
 * @around: see there
 * @guest: see there
 */
struct facts {
	struct findings findings;
	int findings_code;
	char findings_error[2 * TEXT_BYTES];
	bool told;
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
bool facts_are_amd(const struct facts *facts);
const struct host_function *facts_function(const struct facts *facts, int function);
int facts_parent(const struct facts *facts, int function);

#endif /* FACTS_H */
