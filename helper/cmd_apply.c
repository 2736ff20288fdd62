// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "conf.h"
#include "module.h"
#include "out.h"
#include "plan.h"
#include "say.h"

static void print_change(const struct change *change)
{
	char found[TEXT_BYTES], wanted[TEXT_BYTES];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		uint32_t a = conf_key_get(key, &change->found);
		uint32_t b = conf_key_get(key, &change->wanted);

		if (a == b)
			continue;
		conf_key_format(key, a, found, sizeof(found));
		conf_key_format(key, b, wanted, sizeof(wanted));
		printf("%s: %s: %s -> %s\n", change->bdf, key->name, found,
		       wanted);
	}
}

static void print_json(const struct changes *changes, bool applied)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < changes->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:o}",
			"bdf", changes->list[i].bdf,
			"found", out_policy_json(&changes->list[i].found),
			"wanted", out_policy_json(&changes->list[i].wanted)));
	out_json(json_pack("{s:i, s:b, s:o}", "version", 1, "applied", applied,
			   "changes", list), JSON_INDENT(2));
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

static int set_one(struct nl *nl, const struct change *change)
{
	struct policy found;
	int ret;

	ret = nl_policy_set(nl, change->bdf, &change->wanted);
	if (ret)
		return cmd_failed(nl, "set policy of", change->bdf, ret);
	ret = nl_policy_get(nl, change->bdf, &found);
	if (!ret && policy_equal(&found, &change->wanted))
		return EXIT_OK;
	if (ret)
		cmd_failed(nl, "read back policy of", change->bdf, ret);
	else
		say_error("%s: policy does not read back as it was set; somebody else has changed it, try again",
			  change->bdf);
	if (nl_policy_set(nl, change->bdf, &change->found))
		say_error("%s: policy cannot be put back either", change->bdf);
	return EXIT_ERROR;
}

/* A signal waits until all or nothing is done. */
static int carry_out(struct nl *nl, const struct changes *changes)
{
	sigset_t all, before;
	int code = EXIT_OK;
	size_t i;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (i = 0; i < changes->count && !code; i++) {
		code = set_one(nl, &changes->list[i]);
		if (code)
			undo(nl, changes, i);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

static int refuse(const struct conf *conf)
{
	say_error("%s: %d error%s; nothing has been changed", conf->file,
		  conf->errors, conf->errors > 1 ? "s" : "");
	return EXIT_ERROR;
}

static int plan(struct conf *conf, const struct devices *devices,
		struct changes *changes)
{
	struct policy *wanted;
	size_t i;

	conf_check_managed(conf, devices);
	conf_check_values(conf, devices);
	if (conf->errors)
		return refuse(conf);
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

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static int put_in_force(struct nl *nl, const struct changes *changes,
			const struct devices *devices, bool dry_run)
{
	int code = dry_run && changes->count ? EXIT_DRIFT : EXIT_OK;
	size_t i;

	for (i = 0; !opt_json && i < changes->count; i++)
		print_change(&changes->list[i]);
	if (!dry_run)
		code = carry_out(nl, changes);
	if (opt_json)
		print_json(changes, !dry_run && !code);
	else if (!changes->count)
		printf("nothing to change on %zu GPU%s\n", devices->count,
		       plural(devices->count));
	else if (dry_run)
		printf("to change on %zu of %zu GPU%s\n", changes->count,
		       devices->count, plural(devices->count));
	else if (!code)
		printf("changed on %zu of %zu GPU%s\n", changes->count,
		       devices->count, plural(devices->count));
	if (!devices->count)
		say_warning("no GPU is managed yet, so this policy rules none (see instinctctl bind)");
	return code;
}

static int apply(struct nl *nl, struct conf *conf, bool dry_run)
{
	struct changes changes = { 0 };
	struct devices devices = { 0 };
	int ret = nl_devices_get(nl, &devices), code;

	code = ret ? cmd_failed(nl, "list", "devices", ret) :
		     plan(conf, &devices, &changes);
	if (!code)
		code = put_in_force(nl, &changes, &devices, dry_run);
	free(changes.list);
	devices_free(&devices);
	return code;
}

static int apply_file(const char *file, bool dry_run)
{
	struct conf conf;
	struct nl *nl;
	int code;

	code = conf_open(&conf, file);
	if (code)
		goto out;
	conf_check_present(&conf);
	/* The module is not loaded for a policy that is wrong anyway. */
	nl = module_open(conf.errors ? MODULE_IF_LOADED : MODULE_LOAD, &code);
	if (nl) {
		code = apply(nl, &conf, dry_run);
		nl_close(nl);
	} else if (conf.errors) {
		code = refuse(&conf);
	}
out:
	conf_free(&conf);
	return code;
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
	bool dry_run = false;
	int option;

	while ((option = args_option(argc, argv, options)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		dry_run = true;
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	return apply_file(optind < argc ? argv[optind] : CONF_INSTALLED, dry_run);
}
