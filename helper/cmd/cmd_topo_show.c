// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"
#include "cmd.h"
#include "out.h"
#include "out_topo.h"
#include "say.h"

/**
 * cmd_topo_show() - run instinctctl topo show
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_topo_show(int argc, char *argv[])
{
	bool all = false, svg = false;
	struct topo topo;
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		all |= option == 'a';
		svg |= option == 's';
	}
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	if (svg && opt_json)
		return cmd_usage("takes one of --svg and --json");
	code = topo_read(&topo);
	if (!code && svg)
		out_topo_svg(&topo, all);
	else if (!code && opt_json)
		out_json(out_topo_json(&topo, all), JSON_INDENT(2));
	else if (!code)
		out_topo_text(&topo, all);
	topo_free(&topo);
	return code;
}
