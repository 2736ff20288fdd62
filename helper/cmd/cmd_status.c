// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "args.h"
#include "cmd.h"
#include "heat.h"
#include "host_clock.h"
#include "inventory.h"
#include "module.h"
#include "out.h"
#include "policy_state.h"
#include "say.h"
#include "sysfs.h"

/**
 * struct host_status - all that is shown
 * @devices: GPUs, and endpoints that policy speaks of
 * @isolation: ports and functions that policy speaks of
 * @conf: the installed policy
 * @verdict: is it in force?
 * @info: of the module; without one empty
 */
struct host_status {
	struct devices devices;
	struct isolation isolation;
	struct conf conf;
	struct policy_verdict verdict;
	struct nl_info info;
};

static int list(struct nl *nl, struct host_status *status)
{
	int ret = nl ? nl_info_get(nl, &status->info) : 0;

	if (!ret)
		ret = inventory_get(nl, &status->devices);
	if (!ret && nl)
		ret = nl_isolation_get(nl, &status->isolation);
	status->verdict.no_module = !nl;
	if (ret && nl)
		return cmd_failed(nl, "list", "devices", ret);
	return exit_code_of(-ret);
}

/* What the service knows; without one nothing. */
static void add_sensors(struct host_status *status)
{
	struct heat heat;

	heat_load(&heat);
	heat_fill(&heat, &status->devices, host_clock_now().boottime);
	heat_free(&heat);
}

static int ask_module(struct host_status *status)
{
	struct nl *nl;
	int code;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && code)
		return code;
	code = list(nl, status);
	add_sensors(status);
	if (nl)
		nl_close(nl);
	else if (!code)
		say_warning("the module %s is not loaded: no GPU is managed (instinctctl bind loads it)",
			    DRIVER_NAME);
	return code;
}

static int of_sysroot(struct devices *devices)
{
	int code = sysfs_gpus(devices);

	inventory_identify(devices);
	return code;
}

/* The module knows the ports above its devices, sysfs those above all others. */
static void add_ports(struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].plain && !devices->list[i].ports)
			sysfs_ports(&devices->list[i]);
}

/* What is wrong with the files is for check to say. */
static void judge(struct host_status *status)
{
	if (!conf_files_exist()) {
		status->verdict.state = POLICY_STATE_NO_FILE;
		return;
	}
	say_hush(true);
	if (conf_open(&status->conf, NULL))
		status->verdict.state = POLICY_STATE_WRONG;
	else
		policy_state_judge(&status->verdict, &status->conf, &status->devices,
				   &status->isolation);
	say_hush(false);
}

static void print(const struct host_status *status)
{
	const char *state = policy_state_name(status->verdict.state);
	const char *version = status->info.version;
	json_t *json;

	if (!opt_json) {
		out_devices_text(&status->devices, status->info.policy_required);
		if (status->devices.count)
			policy_state_print(&status->verdict, &status->conf);
		return;
	}
	json = out_devices_json(&status->devices);
	json_object_set_new(json, "module", *version ? json_string(version) : json_null());
	json_object_set_new(json, "policy_state", state ? json_string(state) : json_null());
	out_json(json, JSON_INDENT(2));
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
	struct host_status status = { 0 };
	bool told;
	int code;

	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	told = module_is_told_of();
	code = told ? ask_module(&status) : of_sysroot(&status.devices);
	add_ports(&status.devices);
	/* What was in force on a captured host only its module could tell. */
	if (!code && told)
		judge(&status);
	if (!code)
		print(&status);
	conf_free(&status.conf);
	isolation_free(&status.isolation);
	devices_free(&status.devices);
	return code;
}
