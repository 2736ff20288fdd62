// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "kind.h"
#include "offer.h"
#include "out.h"
#include "out_plan.h"
#include "say.h"
#include "sysfs.h"

#define DEVICES_MAX	1024

/**
 * struct wish - the options of topo plan
 * @count: number of devices of each kind, with --split for each guest
 * @split: --split; 0 guests without it
 * @vmm: the VMM whose settings alone are printed; VMMS for the whole plan
 * @all: the whole plan has the settings for all VMMs
 * @left_out: values of --without
 * @without: the devices that they name, which topo plan must not choose
 */
struct wish {
	size_t count[TOPO_KINDS];
	struct split split;
	enum vmm vmm;
	bool all;
	struct words left_out;
	struct targets without;
};

static int take_count(struct wish *wish, enum topo_kind kind, const char *name, const char *text)
{
	uint64_t count;

	if (!args_number(text, &count) || count > DEVICES_MAX)
		return cmd_usage("--%s takes a number up to %d, found \"%s\"", name, DEVICES_MAX,
				 text);
	wish->count[kind] = count;
	return EXIT_OK;
}

static int take_option(struct wish *wish, int option, char *value)
{
	int found;

	switch (option) {
	case 'g':
		return take_count(wish, TOPO_GPU, "gpus", value);
	case 's':
		if (split_parse(&wish->split, value))
			return EXIT_OK;
		return cmd_usage("--split takes the numbers of guests and of GPUs for each, such as 2x4, found \"%s\"",
				 value);
	case 'n':
		return take_count(wish, TOPO_NIC, "nics", value);
	case 'd':
		return take_count(wish, TOPO_NVME, "nvme", value);
	case 'v':
		wish->all = !strcmp(value, VMM_ALL_NAME);
		if (wish->all) {
			wish->vmm = VMMS;
			return EXIT_OK;
		}
		found = name_find(&vmm_names, value);
		if (found >= 0) {
			wish->vmm = found;
			return EXIT_OK;
		}
		return cmd_usage("--vmm is qemu, libvirt, cloud-hypervisor or all, found \"%s\"", value);
	case 'w':
		*(char **)list_add((void **)&wish->left_out.word, &wish->left_out.count,
				   sizeof(char *)) = value;
		return EXIT_OK;
	default:
		return EXIT_USAGE;
	}
}

/* "--without A B", "--without A,B" and "--without A --without B" mean the same. */
static int take_without(struct wish *wish, int argc, char *argv[])
{
	if (argc && !wish->left_out.count)
		return cmd_usage("takes nothing but options, found \"%s\"", argv[0]);
	return targets_add_words(&wish->without, wish->left_out.count, wish->left_out.word) ?:
	       targets_add_words(&wish->without, argc, argv);
}

static int take_options(struct wish *wish, int argc, char *argv[])
{
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		code = option == ARGS_WRONG ? EXIT_USAGE : take_option(wish, option, optarg);
		if (code)
			return code;
	}
	code = take_without(wish, argc - optind, argv + optind);
	if (code)
		return code;
	if (wish->split.guests && wish->count[TOPO_GPU])
		return cmd_usage("takes one of --gpus and --split");
	if (wish->split.guests)
		wish->count[TOPO_GPU] = wish->split.gpus;
	if (!wish->count[TOPO_GPU])
		return cmd_usage("say how many GPUs the guest gets: --gpus N, at least 1; or --split, such as 2x4");
	if (opt_json && (wish->all || wish->vmm != VMMS))
		return cmd_usage("takes one of --vmm and --json");
	return EXIT_OK;
}

/* Report each kind with too few free devices, and the reason for each device left out. */
static void complain(const struct topo *topo, const struct choice *choice, const struct wish *wish)
{
	static const char *const names[TOPO_KINDS] = {
		[TOPO_GPU] = "GPU", [TOPO_NIC] = "NIC", [TOPO_NVME] = "NVMe drive",
	};
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++) {
		size_t wanted = wish->count[kind] * (wish->split.guests ?: 1);

		if (choice->free[kind].count < wanted)
			say_error(ERROR_NO_DEVICE, "%zu %s%s wanted, %zu free", wanted, names[kind],
				  plural(wanted), choice->free[kind].count);
	}
	for (i = 0; i < choice->lefts; i++)
		say_error(ERROR_NO_DEVICE, "left out: %s, %s", topo->host.function[choice->left[i].index].bdf,
			  choice->left[i].why);
}

