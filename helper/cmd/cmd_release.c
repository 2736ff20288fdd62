// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cmd.h"
#include "each.h"
#include "nl.h"
#include "out.h"
#include "say.h"

static int release(struct nl *nl, const char *bdf, int unused)
{
	int ret = nl_release(nl, bdf);

	(void)unused;
	if (ret)
		return nl_refused(nl, "release", bdf, ret);
	if (opt_json)
		out_done(bdf, json_object());
	else
		printf("%s: released\n", bdf);
	return EXIT_OK;
}

/**
 * cmd_release() - run instinctctl release
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_release(int argc, char *argv[])
{
	bool all;

	if (args_all(argc, argv, &all))
		return EXIT_USAGE;
	return each_managed(argc - optind, argv + optind, all, MODULE_LOAD, 0,
			    release);
}
