// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"
#include "cmd.h"
#include "out_guest.h"
#include "say.h"

/**
 * struct question - what is to be checked
 * @files: that tell of the guest
 * @map: devices of the guest
 * @flavor: the library, or GUEST_FLAVOR_UNKNOWN
 * @name: of the topology file
 */
struct question {
	struct guest_map_files files;
	struct guest_map map;
	enum guest_flavor flavor;
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
		guest_check(&check, topo, &question->map, &tree, &file, question->flavor);
		out_guest_check(&check, question->name);
		fails = check.fails;
	}
	guest_check_free(&check);
	guest_file_free(&file);
	guest_tree_free(&tree);
	return code ?: fails ? EXIT_DRIFT : EXIT_OK;
}

static int take_options(struct question *question, int argc, char *argv[])
{
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'f' && !guest_flavor_parse(optarg, &question->flavor))
			return cmd_usage("--flavor is rccl or nccl, found \"%s\"", optarg);
		if (option == 'm' && !guest_map_name(&question->files, optarg))
			return cmd_usage("takes no more than %d maps", GUEST_FILES_MAX);
	}
	if (argc - optind != 1)
		return cmd_usage("takes one topology file, found %d", argc - optind);
	if (!question->files.count)
		return cmd_usage("say which devices the guest has, and where: --map FILE");
	question->name = argv[optind];
	return EXIT_OK;
}

/**
 * cmd_topo_check() - instinctctl topo check
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_topo_check(int argc, char *argv[])
{
	struct question question = { .flavor = GUEST_FLAVOR_UNKNOWN };
	struct topo topo = { 0 };
	int code = take_options(&question, argc, argv);

	if (!code)
		guest_map_read(&question.map, &question.files);
	if (!code)
		code = topo_read(&topo) ?: guest_map_settle(&question.map, &topo) ?:
		       compare(&question, &topo);
	topo_free(&topo);
	guest_map_free(&question.map);
	return code;
}
