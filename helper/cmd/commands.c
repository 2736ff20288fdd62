// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "model.h"

#define NAMES_MAX	64
#define OPTIONS		(const struct command_option[])
#define OPERANDS	(const struct command_operand[])

/* Options that every command takes, before or after its name. */
const struct command_option global_options[] = {
	{ "json", 'j', WORD_NONE, NULL,
	  "print JSON for programs; each form has a JSON Schema" },
	{ "sysroot", 'r', WORD_CAPTURE, "DIR",
	  "read DIR/sys, a captured host, in place of this one; DIR may also be an archive, or the output of lspci -vvvxxxx or lstopo --of xml" },
	{ "no-color", 'c', WORD_NONE, NULL, "print no colour on a terminal, as with NO_COLOR in the environment" },
	{ "debug", 'd', WORD_NONE, NULL,
	  "print each message to and from the module on standard error" },
	{ "help", 'h', WORD_NONE, NULL, "print this help, or the help of a command" },
	{ "version", 'v', WORD_NONE, NULL, "print the version of this helper" },
	{ 0 },
};

const struct command commands[] = {
	{
		.name = "status", .run = cmd_status,
		.synopsis = "[-o wide] [--watch [SECONDS]] [--map FILE...] [BDF...]",
		.help = "print GPUs, their states and users; tell if policy is in force",
		.options = OPTIONS {
			{ "output", 'o' | OPTION_SHORT, WORD_FORM, "FORM",
			  "wide: also each GPU's VM, NUMA node, place in its hive, hot spot, and last reset; not with --json" },
			{ "watch", 'w', WORD_NONE, NULL,
			  "print the table and the last events anew every few seconds, until q is typed; not with --json" },
			{ "map", 'm', WORD_FILE, "FILE",
			  "the addresses of GPUs in a guest, as for topo xml; the option may be repeated. libvirt's running VMs need none" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "SECONDS", WORD_NUMBER, .with = "watch", .help =
			  "the time between two looks, 1 to 3600; without: 2" },
			{ "BDF", WORD_KNOWN, .repeats = true, .help = "GPUs; without: all that instinct-vfio knows" },
			{ 0 },
		},
		.exits = "3  a GPU is lost, quarantined, blocked, missing, in reset, or not bound",
		.examples = "instinctctl status 0000:c1:00.0\ninstinctctl status -o wide\ninstinctctl status --json | jq '.devices[].state'",
		.offline = true,
	}, {
		.name = "explain", .run = cmd_explain, .synopsis = "BDF",
		.help = "tell whether a guest can have a GPU, or why not, and what helps",
		.operands = OPERANDS { { "BDF", WORD_KNOWN, .help = "the GPU, of any state" }, { 0 } },
		.notes = "The lines that help begin with the safe ones. A line that costs isolation, or shows the next guest the last one's data, comes last and says so. explain changes nothing.",
		.exits = "3  no guest can have the GPU now",
		.examples = "instinctctl explain 0000:c1:00.0\ninstinctctl explain 0000:c1:00.0 --json | jq -r '.obstacles[].kind'",
		.offline = true,
	}, {
		.name = "bind", .run = cmd_bind, .synopsis = "[--as DRIVER] [--persist] BDF... | --all",
		.help = "give GPUs to instinct_vfio_pci, or to the drop-in vfio-pci",
		.options = OPTIONS {
			{ "as", 'd', WORD_DRIVER, "DRIVER",
			  "vfio-pci (the drop-in of the package instinct-vfio-dropin) or instinct_vfio_pci; without: the drop-in if it is loaded; either serves the GPU in the same way" },
			{ "persist", 'p', WORD_NONE, NULL,
			  "also bind the GPUs at each boot, and when they appear anew: in driverctl's store, or by a udev rule without driverctl" },
			{ "all", 'a', WORD_NONE, NULL, "all GPUs of this host that instinct-vfio knows" },
			{ 0 },
		},
		.operands = OPERANDS { { .name = "BDF", .word = WORD_UNBOUND, .repeats = true }, { 0 } },
		.examples = "instinctctl bind --persist 0000:c1:00.0\ninstinctctl bind --all",
		.doing = "binding",
	}, {
		.name = "unbind", .run = cmd_unbind, .synopsis = "[--persist] BDF... | --all",
		.help = "take GPUs from instinct_vfio_pci",
		.options = OPTIONS {
			{ "persist", 'p', WORD_NONE, NULL, "also end bind --persist for the GPUs" },
			{ "all", 'a', WORD_NONE, NULL, "all GPUs bound to it" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.examples = "instinctctl unbind 0000:c1:00.0",
		.doing = "unbinding",
	}, {
		.name = "rollback", .run = cmd_rollback, .synopsis = "--to DRIVER [--yes] BDF... | --all",
		.help = "give GPUs back to amdgpu or to the kernel's vfio-pci",
		.options = OPTIONS {
			{ "to", 't', WORD_STOCK, "DRIVER", "amdgpu or vfio-pci, which has to be loaded" },
			{ "yes", 'y', WORD_NONE, NULL, "do not ask after the risk has been told; needed without a terminal" },
			{ "all", 'a', WORD_NONE, NULL, "all GPUs bound to instinct_vfio_pci" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.notes = "rollback tells the risk before it touches a GPU, and asks. It also ends bind --persist for the GPUs. The policy files stay as they are.",
		.examples = "instinctctl rollback --to amdgpu --all",
		.doing = "giving back",
	}, {
		.name = "apply", .run = cmd_apply, .synopsis = "[--dry-run | --watch | --check] [FILE]",
		.help = "put a policy in force, whole or not at all",
		.options = OPTIONS {
			{ "dry-run", 'n', WORD_NONE, NULL, "only print the changes that apply would make" },
			{ "check", 'c', WORD_NONE, NULL,
			  "only tell whether the module would refuse the policy, and what could not be checked, on any host: with or without GPUs and module, and with --sysroot" },
			{ "watch", 'w', WORD_NONE, NULL,
			  "stay, and apply the policy again when a GPU or the module appears; SIGHUP reads the files anew" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "the policy file to read alone, - for standard input; without: the installed policy, policy.conf with its drop-ins" },
			{ 0 },
		},
		.exits = "3  a port does not take its ACS; with --dry-run: apply would change something\n6  the policy is in force, and it names a device that is not there",
		.examples = "instinctctl apply --check new.conf\ninstinctctl apply --dry-run\ninstinctctl apply",
		.doing = "applying the policy",
		.offline = true,
	}, {
		.name = "check", .run = cmd_check,
		.synopsis = "[--quiet] [--guest-memory SIZE] [FILE]",
		.help = "compare the host with policy, port by port",
		.options = OPTIONS {
			{ "guest-memory", 'm', WORD_SIZE, "SIZE",
			  "the memory of the largest guest, such as 512G; without: the memory of this host" },
			{ "quiet", 'q', WORD_NONE, NULL,
			  "print one line in all, for a monitoring probe" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "the policy to check against, - for standard input; without: the installed policy, else the policy in force" },
			{ 0 },
		},
		.notes = "check fails for lost, quarantined and missing GPUs, for blocked ones unless a user has a GPU of their hive, for fewer GPUs than policy expects (expect_gpus), and on a host without any GPU or without a policy.",
		.exits = "3  the host differs from policy, lacks a usable GPU, or has no policy",
		.examples = "instinctctl check --guest-memory 2T\ninstinctctl check --quiet",
		.offline = true,
	}, {
		.name = "diff", .run = cmd_diff, .synopsis = "[FILE]",
		.help = "print only the differences between host and policy",
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "the policy to compare with, as for check" },
			{ 0 },
		},
		.exits = "3  the host differs from policy",
		.examples = "instinctctl diff new.conf",
		.offline = true,
	}, {
		.name = "show-policy", .run = cmd_show_policy,
		.synopsis = "[--origin] [--all] [FILE]\n--keys [KEY...]",
		.help = "print the policy in force, the policy of FILE, or the keys of a policy",
		.options = OPTIONS {
			{ "origin", 'o', WORD_NONE, NULL,
			  "print the policy of the files, with the file and line that set each value" },
			{ "all", 'a', WORD_NONE, NULL,
			  "print every key; without: in [default] the keys that the file sets, and for each GPU what differs from [default]" },
			{ "keys", 'k', WORD_NONE, NULL,
			  "explain each key, or the named keys: its effect, values and default" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "the policy file to evaluate for each GPU, - for standard input" },
			{ "KEY", WORD_KEY, .repeats = true, .with = "keys", .help =
			  "a key, such as method or acs" },
			{ 0 },
		},
		.examples = "instinctctl show-policy --origin\ninstinctctl show-policy --all\ninstinctctl show-policy --keys method",
		.offline = true,
		.hostless = "keys",
	}, {
		.name = "isolation", .run = cmd_isolation,
		.synopsis = "--why BDF BDF\n--config-acs [--write] [FILE]",
		.help = "explain which device can reach which, and why",
		.options = OPTIONS {
			{ "why", 'w', WORD_NONE, NULL,
			  "print the path by which the first function reaches the second, and the bit that permits it" },
			{ "config-acs", 'c', WORD_NONE, NULL,
			  "print the kernel parameter that sets the same ACS at boot (Linux 6.11 and later; several devices need 6.15)" },
			{ "write", 'W', WORD_NONE, NULL,
			  "also write the parameter to the configuration of this host's boot loader, GRUB or systemd-boot, and name the command that has to follow" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "BDF", WORD_FUNCTION, .with = "why" },
			{ "BDF", WORD_FUNCTION, .with = "why" },
			{ "FILE", WORD_FILE, .with = "config-acs", .help =
			  "the policy; without: the policy in force" },
			{ 0 },
		},
		.examples = "instinctctl isolation --why 0000:c1:00.0 0000:c5:00.0\ninstinctctl isolation --config-acs --write",
		.offline = true,
	}, {
		.name = "topo show", .run = cmd_topo_show, .synopsis = "[--all] [--svg]",
		.help = "print NUMA nodes, switches, devices and their links",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL,
			  "also print functions that are no candidates for guests, and each VF" },
			{ "svg", 's', WORD_NONE, NULL, "print an SVG picture, for a ticket" },
			{ 0 },
		},
		.examples = "instinctctl topo show\ninstinctctl topo show --svg >host.svg",
		.offline = true,
	}, {
		.name = "topo pairs", .run = cmd_topo_pairs, .synopsis = "[--all] [--matrix] [BDF...]",
		.help = "print GPUs with the NICs and NVMe drives nearest to them",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "print all NICs and drives; without: the nearest" },
			{ "matrix", 'm', WORD_NONE, NULL,
			  "print how near GPUs and NICs are to each other, in the words of nvidia-smi topo -m; with --all NVMe drives, too" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "BDF", WORD_GPU, .repeats = true, .help =
			  "GPUs of any vendor; without: all" },
			{ 0 },
		},
		.notes = "The nearest devices are those below the same switch; then come stacked switches, partitions of one switch chip, the same root complex, the same NUMA node, another NUMA node, another socket. The path is that of requests from the NIC or the drive to the GPU.",
		.examples = "instinctctl topo pairs 0000:c1:00.0\ninstinctctl topo pairs --matrix",
		.offline = true,
	}, {
		.name = "topo plan", .run = cmd_topo_plan,
		.synopsis = "--gpus N | --split NxM [--nics N] [--nvme N] [--without BDF...] [--vmm VMM]",
		.help = "choose the best devices for a guest, and print its VMM's settings for them",
		.options = OPTIONS {
			{ "gpus", 'g', WORD_NUMBER, "N", "the number of GPUs for the guest" },
			{ "split", 's', WORD_TEXT, "NxM",
			  "share all GPUs of the host out to N guests with M GPUs each: the devices, CPUs and settings of each guest, and the policy that they need" },
			{ "nics", 'n', WORD_NUMBER, "N", "the number of NICs; with --split for each guest, like the next one" },
			{ "nvme", 'd', WORD_NUMBER, "N", "the number of NVMe drives" },
			{ "without", 'w', WORD_FUNCTION, "BDF",
			  "devices that topo plan must not choose, with blanks or commas between them; the option may be repeated" },
			{ "vmm", 'v', WORD_VMM, "VMM",
			  "print only the settings for qemu, libvirt or cloud-hypervisor; or, beside the plan, those for all" },
			{ 0 },
		},
		.notes = "topo plan leaves out devices that a process has open, GPUs that are not ready, NICs that the host routes through or has in a bond, a bridge or a VLAN, drives with a mounted file system, functions with enabled VFs, and every device in one IOMMU group with such a device or with a device of a driver other than VFIO's. A capture does not record which processes have devices open.",
		.exits = "1  fewer devices are free\n4  a NUMA node of the guest has no room for so many devices\n4  --split: GPUs are left over, or two guests share an IOMMU group",
		.examples = "instinctctl topo plan --gpus 4 --nics 4\ninstinctctl topo plan --split 2x4 --nics 4\nqemu-system-x86_64 $(instinctctl topo plan --gpus 1 --vmm qemu) -m 64G -bios /usr/share/ovmf/OVMF.fd",
		.offline = true,
	}, {
		.name = "topo xml", .run = cmd_topo_xml,
		.synopsis = "--flavor rccl|nccl --map FILE... [--merge-vfs]",
		.help = "print the topology file that RCCL or NCCL needs in a guest",
		.options = OPTIONS {
			{ "flavor", 'f', WORD_FLAVOR, "LIB", "the library that reads the file: rccl or nccl" },
			{ "map", 'm', WORD_FILE, "FILE",
			  "the guest's devices and their addresses: libvirt's domain XML, QMP's query-pci, info pci or info qtree of QEMU's monitor, Cloud Hypervisor's vm.info, vm.create or options, or lines HOST GUEST [NODE]; - is standard input. The option may be repeated" },
			{ "merge-vfs", 'v', WORD_NONE, NULL,
			  "write a NIC that is not device 0 of its bus a second time, at the address where the libraries look for it without NCCL_IB_MERGE_VFS=0, unless that address could mean another device" },
			{ 0 },
		},
		.notes = "topo xml has no --json: it prints the libraries' own format. query-pci and info pci do not name the host's devices: add a second --map that does (libvirt's XML, QEMU's command line in /proc/PID/cmdline, Proxmox's qm config or qm showcmd, or lines HOST ID), or use ids that contain the host's address, such as gpu-0000-c1-00.0. From libvirt's XML alone topo xml computes the bus numbers that the guest's firmware should assign; query-pci has the numbers that it did assign.",
		.examples = "virsh dumpxml vm1 | instinctctl topo xml --flavor rccl --map - >vm1-topo.xml",
		.offline = true,
	}, {
		.name = "topo check", .run = cmd_topo_check,
		.synopsis = "[--flavor rccl|nccl] --map FILE... FILE",
		.help = "compare a guest's topology file with the hardware",
		.options = OPTIONS {
			{ "flavor", 'f', WORD_FLAVOR, "LIB",
			  "the library that reads the file; without: either" },
			{ "map", 'm', WORD_FILE, "FILE", "the guest's devices, as for topo xml" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "the topology file, - for standard input" },
			{ 0 },
		},
		.notes = "topo check prints the NIC that each GPU would use by the file, and the NIC by the hardware.",
		.exits = "3  the file does not match: a library would refuse it, or use other NICs",
		.examples = "instinctctl topo check --map vm1.xml vm1-topo.xml",
		.offline = true,
	}, {
		.name = "doctor", .run = cmd_doctor,
		.synopsis = "[OPTION...] [--only CHECK...]\n--list [--guest]",
		.help = "check this host, and print a remedy for each failure",
		.options = OPTIONS {
			{ "guest-memory", 'm', WORD_SIZE, "SIZE",
			  "the memory of the largest guest, such as 512G; checks that the host has huge pages for it and that no switch claims its addresses" },
			{ "guest", 'g', WORD_NONE, NULL, "check the guest that doctor runs in" },
			{ "quiet", 'q', WORD_NONE, NULL, "print only failures, warnings and the last line" },
			{ "only", 'o', WORD_NONE, NULL, "run the named checks only" },
			{ "list", 'l', WORD_NONE, NULL, "list the checks" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "CHECK", WORD_CHECK, .repeats = true, .with = "only", .help =
			  "checks, such as iommu-on or link-width, with blanks or commas between them" },
			{ 0 },
		},
		.exits = "3  a check has failed; a warning is no failure",
		.examples = "instinctctl doctor --guest-memory 2T\ninstinctctl doctor --only link-speed link-width",
		.offline = true,
		.hostless = "list",
	}, {
		.name = "reset", .run = cmd_reset,
		.synopsis = "[--method M] [--fatal] [--dry-run] BDF... | --all",
		.help = "reset GPUs that no user has open",
		.options = OPTIONS {
			{ "method", 'm', WORD_METHOD, "M",
			  "auto, mode1, quiesce or bus; without: the method of policy, and no reset if no user has touched the GPU since its last one" },
			{ "fatal", 'f', WORD_NONE, NULL,
			  "tell the SMU of a RAS fatal error, as amdgpu does after one; all GPUs that are reset together are told" },
			{ "dry-run", 'n', WORD_NONE, NULL, "only print the methods that the module would try" },
			{ "all", 'a', WORD_NONE, NULL, "all managed GPUs" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.exits = "4  the GPU cannot be reset by that method",
		.examples = "instinctctl reset --dry-run 0000:c1:00.0\ninstinctctl reset --method mode1 0000:c1:00.0",
		.doing = "resetting",
	}, {
		.name = "qualify", .run = cmd_qualify,
		.synopsis = "[OPTION...] BDF\n--under-load [OPTION...] BDF\n--look [--registers] [--serials] [BDF...]\n--verify FILE",
		.help = "find out on a spare GPU which resets it survives",
		.options = OPTIONS {
			{ "look", 'l', WORD_NONE, NULL,
			  "try nothing and write nothing: compare the GPUs and the host with what the module assumes of them, beside any driver" },
			{ "registers", 'R', WORD_NONE, NULL,
			  "with --look: read the GPUs' registers even where Linux does not own AER, and an error could end the host" },
			{ "max-risk", 'x', WORD_RISK, "LEVEL",
			  "none (quiesce), low (also mode1, as AMD's drivers do; the default), medium (also bus at the port above the package) or high (also bus at SWDS, which has lost such GPUs until the host's reboot)" },
			{ "yes", 'y', WORD_NONE, NULL, "do not ask before each method; needed without a terminal" },
			{ "under-load", 'u', WORD_NONE, NULL,
			  "try no method: watch the resets of a GPU that a guest uses, while the operator has it work and resets the guest" },
			{ "rounds", 'k', WORD_NUMBER, "N",
			  "try each method N times, or watch N resets; without: 3" },
			{ "wait", 'w', WORD_TIME, "TIME",
			  "the time that a method has to bring the GPU back, and that all attempts after a loss have together: 1s to 600s; without: 300s, or the time of policy if that is longer. With --under-load, the time until each reset; without: 600s" },
			{ "report", 'f', WORD_FILE, "FILE", "write the report to FILE, as JSON" },
			{ "policy", 'p', WORD_FILE, "FILE", "write the recommended policy to FILE, for apply" },
			{ "operator", 'o', WORD_TEXT, "NAME", "the name that signs the report; without: the name of the user" },
			{ "note", 't', WORD_TEXT, "TEXT",
			  "facts that the host cannot tell, such as versions of VBIOS and firmware, or the load of a guest" },
			{ "serials", 's', WORD_NONE, NULL, "keep serial numbers in the report" },
			{ "dry-run", 'n', WORD_NONE, NULL, "only print the methods that qualify would try" },
			{ "verify", 'V', WORD_FILE, "FILE",
			  "print a report, - for standard input, and tell whether it matches its seal" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .help =
			"a GPU that no user has open (--under-load: that a user has open); mode1 resets its whole hive" },
			{ "BDF", WORD_KNOWN, .repeats = true, .with = "look", .help =
			"GPUs; without: all that instinct-vfio knows" }, { 0 } },
		.notes = "qualify changes no policy. It ends with the first method that loses the GPU, and tries everything that policy allows to bring the GPU back. It prints the report on standard output and its progress on standard error.",
		.exits = "3  a method lost the GPU or left data in its memory, or it is not ready\n3  --look: something is otherwise than assumed\n3  --verify: the report was changed",
		.examples = "instinctctl qualify --dry-run 0000:c1:00.0\ninstinctctl qualify --max-risk high --report c1.json 0000:c1:00.0\ninstinctctl qualify --under-load --note 'a loop of copies' 0000:c1:00.0\ninstinctctl qualify --look --json >look.json",
		.doing = "qualifying",
		.offline = true,
		.hostless = "verify",
	}, {
		.name = "release", .run = cmd_release, .synopsis = "BDF... | --all",
		.help = "let one user open each quarantined GPU as it is",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all quarantined GPUs" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.notes = "The last user's data may still be in the GPU, and the next user may find it: you answer for that. A reset that works (instinctctl reset) ends the quarantine, too, and scrubs the data.",
		.examples = "instinctctl release 0000:c1:00.0",
		.doing = "releasing",
	}, {
		.name = "forgive", .run = cmd_forgive, .synopsis = "BDF... | --all",
		.help = "let resets try again the methods that have lost GPUs",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all GPUs that a method has lost" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.notes = "A method after which a GPU did not come back is not tried again, until its cause is mended (firmware, switch) and an operator says so.",
		.examples = "instinctctl forgive 0000:c1:00.0",
		.doing = "forgiving",
	}, {
		.name = "forget", .run = cmd_forget, .synopsis = "BDF...",
		.help = "take GPUs off the list that an earlier apply found and that are gone",
		.operands = OPERANDS { { "BDF", WORD_MISSING, .repeats = true }, { 0 } },
		.notes = "forget refuses a GPU that is there. A GPU that comes back is recorded again by the next apply.",
		.examples = "instinctctl forget 0000:c1:00.0",
	}, {
		.name = "sensors", .run = cmd_sensors, .synopsis = "[--all] [--config FILE] [FILE]",
		.help = "print the source of each GPU's temperature",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "also print sensors that feed no GPU" },
			{ "config", 'f', WORD_FILE, "FILE", "name the BMC's Redfish by this file instead of /etc/instinct-vfio/monitor.conf" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "the policy that names the sensors; without: the installed policy" },
			{ 0 },
		},
		.examples = "instinctctl sensors --all",
		.offline = true,
	}, {
		.name = "monitor", .run = cmd_monitor,
		.synopsis = "[OPTION...]\n--daemon [--config FILE]",
		.help = "print events as they come",
		.options = OPTIONS {
			{ "gpu", 'g', WORD_KNOWN, "BDF", "print only events of these GPUs, with commas between them; the option may be repeated" },
			{ "kind", 'k', WORD_KIND, "KIND", "print only events of these kinds, such as reset-done,device-lost; the option may be repeated" },
			{ "since", 's', WORD_NUMBER, "N", "begin with the kept events from number N on (1: all)" },
			{ "count", 'c', WORD_NUMBER, "N", "stop after N events" },
			{ "timeout", 't', WORD_TIME, "S", "stop after S seconds; 0: print the past events and stop" },
			{ "daemon", 'd', WORD_NONE, NULL,
			  "deliver events to the journal, a file and hooks, and export metrics, as monitor.conf says; not with --json" },
			{ "config", 'f', WORD_FILE, "FILE",
			  "the settings; without: /etc/instinct-vfio/monitor.conf" },
			{ 0 },
		},
		.notes = "A reset of a whole hive is one line, with the time that its slowest GPU took, if each of its GPUs is ready afterwards; a second line tells that it has begun if it takes longer than a second. --json prints each event.",
		.exits = "1  the module was unloaded",
		.examples = "instinctctl monitor --since 1 --timeout 0\ninstinctctl monitor --gpu 0000:c1:00.0 --kind thermal-warning,thermal-critical\ninstinctctl monitor --json | jq .kind",
		.offline = true,
		.stream = true,
	}, {
		.name = "push", .run = cmd_push, .synopsis = "BDF SENSOR=DEGREES...\n-",
		.help = "hand the service temperatures from another source",
		.operands = OPERANDS {
			{ "BDF", WORD_MANAGED, .help =
			  "the GPU; or - to read \"BDF SENSOR=DEGREES...\" from standard input, line by line" },
			{ "SENSOR=DEGREES", WORD_SAMPLE, .repeats = true, .help =
			  "hotspot=, memory= or board=, in degrees Celsius" },
			{ 0 },
		},
		.examples = "instinctctl push 0000:c1:00.0 hotspot=71.5 memory=64",
	}, {
		.name = "export", .run = cmd_export,
		.synopsis = "[--textfile FILE | --listen WHERE] [--state FILE]",
		.help = "print or serve metrics for Prometheus",
		.options = OPTIONS {
			{ "textfile", 't', WORD_FILE, "FILE",
			  "write FILE, whole or not at all, for node_exporter" },
			{ "listen", 'l', WORD_ADDRESS, "WHERE",
			  "serve metrics until a signal, at /metrics of 127.0.0.1:PORT, [::1]:PORT, unix:PATH or systemd" },
			{ "state", 's', WORD_FILE, "FILE",
			  "the monitor's state file; without: /var/lib/instinct-vfio/monitor.json" },
			{ 0 },
		},
		.notes = "export has no --json: it prints Prometheus' own format.",
		.examples = "instinctctl export --textfile /var/lib/prometheus/node-exporter/instinct.prom",
		.offline = true,
	}, {
		.name = "dump", .run = cmd_dump,
		.synopsis = "[--mask] [--all-log] [--output FILE]",
		.help = "write an archive of this host for a maintainer, for --sysroot",
		.options = OPTIONS {
			{ "mask", 'm', WORD_NONE, NULL,
			  "replace serial numbers, addresses, UUIDs and the host's name, equal ones by equal ones" },
			{ "all-log", 'a', WORD_NONE, NULL,
			  "take all of the kernel's log; without: the lines on GPUs, VFIO, IOMMU and PCIe errors" },
			{ "output", 'o', WORD_FILE, "FILE",
			  "write FILE, a new file that ends in .tar.zst, .tar.xz, .tar.gz, .tgz or .tar; - for standard output; without: a name with host and time, in this folder" },
			{ 0 },
		},
		.notes = "Run dump as root: another user gets no config spaces, and often no kernel log.",
		.examples = "instinctctl dump --mask\ninstinctctl --sysroot instinct-vfio-masked-20260214-093015.tar.zst check",
		.doing = "capturing",
		.offline = true,
	}, {
		.name = "version", .run = cmd_version, .synopsis = "",
		.help = "print the versions of this helper and of the loaded module",
		.examples = "instinctctl version --json",
		.offline = true,
	}, {
		.name = "help", .run = cmd_help, .synopsis = "[COMMAND]",
		.help = "print all commands, or the help of one",
		.operands = OPERANDS { { .name = "COMMAND", .word = WORD_COMMAND, .repeats = true }, { 0 } },
		.notes = "help has no --json.",
		.examples = "instinctctl help apply",
		.hostless = "",
	},
};

