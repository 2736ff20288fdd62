// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd.h"
#include "module.h"
#include "out.h"
#include "say.h"

static int reset_one(struct nl *nl, const char *bdf, uint32_t method)
{
	struct nl_reset_done done = { 0 };
	int ret;

	if (!opt_json && isatty(STDERR_FILENO))
		fprintf(stderr, "resetting %s ...\r", bdf);
	ret = nl_reset(nl, bdf, method, &done);
	if (ret)
		return cmd_failed(nl, "reset", bdf, ret);
	if (opt_json)
		out_json(json_pack("{s:s, s:s, s:I}", "bdf", bdf, "method",
				   name_of(&method_names, done.method),
				   "duration_ns", (json_int_t)done.duration),
			 JSON_COMPACT);
	else
		printf("%s: reset by %s in %.0f ms\n", bdf,
		       name_of(&method_names, done.method), done.duration / 1e6);
	return EXIT_OK;
}

static int release_one(struct nl *nl, const char *bdf, uint32_t unused)
{
	int ret = nl_release(nl, bdf);

	(void)unused;
	if (ret)
		return cmd_failed(nl, "release", bdf, ret);
	printf("%s: released\n", bdf);
	return EXIT_OK;
}

/* Do it to each device; the first failure's code is that of all. */
static int each(int argc, char *argv[], bool all, uint32_t method,
		int (*one)(struct nl *nl, const char *bdf, uint32_t method))
{
	struct devices managed = { 0 };
	struct targets targets = { 0 };
	int code, ret;
	struct nl *nl;
	size_t i;

	if (!all) {
		code = targets_parse(&targets, argc, argv, false, &managed);
		if (code)
			return code;
	}
	nl = module_open(true, &code);
	if (!nl)
		return code;
	if (all) {
		ret = nl_devices_get(nl, &managed);
		code = ret ? cmd_failed(nl, "list", "devices", ret) :
			     targets_parse(&targets, argc, argv, true, &managed);
		if (!code && !targets.count)
			say_warning("no GPU is managed (see instinctctl bind)");
	}
	for (i = 0; i < targets.count; i++) {
		ret = one(nl, targets.bdf[i], method);
		code = code ? code : ret;
	}
	targets_free(&targets);
	devices_free(&managed);
	nl_close(nl);
	return code;
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
	int method = INSTINCT_VFIO_METHOD_AUTO, option;
	char allowed[TEXT_BYTES];
	bool all = false;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":m:a", options, NULL)) != -1) {
		switch (option) {
		case 'm':
			method = name_find(&method_names, optarg);
			name_list(&method_names, allowed, sizeof(allowed));
			if (method < 0)
				return cmd_usage("no method \"%s\"; there is %s",
						 optarg, allowed);
			break;
		case 'a':
			all = true;
			break;
		case ':':
			return cmd_usage("%s needs a value", argv[optind - 1]);
		default:
			return cmd_usage("unknown option %s", argv[optind - 1]);
		}
	}
	return each(argc - optind, argv + optind, all, method, reset_one);
}

/**
 * cmd_release() - instinctctl release
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_release(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ 0 },
	};
	bool all = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "a", options, NULL)) != -1) {
		if (option != 'a')
			return cmd_usage("unknown option %s", argv[optind - 1]);
		all = true;
	}
	return each(argc - optind, argv + optind, all, 0, release_one);
}
