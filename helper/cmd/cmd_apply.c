// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "apply.h"
#include "args.h"
#include "cmd.h"
#include "core/profile.h"
#include "gather.h"
#include "inventory.h"
#include "module.h"
#include "now.h"
#include "out.h"
#include "out_apply.h"
#include "out_change.h"
#include "out_findings.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"
#include "watch.h"
#include "wrap.h"

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
 * struct checked - what apply --check has looked at
 * @findings: the policy, and the host if it has GPUs
 * @gpus: GPUs of the host
 * @done: array of texts
 * @open: array of texts: what it could not check, with the reason
 * @whole: it could check all that a check can
 */
struct checked {
	struct findings findings;
	struct devices gpus;
	json_t *done;
	json_t *open;
	bool whole;
};

static void note(json_t *list, const char *text)
{
	json_array_append_new(list, json_string(text));
}

static void add_example(struct devices *devices, const char *bdf, uint64_t serial, uint16_t id)
{
	const struct instinct_profile *profile = instinct_profile_find(INSTINCT_VENDOR_AMD_GPU, id);
	struct device *dev = devices_add(devices);

	snprintf(dev->bdf, sizeof(dev->bdf), "%s", bdf);
	dev->serial = serial;
	dev->vendor = INSTINCT_VENDOR_AMD_GPU;
	dev->device = id;
	snprintf(dev->family, sizeof(dev->family), "%s", profile->family->name);
}

/* Without GPUs: a GPU of each model, and one for each section that names a device. */
static int check_alone(struct checked *checked, const char *file)
{
#define ID(_device, _model, _family) _device,
	static const uint16_t ids[] = { INSTINCT_DEVICES(ID) };
#undef ID
	struct conf *conf = &checked->findings.conf;
	int code = conf_open(conf, file);
	struct devices devices = { 0 };
	char total[TEXT_BYTES];
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		add_example(&devices, "a GPU", 0, ids[i]);
	for (i = 0; i < conf->count; i++)
		if (conf->section[i].kind == CONF_DEVICE)
			add_example(&devices, conf->section[i].serial ? "the GPU" : conf->section[i].name,
				    conf->section[i].serial, ids[0]);
	conf_check_values(conf, &devices);
	devices_free(&devices);
	note(checked->done, "keys and values, for the GPUs of each family");
	note(checked->open, "devices, ports and IOMMU groups: this host has no AMD Instinct GPU that instinct-vfio knows");
	if (!code && conf->errors) {
		conf_total(conf, total, sizeof(total));
		say_error(ERROR_INPUT, "%s", total);
	}
	return code ?: conf->errors ? EXIT_ERROR : EXIT_OK;
}

/* The module refuses these after the values; the texts are those of its own refusals. */
static int check_ports(struct checked *checked)
{
	const struct findings *findings = &checked->findings;
	struct policy wanted;
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < checked->gpus.count; i++) {
		struct device *gpu = &checked->gpus.list[i];

		conf_merge(&findings->conf, gpu, &wanted);
		sysfs_place(gpu);
		if (wanted.method != INSTINCT_VFIO_METHOD_BUS ||
		    (gpu->ports > 1 && gpu->port[gpu->ports - 1].role == PORT_SWDS &&
		     gpu->port[gpu->ports - 2].role == PORT_SWUS))
			continue;
		say_error(ERROR_REFUSED, "%s: method: method bus needs the package switch (SWUS, SWDS) above the GPU, and there is none",
			  gpu->bdf);
		code = EXIT_ERROR;
	}
	for (i = 0; i < findings->ports; i++) {
		if (!findings->port[i].loss)
			continue;
		say_error(ERROR_REFUSED, "%s: IOMMU groups rely on ACS that this would switch off; allow_isolation_loss = yes allows it",
			  findings->host.function[findings->port[i].function].bdf);
		code = EXIT_ERROR;
	}
	return code;
}

