// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"
#include "cmd.h"
#include "guest_fold.h"
#include "out_guest.h"
#include "say.h"

static void warn(const struct topo *topo, const struct guest_map *map, bool merged)
{
	char folded[BDF_BYTES];
	const struct guest_device *nic;
	int count;

	nic = guest_fold_any(topo, map, merged, folded, &count);
	if (nic)
		say_warning("%d NIC%s of the guest, such as %s, will be looked for at %s, and not found: set NCCL_IB_MERGE_VFS=0 in the guest, or give each NIC a root port of its own%s",
			    count, plural(count), nic->guest, folded,
			    merged ? "" : ", or try --merge-vfs");
}

static int print(const struct guest_map *map, const struct topo *topo, enum guest_flavor flavor,
		 bool merged)
{
	struct guest_tree tree;
	int code = guest_tree_make(&tree, topo, map, merged);

	if (!code) {
		out_guest_xml(topo, &tree, flavor);
		warn(topo, map, merged);
	}
	guest_tree_free(&tree);
	return code;
}

/**
 * cmd_topo_xml() - instinctctl topo xml
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_topo_xml(int argc, char *argv[])
{
	enum guest_flavor flavor = GUEST_FLAVOR_UNKNOWN;
	struct guest_map map = { 0 };
	struct topo topo = { 0 };
	int option, maps = 0, code = EXIT_USAGE;
	bool merged = false;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			goto out;
		if (option == 'f' && !guest_flavor_parse(optarg, &flavor)) {
			cmd_usage("--flavor is rccl or nccl, found \"%s\"", optarg);
			goto out;
		}
		merged |= option == 'v';
		if (option == 'm') {
			guest_map_read(&map, optarg);
			maps++;
		}
	}
	if (optind < argc)
		cmd_usage("takes nothing but options, found \"%s\"", argv[optind]);
	else if (flavor == GUEST_FLAVOR_UNKNOWN)
		cmd_usage("say which library is to read it: --flavor rccl or --flavor nccl");
	else if (!maps)
		cmd_usage("say which devices the guest has, and where: --map FILE");
	else
		code = topo_read(&topo) ?: guest_map_settle(&map, &topo) ?:
		       print(&map, &topo, flavor, merged);
out:
	topo_free(&topo);
	guest_map_free(&map);
	return code;
}
