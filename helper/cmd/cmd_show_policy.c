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

static void print_section(const struct device *dev, const struct policy *base, bool own)
{
	char section[BDF_BYTES + 16];

	snprintf(section, sizeof(section), "device %s", dev->bdf);
	out_policy_text(section, &dev->policy, base, own);
}

/* A pending device may have a policy in the module, or be known to the host only. */
static void print_device(const struct device *dev, const struct policy *base, json_t *list)
{
	json_t *json;

	if (opt_json && (!dev->pending || dev->policy_set)) {
		json = device_json(dev, false);
		json_object_set_new(json, "pending", json_boolean(dev->pending));
		json_array_append_new(list, json);
	} else if (!opt_json && dev->pending && !dev->policy_set) {
		printf("# %s is not bound, and no policy is pending for it\n", dev->bdf);
	} else if (!opt_json) {
		if (dev->pending)
			puts("# pending until the GPU is bound:");
		print_section(dev, base, false);
	}
}

static void print_in_force(const struct devices *devices, bool all)
{
	json_t *list = json_array();
	struct policy base;
	size_t i;

	conf_defaults(&base);
	if (!all && !opt_json && devices->count)
		puts("# What differs from the defaults; --all prints every key.");

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged)
			print_device(&devices->list[i], all ? NULL : &base, list);
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
		say_error(ERROR_NO_MODULE, "the module %s is not loaded, so no policy is in force (instinctctl bind loads it; show-policy --origin prints the policy of the files)",
			  DRIVER_NAME);
		return EXIT_ERROR;
	}
	if (!nl)
		return code;
	ret = inventory_get(nl, devices);
	code = ret ? nl_refused(nl, "list", "devices", ret) : EXIT_OK;
	if (!code && !devices->count)
		say_warning("no AMD Instinct GPU that instinct-vfio knows on this host");
	nl_close(nl);
	return code;
}

/* Leave devices out whose section is unknown; conf_check_managed() has reported them. */
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
		say_error(ERROR_PERMISSION, "the policy of %zu GPU%s is unknown", devices->count - kept,
			  devices->count - kept == 1 ? "" : "s");
	devices->count = kept;
	return code;
}

static void print_json(const struct conf *conf, const struct devices *devices, bool origin)
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
			   "devices", list, "errors", out_errors_json(conf)),
		 JSON_INDENT(2));
}

static void print_text(const struct conf *conf, const struct devices *devices, bool origin,
		       bool all)
{
	const struct device none = { .bdf = "" };
	struct policy built_in, base;
	size_t i;

	out_found_text(conf);
	conf_defaults(&built_in);
	conf_merge(conf, &none, &base);
	if (!origin && !all && devices->count)
		out_policy_text("default", &base, &built_in, true);
	for (i = 0; i < devices->count; i++) {
		if (origin)
			out_origin_text(conf, &devices->list[i], all);
		else
			print_section(&devices->list[i], all ? NULL : &base, true);
	}
}

/* Read and check all files, so that one run reports all errors. */
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

/* Print the policy that the files give every GPU of the host, managed or not. */
static int of_files(const char *file, bool origin, bool all)
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
		print_json(&conf, &devices, origin);
	else if (!code || code == EXIT_PERMISSION)
		print_text(&conf, &devices, origin, all);
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

static int of_keys(int argc, char *argv[])
{
	const struct conf_key *chosen[CONF_KEYS];
	struct words names = { 0 };
	size_t count = CONF_KEYS, i;
	int code = EXIT_OK;

	for (i = 0; i < CONF_KEYS; i++)
		chosen[i] = &conf_keys[i];
	args_split(&names, argc, argv);
	if (names.count > CONF_KEYS) {
		code = cmd_usage("there are %d keys, found %zu", CONF_KEYS, names.count);
	} else if (names.count) {
		count = names.count;
		code = keys_named(names.count, names.word, chosen);
	}
	if (!code)
		print_keys(chosen, count);
	free(names.word);
	return code;
}

/**
 * cmd_show_policy() - run instinctctl show-policy
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_show_policy(int argc, char *argv[])
{
	struct devices devices = { 0 };
	bool origin = false, keys = false, all = false;
	int code, option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		origin |= option == 'o';
		keys |= option == 'k';
		all |= option == 'a';
	}
	if (keys && (origin || all))
		return cmd_usage("--keys and %s do not go together", origin ? "--origin" : "--all");
	if (keys)
		return of_keys(argc - optind, argv + optind);
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	if (optind < argc || origin || !module_is_told_of())
		return of_files(optind < argc ? argv[optind] : NULL, origin, all);
	code = in_force(&devices);
	if (!code)
		print_in_force(&devices, all);
	devices_free(&devices);
	return code;
}
