// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "heat.h"
#include "host_clock.h"
#include "inventory.h"
#include "monitor_conf.h"
#include "now.h"
#include "out_sensors.h"
#include "say.h"
#include "source_hwmon.h"
#include "source_ipmi.h"
#include "source_redfish.h"
#include "sysfs.h"

#define REDFISH_MS	60000	/* longest time of a search for sensors */

/**
 * struct reasons - reasons for which a way to read the BMC shows nothing, or not all
 * @ipmi: for IPMI, or ""
 * @redfish: for Redfish, or ""
 */
struct reasons {
	char ipmi[TEXT_BYTES];
	char redfish[2 * TEXT_BYTES];
};

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* Read the BMC's list of sensors anew: the cache of libipmimonitoring goes to a scratch folder. */
static void scan_ipmi(struct found *found, char *why, size_t size)
{
	const struct ipmi_calls *calls = ipmi_library(why, size);
	char folder[] = "/tmp/instinctctl.XXXXXX";
	struct ipmi *ipmi;

	if (!calls)
		return;
	if (!mkdtemp(folder)) {
		snprintf(why, size, "no IPMI: cannot make %s: %s", folder, strerror(errno));
		return;
	}
	ipmi = ipmi_open(calls, folder, why, size);
	if (ipmi && ipmi_scan(ipmi, found))
		snprintf(why, size, "the BMC's sensors cannot be read%s: %.128s",
			 found->count ? ", or not all of them" : "", ipmi_message(ipmi));
	ipmi_close(ipmi);
	remove_folder(folder);
}

/* Search for the BMC's sensors by Redfish, as the service does. */
static void scan_redfish(const struct sensors *sensors, const struct monitor_conf *conf,
			 struct found *found, char *why, size_t size)
{
	struct redfish *redfish;
	int64_t begun = now_ms();
	int ret;

	/* A host without Redfish is usual, so only a policy that names its sensors hears of it. */
	if (!*conf->redfish.url && !sensors_name(sensors, INSTINCT_VFIO_SOURCE_REDFISH))
		return;
	redfish = redfish_open(&conf->redfish, why, size);
	if (!redfish)
		return;
	do
		ret = redfish_scan(redfish, found);
	while (ret == -EAGAIN && now_ms() - begun < REDFISH_MS);
	if (ret == -EAGAIN)
		snprintf(why, size, "the search for the BMC's sensors by Redfish takes longer than %d s; the service goes on with it",
			 REDFISH_MS / 1000);
	else if (ret)
		snprintf(why, size, "the BMC's sensors cannot be read by Redfish: %s",
			 redfish_message(redfish));
	else if (*redfish_left_out(redfish))
		snprintf(why, size, "some of the BMC's sensors may be missing: %s",
			 redfish_left_out(redfish));
	redfish_close(redfish);
}

/* Read only the sensors that the output shows. */
static void read_hwmon(struct sensors *sensors, bool all)
{
	bool *used = sensors_used(sensors);
	size_t i;

	for (i = 0; i < sensors->found.count; i++)
		if ((all || used[i]) &&
		    sensors->found.list[i].source == INSTINCT_VFIO_SOURCE_HWMON)
			hwmon_read(&sensors->found.list[i]);
	free(used);
}

/* Add a temperature that a script has pushed, as long as status shows it too. */
static void add_pushed_one(struct sensors *sensors, size_t i, uint32_t kind,
			   const struct heat_gpu *gpu)
{
	const struct heat_sample *sample =
		&gpu->sensor[kind].sample[INSTINCT_VFIO_SOURCE_OTHER];
	struct found_sensor *found;
	bool stale;

	if (!heat_is_kept(&gpu->policy[kind], sample, host_clock_now().boottime, &stale))
		return;
	found = found_add(&sensors->found, INSTINCT_VFIO_SOURCE_OTHER, "pushed");
	if (!found)
		return;
	snprintf(found->bdf, sizeof(found->bdf), "%s", gpu->bdf);
	found->known = true;
	found->temperature = sample->temperature;
	found->stale = stale;
	sensors->map.gpu[i].from[kind][INSTINCT_VFIO_SOURCE_OTHER] = sensors->found.count - 1;
}

/* Only the service has the temperatures that scripts have pushed. */
static void add_pushed(struct sensors *sensors)
{
	struct heat heat;
	uint32_t kind;
	size_t i;

	heat_load(&heat);
	for (i = 0; i < sensors->gpus.count; i++) {
		const struct heat_gpu *gpu = heat_find(&heat, sensors->gpus.list[i].bdf);

		for (kind = 0; gpu && kind < HEAT_KINDS; kind++)
			add_pushed_one(sensors, i, kind, gpu);
	}
	heat_free(&heat);
}

static int gather(struct sensors *sensors, struct conf *conf, const char *monitor_file, bool all,
		  struct reasons *why)
{
	int code = sysfs_gpus(&sensors->gpus);
	struct monitor_conf monitor = { .oam = text_intern("") };
	/* monitor.conf of this host tells nothing of a captured one. */
	bool wrong = !*opt_sysroot && monitor_conf_read(monitor_file, &monitor);

	if (conf_has_serials(conf))
		inventory_identify(&sensors->gpus);
	if (!code && conf->name) {
		conf_check(conf, &sensors->gpus);
		code = conf->errors ? EXIT_ERROR : EXIT_OK;
	}
	if (code) {
		devices_free(&sensors->gpus);
		return code;
	}
	sensors_merge(sensors, conf);
	if (!*opt_sysroot && (all || sensors_want(sensors, INSTINCT_VFIO_SOURCE_IPMI)))
		scan_ipmi(&sensors->found, why->ipmi, sizeof(why->ipmi));
	if (wrong)
		snprintf(why->redfish, sizeof(why->redfish), "no Redfish: %.128s has errors, see above",
			 monitor_file ?: MONITOR_CONF_INSTALLED);
	else if (!*opt_sysroot && (all || sensors_want(sensors, INSTINCT_VFIO_SOURCE_REDFISH)))
		scan_redfish(sensors, &monitor, &sensors->found, why->redfish, sizeof(why->redfish));
	hwmon_scan(&sensors->found);
	sensors_map(sensors, text_of(monitor.oam));
	read_hwmon(sensors, all);
	add_pushed(sensors);
	return EXIT_OK;
}

static int run(const char *file, const char *monitor_file, bool all)
{
	struct sensors sensors = { 0 };
	struct conf conf = { 0 };
	struct reasons why = { 0 };
	const char *const reasons[] = { why.ipmi, why.redfish, NULL };
	int opened, code;

	opened = file || conf_files_exist() ? conf_open(&conf, file) : EXIT_OK;
	code = gather(&sensors, &conf, monitor_file, all, &why);
	code = opened ?: code;
	if (opt_json)
		out_sensors_json(&sensors, &conf, reasons, all);
	else if (!code)
		out_sensors_text(&sensors, reasons, all);
	sensors_free(&sensors);
	conf_free(&conf);
	return code;
}

/**
 * cmd_sensors() - run instinctctl sensors
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_sensors(int argc, char *argv[])
{
	const char *file = NULL, *monitor_file = NULL;
	bool all = false;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'f')
			monitor_file = optarg;
		else
			all = true;
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too", argv[optind + 1]);
	if (optind < argc)
		file = argv[optind];
	if (monitor_file && *opt_sysroot)
		return cmd_usage("--config and --sysroot do not go together");
	return run(file, monitor_file, all);
}
