// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "conf.h"
#include "module.h"
#include "out.h"
#include "plan.h"
#include "say.h"
#include "sysfs.h"

static void print_change(const struct change *change)
{
	char found[TEXT_BYTES], wanted[TEXT_BYTES];
	unsigned int key;

	for (key = 0; key < CONF_KEYS; key++) {
		uint32_t a = conf_key_get(&change->found, key);
		uint32_t b = conf_key_get(&change->wanted, key);

		if (a == b)
			continue;
		conf_key_format(key, a, found, sizeof(found));
		conf_key_format(key, b, wanted, sizeof(wanted));
		printf("%s: %s: %s -> %s\n", change->bdf, conf_key_name(key),
		       found, wanted);
	}
}

static void print_changes(const struct changes *changes)
{
	json_t *list;
	size_t i;

	if (!opt_json) {
		for (i = 0; i < changes->count; i++)
			print_change(&changes->list[i]);
		return;
	}
	list = json_array();
	for (i = 0; i < changes->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:o}",
			"bdf", changes->list[i].bdf,
			"found", out_policy_json(&changes->list[i].found),
			"wanted", out_policy_json(&changes->list[i].wanted)));
	out_json(json_pack("{s:i, s:o}", "version", 1, "changes", list),
		 JSON_INDENT(2));
}

/* Take back what was done, so that a host is never half as policy says. */
static void undo(struct nl *nl, const struct changes *changes, size_t done)
{
	while (done--) {
		const struct change *change = &changes->list[done];
		int ret = nl_policy_set(nl, change->bdf, &change->found);

		if (ret)
			cmd_failed(nl, "undo policy of", change->bdf, ret);
		else
			say_error("%s: policy put back as it was", change->bdf);
	}
}

static int carry_out(struct nl *nl, const struct changes *changes)
{
	size_t i;

	for (i = 0; i < changes->count; i++) {
		const struct change *change = &changes->list[i];
		struct policy found;
		int code, ret;

		ret = nl_policy_set(nl, change->bdf, &change->wanted);
		if (ret) {
			code = cmd_failed(nl, "set policy of", change->bdf, ret);
			undo(nl, changes, i);
			return code;
		}
		ret = nl_policy_get(nl, change->bdf, &found);
		if (ret || !policy_equal(&found, &change->wanted)) {
			say_error("%s: policy does not read back as it was set",
				  change->bdf);
			undo(nl, changes, i + 1);
			return EXIT_ERROR;
		}
	}
	return EXIT_OK;
}

static int plan(struct conf *conf, const struct devices *devices,
		struct changes *changes)
{
	struct policy *wanted;
	size_t i;

	conf_check_devices(conf, devices);
	if (conf->errors) {
		say_error("%s: %d error%s; nothing has been changed", conf->file,
			  conf->errors, conf->errors > 1 ? "s" : "");
		return EXIT_ERROR;
	}
	wanted = calloc(devices->count + 1, sizeof(*wanted));
	if (!wanted) {
		perror("instinctctl");
		return EXIT_ERROR;
	}
	for (i = 0; i < devices->count; i++)
		conf_merge(conf, &devices->list[i], &wanted[i]);
	plan_make(devices, wanted, changes);
	free(wanted);
	return EXIT_OK;
}

static int apply(struct nl *nl, struct conf *conf, bool dry_run)
{
	struct changes changes = { 0 };
	struct devices devices = { 0 };
	int ret = nl_devices_get(nl, &devices), code;

	code = ret ? cmd_failed(nl, "list", "devices", ret) :
		     plan(conf, &devices, &changes);
	if (code)
		goto out;
	if (opt_json || changes.count)
		print_changes(&changes);
	else
		printf("nothing to change on %zu GPU%s\n", devices.count,
		       devices.count == 1 ? "" : "s");
	if (!devices.count)
		say_warning("no GPU is managed yet (see instinctctl bind)");
	if (dry_run)
		code = changes.count ? EXIT_DRIFT : EXIT_OK;
	else
		code = carry_out(nl, &changes);
out:
	free(changes.list);
	devices_free(&devices);
	return code;
}

static int read_conf(struct conf *conf, const char *file)
{
	int ret = conf_read(conf, file);

	if (!ret)
		return EXIT_OK;
	say_error("cannot read the policy %s: %s", file, strerror(-ret));
	return exit_code_of(-ret);
}

/**
 * cmd_apply() - instinctctl apply
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_apply(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ 0 },
	};
	struct conf conf = { 0 };
	bool dry_run = false;
	struct nl *nl;
	int option, code;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "n", options, NULL)) != -1) {
		if (option != 'n')
			return cmd_usage("unknown option %s", argv[optind - 1]);
		dry_run = true;
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	code = read_conf(&conf, optind < argc ? argv[optind] : CONF_INSTALLED);
	if (code)
		return code;
	nl = module_open(true, &code);
	if (nl) {
		code = apply(nl, &conf, dry_run);
		nl_close(nl);
	}
	conf_free(&conf);
	return code;
}

static void print_policies(const struct devices *devices)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		if (!opt_json)
			out_policy_text(dev->bdf, &dev->policy);
		json_array_append_new(list, json_pack("{s:s, s:o}", "bdf", dev->bdf,
				"policy", out_policy_json(&dev->policy)));
	}
	if (opt_json)
		out_json(json_pack("{s:i, s:o}", "version", 1, "devices", list),
			 JSON_INDENT(2));
	else
		json_decref(list);
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
	struct conf conf = { 0 };
	int code = EXIT_OK, ret;
	struct nl *nl;
	size_t i;

	if (argc > 2)
		return cmd_usage("takes one FILE, found \"%s\" too", argv[2]);
	if (argc == 2)
		code = read_conf(&conf, argv[1]);
	if (code)
		return code;
	nl = module_open(true, &code);
	if (!nl)
		goto out;
	ret = nl_devices_get(nl, &devices);
	if (ret) {
		code = cmd_failed(nl, "list", "devices", ret);
	} else if (argc == 2) {
		conf_check_devices(&conf, &devices);
		for (i = 0; i < devices.count; i++)
			conf_merge(&conf, &devices.list[i],
				   &devices.list[i].policy);
		code = conf.errors ? EXIT_ERROR : EXIT_OK;
	}
	if (!code)
		print_policies(&devices);
	nl_close(nl);
out:
	devices_free(&devices);
	conf_free(&conf);
	return code;
}
