// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"
#include "cmd.h"
#include "guest_fold.h"
#include "guest_option.h"
#include "out_guest.h"
#include "say.h"

static void warn(const struct topo *topo, const struct guest_map *map, bool merged)
{
	char folded[BDF_BYTES];
	const struct guest_device *nic;
	int count;

	nic = guest_fold_any(topo, map, merged, folded, &count);
	if (nic)
		say_warning("the libraries will miss %d NIC%s of the guest, such as %s, since they look at %s: set NCCL_IB_MERGE_VFS=0 in the guest, or give each NIC a root port of its own%s",
			    count, plural(count), nic->guest, folded,
			    merged ? "" : ", or try --merge-vfs");
}

static int print(const struct guest_map *map, const struct topo *topo, enum guest_flavor flavor,
		 bool merged)
{
	struct guest_tree tree;
	int code = guest_tree_make(&tree, topo, map, merged) ?: guest_tree_check_room(topo, &tree);

	if (!code) {
		out_guest_xml(topo, &tree, flavor);
		warn(topo, map, merged);
	}
	guest_tree_free(&tree);
	return code;
}

/**
 * struct wish - the options of topo xml
 * @guest: the library, and the files that describe the guest
 * @merged: write NICs at their folded addresses, too
 */
struct wish {
	struct guest_wish guest;
	bool merged;
};

static int take_options(struct wish *wish, int argc, char *argv[])
{
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		code = option == ARGS_WRONG ? EXIT_USAGE :
		       guest_option(&wish->guest, option, optarg);
		if (code)
			return code;
		wish->merged |= option == 'v';
	}
	if (optind < argc && !wish->guest.files.count)
		return cmd_usage("takes nothing but options, found \"%s\"", argv[optind]);
	if (guest_option_rest(&wish->guest.files, argc, argv, 0, NULL))
		return EXIT_USAGE;
	if (opt_json)
		return cmd_usage("there is no --json: it prints XML");
	if (wish->guest.flavor == GUEST_FLAVOR_UNKNOWN)
		return cmd_usage("name the library that reads the file: --flavor rccl or --flavor nccl");
	return guest_option_end(&wish->guest, NULL);
}

/**
 * cmd_topo_xml() - run instinctctl topo xml
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_topo_xml(int argc, char *argv[])
{
	struct wish wish = { .guest = { .flavor = GUEST_FLAVOR_UNKNOWN } };
	struct guest_map map = { 0 };
	struct topo topo = { 0 };
	int code;

	code = take_options(&wish, argc, argv) ?: guest_map_read(&map, &wish.guest.files) ?:
	       topo_read(&topo) ?: guest_map_settle(&map, &topo) ?:
	       print(&map, &topo, wish.guest.flavor, wish.merged);
	topo_free(&topo);
	guest_map_free(&map);
	return code;
}
