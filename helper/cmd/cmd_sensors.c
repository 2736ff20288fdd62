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
#include "out_sensors.h"
#include "say.h"
#include "source_hwmon.h"
#include "source_ipmi.h"
#include "sysfs.h"

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

/* The list of sensors is the BMC's as it is now, so nothing is kept of it. */
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

/* What is not shown need not be read. */
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

/* A temperature that a script has pushed, unless it is stale. */
static void add_pushed_one(struct sensors *sensors, size_t i, uint32_t kind,
			   const struct heat_gpu *gpu)
{
	const struct heat_sample *sample =
		&gpu->sensor[kind].sample[INSTINCT_VFIO_SOURCE_OTHER];
	struct found_sensor *found;

	if (!sample->known || host_clock_now().boottime - sample->at >
			      (uint64_t)gpu->policy[kind].stale * 1000000)
		return;
	found = found_add(&sensors->found, INSTINCT_VFIO_SOURCE_OTHER, "pushed");
	if (!found)
		return;
	snprintf(found->bdf, sizeof(found->bdf), "%s", gpu->bdf);
	found->known = true;
	found->temperature = sample->temperature;
	sensors->map.gpu[i].from[kind][INSTINCT_VFIO_SOURCE_OTHER] = sensors->found.count - 1;
}

/* The service alone knows what scripts have pushed. */
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

static int gather(struct sensors *sensors, struct conf *conf, bool all, char *why,
		  size_t size)
{
	int code = sysfs_gpus(&sensors->gpus);

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
	if (!*opt_sysroot && (all || sensors_want_ipmi(sensors)))
		scan_ipmi(&sensors->found, why, size);
	hwmon_scan(&sensors->found);
	sensors_map(sensors);
	read_hwmon(sensors, all);
	add_pushed(sensors);
	return EXIT_OK;
}

static int run(const char *file, bool all)
{
	struct sensors sensors = { 0 };
	struct conf conf = { 0 };
	char why[TEXT_BYTES] = "";
	int opened, code;

	opened = file || conf_files_exist() ? conf_open(&conf, file) : EXIT_OK;
	code = gather(&sensors, &conf, all, why, sizeof(why));
	code = opened ?: code;
	if (opt_json)
		out_sensors_json(&sensors, &conf, why, all, code);
	else if (!code)
		out_sensors_text(&sensors, why, all);
	sensors_free(&sensors);
	conf_free(&conf);
	return code;
}

/**
 * cmd_sensors() - instinctctl sensors
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_sensors(int argc, char *argv[])
{
	const char *file = NULL;
	bool all = false;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		all = true;
	}
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too", argv[optind + 1]);
	if (optind < argc)
		file = argv[optind];
	return run(file, all);
}
