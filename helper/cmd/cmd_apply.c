// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "apply.h"
#include "args.h"
#include "cmd.h"
#include "gather.h"
#include "module.h"
#include "now.h"
#include "out.h"
#include "out_apply.h"
#include "out_change.h"
#include "out_findings.h"
#include "progress.h"
#include "say.h"
#include "watch.h"

/* Print the registers that would change; a user who may not read them gets no list. */
static void print_registers(const struct apply *apply)
{
	struct findings findings = { 0 };

	if (!gather_registers(&findings, &apply->devices, apply->wanted))
		out_registers(&findings);
	findings_free(&findings);
}

static void changed(const struct apply *apply)
{
	if (opt_json)
		return;
	out_changes(&apply->changes);
	if (apply->dry_run)
		print_registers(apply);
}

static int run(struct apply *apply)
{
	bool needed = true;
	int code;

	apply->nl = module_open(MODULE_IF_LOADED, &code);
	if (!apply->nl && !code) {
		code = apply_needs_module(apply->conf, &needed);
		if (!code && !needed && conf_absent(apply->conf))
			code = EXIT_ABSENT;
		if (code || !needed)
			return code;
		/* A dry run must not load the module; without it every policy counts as pending. */
		if (!apply->dry_run)
			apply->nl = module_open(MODULE_LOAD, &code);
	}
	return code ? code : apply_run(apply);
}

static void warn_of_empty(const struct conf *conf)
{
	char text[2 * TEXT_BYTES];
	size_t i;

	for (i = 0; i < conf->found.count; i++)
		if (conf_file_doubt(&conf->found, i, text, sizeof(text)))
			say_warning("%s", text);
}

static void report(const struct apply *apply, int code, int64_t began)
{
	bool done = !code || code == EXIT_DRIFT || code == EXIT_ABSENT;

	if (opt_json)
		out_json(out_apply_json(apply), JSON_INDENT(2));
	else if (done && !apply->devices.count && !apply->left.count)
		puts("nothing to apply: no AMD Instinct GPU that instinct-vfio knows on this host");
	else if (done)
		out_apply_text(apply, now_ms() - began);
	else if (apply->changes.count && !apply->written)
		puts("nothing has been changed");
}

static int apply_file(const char *file, bool dry_run)
{
	struct conf conf;
	struct apply apply = {
		.calls = &apply_live, .conf = &conf, .dry_run = dry_run, .changed = changed,
	};
	int64_t began = now_ms();
	int code;

	code = conf_open(&conf, file);
	warn_of_empty(&conf);
	if (!code)
		code = run(&apply);
	report(&apply, code, began);
	apply_free(&apply);
	if (apply.nl)
		nl_close(apply.nl);
	conf_free(&conf);
	return code;
}

/**
 * cmd_apply() - run instinctctl apply
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_apply(int argc, char *argv[])
{
	bool dry_run = false, watch = false;
	const char *file;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		dry_run |= option == 'n';
		watch |= option == 'w';
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	if (dry_run && watch)
		return cmd_usage("--dry-run and --watch do not go together");
	file = optind < argc ? argv[optind] : NULL;
	if (watch && file && !strcmp(file, "-"))
		return cmd_usage("--watch reads its file again on SIGHUP, but standard input can be read only once");
	if (!watch)
		return apply_file(file, dry_run);
	/* --watch never ends, so it shows no progress. */
	progress_end();
	return watch_run(file);
}
