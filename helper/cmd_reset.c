// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "cmd.h"
#include "each.h"
#include "nl.h"
#include "out.h"
#include "say.h"

static int reset(struct nl *nl, const char *bdf, int method)
{
	struct nl_reset_done done = { 0 };
	int ret;

	if (!opt_json && isatty(STDERR_FILENO))
		fprintf(stderr, "resetting %s ...\r", bdf);
	ret = nl_reset(nl, bdf, method, &done);
	if (ret)
		return out_failed(bdf, cmd_failed(nl, "reset", bdf, ret));
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:I}",
					"method", name_of(&method_names, done.method),
					"duration_ns", (json_int_t)done.duration));
	else
		printf("%s: reset by %s in %.0f ms\n", bdf,
		       name_of(&method_names, done.method), done.duration / 1e6);
	return EXIT_OK;
}

/**
 * cmd_reset() - instinctctl reset
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_reset(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' },
		{ "all", no_argument, NULL, 'a' },
		{ 0 },
	};
	int method = NL_METHOD_POLICY, option;
	char allowed[TEXT_BYTES];
	bool all = false;

	while ((option = args_option(argc, argv, options)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'a') {
			all = true;
			continue;
		}
		method = name_find(&method_names, optarg);
		name_list(&method_names, allowed, sizeof(allowed));
		if (method < 0)
			return cmd_usage("no method \"%s\"; there is %s", optarg,
					 allowed);
	}
	return each_managed(argc - optind, argv + optind, all, method, reset);
}
