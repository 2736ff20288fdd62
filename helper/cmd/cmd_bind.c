// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "driver.h"
#include "each.h"
#include "module.h"
#include "nl_policy.h"
#include "out.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

/* May this be bound to us at all? */
static int check_device(const char *bdf)
{
	long long vendor, device;
	char owner[BDF_BYTES];

	if (!sysfs_exists(bdf, "")) {
		say_error("%s: no such PCI device", bdf);
		return EXIT_ERROR;
	}
	if (sysfs_read_link(bdf, "physfn", owner, sizeof(owner))) {
		say_error("%s: is a virtual function of %s; virtual functions stay with stock drivers (vfio-pci)",
			  bdf, owner);
		return EXIT_UNSUPPORTED;
	}
	if (!sysfs_read_number(bdf, "vendor", &vendor) ||
	    !sysfs_read_number(bdf, "device", &device)) {
		say_error("%s: cannot read what it is", bdf);
		return EXIT_ERROR;
	}
	if (!instinct_profile_find(vendor, device)) {
		say_error("%s: [%04llx:%04llx] is not a GPU that instinct-vfio knows; bind it to vfio-pci",
			  bdf, vendor, device);
		return EXIT_UNSUPPORTED;
	}
	return EXIT_OK;
}

static int check(const char *bdf, void *data)
{
	int code = check_device(bdf);

	(void)data;
	if (code || driver_is_ours(bdf))
		return code;
	return driver_check_unused(bdf);
}

static void done(const char *bdf, bool changed)
{
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:b}", "driver", DRIVER_NAME,
					"changed", changed));
	else
		printf("%s: %sbound to %s\n", bdf, changed ? "" : "already ",
		       DRIVER_NAME);
}

static int bind(const char *bdf, void *data)
{
	char driver[DRIVER_BYTES];
	int code;

	(void)data;
	if (driver_is_ours(bdf)) {
		done(bdf, false);
		return EXIT_OK;
	}
	code = driver_override(bdf, DRIVER_NAME);
	if (!code && driver_of(bdf, driver))
		code = driver_unbind(bdf);
	if (code)
		return code;
	if (driver_probe(bdf)) {
		say_error("%s: the probe of %s does not end; dmesg may say why",
			  bdf, DRIVER_NAME);
		return EXIT_ERROR;
	}
	if (driver_is_ours(bdf)) {
		done(bdf, true);
		return EXIT_OK;
	}
	/* Whoever is asked to take it next must not find our name in the way. */
	driver_override(bdf, "");
	driver_of(bdf, driver);
	say_error("%s: not bound to %s but to %s; dmesg says why", bdf,
		  DRIVER_NAME, *driver ? driver : "no driver");
	return EXIT_ERROR;
}

static int find_all(struct targets *targets)
{
	struct devices gpus = { 0 };
	int code = sysfs_gpus(&gpus);
	size_t i;

	for (i = 0; !code && i < gpus.count; i++)
		targets_add(targets, gpus.list[i].bdf);
	if (!code && !gpus.count) {
		say_error("no AMD Instinct GPU that instinct-vfio knows on this host");
		code = EXIT_ERROR;
	}
	devices_free(&gpus);
	return code;
}

static bool is_among(const struct targets *targets, const char *bdf)
{
	size_t i;

	for (i = 0; i < targets->count; i++)
		if (!strcmp(targets->bdf[i], bdf))
			return true;
	return false;
}

/* Bound, it would be refused to whoever opens it. */
static void warn_unruled(struct nl *nl, const struct targets *targets)
{
	struct devices managed = { 0 };
	struct nl_info info;
	size_t i;

	if (nl_info_get(nl, &info) || !info.policy_required ||
	    nl_devices_get(nl, &managed) || nl_policies_get(nl, &managed))
		managed.count = 0;
	for (i = 0; i < managed.count; i++) {
		const struct device *dev = &managed.list[i];

		if (!dev->plain && !dev->waiting && !dev->ruled &&
		    is_among(targets, dev->bdf))
			say_warning("%s: no policy has been applied to it, and until then nobody can open it (instinctctl apply)",
				    dev->bdf);
	}
	devices_free(&managed);
}

/**
 * cmd_bind() - instinctctl bind
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_bind(int argc, char *argv[])
{
	struct targets targets;
	int code = targets_take(&targets, argc, argv, find_all);
	struct nl *nl = NULL;

	/* Nothing is touched unless all can be. */
	if (!code)
		code = each_target(&targets, check, NULL);
	if (!code)
		nl = module_open(MODULE_LOAD, &code);
	if (nl) {
		code = each_target(&targets, bind, NULL);
		warn_unruled(nl, &targets);
		nl_close(nl);
	}
	targets_free(&targets);
	return code;
}
