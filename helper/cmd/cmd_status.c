// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "guest_option.h"
#include "heat.h"
#include "host_clock.h"
#include "inventory.h"
#include "missing.h"
#include "module.h"
#include "out.h"
#include "persist.h"
#include "policy_state.h"
#include "say.h"
#include "screen.h"
#include "sysfs.h"
#include "users.h"

#define WATCH_S		2
#define WATCH_MAX_S	3600
#define EVENTS		5	/* printed below the table */

/**
 * struct host_status - the data of one status
 * @devices: GPUs, and other endpoints under policy
 * @isolation: ports and functions under policy
 * @conf: the installed policy
 * @verdict: whether the installed policy is in force
 * @info: the module's version and settings; empty without the module
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
		return nl_refused(nl, "list", "devices", ret);
	return exit_code_of(-ret);
}

/* Add the temperatures that the service has stored; without the service there are none. */
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

/* A GPU that something has reset behind the module's back is ready, and does not answer. */
static void add_facts(struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++) {
		struct device *dev = &devices->list[i];

		if (!dev->unmanaged)
			dev->persist = persist_of(dev->bdf);
		if ((dev->state == INSTINCT_VFIO_STATE_READY ||
		     dev->state == INSTINCT_VFIO_STATE_BLOCKED) && !*opt_sysroot)
			sysfs_listen(dev);
	}
}

/* Leave out the GPUs that the command line does not name. */
static int choose(struct devices *devices, const struct targets *targets)
{
	size_t kept = 0, i, k;

	for (i = 0; i < targets->count; i++)
		if (!devices_find_gpu(devices, targets->bdf[i])) {
			say_error(ERROR_NO_DEVICE, "%s: no such GPU that instinct-vfio knows", targets->bdf[i]);
			return EXIT_ERROR;
		}
	for (i = 0; i < devices->count; i++) {
		for (k = 0; k < targets->count; k++)
			if (!strcmp(devices->list[i].bdf, targets->bdf[k]))
				break;
		if (k < targets->count)
			devices->list[kept++] = devices->list[i];
		else
			users_free(&devices->list[i].users);
	}
	devices->count = kept;
	return EXIT_OK;
}

/* status reports only that the files are wrong; check prints the errors. */
static void judge(struct host_status *status)
{
	bool hushed = say_is_hushed();

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
	say_hush(hushed);
}

static void print(const struct host_status *status, bool wide)
{
	const char *state = policy_state_name(status->verdict.state);
	const char *version = status->info.version;
	json_t *json;

	if (!opt_json) {
		out_devices_text(&status->devices, wide);
		if (status->devices.count)
			policy_state_print(&status->verdict, &status->conf);
		return;
	}
	json = out_devices_json(&status->devices);
	json_object_set_new(json, "module", *version ? json_string(version) : json_null());
	json_object_set_new(json, "policy_state", state ? json_string(state) : json_null());
	out_json(json, JSON_INDENT(2));
}

static bool all_ready(const struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged &&
		    (devices->list[i].state != INSTINCT_VFIO_STATE_READY || devices->list[i].silent))
			return false;
	return true;
}

/**
 * struct asked - what the command line asks for
 * @targets: GPUs; empty for all
 * @map: addresses of GPUs in guests
 * @wide: print more columns
 * @seconds: time between two looks, with --watch
 */
struct asked {
	struct targets targets;
	struct guest_map map;
	bool wide;
	unsigned int seconds;
};

static void note_reset(const struct event *event, void *data)
{
	struct device *dev = devices_find_as(data, event->bdf, false, false);

	if (!dev || (event->kind != INSTINCT_VFIO_EVENT_RESET_DONE &&
		     event->kind != INSTINCT_VFIO_EVENT_RESET_FAILED))
		return;
	dev->reset_at = event->time;
	dev->reset_method = event->method;
	dev->reset_failed = event->kind == INSTINCT_VFIO_EVENT_RESET_FAILED;
}

/* Only the events tell when a GPU was reset, and by which method. */
static void add_resets(struct devices *devices)
{
	struct nl *nl;
	int code;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl)
		return;
	nl_events_replay(nl, 1, note_reset, devices);
	nl_close(nl);
}