const size_t commands_count = sizeof(commands) / sizeof(commands[0]);

/**
 * command_find() - find a command by its name
 * @name: the whole name, such as "topo show"
 *
 * Return: the command or NULL.
 */
const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < commands_count; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* The second word of @command, if @name is its first word; else NULL. */
static const char *word_of_group(const struct command *command, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(command->name, name, n) && command->name[n] == ' ' ?
	       command->name + n + 1 : NULL;
}

/**
 * command_is_group() - tell whether a word begins commands of two words
 * @name: the word
 *
 * Return: true if it does, as "topo" does.
 */
bool command_is_group(const char *name)
{
	size_t i;

	for (i = 0; i < commands_count; i++)
		if (word_of_group(&commands[i], name))
			return true;
	return false;
}

/**
 * command_list_group() - list the second words of a group's commands
 * @name: the group's first word
 * @text: set to a list such as "show, pairs or xml"
 * @size: bytes of @text
 */
void command_list_group(const char *name, char *text, size_t size)
{
	const char *word, *last = NULL;
	size_t at = 0, i;

	*text = '\0';
	for (i = 0; i < commands_count && at < size; i++) {
		word = word_of_group(&commands[i], name);
		if (!word)
			continue;
		if (last)
			at += snprintf(text + at, size - at, "%s%s", at ? ", " : "", last);
		last = word;
	}
	if (last && at < size)
		snprintf(text + at, size - at, "%s%s", at ? " or " : "", last);
}

