// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cmd.h"
#include "each.h"
#include "nl.h"
#include "out.h"
#include "say.h"

#define ALL_METHODS	((1 << __INSTINCT_VFIO_METHOD_MAX) - 1)

static bool opt_all;

/* With --all, GPUs that are in order are no failure. */
static int nothing_to_do(const char *bdf, const char *what)
{
	if (opt_json)
		out_done(bdf, json_pack("{s:b}", "done", false));
	else
		printf("%s: %s\n", bdf, what);
	return EXIT_OK;
}

static int done(struct nl *nl, const char *bdf, const char *what, const char *under_user)
{
	struct devices devices = { 0 };
	const struct device *dev = nl_devices_get(nl, &devices) ? NULL : devices_find(&devices, bdf);

	if (dev && dev->open)
		what = under_user;
	if (opt_json)
		out_done(bdf, json_pack("{s:b, s:s*}", "done", true, "state",
					dev ? name_of(&state_names, dev->state) : NULL));
	else if (dev && dev->state != INSTINCT_VFIO_STATE_READY && *dev->reason)
		printf("%s: %s; now %s: %s\n", bdf, what, name_of(&state_names, dev->state), dev->reason);
	else
		printf("%s: %s\n", bdf, what);
	devices_free(&devices);
	return EXIT_OK;
}

static int release(struct nl *nl, const char *bdf, int unused)
{
	int ret = nl_release(nl, bdf, 0);

	(void)unused;
	if (ret == -EINVAL && opt_all)
		return nothing_to_do(bdf, "not quarantined");
	if (ret)
		return nl_refused(nl, "release", bdf, ret);
	return done(nl, bdf, "released for one user, who may find the last user's data",
		    "released: its user goes on");
}

static int forgive(struct nl *nl, const char *bdf, int unused)
{
	const char *forgiven = "forgiven: resets may try again what has lost it";
	int ret = nl_release(nl, bdf, ALL_METHODS);

	(void)unused;
	if (ret == -EINVAL && opt_all)
		return nothing_to_do(bdf, "no method has lost it");
	if (ret)
		return nl_refused(nl, "forgive", bdf, ret);
	return done(nl, bdf, forgiven, forgiven);
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
	if (args_all(argc, argv, &opt_all))
		return EXIT_USAGE;
	return each_managed(argc - optind, argv + optind, opt_all, MODULE_LOAD, 0, release);
}

/**
 * cmd_forgive() - run instinctctl forgive
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_forgive(int argc, char *argv[])
{
	if (args_all(argc, argv, &opt_all))
		return EXIT_USAGE;
	return each_managed(argc - optind, argv + optind, opt_all, MODULE_LOAD, 0, forgive);
}