static int look(const struct asked *asked)
{
	struct host_status status = { 0 };
	bool told = module_is_told_of();
	size_t i;
	int code;

	code = told ? ask_module(&status) : of_sysroot(&status.devices);
	for (i = 0; i < status.devices.count; i++)
		if (!status.devices.list[i].unmanaged && !status.devices.list[i].ports)
			sysfs_place(&status.devices.list[i]);
	add_facts(&status.devices);
	if (!code && told && asked->wide)
		add_resets(&status.devices);
	if (!code && !*opt_sysroot)
		users_add(&status.devices, &asked->map);
	/* Only the module's answers tell the policy in force on a captured host. */
	if (!code && told)
		judge(&status);
	/* Policy is for the GPUs that are there. */
	missing_add(&status.devices);
	if (!code && asked->targets.count)
		code = choose(&status.devices, &asked->targets);
	if (!code) {
		print(&status, asked->wide);
		code = all_ready(&status.devices) ? EXIT_OK : EXIT_DRIFT;
	}
	conf_free(&status.conf);
	isolation_free(&status.isolation);
	users_drop(&status.devices);
	devices_free(&status.devices);
	return code;
}

static void print_event(const struct event *event, void *data)
{
	const uint64_t *first = data;

	/* A capture has all events, and gives them all. */
	if (event->seq >= *first)
		out_event_text(event);
}

/* The newest events tell how the last resets and alarms went. */
static void print_events(void)
{
	struct nl_info info;
	uint64_t first;
	struct nl *nl;
	int code;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl)
		return;
	if (!nl_info_get(nl, &info) && info.newest) {
		puts("\nlast events:");
		first = info.newest > EVENTS ? info.newest - EVENTS + 1 : 1;
		nl_events_replay(nl, first, print_event, &first);
	}
	nl_close(nl);
}

/* An error message on standard error would break the screen, so it goes into the text. */
static void draw(void *data)
{
	const struct asked *asked = data;
	char host[HOST_NAME_MAX + 1] = "";
	int code;

	gethostname(host, sizeof(host) - 1);
	printf("%s, %.19sZ, every %u s, q quits\n\n", *opt_sysroot ? opt_sysroot : host,
	       out_time(host_clock_now().realtime), asked->seconds);
	say_hush(true);
	code = look(asked);
	if (code && code != EXIT_DRIFT)
		puts(say_last_error());
	else
		print_events();
	say_hush(false);
}

/* Does a word name GPUs, with commas between them? A file of --map may follow the option too. */
static bool names_gpus(const char *word)
{
	char first[2 * BDF_BYTES], bdf[BDF_BYTES];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(word, ","), word);
	return bdf_parse(first, bdf);
}

/**
 * cmd_status() - run instinctctl status
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_status(int argc, char *argv[])
{
	struct asked asked = { .seconds = WATCH_S };
	struct guest_wish guest = { 0 };
	uint64_t seconds = 0;
	bool watches = false;
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'w') {
			watches = true;
			continue;
		}
		if (option == 'o') {
			if (strcmp(optarg, "wide"))
				return cmd_usage("--output: \"%s\" is no form of the table; allowed: wide", optarg);
			asked.wide = true;
			continue;
		}
		if (guest_option(&guest, 'm', optarg))
			return EXIT_USAGE;
	}
	if (watches && opt_json)
		return cmd_usage("takes one of --watch and --json");
	if (asked.wide && opt_json)
		return cmd_usage("takes one of --output and --json");
	if (watches && optind < argc && args_number(argv[optind], &seconds)) {
		if (!seconds || seconds > WATCH_MAX_S)
			return cmd_usage("--watch takes 1 to %u seconds, found \"%s\"",
					 WATCH_MAX_S, argv[optind]);
		asked.seconds = seconds;
		optind++;
	}
	if (guest_option_rest(&guest.files, argc, argv, 0, names_gpus))
		return EXIT_USAGE;
	if (optind < argc && targets_parse(&asked.targets, argc - optind, argv + optind, false))
		return EXIT_USAGE;
	code = guest_map_read(&asked.map, &guest.files);
	if (!code && watches)
		code = screen_run(&(struct screen) { .draw = draw, .data = &asked,
						     .seconds = asked.seconds });
	else if (!code)
		code = look(&asked);
	targets_free(&asked.targets);
	guest_map_free(&asked.map);
	return code;
}
