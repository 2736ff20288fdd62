// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "model.h"

#define NAMES_MAX	64
#define OPTIONS		(const struct command_option[])
#define OPERANDS	(const struct command_operand[])

/* What each command has, and where it may stand before the command, too. */
const struct command_option global_options[] = {
	{ "json", 'j', WORD_NONE, NULL,
	  "print for programs, in a form that has a JSON Schema" },
	{ "sysroot", 'r', WORD_CAPTURE, "DIR",
	  "read DIR/sys, a captured host, in place of this one; or an archive that dump has made" },
	{ "no-color", 'c', WORD_NONE, NULL, "no colour on a terminal, as NO_COLOR in the environment" },
	{ "debug", 'd', WORD_NONE, NULL,
	  "print each message to and from the module on standard error" },
	{ "help", 'h', WORD_NONE, NULL, "this, or more on a command" },
	{ "version", 'v', WORD_NONE, NULL, "the version of this helper" },
	{ 0 },
};

const struct command commands[] = {
	{
		.name = "status", .run = cmd_status, .synopsis = "",
		.help = "GPUs, their state, driver and resets; is policy in force?",
		.examples = "instinctctl status --json | jq '.devices[].state'",
		.offline = true,
	}, {
		.name = "bind", .run = cmd_bind, .synopsis = "BDF... | --all",
		.help = "give GPUs to instinct_vfio_pci",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all GPUs that this product knows" },
			{ 0 },
		},
		.operands = OPERANDS { { .name = "BDF", .word = WORD_UNBOUND, .repeats = true }, { 0 } },
		.examples = "instinctctl bind 0000:c1:00.0\ninstinctctl bind --all",
		.doing = "binding",
	}, {
		.name = "unbind", .run = cmd_unbind, .synopsis = "BDF... | --all",
		.help = "take GPUs from instinct_vfio_pci",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all GPUs bound to it" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.examples = "instinctctl unbind 0000:c1:00.0",
		.doing = "unbinding",
	}, {
		.name = "apply", .run = cmd_apply, .synopsis = "[--dry-run | --watch] [FILE]",
		.help = "put a policy in force, whole or not at all",
		.options = OPTIONS {
			{ "dry-run", 'n', WORD_NONE, NULL, "only show what would change" },
			{ "watch", 'w', WORD_NONE, NULL,
			  "stay, and apply it again when a GPU or the module has come; SIGHUP reads it anew" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "that file alone, - for standard input; without: the installed policy, policy.conf with its drop-ins" },
			{ 0 },
		},
		.exits = "3  a port does not take its ACS; with --dry-run: something would change",
		.examples = "instinctctl apply --dry-run\ninstinctctl apply",
		.doing = "applying the policy",
	}, {
		.name = "check", .run = cmd_check,
		.synopsis = "[--quiet] [--guest-memory SIZE] [FILE]",
		.help = "is the host as policy says? port by port",
		.options = OPTIONS {
			{ "guest-memory", 'm', WORD_SIZE, "SIZE",
			  "of the largest guest, such as 512G; without: this host's" },
			{ "quiet", 'q', WORD_NONE, NULL,
			  "one line on all of it, for a monitoring probe" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "policy to check against, - for standard input; without: the installed one, else that in force" },
			{ 0 },
		},
		.exits = "3  something is not as policy says, or no policy is installed",
		.examples = "instinctctl check --guest-memory 2T\ninstinctctl check --quiet",
		.offline = true,
	}, {
		.name = "diff", .run = cmd_diff, .synopsis = "[FILE]",
		.help = "only what is not as policy says",
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "as for check" },
			{ 0 },
		},
		.exits = "3  something is not as policy says",
		.examples = "instinctctl diff new.conf",
		.offline = true,
	}, {
		.name = "show-policy", .run = cmd_show_policy,
		.synopsis = "[--origin] [FILE]\n--keys [KEY...]",
		.help = "the policy in force, or as FILE says; what keys there are",
		.options = OPTIONS {
			{ "origin", 'o', WORD_NONE, NULL,
			  "of the files: behind each value the file and line that it comes from" },
			{ "keys", 'k', WORD_NONE, NULL,
			  "each key, or those named: what it does, its values, its default" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help =
			  "the policy that it makes for each GPU, - for standard input" },
			{ "KEY", WORD_KEY, .repeats = true, .with = "keys", .help =
			  "such as method or acs" },
			{ 0 },
		},
		.examples = "instinctctl show-policy --origin\ninstinctctl show-policy --keys method",
		.offline = true,
		.hostless = "keys",
	}, {
		.name = "isolation", .run = cmd_isolation,
		.synopsis = "--why BDF BDF\n--config-acs [FILE]",
		.help = "who can reach whom",
		.options = OPTIONS {
			{ "why", 'w', WORD_NONE, NULL,
			  "by which path the first function reaches the second, and which bit lets it" },
			{ "config-acs", 'c', WORD_NONE, NULL,
			  "the kernel's parameter that sets the same ACS at boot (6.11 and later; several devices need 6.15)" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "BDF", WORD_FUNCTION, .with = "why" },
			{ "BDF", WORD_FUNCTION, .with = "why" },
			{ "FILE", WORD_FILE, .with = "config-acs", .help =
			  "policy; without: that in force" },
			{ 0 },
		},
		.examples = "instinctctl isolation --why 0000:c1:00.0 0000:c5:00.0",
		.offline = true,
	}, {
		.name = "topo show", .run = cmd_topo_show, .synopsis = "[--all] [--svg]",
		.help = "NUMA nodes, switches, devices and their links",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL,
			  "functions that nobody gives to guests, too, and each VF" },
			{ "svg", 's', WORD_NONE, NULL, "as a picture, for a ticket" },
			{ 0 },
		},
		.examples = "instinctctl topo show\ninstinctctl topo show --svg >host.svg",
		.offline = true,
	}, {
		.name = "topo pairs", .run = cmd_topo_pairs, .synopsis = "[--all] [BDF...]",
		.help = "GPUs with the NICs and NVMe drives nearest to them",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all of them; without: the nearest" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "BDF", WORD_GPU, .repeats = true, .help =
			  "GPUs, of any vendor; without: all" },
			{ 0 },
		},
		.notes = "The nearest are those below the same switch; then come stacked switches, the same root complex, the same NUMA node, another NUMA node, another socket. What is said of the way is about requests from the NIC or the drive to the GPU.",
		.examples = "instinctctl topo pairs 0000:c1:00.0",
		.offline = true,
	}, {
		.name = "topo plan", .run = cmd_topo_plan,
		.synopsis = "--gpus N [--nics N] [--nvme N] [--without BDF...] [--vmm VMM]",
		.help = "the best devices for a guest, and what to tell its VMM",
		.options = OPTIONS {
			{ "gpus", 'g', WORD_NUMBER, "N", "GPUs that it gets" },
			{ "nics", 'n', WORD_NUMBER, "N", "NICs" },
			{ "nvme", 'd', WORD_NUMBER, "N", "NVMe drives" },
			{ "without", 'w', WORD_FUNCTION, "BDF",
			  "a device not to be chosen; it may be given again" },
			{ "vmm", 'v', WORD_VMM, "VMM",
			  "print nothing but what qemu, libvirt or cloud-hypervisor is to be told" },
			{ 0 },
		},
		.notes = "Left out are devices that somebody has open, GPUs that are not ready, NICs that the host routes through or has in a bond, a bridge or a VLAN, drives with something mounted, functions whose VFs are given, and what is in one IOMMU group with such a device or with one that another driver than VFIO's has. Of a captured host nobody can tell who has what open.",
		.exits = "1  there are not as many free\n4  a NUMA node of the guest has no room for as many",
		.examples = "instinctctl topo plan --gpus 4 --nics 4\nqemu-system-x86_64 $(instinctctl topo plan --gpus 1 --vmm qemu) -m 64G -bios /usr/share/ovmf/OVMF.fd",
		.offline = true,
	}, {
		.name = "topo xml", .run = cmd_topo_xml,
		.synopsis = "--flavor rccl|nccl --map FILE... [--merge-vfs]",
		.help = "the topology file that RCCL or NCCL needs in a guest",
		.options = OPTIONS {
			{ "flavor", 'f', WORD_FLAVOR, "LIB", "the library that is to read it: rccl or nccl" },
			{ "map", 'm', WORD_FILE, "FILE",
			  "which devices the guest has, and where: libvirt's domain XML, QMP's query-pci, Cloud Hypervisor's vm.info, or lines HOST GUEST [NODE]; - is standard input. It may be given again" },
			{ "merge-vfs", 'v', WORD_NONE, NULL,
			  "write NICs that are not device 0 of their bus once more at the address at which the libraries look for them without NCCL_IB_MERGE_VFS=0, where that stands for one alone" },
			{ 0 },
		},
		.notes = "There is no --json: what it prints is the libraries' own format. query-pci does not say which device of the host it is about: give a second --map that does, libvirt's XML, QEMU's command line (/proc/PID/cmdline) or lines HOST ID, or use ids with the host's address in them, such as gpu-0000-c1-00.0. What libvirt's XML alone gives are bus numbers as the guest's firmware should count them; query-pci has those that it did.",
		.examples = "virsh dumpxml vm1 | instinctctl topo xml --flavor rccl --map - >vm1-topo.xml",
		.offline = true,
	}, {
		.name = "topo check", .run = cmd_topo_check,
		.synopsis = "[--flavor rccl|nccl] --map FILE... FILE",
		.help = "does a guest's topology file match the hardware?",
		.options = OPTIONS {
			{ "flavor", 'f', WORD_FLAVOR, "LIB",
			  "the library that is to read it; without: either" },
			{ "map", 'm', WORD_FILE, "FILE", "as for topo xml" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "the topology file, - for standard input" },
			{ 0 },
		},
		.notes = "It tells which NIC each GPU would use by the file, and which by the hardware.",
		.exits = "3  it does not match: a library would refuse it, or use other NICs",
		.examples = "instinctctl topo check --map vm1.xml vm1-topo.xml",
		.offline = true,
	}, {
		.name = "doctor", .run = cmd_doctor,
		.synopsis = "[--guest-memory SIZE | --guest] [--only CHECK...]\n--list [--guest]",
		.help = "what is wrong with this host, and what to do",
		.options = OPTIONS {
			{ "guest-memory", 'm', WORD_SIZE, "SIZE",
			  "of the largest guest, such as 512G: are there huge pages for it, does a switch take its addresses?" },
			{ "guest", 'g', WORD_NONE, NULL, "look at a guest, from its inside" },
			{ "only", 'o', WORD_NONE, NULL, "make the named checks only" },
			{ "list", 'l', WORD_NONE, NULL, "which checks there are" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "CHECK", WORD_CHECK, .repeats = true, .with = "only", .help =
			  "such as iommu-on or link-width" },
			{ 0 },
		},
		.exits = "3  something has failed; a warning alone is none",
		.examples = "instinctctl doctor --guest-memory 2T\ninstinctctl doctor --only link-speed link-width",
		.offline = true,
		.hostless = "list",
	}, {
		.name = "reset", .run = cmd_reset,
		.synopsis = "[--method M] [--dry-run] BDF... | --all",
		.help = "reset GPUs that nobody has open",
		.options = OPTIONS {
			{ "method", 'm', WORD_METHOD, "M",
			  "auto, mode1, quiesce, bus or flr; without: as policy says, and not at all if the GPU is clean since its last reset" },
			{ "dry-run", 'n', WORD_NONE, NULL, "only say which methods would be tried" },
			{ "all", 'a', WORD_NONE, NULL, "all managed GPUs" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.exits = "4  the GPU cannot be reset by that method",
		.examples = "instinctctl reset --dry-run 0000:c1:00.0\ninstinctctl reset --method mode1 0000:c1:00.0",
		.doing = "resetting",
	}, {
		.name = "qualify", .run = cmd_qualify,
		.synopsis = "[OPTION...] BDF\n--verify FILE",
		.help = "try on a spare GPU which resets it survives",
		.options = OPTIONS {
			{ "max-risk", 'x', WORD_RISK, "LEVEL",
			  "none (quiesce), low (and mode1, as AMD's drivers do; the default), medium (and bus at the port above the package) or high (and bus at SWDS, then flr, which are known to have lost such GPUs until the host's reboot)" },
			{ "yes", 'y', WORD_NONE, NULL, "do not ask before each method; needed without a terminal" },
			{ "rounds", 'k', WORD_NUMBER, "N", "try each method N times; without: 3" },
			{ "wait", 'w', WORD_TIME, "TIME",
			  "how long a method has to bring the GPU back, and all that follows a loss: 1s to 600s; without: 120s, or as policy says if that is longer" },
			{ "report", 'f', WORD_FILE, "FILE", "write the report to FILE, as JSON" },
			{ "policy", 'p', WORD_FILE, "FILE", "write the policy that it recommends to FILE, for apply" },
			{ "operator", 'o', WORD_TEXT, "NAME", "who signs the report off; without: the user who runs this" },
			{ "note", 't', WORD_TEXT, "TEXT",
			  "what the host cannot tell and others should know, such as versions of VBIOS and firmware" },
			{ "serials", 's', WORD_NONE, NULL, "leave serial numbers in the report" },
			{ "dry-run", 'n', WORD_NONE, NULL, "only say what would be tried" },
			{ "verify", 'V', WORD_FILE, "FILE",
			  "print a report, - for standard input, and tell whether it is as it was sealed" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .help =
			"a GPU that nobody has open; mode1 resets all of its hive with it" }, { 0 } },
		.notes = "Changes no policy. Ends with the first method that loses the GPU, and tries all that policy allows, to bring it back. The report goes to standard output, what happens meanwhile to standard error.",
		.exits = "3  a method lost the GPU, or it is not ready; --verify: the report was changed",
		.examples = "instinctctl qualify --dry-run 0000:c1:00.0\ninstinctctl qualify --max-risk high --report c1.json 0000:c1:00.0",
		.doing = "qualifying",
		.hostless = "verify",
	}, {
		.name = "release", .run = cmd_release, .synopsis = "BDF... | --all",
		.help = "let quarantined GPUs be opened again",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "all managed GPUs" },
			{ 0 },
		},
		.operands = OPERANDS { { "BDF", WORD_MANAGED, .repeats = true }, { 0 } },
		.examples = "instinctctl release 0000:c1:00.0",
		.doing = "releasing",
	}, {
		.name = "sensors", .run = cmd_sensors, .synopsis = "[--all] [FILE]",
		.help = "where temperatures of GPUs come from",
		.options = OPTIONS {
			{ "all", 'a', WORD_NONE, NULL, "also sensors that feed nothing" },
			{ 0 },
		},
		.operands = OPERANDS {
			{ "FILE", WORD_FILE, .help = "policy that says so; without: the installed one" },
			{ 0 },
		},
		.examples = "instinctctl sensors --all",
		.offline = true,
	}, {
		.name = "monitor", .run = cmd_monitor,
		.synopsis = "[--since N] [--count N] [--timeout S]\n--daemon [--config FILE]",
		.help = "events as they come",
		.options = OPTIONS {
			{ "since", 's', WORD_NUMBER, "N", "first the kept events from number N on (1: all)" },
			{ "count", 'c', WORD_NUMBER, "N", "stop after N events" },
			{ "timeout", 't', WORD_TIME, "S", "stop after S seconds" },
			{ "daemon", 'd', WORD_NONE, NULL,
			  "to the journal, a file, hooks and metrics, as monitor.conf says; not with --json" },
			{ "config", 'f', WORD_FILE, "FILE",
			  "monitor.conf; without: /etc/instinct-vfio/monitor.conf" },
			{ 0 },
		},
		.exits = "1  the module was unloaded",
		.examples = "instinctctl monitor --since 1 --timeout 1\ninstinctctl monitor --json | jq .kind",
		.offline = true,
	}, {
		.name = "push", .run = cmd_push, .synopsis = "BDF SENSOR=DEGREES...\n-",
		.help = "hand temperatures read elsewhere to the service",
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
		.help = "metrics for Prometheus",
		.options = OPTIONS {
			{ "textfile", 't', WORD_FILE, "FILE",
			  "write FILE, whole or not at all, for node_exporter" },
			{ "listen", 'l', WORD_ADDRESS, "WHERE",
			  "serve them until a signal: 127.0.0.1:PORT, [::1]:PORT or unix:PATH, at /metrics" },
			{ "state", 's', WORD_FILE, "FILE",
			  "of the monitor; without: /var/lib/instinct-vfio/monitor.json" },
			{ 0 },
		},
		.notes = "There is no --json: what it prints is Prometheus' own format.",
		.examples = "instinctctl export --textfile /var/lib/prometheus/node-exporter/instinct.prom",
		.offline = true,
	}, {
		.name = "dump", .run = cmd_dump,
		.synopsis = "[--mask] [--all-log] [--output FILE]",
		.help = "an archive of this host for who is to help; --sysroot reads it",
		.options = OPTIONS {
			{ "mask", 'm', WORD_NONE, NULL,
			  "replace serial numbers, addresses, UUIDs and the host's name, the same by the same" },
			{ "all-log", 'a', WORD_NONE, NULL,
			  "all of the kernel's log; without: what concerns GPUs, VFIO, IOMMU and PCIe errors" },
			{ "output", 'o', WORD_FILE, "FILE",
			  "write FILE, which must not be there, .tar.zst, .tar.xz, .tar.gz, .tgz or .tar; - for standard output; without: a name with host and time, in this folder" },
			{ 0 },
		},
		.notes = "Run it as root: who is not gets no config spaces, and often no kernel log.",
		.examples = "instinctctl dump --mask\ninstinctctl --sysroot instinct-vfio-masked-20260214-093015.tar.zst check",
		.doing = "capturing",
		.offline = true,
	}, {
		.name = "version", .run = cmd_version, .synopsis = "",
		.help = "the version of this helper",
		.examples = "instinctctl version --json",
		.hostless = "",
	}, {
		.name = "help", .run = cmd_help, .synopsis = "[COMMAND]",
		.help = "all commands, or more on one",
		.operands = OPERANDS { { .name = "COMMAND", .word = WORD_COMMAND, .repeats = true }, { 0 } },
		.notes = "There is no --json.",
		.examples = "instinctctl help apply",
		.hostless = "",
	},
};

const size_t commands_count = sizeof(commands) / sizeof(commands[0]);

/**
 * command_find() - a command by its name
 * @name: of it
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

/* The second word of a command of that group, or NULL. */
static const char *word_of_group(const struct command *command, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(command->name, name, n) && command->name[n] == ' ' ?
	       command->name + n + 1 : NULL;
}

/**
 * command_is_group() - is it the first word of commands of two?
 * @name: it
 *
 * Return: true if so.
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
 * command_list_group() - the second words of a group's commands
 * @name: the first
 * @text: set to "show, pairs or xml", say
 * @size: of @text in bytes
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
 * command_nearest() - which command somebody may have meant
 * @name: what was written
 *
 * Return: its name or NULL.
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
 * option_find() - an option by its name
 * @options: to search, or NULL
 * @name: without dashes
 * @length: of the name, in bytes
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
 * option_nearest() - which option somebody may have meant
 * @command: that has it, NULL for none
 * @name: what was written, without dashes
 *
 * Return: its name or NULL.
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
