// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define AMDGPU		"amdgpu"
#define BIND_AT_BOOT	"/etc/systemd/system/multi-user.target.wants/instinct-vfio-bind.service"

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
 * @to: rollback: the driver that gets them
 */
struct request {
	struct devices managed;
	bool persist;
	const char *to;
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
		say_warning("%s leaves its hive: the module cannot reset the %zu GPU%s that stay%s by mode-1 without it, and refuses %s to new users, unless policy says method = quiesce. Bind it again, or say scope = device for the GPU%s that stay%s, which is unverified on hardware",
			    gone->bdf, left, plural(left), left == 1 ? "s" : "", left == 1 ? "it" : "them",
			    plural(left), left == 1 ? "s" : "");
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

/* A GPU that has no driver, or another one than ours, is no reason to stop: the target may have it. */
static int check_back(const char *bdf, void *data)
{
	const struct request *request = data;
	char driver[DRIVER_BYTES];

	if (driver_of(bdf, driver) && !strcmp(driver, request->to) && !sysfs_is_ours(driver))
		return EXIT_OK;
	return check(bdf, (void *)&request->managed);
}

static int give_back(const char *bdf, void *data)
{
	const struct request *request = data;
	char driver[DRIVER_BYTES], override[DRIVER_BYTES];
	bool bound = driver_of(bdf, driver), changed = !bound || sysfs_is_ours(driver);
	enum persist persist;
	int code = driver_override_get(bdf, override);

	if (!code && changed) {
		code = driver_override(bdf, request->to) ?: bound ? driver_unbind(bdf) : EXIT_OK;
		if (code)
			return code;
		driver_probe(bdf);
		/* amdgpu takes the GPU by its ID; vfio-pci needs the override at each probe. */
		if (!strcmp(request->to, AMDGPU))
			code = driver_override(bdf, "");
	}
	if (!code && (!driver_of(bdf, driver) || strcmp(driver, request->to))) {
		say_error(ERROR_FAILED, "%s: %s has not taken it (dmesg may say why), and it has no driver now; instinctctl bind %s takes it back",
			  bdf, request->to, bdf);
		code = EXIT_ERROR;
	}
	if (!code)
		code = persist_end(bdf, &persist);
	if (code)
		return code;
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:b, s:o}", "driver", request->to, "changed", changed,
					"persist", out_persist_json(persist)));
	else
		printf("%s: %s %s\n", bdf, changed ? "given to" : "already with", request->to);
	return EXIT_OK;
}

static int check_driver(const char *to)
{
	char path[128];

	if (!strcmp(to, DROPIN_NAME) && sysfs_has_dropin()) {
		say_error(ERROR_REFUSED, "the driver " DROPIN_NAME " of this host is instinct-vfio's: remove the package instinct-vfio-dropin first, and have the kernel's take its place");
		return EXIT_ERROR;
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s", to);
	if (access(path, F_OK)) {
		say_error(ERROR_REFUSED, "the driver %s is not loaded: modprobe %s, then try again", to, to);
		return EXIT_ERROR;
	}
	return EXIT_OK;
}

static void tell_risk(const struct targets *targets, const struct request *request)
{
	size_t i;

	if (!strcmp(request->to, AMDGPU))
		say_warning("RISK: AMD documents no change to amdgpu on a running host, and operators report that one ended with a GPU that did not start and a panic (ROCm/amdgpu #234). The sure way is a reboot: docs/packages.md, \"Roll back\"");
	else
		say_warning("RISK: the kernel's vfio-pci resets a GPU when a VM starts, reboots or stops. The first such reset can take the GPU off the bus until the host reboots, or take the host down (amd/MxGPU-Virtualization #25), and nothing scrubs the GPU between two guests. The module keeps these resets off until it is unloaded");
	for (i = 0; i < targets->count; i++) {
		const struct device *dev = devices_find(&request->managed, targets->bdf[i]);

		if (dev && dev->state == INSTINCT_VFIO_STATE_QUARANTINED)
			say_warning("%s is quarantined: its next user can read the last user's data", dev->bdf);
		else if (dev && dev->state == INSTINCT_VFIO_STATE_LOST)
			say_warning("%s is lost, and %s will not bring it back", dev->bdf, request->to);
	}
}

static bool agrees(void)
{
	char answer[16] = "";

	fputs("Go on? [y/N] ", stderr);
	if (!fgets(answer, sizeof(answer), stdin))
		fputc('\n', stderr);
	return *answer == 'y' || *answer == 'Y';
}

static int roll_back(const struct targets *targets, struct request *request, bool yes)
{
	int code;

	ask_module(&request->managed);
	code = check_driver(request->to) ?: each_target(targets, check_back, request);
	if (code)
		return code;
	tell_risk(targets, request);
	warn_of_hives(targets, &request->managed);
	if (!yes && !agrees()) {
		say_error(ERROR_REFUSED, "nothing has been changed");
		return EXIT_ERROR;
	}
	code = each_target(targets, give_back, request);
	if (!access(BIND_AT_BOOT, F_OK))
		say_warning("the next boot binds all GPUs again: systemctl disable --now instinct-vfio-bind");
	if (!code && !opt_json)
		puts("The policy stays: instinctctl bind takes a GPU back, and its policy is in force again.");
	return code;
}

/**
 * cmd_rollback() - run instinctctl rollback
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_rollback(int argc, char *argv[])
{
	struct request request = { 0 };
	struct targets targets = { 0 };
	bool all = false, yes = false;
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 't')
			request.to = optarg;
		yes |= option == 'y';
		all |= option == 'a';
	}
	if (!request.to)
		return cmd_usage("say which driver gets the GPUs: --to " AMDGPU " or --to " DROPIN_NAME);
	if (strcmp(request.to, AMDGPU) && strcmp(request.to, DROPIN_NAME))
		return cmd_usage("--to is " AMDGPU " or " DROPIN_NAME ", found \"%s\"", request.to);
	if (!yes && !isatty(STDIN_FILENO))
		return cmd_usage("asks on a terminal before it goes on; without a terminal give --yes");
	code = targets_parse(&targets, argc - optind, argv + optind, all);
	if (!code && all)
		code = find_all(&targets);
	if (!code && targets.count)
		code = roll_back(&targets, &request, yes);
	devices_free(&request.managed);
	targets_free(&targets);
	return code;
}
