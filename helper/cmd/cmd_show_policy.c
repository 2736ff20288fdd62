// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "args.h"
#include "cmd.h"
#include "conf.h"
#include "ini_file.h"
#include "inventory.h"
#include "module.h"
#include "out.h"
#include "out_conf.h"
#include "out_keys.h"
#include "say.h"
#include "sysfs.h"

static json_t *device_json(const struct device *dev, bool own)
{
	return json_pack("{s:s, s:o}", "bdf", dev->bdf,
			 "policy", out_policy_json(&dev->policy, own));
}

/* One that waits is known to the module, or only to the host. */
static void print_device(const struct device *dev, json_t *list)
{
	json_t *json;

	if (opt_json && (!dev->waiting || dev->ruled)) {
		json = device_json(dev, false);
		json_object_set_new(json, "waiting", json_boolean(dev->waiting));
		json_array_append_new(list, json);
	} else if (!opt_json && dev->waiting && !dev->ruled) {
		printf("# %s is not bound, and no policy waits for it\n", dev->bdf);
	} else if (!opt_json) {
		if (dev->waiting)
			puts("# waits until it is bound:");
		out_policy_text(dev->bdf, &dev->policy, false);
	}
}

static void print_in_force(const struct devices *devices)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].plain)
			print_device(&devices->list[i], list);
	if (opt_json)
		out_json(json_pack("{s:i, s:O}", "version", 1, "devices", list),
			 JSON_INDENT(2));
	json_decref(list);
}

static int in_force(struct devices *devices)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && !code) {
		say_error("the module %s is not loaded, so no policy is in force (instinctctl bind loads it; show-policy --origin says what the files say)",
			  DRIVER_NAME);
		return EXIT_ERROR;
	}
	if (!nl)
		return code;
	ret = inventory_get(nl, devices);
	code = ret ? cmd_failed(nl, "list", "devices", ret) : EXIT_OK;
	if (!code && !devices->count)
		say_warning("no AMD Instinct GPU that instinct-vfio knows on this host");
	nl_close(nl);
	return code;
}

/* Those whose section nobody can tell are left out, which conf_check_managed() has said. */
static int merge(const struct conf *conf, struct devices *devices)
{
	size_t kept = 0, i;
	int code;

	for (i = 0; i < devices->count; i++) {
		struct device *dev = &devices->list[i];

		if (conf_is_unsure(conf, dev))
			continue;
		conf_merge(conf, dev, &dev->policy);
		devices->list[kept++] = *dev;
	}
	code = kept < devices->count ? EXIT_PERMISSION : EXIT_OK;
	if (code)
		say_error("the policy of %zu GPU%s cannot be told", devices->count - kept,
			  devices->count - kept == 1 ? "" : "s");
	devices->count = kept;
	return code;
}

static void print_json(const struct conf *conf, const struct devices *devices, bool origin,
		       int code)
{
	json_t *list = json_array(), *device;
	size_t i;

	for (i = 0; i < devices->count; i++) {
		device = device_json(&devices->list[i], true);
		if (origin)
			json_object_set_new(device, "origin",
					    out_origin_json(conf, &devices->list[i]));
		json_array_append_new(list, device);
	}
	out_json(json_pack("{s:i, s:o, s:o, s:o, s:o}", "version", 1,
			   "files", out_files_json(conf), "masked", out_masked_json(conf),
			   "devices", list, "errors", out_errors_json(conf, code)),
		 JSON_INDENT(2));
}

static void print_text(const struct conf *conf, const struct devices *devices, bool origin)
{
	size_t i;

	out_found_text(conf);
	for (i = 0; i < devices->count; i++) {
		if (origin)
			out_origin_text(conf, &devices->list[i]);
		else
			out_policy_text(devices->list[i].bdf, &devices->list[i].policy, true);
	}
}

/* All that is wrong is said at once, in whichever files. */
static int read_files(struct conf *conf, const char *file, struct devices *devices)
{
	int opened = conf_open(conf, file), code = sysfs_gpus(devices);

	if (code)
		return code;
	if (conf_has_serials(conf))
		inventory_identify(devices);
	conf_check(conf, devices);
	return opened ?: conf->errors ? EXIT_ERROR : EXIT_OK;
}

/* What files say of every GPU of the host, managed or not. */
static int of_files(const char *file, bool origin)
{
	struct devices devices = { 0 };
	struct conf conf;
	int code;

	code = read_files(&conf, file, &devices);
	if (code)
		devices_free(&devices);
	else if (!devices.count)
		say_warning("no AMD Instinct GPU that instinct-vfio knows on this host");
	if (!code)
		code = merge(&conf, &devices);
	if (opt_json)
		print_json(&conf, &devices, origin, code);
	else if (!code || code == EXIT_PERMISSION)
		print_text(&conf, &devices, origin);
	devices_free(&devices);
	conf_free(&conf);
	return code;
}

static const struct conf_key *key_find(const char *name)
{
	const char *nearest;
	const struct conf_key *key = conf_key_find(name, &nearest);
	char maybe[TEXT_BYTES];

	if (!key)
		cmd_usage("unknown key, found \"%s\"%s", name,
			  ini_maybe(nearest, maybe, sizeof(maybe)));
	return key;
}

static int keys_named(int count, char *names[], const struct conf_key *chosen[])
{
	int i;

	for (i = 0; i < count; i++) {
		chosen[i] = key_find(names[i]);
		if (!chosen[i])
			return EXIT_USAGE;
	}
	return EXIT_OK;
}

static void print_keys(const struct conf_key *const chosen[], size_t count)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < count; i++) {
		if (opt_json) {
			json_array_append_new(list, out_key_json(chosen[i]));
			continue;
		}
		if (i)
			putchar('\n');
		out_key_text(chosen[i]);
	}
	if (opt_json)
		out_json(json_pack("{s:i, s:O}", "version", 1, "keys", list), JSON_INDENT(2));
	json_decref(list);
}

static int of_keys(int count, char *names[])
{
	const struct conf_key *chosen[CONF_KEYS];
	size_t i;
	int code;

	if (count > CONF_KEYS)
		return cmd_usage("there are %d keys, found %d", CONF_KEYS, count);
	if (!count) {
		for (i = 0; i < CONF_KEYS; i++)
			chosen[i] = &conf_keys[i];
		count = CONF_KEYS;
	} else {
		code = keys_named(count, names, chosen);
		if (code)
			return code;
	}
	print_keys(chosen, count);
	return EXIT_OK;
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
	struct devices devices = { 0 };
	bool origin = false, keys = false;
	int code, option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		origin |= option == 'o';
		keys |= option == 'k';
	}
	if (keys && origin)
		return cmd_usage("takes one of --keys and --origin");
	if (keys)
		return of_keys(argc - optind, argv + optind);
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	if (optind < argc || origin || !module_is_told_of())
		return of_files(optind < argc ? argv[optind] : NULL, origin);
	code = in_force(&devices);
	if (!code)
		print_in_force(&devices);
	devices_free(&devices);
	return code;
}