/**
 * command_nearest() - suggest a command for a misspelt name
 * @name: the misspelt name
 *
 * Return: the nearest command's name or NULL.
 */
const char *command_nearest(const char *name)
{
	const char *names[NAMES_MAX];
	size_t i;

	for (i = 0; i < commands_count && i < NAMES_MAX; i++)
		names[i] = commands[i].name;
	return name_nearest(names, i, name);
}

/**
 * option_find() - find an option by its name
 * @options: the options to search, or NULL
 * @name: the name without dashes, not terminated
 * @length: bytes of the name
 *
 * Return: the option or NULL.
 */
const struct command_option *option_find(const struct command_option *options,
					 const char *name, size_t length)
{
	for (; options && options->name; options++)
		if (strlen(options->name) == length && !strncmp(options->name, name, length))
			return options;
	return NULL;
}

/**
 * option_nearest() - suggest an option for a misspelt name
 * @command: the command of the option, or NULL for global options only
 * @name: the misspelt name, without dashes
 *
 * Return: the nearest option's name or NULL.
 */
const char *option_nearest(const struct command *command, const char *name)
{
	const struct command_option *option;
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (option = command ? command->options : NULL;
	     option && option->name && count < NAMES_MAX; option++)
		names[count++] = option->name;
	for (option = global_options; option->name && count < NAMES_MAX; option++)
		names[count++] = option->name;
	return name_nearest(names, count, name);
}
