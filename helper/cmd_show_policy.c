// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "args.h"
#include "cmd.h"
#include "conf.h"
#include "module.h"
#include "out.h"
#include "say.h"
#include "sysfs.h"

static void print(const struct devices *devices)
{
	json_t *list;
	size_t i;

	if (!opt_json) {
		for (i = 0; i < devices->count; i++)
			out_policy_text(devices->list[i].bdf,
					&devices->list[i].policy);
		return;
	}
	list = json_array();
	for (i = 0; i < devices->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:o}",
			"bdf", devices->list[i].bdf,
			"policy", out_policy_json(&devices->list[i].policy)));
	out_json(json_pack("{s:i, s:o}", "version", 1, "devices", list),
		 JSON_INDENT(2));
}

static int in_force(struct devices *devices)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && !code) {
		say_error("the module %s is not loaded, so no policy is in force (instinctctl bind loads it)",
			  DRIVER_NAME);
		return EXIT_ERROR;
	}
	if (!nl)
		return code;
	ret = nl_devices_get(nl, devices);
	code = ret ? cmd_failed(nl, "list", "devices", ret) : EXIT_OK;
	if (!code && !devices->count)
		say_warning("no GPU is managed yet (see instinctctl bind)");
	nl_close(nl);
	return code;
}

/* What a file says of every GPU of the host, managed or not. */
static int of_file(const char *file, struct devices *devices)
{
	struct conf conf;
	int code;
	size_t i;

	code = conf_open(&conf, file);
	if (!code)
		code = sysfs_gpus(devices);
	if (!code) {
		conf_check_present(&conf);
		conf_check_values(&conf, devices);
		code = conf.errors ? EXIT_ERROR : EXIT_OK;
	}
	for (i = 0; !code && i < devices->count; i++)
		conf_merge(&conf, &devices->list[i], &devices->list[i].policy);
	if (!code && !devices->count)
		say_warning("no AMD Instinct GPU that instinct-vfio knows on this host");
	conf_free(&conf);
	return code;
}

/**
 * cmd_show_policy() - instinctctl show-policy
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_show_policy(int argc, char *argv[])
{
	static const struct option options[] = { { 0 } };
	struct devices devices = { 0 };
	int code;

	if (args_option(argc, argv, options) != ARGS_END)
		return EXIT_USAGE;
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	if (optind == argc && *opt_sysroot)
		return cmd_usage("--sysroot is a captured host, without a policy in force: give a FILE");
	code = optind < argc ? of_file(argv[optind], &devices) :
			       in_force(&devices);
	if (!code)
		print(&devices);
	devices_free(&devices);
	return code;
}
