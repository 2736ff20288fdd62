// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "module.h"
#include "out.h"
#include "say.h"
#include "sysfs.h"

static int by_bdf(const void *a, const void *b)
{
	return strcmp(((const struct device *)a)->bdf,
		      ((const struct device *)b)->bdf);
}

/* What the module says of its devices takes the place of what sysfs says. */
static void join(struct devices *all, const struct devices *managed)
{
	size_t i;

	for (i = 0; i < managed->count; i++) {
		struct device *dev = devices_find(all, managed->list[i].bdf);

		if (!dev)
			dev = devices_add(all);
		*dev = managed->list[i];
		sysfs_fill(dev);
	}
	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), by_bdf);
}

static int ask_module(struct devices *all)
{
	struct devices managed = { 0 };
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl) {
		if (!code)
			say_warning("the module %s is not loaded: no GPU is managed (instinctctl bind loads it)",
				    DRIVER_NAME);
		return code;
	}
	ret = nl_devices_get(nl, &managed);
	code = ret ? cmd_failed(nl, "list", "devices", ret) : EXIT_OK;
	if (!code)
		join(all, &managed);
	devices_free(&managed);
	nl_close(nl);
	return code;
}

/**
 * cmd_status() - instinctctl status
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_status(int argc, char *argv[])
{
	static const struct option options[] = { { 0 } };
	struct devices all = { 0 };
	int code;

	if (args_option(argc, argv, options) != ARGS_END)
		return EXIT_USAGE;
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	code = sysfs_gpus(&all);
	if (!code && !*opt_sysroot)
		code = ask_module(&all);
	if (!code && opt_json)
		out_devices_json(&all);
	else if (!code)
		out_devices_text(&all);
	devices_free(&all);
	return code;
}
