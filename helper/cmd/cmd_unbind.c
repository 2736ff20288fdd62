// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "driver.h"
#include "each.h"
#include "module.h"
#include "out.h"
#include "say.h"
#include "sysfs.h"

/* What the module knows of a user whose process is hidden from us. */
static int check_module(const struct devices *managed, const char *bdf)
{
	const struct device *dev = devices_find(managed, bdf);

	if (!dev || !dev->open)
		return EXIT_OK;
	say_error("%s: is in use by a process that cannot be seen from here (another PID namespace, or not root); stop its guest first",
		  bdf);
	return EXIT_ERROR;
}

static int check(const char *bdf, void *managed)
{
	char driver[DRIVER_BYTES];
	int code;

	if (!sysfs_exists(bdf, "")) {
		say_error("%s: no such PCI device", bdf);
		return EXIT_ERROR;
	}
	if (!driver_of(bdf, driver))
		return EXIT_OK;
	if (strcmp(driver, DRIVER_NAME)) {
		say_error("%s: is not bound to %s but to %s; left alone", bdf,
			  DRIVER_NAME, driver);
		return EXIT_ERROR;
	}
	code = driver_check_unused(bdf);
	return code ? code : check_module(managed, bdf);
}

static void done(const char *bdf, bool changed)
{
	if (opt_json)
		out_done(bdf, json_pack("{s:n, s:b}", "driver", "changed",
					changed));
	else
		printf("%s: %s\n", bdf, changed ? "unbound, without a driver now" :
		       "has no driver already");
}

static int unbind(const char *bdf, void *data)
{
	char driver[DRIVER_BYTES];
	bool bound = driver_of(bdf, driver);
	int code;

	(void)data;
	/* An override for another driver is none of our business. */
	code = driver_is_overridden(bdf) ? driver_override(bdf, "") : EXIT_OK;
	if (!code && bound)
		code = driver_unbind(bdf);
	if (code)
		return code;
	if (driver_of(bdf, driver)) {
		say_error("%s: still bound to %s", bdf, driver);
		return EXIT_ERROR;
	}
	done(bdf, bound);
	return EXIT_OK;
}

/* All are checked before the first is touched. */
static int unbind_all(const struct targets *targets, struct devices *managed)
{
	int code = each_target(targets, check, managed);

	return code ? code : each_target(targets, unbind, NULL);
}

static int find_all(struct targets *targets)
{
	struct devices gpus = { 0 };
	int code = sysfs_gpus(&gpus);
	size_t i;

	for (i = 0; !code && i < gpus.count; i++)
		if (!strcmp(gpus.list[i].driver, DRIVER_NAME))
			targets_add(targets, gpus.list[i].bdf);
	if (!code && !targets->count)
		say_warning("no GPU is bound to %s", DRIVER_NAME);
	devices_free(&gpus);
	return code;
}

static void ask_module(struct devices *managed)
{
	struct nl *nl;
	int code;

	/* Of another version, it can still be unbound. */
	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl)
		return;
	if (nl_devices_get(nl, managed))
		devices_free(managed);
	nl_close(nl);
}

/**
 * cmd_unbind() - instinctctl unbind
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_unbind(int argc, char *argv[])
{
	struct devices managed = { 0 };
	struct targets targets;
	int code = targets_take(&targets, argc, argv, find_all);

	if (!code) {
		ask_module(&managed);
		code = unbind_all(&targets, &managed);
	}
	devices_free(&managed);
	targets_free(&targets);
	return code;
}
