// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"
#include "cmd.h"
#include "guest_option.h"
#include "out_guest.h"
#include "say.h"

/**
 * struct question - the options of topo check
 * @guest: the library, and the files that describe the guest
 * @map: devices of the guest
 * @name: name of the topology file
 */
struct question {
	struct guest_wish guest;
	struct guest_map map;
	const char *name;
};

static int compare(const struct question *question, const struct topo *topo)
{
	struct guest_check check = { 0 };
	struct guest_file file = { 0 };
	struct guest_tree tree;
	bool fails = false;
	int code;

	code = guest_tree_make(&tree, topo, &question->map, false) ?:
	       guest_file_read(&file, question->name);
	if (!code) {
		guest_check(&check, topo, &question->map, &tree, &file, question->guest.flavor);
		out_guest_check(&check, file.name);
		fails = check.fails;
	}
	guest_check_free(&check);
	guest_file_free(&file);
	guest_tree_free(&tree);
	return code ?: fails ? EXIT_DRIFT : EXIT_OK;
}

static int take_options(struct question *question, int argc, char *argv[])
{
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		code = option == ARGS_WRONG ? EXIT_USAGE :
		       guest_option(&question->guest, option, optarg);
		if (code)
			return code;
	}
	if (guest_option_rest(&question->guest.files, argc, argv, 1, NULL))
		return EXIT_USAGE;
	if (argc - optind != 1)
		return cmd_usage("takes one topology file, found %d", argc - optind);
	question->name = argv[optind];
	return guest_option_end(&question->guest, question->name);
}

/**
 * cmd_topo_check() - run instinctctl topo check
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_topo_check(int argc, char *argv[])
{
	struct question question = { .guest = { .flavor = GUEST_FLAVOR_UNKNOWN } };
	struct topo topo = { 0 };
	int code;

	code = take_options(&question, argc, argv) ?:
	       guest_map_read(&question.map, &question.guest.files) ?: topo_read(&topo) ?:
	       guest_map_settle(&question.map, &topo) ?: compare(&question, &topo);
	topo_free(&topo);
	guest_map_free(&question.map);
	return code;
}
