// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "cmd.h"
#include "conf.h"
#include "module.h"
#include "gather.h"
#include "out.h"
#include "out_findings.h"
#include "plan.h"
#include "say.h"

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
		int ret = nl_policy_set(nl, change->bdf, &change->found,
					change->plain);

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

	ret = nl_policy_set(nl, change->bdf, &change->wanted, change->plain);
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
	if (nl_policy_set(nl, change->bdf, &change->found, change->plain))
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

/* A policy for each of the devices, and what of them must change. */
struct job {
	struct devices devices;
	struct policy *wanted;
	struct changes changes;
};

static int plan(struct conf *conf, struct job *job)
{
	size_t i;

	conf_check_managed(conf, &job->devices);
	conf_check_values(conf, &job->devices);
	if (conf->errors)
		return refuse(conf);
	conf_add_plain(conf, &job->devices);
	job->wanted = calloc(job->devices.count + 1, sizeof(*job->wanted));
	if (!job->wanted) {
		perror("instinctctl");
		return EXIT_ERROR;
	}
	for (i = 0; i < job->devices.count; i++)
		conf_merge(conf, &job->devices.list[i], &job->wanted[i]);
	plan_make(&job->devices, job->wanted, &job->changes);
	return EXIT_OK;
}

/* Which registers that changes; who may not read them gets no list. */
static void print_registers(const struct job *job)
{
	struct findings findings = { 0 };

	if (!gather_registers(&findings, &job->devices, job->wanted))
		out_registers(&findings);
	findings_free(&findings);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static unsigned long ms_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - began->tv_sec) * 1000 +
	       (now.tv_nsec - began->tv_nsec) / 1000000;
}

static const char *noun(const struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].plain)
			return "device";
	return "GPU";
}

static void report(const struct job *job, bool dry_run, unsigned long ms)
{
	size_t all = job->devices.count, some = job->changes.count;
	const char *what = noun(&job->devices);

	if (!some)
		printf("nothing to change on %zu %s%s\n", all, what, plural(all));
	else if (dry_run)
		printf("to change on %zu of %zu %s%s\n", some, all, what, plural(all));
	else
		printf("changed on %zu of %zu %s%s in %lu ms\n", some, all, what,
		       plural(all), ms);
}

static int put_in_force(struct nl *nl, const struct job *job, bool dry_run)
{
	int code = dry_run && job->changes.count ? EXIT_DRIFT : EXIT_OK, ret;
	struct timespec began;
	size_t i;

	for (i = 0; !opt_json && i < job->changes.count; i++)
		out_change(&job->changes.list[i]);
	if (dry_run && !opt_json)
		print_registers(job);
	clock_gettime(CLOCK_MONOTONIC, &began);
	if (!dry_run)
		code = carry_out(nl, &job->changes);
	/* What has drifted since is mended too, though the policy is the same. */
	if (!dry_run && !code && !job->changes.count) {
		ret = nl_isolation_check(nl);
		code = ret ? cmd_failed(nl, "check", "isolation", ret) : EXIT_OK;
	}
	if (opt_json)
		print_json(&job->changes, !dry_run && !code);
	else if (!code || dry_run)
		report(job, dry_run, ms_since(&began));
	if (!job->devices.count)
		say_warning("no GPU is managed yet, so this policy rules none (see instinctctl bind)");
	return code;
}

static int apply(struct nl *nl, struct conf *conf, bool dry_run)
{
	struct job job = { 0 };
	int ret, code;

	ret = nl_devices_get(nl, &job.devices);
	if (!ret)
		ret = nl_policies_get(nl, &job.devices);
	code = ret ? cmd_failed(nl, "list", "devices", ret) : plan(conf, &job);
	if (!code)
		code = put_in_force(nl, &job, dry_run);
	free(job.wanted);
	free(job.changes.list);
	devices_free(&job.devices);
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
