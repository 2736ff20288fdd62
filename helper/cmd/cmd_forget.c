// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "each.h"
#include "missing.h"
#include "out.h"
#include "say.h"

static int forget(const char *bdf, void *unused)
{
	int ret = missing_forget(bdf);

	(void)unused;
	if (ret == -EBUSY)
		say_error(ERROR_REFUSED, "%s: the GPU is there (instinctctl status %s); only a missing one can be forgotten",
			  bdf, bdf);
	else if (ret == -ENODEV)
		say_error(ERROR_NO_DEVICE, "%s: no GPU is missing from this address (instinctctl status)",
			  bdf);
	else if (ret)
		say_error(error_code_of(-ret, ERROR_IO), "%s: cannot write " MISSING_RECORD ": %s", bdf,
			  strerror(-ret));
	else if (opt_json)
		out_done(bdf, json_object());
	else
		printf("%s: forgotten\n", bdf);
	return ret == -EBUSY || ret == -ENODEV ? EXIT_ERROR : exit_code_of(-ret);
}

/**
 * cmd_forget() - run instinctctl forget
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_forget(int argc, char *argv[])
{
	struct targets targets;
	int code;

	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	code = targets_parse(&targets, argc - optind, argv + optind, false);
	if (!code)
		code = each_target(&targets, forget, NULL);
	targets_free(&targets);
	return code;
}