static int check_host(struct checked *checked, const char *file)
{
	struct findings *findings = &checked->findings;
	size_t unreadable = 0, i;
	int code;

	/* A bind sets the ports of a GPU that is pending. */
	findings->ahead = true;
	code = gather(findings, GATHER_BY_FILE, file, 0);
	note(checked->done, "keys, values and devices");
	if (code) {
		note(checked->open, findings->conf.errors ? "ports and IOMMU groups: the policy has errors" :
						 "ports and IOMMU groups: the error above came first");
		return code;
	}
	code = check_ports(checked);
	for (i = 0; i < findings->ports; i++)
		unreadable += findings->port[i].unreadable;
	if (unreadable)
		note(checked->open, "IOMMU groups: the config spaces of ports cannot be read (that takes root)");
	else
		note(checked->done, "ports and IOMMU groups");
	if (!module_is_told_of())
		note(checked->open, "the module: the capture does not have its answers");
	else if (findings->no_module)
		note(checked->open, "the module, which is not loaded: its rules are those of instinctctl " INSTINCT_VERSION);
	checked->whole = !json_array_size(checked->open);
	note(checked->open, "whether ports take their ACS: only an apply shows that");
	return code;
}

static void print_list(const char *title, const json_t *list)
{
	size_t i;

	for (i = 0; i < json_array_size(list); i++) {
		printf("%s: ", title);
		wrap_print(stdout, strlen(title) + 2, 2, json_string_value(json_array_get(list, i)));
	}
}

static void report_check(struct checked *checked, int code)
{
	struct conf *conf = &checked->findings.conf;
	struct apply apply = { .conf = conf, .dry_run = true };
	json_t *json;

	if (!opt_json) {
		if (!code || code == EXIT_ABSENT)
			printf(checked->whole ? "%s: the module would not refuse it\n" :
						"%s: nothing found that the module would refuse\n", conf->name);
		print_list("checked", checked->done);
		print_list("not checked", checked->open);
		return;
	}
	json = out_apply_json(&apply);
	json_object_set_new(json, "devices", json_integer(checked->gpus.count));
	json_object_set_new(json, "check", json_pack("{s:b, s:O, s:O}", "accepted",
						     !code || code == EXIT_ABSENT,
						     "checked", checked->done,
						     "not_checked", checked->open));
	out_json(json, JSON_INDENT(2));
}

/* Tell what the module would say of a policy, as far as this host shows it, and change nothing. */
static int check_file(const char *file)
{
	struct checked checked = { .done = json_array(), .open = json_array() };
	int code = sysfs_gpus(&checked.gpus);

	inventory_identify(&checked.gpus);
	if (!code)
		code = checked.gpus.count ? check_host(&checked, file) : check_alone(&checked, file);
	if (!code && conf_absent(&checked.findings.conf))
		code = EXIT_ABSENT;
	report_check(&checked, code);
	devices_free(&checked.gpus);
	findings_free(&checked.findings);
	json_decref(checked.done);
	json_decref(checked.open);
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
	bool dry_run = false, watch = false, check = false;
	const char *file;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		dry_run |= option == 'n';
		watch |= option == 'w';
		check |= option == 'c';
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too",
				 argv[optind + 1]);
	if (dry_run && watch)
		return cmd_usage("--dry-run and --watch do not go together");
	if (check && (dry_run || watch))
		return cmd_usage("--check goes with neither --dry-run nor --watch");
	if (*opt_sysroot && !check)
		return cmd_usage("--sysroot is a captured host, which cannot be asked or changed: only --check reads it");
	file = optind < argc ? argv[optind] : NULL;
	if (watch && file && !strcmp(file, "-"))
		return cmd_usage("--watch reads its file again on SIGHUP, but standard input can be read only once");
	if (check)
		return check_file(file);
	if (!watch)
		return apply_file(file, dry_run);
	/* --watch never ends, so it shows no progress. */
	progress_end();
	return watch_run(file);
}