/* A misspelt address would leave its device in the choice, so report it. */
static int check_without(const struct topo *topo, const struct targets *without)
{
	size_t i;

	for (i = 0; i < without->count; i++) {
		int index = host_find(&topo->host, without->bdf[i]);

		if (index >= 0 && topo_is_device(topo->kind[index]))
			continue;
		say_error(ERROR_NO_DEVICE, index < 0 ? "no PCI device %s" : "%s is no device for a guest",
			  without->bdf[i]);
		return EXIT_ERROR;
	}
	return EXIT_OK;
}

/* Devices that are not bound to VFIO yet, by what binds them. */
enum unbound {
	UNBOUND_OURS,		/* instinctctl binds them */
	UNBOUND_RISKY,		/* nothing safe does */
	UNBOUND_OTHERS,
};

static enum unbound unbound_of(const struct topo *topo, int index)
{
	const struct instinct_node *node = &topo->host.node[index];

	if (host_is_known(&topo->host, index))
		return UNBOUND_OURS;
	/* A VF is reset by its own means. */
	return kind_is_amd_accelerator(node->vendor, node->class) &&
	       !sysfs_exists(topo->host.function[index].bdf, "physfn") ?
	       UNBOUND_RISKY : UNBOUND_OTHERS;
}

static char *list_unbound(const struct topo *topo, const struct choice *choice, enum unbound which)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);
	int kind;

	for (kind = 0; out && kind < TOPO_KINDS; kind++)
		for (i = 0; i < choice->best[kind].count; i++) {
			int index = choice->best[kind].list[i].index;

			if (!host_has_vfio(&topo->host.function[index]) &&
			    unbound_of(topo, index) == which)
				fprintf(out, " %s", topo->host.function[index].bdf);
		}
	if (!out || fclose(out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return text;
}

static void warn_unbound(const struct topo *topo, const struct choice *choice, enum vmm vmm)
{
	char *ours, *risky, *others;

	if (!topo->host.tells_drivers) {
		say_warning("the capture does not tell drivers: the devices have to be bound to VFIO");
		return;
	}
	ours = list_unbound(topo, choice, UNBOUND_OURS);
	risky = list_unbound(topo, choice, UNBOUND_RISKY);
	others = list_unbound(topo, choice, UNBOUND_OTHERS);
	if (*ours)
		say_warning("not bound to VFIO yet: instinctctl bind%s", ours);
	if (*others && vmm != VMM_LIBVIRT)
		say_warning("not bound to VFIO yet: for each of%s: driverctl set-override BDF vfio-pci (libvirt does it by itself)",
			    others);
	if (*risky)
		say_warning("not bound to VFIO:%s: instinct-vfio does not know these AMD accelerators, and a reset by the kernel's vfio-pci may lose them until the host reboots",
			    risky);
	free(ours);
	free(risky);
	free(others);
}

/* A guest without a window for the GPUs' BARs boots, and has no GPU. */
static void warn_without_bars(const struct topo *topo, const struct choice *choice, enum vmm vmm)
{
	int index = vmm_without_bars(topo, choice);

	if (index >= 0 && vmm != VMM_CLOUD_HYPERVISOR)
		say_warning("the sizes of BARs are unknown, of %s for one%s: the plan leaves out the window for them in the guest, X-PciMmio64Mb, which an MI300X with its BAR of 256 GiB needs",
			    topo->host.function[index].bdf, *opt_sysroot ?
			    " (instinctctl dump and lspci -vvvxxxx have them)" : "");
}

/* A NIC's vital product data tell its data-direct function; a host may not show them. */
static void warn_data_direct(const struct topo *topo, const struct choice *choice)
{
	const struct choice_list *nics = &choice->best[TOPO_NIC];
	int first = -1, count = 0, i;
	size_t k;

	for (k = 0; k < nics->count; k++)
		if (topo->partner[nics->list[k].index] >= 0)
			say_warning("%s also needs its data-direct function %s",
				    topo->host.function[nics->list[k].index].bdf,
				    topo->host.function[topo->partner[nics->list[k].index]].bdf);
	for (i = topo->host.count - 1; i >= 0; i--)
		if (topo->kind[i] == TOPO_DATA_DIRECT && topo->partner[i] < 0) {
			first = i;
			count++;
		}
	if (count && nics->count)
		say_warning("the host has %d data-direct function%s of NICs, such as %s: a guest with such a NIC also needs its data-direct function",
			    count, plural(count), topo->host.function[first].bdf);
}

static void warn_slow(const struct choice *choice)
{
	char text[TEXT_BYTES];

	choice_slow_text(choice, text, sizeof(text));
	if (*text)
		say_warning("%s", text);
}

static void print(const struct topo *topo, const struct choice *choice, enum vmm vmm, bool all)
{
	if (opt_json)
		out_json(out_plan_json(topo, choice), JSON_INDENT(2));
	else if (vmm != VMMS)
		vmm_write(stdout, vmm, topo, choice);
	else
		out_plan_text(topo, choice, all ? VMMS : vmm_installed());
	fflush(stdout);
	warn_unbound(topo, choice, vmm);
	warn_without_bars(topo, choice, vmm);
	warn_data_direct(topo, choice);
	/* The whole plan says it itself. */
	if (opt_json || vmm != VMMS)
		warn_slow(choice);
}

/* A GPU that is left over is of the hive, too, and its resets would concern the guests. */
static int check_split(const struct topo *topo, const struct wish *wish)
{
	size_t gpus = split_gpus(topo), wanted = wish->split.guests * wish->split.gpus, i;
	char fitting[TEXT_BYTES];

	for (i = 0; i < wish->without.count; i++)
		gpus -= topo->kind[host_find(&topo->host, wish->without.bdf[i])] == TOPO_GPU;
	if (wanted == gpus)
		return EXIT_OK;
	split_fitting(gpus, fitting, sizeof(fitting));
	say_error(ERROR_UNSUPPORTED, "%zux%zu gives %zu GPUs to guests, and %zu %s there: a split leaves none over, since a reset concerns all GPUs of a hive%s%s",
		  wish->split.guests, wish->split.gpus, wanted, gpus, gpus == 1 ? "is" : "are",
		  *fitting ? "; it can be " : "", fitting);
	return EXIT_UNSUPPORTED;
}

static void print_split(const struct topo *topo, const struct wish *wish, const struct choice *offered)
{
	const struct split *split = &wish->split;
	size_t i;

	if (opt_json)
		out_json(out_split_json(topo, split, offered), JSON_INDENT(2));
	else if (wish->vmm != VMMS)
		out_split_vmm(topo, split, wish->vmm);
	else
		out_split_text(topo, split, offered, wish->all ? VMMS : vmm_installed());
	fflush(stdout);
	/* The other forms hold it themselves. */
	if (!opt_json && wish->vmm != VMMS)
		out_split_warn(topo, split);
	for (i = 0; i < split->guests; i++)
		warn_unbound(topo, &split->guest[i], wish->vmm);
	warn_data_direct(topo, &split->guest[0]);
}

static int plan_split(const struct topo *topo, struct wish *wish, const struct choice *offered)
{
	struct split *split = &wish->split;
	int one, other, code = EXIT_OK;
	size_t i;

	if (!split_make(split, topo, offered, wish->count)) {
		complain(topo, offered, wish);
		code = EXIT_ERROR;
	} else if (split_has_group(split, topo, &one, &other)) {
		say_error(ERROR_UNSUPPORTED, "%s and %s are in one IOMMU group, and VFIO gives a group to one guest",
			  topo->host.function[one].bdf, topo->host.function[other].bdf);
		code = EXIT_UNSUPPORTED;
	}
	for (i = 0; !code && i < split->guests; i++)
		code = vmm_check_room(topo, &split->guest[i]);
	if (!code)
		print_split(topo, wish, offered);
	split_free(split);
	return code;
}

static int plan(const struct topo *topo, struct wish *wish)
{
	const struct offer_wish without = {
		(const char (*)[BDF_BYTES])wish->without.bdf, wish->without.count,
	};
	struct choice choice = { 0 };
	int code;

	offer_make(&choice, topo, &without, wish->count);
	if (wish->split.guests) {
		code = check_split(topo, wish) ?: plan_split(topo, wish, &choice);
	} else if (choice_make(&choice, topo, wish->count)) {
		code = vmm_check_room(topo, &choice);
		if (!code)
			print(topo, &choice, wish->vmm, wish->all);
	} else {
		complain(topo, &choice, wish);
		code = EXIT_ERROR;
	}
	choice_free(&choice);
	return code;
}

/**
 * cmd_topo_plan() - run instinctctl topo plan
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_topo_plan(int argc, char *argv[])
{
	struct wish wish = { .vmm = VMMS };
	struct topo topo = { 0 };
	int code = take_options(&wish, argc, argv);

	if (!code)
		code = topo_read(&topo) ?: check_without(&topo, &wish.without) ?:
		       plan(&topo, &wish);
	topo_free(&topo);
	targets_free(&wish.without);
	free(wish.left_out.word);
	return code;
}
