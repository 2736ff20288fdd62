// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "driver.h"
#include "each.h"
#include "module.h"
#include "out.h"
#include "persist.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

/* An unbind that waits for a user has taken the driver's link away already. */
static int check(const char *bdf, void *managed)
{
	const struct device *dev = devices_find(managed, bdf);
	char driver[DRIVER_BYTES];

	if (!sysfs_exists(bdf, "")) {
		say_error(ERROR_NO_DEVICE, "%s: no such PCI device", bdf);
		return EXIT_ERROR;
	}
	if (driver_of(bdf, driver) && !sysfs_is_ours(driver)) {
		say_error(ERROR_REFUSED, "%s: is not bound to %s but to %s; left alone", bdf,
			  DRIVER_NAME, driver);
		return EXIT_ERROR;
	}
	return driver_check_unused(bdf, dev ? (int)dev->open : OPEN_UNKNOWN);
}

static void done(const char *bdf, bool changed, enum persist persist)
{
	if (opt_json)
		out_done(bdf, json_pack("{s:n, s:b, s:o}", "driver", "changed", changed,
					"persist", out_persist_json(persist)));
	else
		printf("%s: %s%s%s\n", bdf, changed ? "unbound, without a driver now" :
		       "has no driver already", persist ? "; bound again at the next boot by " : "",
		       persist ? name_of(&persist_names, persist) : "");
}

/**
 * struct request - what to do with each GPU
 * @managed: GPUs that the module has
 * @persist: do not bind them at the next boot either
 */
struct request {
	struct devices managed;
	bool persist;
};

static int unbind(const char *bdf, void *data)
{
	const struct request *request = data;
	char driver[DRIVER_BYTES], override[DRIVER_BYTES];
	bool bound = driver_of(bdf, driver);
	enum persist persist = persist_of(bdf);
	int code;

	code = driver_override_get(bdf, override);
	/* Leave an override for another driver in place. */
	if (!code && sysfs_is_ours(override))
		code = driver_override(bdf, "");
	if (!code && bound)
		code = driver_unbind(bdf);
	if (code)
		return code;
	if (driver_of(bdf, driver)) {
		say_error(ERROR_FAILED, "%s: still bound to %s", bdf, driver);
		return EXIT_ERROR;
	}
	if (request->persist)
		code = persist_end(bdf, &persist);
	if (!code)
		done(bdf, bound, persist);
	return code;
}

static bool is_of_hive(const struct device *dev, const struct device *other)
{
	return dev->policy.scope != INSTINCT_VFIO_SCOPE_DEVICE && dev->hive_nodes != 1 &&
	       devices_share_hive(dev, other);
}

/* Warns of the GPUs that stay of the hive that @gone leaves, if it is the first of them that goes. */
static void warn_of_one(const struct targets *targets, const struct devices *managed,
			const struct device *gone)
{
	size_t left = 0, i;

	for (i = 0; i < managed->count; i++) {
		const struct device *dev = &managed->list[i];

		if (dev->unmanaged || !is_of_hive(dev, gone))
			continue;
		if (!targets_have(targets, dev->bdf))
			left++;
		else if (dev < gone)
			return;
	}
	if (left)
		say_warning("%s leaves its hive: the module cannot reset the %zu GPU%s that stay%s by mode-1 without it, and refuses %s to new users, unless policy says method = quiesce. Bind it again, or say [device %s] hive = none",
			    gone->bdf, left, plural(left), left == 1 ? "s" : "", left == 1 ? "it" : "them",
			    gone->bdf);
}

/* A mode-1 reset concerns all members of a hive, so the others lose it with the first that goes. */
static void warn_of_hives(const struct targets *targets, const struct devices *managed)
{
	size_t i;

	for (i = 0; i < managed->count; i++)
		if (targets_have(targets, managed->list[i].bdf) && !managed->list[i].unmanaged)
			warn_of_one(targets, managed, &managed->list[i]);
}

/* Check all devices before touching the first. */
static int unbind_all(const struct targets *targets, struct request *request)
{
	int code = each_target(targets, check, &request->managed);

	if (code)
		return code;
	warn_of_hives(targets, &request->managed);
	return each_target(targets, unbind, request);
}

static int find_all(struct targets *targets)
{
	struct devices gpus = { 0 };
	int code = sysfs_gpus(&gpus);
	size_t i;

	for (i = 0; !code && i < gpus.count; i++)
		if (sysfs_is_ours(gpus.list[i].driver))
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

	/* A module of another version does not answer, but its devices can be unbound. */
	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl)
		return;
	if (nl_devices_get(nl, managed))
		devices_free(managed);
	nl_close(nl);
}

/**
 * cmd_unbind() - run instinctctl unbind
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_unbind(int argc, char *argv[])
{
	struct request request = { 0 };
	struct targets targets;
	const char *driver;
	int code = targets_take(&targets, argc, argv, find_all, &request.persist, &driver);

	if (!code) {
		ask_module(&request.managed);
		code = unbind_all(&targets, &request);
	}
	devices_free(&request.managed);
	targets_free(&targets);
	return code;
}
