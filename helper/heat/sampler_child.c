// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "bmc.h"
#include "now.h"
#include "roster.h"
#include "sample_line.h"
#include "sampler_child.h"
#include "sensors.h"
#include "source_hwmon.h"
#include "sysfs.h"

#define SCAN_MS		60000	/* finds new sensors, a new BMC or its library */
#define MAP_MS		60000	/* finds numbers of GPUs that a driver has told since */
#define SCAN_IDLE_MS	600000	/* for a BMC that answers, but feeds no sensor; for Redfish */

/**
 * struct feed - a GPU's sensor and the source that feeds it
 * @bdf: GPU
 * @kind: enum instinct_vfio_sensor
 * @source: enum instinct_vfio_source
 */
struct feed {
	char bdf[BDF_BYTES];
	uint32_t kind;
	uint32_t source;
};

/**
 * struct child - the state of the child process
 * @fd: pipe to write lines to
 * @source: source to read, enum instinct_vfio_source
 * @numbers: numbers of the GPUs by monitor.conf
 * @policy_file: name of the policy, NULL for the installed one
 * @read: the child has tried to read the policy
 * @policy: stamp of the policy's files at that time
 * @conf: the last policy without errors
 * @roster: the host's GPUs
 * @sensors: result of the last scan
 * @scan_at: time of the next scan, in ms of now_ms()
 * @map_at: time of the next look at the GPUs' numbers
 * @bmc: the BMC
 * @failed: feeds that cannot be read, and that have been reported
 * @failures: number of entries in @failed
 */
struct child {
	int fd;
	uint32_t source;
	const char *numbers;
	const char *policy_file;
	bool read;
	uint64_t policy;
	struct conf conf;
	struct roster roster;
	struct sensors sensors;
	int64_t scan_at;
	int64_t map_at;
	struct bmc bmc;
	struct feed *failed;
	size_t failures;
};

static void put(struct child *child, const struct sample_line *line)
{
	char text[SAMPLE_LINE_BYTES + 1];
	size_t length;

	sample_line_format(line, text, SAMPLE_LINE_BYTES);
	length = strlen(text);
	text[length++] = '\n';
	/* A line is shorter than PIPE_BUF, so the kernel writes it whole or not at all. */
	while (write(child->fd, text, length) < 0)
		if (errno != EINTR)
			_exit(1);
}

static void say(struct child *child, int priority, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct child *child, int priority, const char *format, ...)
{
	struct sample_line line = { .remark.priority = priority };
	va_list args;

	va_start(args, format);
	vsnprintf(line.remark.text, sizeof(line.remark.text), format, args);
	va_end(args);
	put(child, &line);
}

static void say_for_bmc(int priority, const char *text, void *data)
{
	say(data, priority, "%s", text);
}

/*
 * An absent policy counts as an empty one; a policy with errors leaves the last one in force.
 * Several children read the same policy, so only the one for hwmon reports its errors.
 */
static void policy_read(struct child *child)
{
	const char *name = child->policy_file ?: CONF_INSTALLED;
	uint64_t now = conf_files_stamp(child->policy_file);
	struct conf conf = { 0 };

	if (child->read && now == child->policy)
		return;
	child->read = true;
	child->policy = now;
	if (now && (conf_open(&conf, child->policy_file) || conf.errors)) {
		if (child->source == INSTINCT_VFIO_SOURCE_HWMON)
			say(child, LOG_WARNING, "%s cannot be read or has errors: the service keeps reading the same sensors (instinctctl sensors %s names the errors)",
			    name, child->policy_file ?: "");
		conf_free(&conf);
		return;
	}
	conf_free(&child->conf);
	child->conf = conf;
	child->scan_at = 0;
	child->failures = 0;
}

/* Without a Redfish service no other child reports a policy that names its sensors. */
static bool is_ours(const struct child *child, uint32_t source)
{
	return source == child->source ||
	       (source == INSTINCT_VFIO_SOURCE_REDFISH &&
		child->source == INSTINCT_VFIO_SOURCE_HWMON && !*child->bmc.redfish->url);
}

static void say_remarks(struct child *child, const struct sensor_map *before)
{
	const struct sensor_map *map = &child->sensors.map;
	size_t i, j;

	for (i = 0; i < map->remarks; i++) {
		if (!is_ours(child, map->remark[i].source))
			continue;
		for (j = 0; j < before->remarks; j++)
			if (!strcmp(map->remark[i].text, before->remark[j].text))
				break;
		if (j == before->remarks)
			say(child, map->remark[i].priority, "%s", map->remark[i].text);
	}
}

static bool gpus_changed(struct child *child)
{
	struct devices present = { 0 };
	bool changed;

	sysfs_gpus(&present);
	changed = roster_update(&child->roster, &present);
	devices_free(&present);
	return changed;
}

/* A GPU's serial is read once. A GPU under reset cannot be identified until it is back. */
static void identify(struct child *child)
{
	struct devices *gpus = &child->roster.gpus;
	size_t i;

	if (!conf_has_serials(&child->conf))
		return;
	for (i = 0; i < gpus->count; i++)
		if (!gpus->list[i].serial && !child->roster.away[i])
			sysfs_identify(&gpus->list[i]);
}

/*
 * A search by Redfish takes some hundred requests, so it is not repeated as often as others once
 * two have found the same. While a BMC starts, it does not have all its sensors yet.
 */
static bool has_all(const struct child *child, const struct sensors *before)
{
	const struct sensor_map *map = &child->sensors.map;
	size_t i;

	for (i = 0; i < map->remarks; i++)
		if (map->remark[i].source == child->source && map->remark[i].priority <= LOG_WARNING)
			return false;
	return !child->bmc.failed && before->found.count &&
	       child->sensors.found.count >= before->found.count;
}

static void scan(struct child *child)
{
	struct sensors before = child->sensors;
	size_t i;

	child->sensors = (struct sensors) { 0 };
	child->scan_at = now_ms() + SCAN_MS;
	identify(child);
	for (i = 0; i < child->roster.gpus.count; i++)
		*devices_add(&child->sensors.gpus) = child->roster.gpus.list[i];
	sensors_merge(&child->sensors, &child->conf);
	if (child->source == INSTINCT_VFIO_SOURCE_HWMON)
		hwmon_scan(&child->sensors.found);
	else if (sensors_want(&child->sensors, child->source))
		bmc_scan(&child->bmc, &before.found, &child->sensors.found);
	sensors_map(&child->sensors, child->numbers);
	child->map_at = now_ms() + MAP_MS;
	/* One of the children is enough. */
	if (child->source == INSTINCT_VFIO_SOURCE_HWMON)
		oam_record(&child->sensors.oams);
	if (child->source == INSTINCT_VFIO_SOURCE_REDFISH ? has_all(child, &before) :
	    child->bmc.fresh && sensor_map_is_empty(&child->sensors.map))
		child->scan_at = now_ms() + SCAN_IDLE_MS;
	say_remarks(child, &before.map);
	sensors_free(&before);
}

/* A driver may have told a GPU's number since the last scan. */
static void map_again(struct child *child)
{
	struct sensor_map before = child->sensors.map;
	struct oams oams = child->sensors.oams;
	size_t i = 0;

	child->map_at = now_ms() + MAP_MS;
	child->sensors.oams = (struct oams) { 0 };
	oam_find(&child->sensors.oams, &child->sensors.gpus, child->numbers);
	while (i < oams.count && oam_number(&oams, i) == oam_number(&child->sensors.oams, i))
		i++;
	if (i < oams.count) {
		sensor_map_make(&child->sensors.map, &child->sensors.gpus, &child->sensors.oams,
				&child->sensors.found);
		say_remarks(child, &before);
		sensor_map_free(&before);
	}
	oam_free(&oams);
}

static struct feed *failed_find(struct child *child, const char *bdf, uint32_t kind,
				uint32_t source)
{
	size_t i;

	for (i = 0; i < child->failures; i++)
		if (child->failed[i].kind == kind && child->failed[i].source == source &&
		    !strcmp(child->failed[i].bdf, bdf))
			return &child->failed[i];
	return NULL;
}

/* Reports a sensor that cannot be read when that begins and when it ends. */
static void note(struct child *child, const char *bdf, uint32_t kind,
		 const struct found_sensor *sensor)
{
	struct feed *failed = failed_find(child, bdf, kind, sensor->source);

	if (!sensor->known && !failed) {
		failed = list_add((void **)&child->failed, &child->failures, sizeof(*failed));
		snprintf(failed->bdf, sizeof(failed->bdf), "%s", bdf);
		failed->kind = kind;
		failed->source = sensor->source;
		say(child, LOG_WARNING, "%s: %s: the sensor %s:%s cannot be read", bdf,
		    name_of(&sensor_names, kind), name_of(&source_names, sensor->source),
		    sensor->name);
	} else if (sensor->known && failed) {
		*failed = child->failed[--child->failures];
		say(child, LOG_NOTICE, "%s: %s: the sensor %s:%s can be read again", bdf,
		    name_of(&sensor_names, kind), name_of(&source_names, sensor->source),
		    sensor->name);
	}
}

static void tell(struct child *child, size_t gpu, uint32_t kind, int from)
{
	struct found_sensor *sensor = &child->sensors.found.list[from];
	struct sample_line line = {
		.is_sample = true, .sensor = kind, .source = sensor->source,
		.temperature = sensor->temperature,
	};

	snprintf(line.bdf, sizeof(line.bdf), "%s", child->sensors.gpus.list[gpu].bdf);
	snprintf(line.name, sizeof(line.name), "%s", sensor->name);
	if (roster_is_away(&child->roster, line.bdf))
		return;
	/* The failure of the whole BMC has been reported, which covers its sensors. */
	if (sensor->known || (!child->bmc.failed && !sensor->skipped))
		note(child, line.bdf, kind, sensor);
	if (sensor->known)
		put(child, &line);
}

/* A sensor of a GPU that nobody knows is told by its own name. */
static void tell_loose(struct child *child, const struct loose_sensor *loose)
{
	const struct found_sensor *sensor = &child->sensors.found.list[loose->found];
	struct sample_line line = {
		.is_sample = true, .sensor = loose->kind, .source = sensor->source,
		.temperature = sensor->temperature,
	};

	snprintf(line.name, sizeof(line.name), "%s", sensor->name);
	if (sensor->known && sensor->source == child->source)
		put(child, &line);
}

static void tell_all(struct child *child)
{
	const struct sensor_map *map = &child->sensors.map;
	uint32_t kind;
	size_t gpu, i;

	for (i = 0; i < map->looses; i++)
		tell_loose(child, &map->loose[i]);

	for (gpu = 0; gpu < map->gpus; gpu++)
		for (kind = 0; kind < SENSOR_KINDS; kind++)
			if (map->gpu[gpu].from[kind][child->source] != FEED_NONE)
				tell(child, gpu, kind, map->gpu[gpu].from[kind][child->source]);
}

static void sample(struct child *child)
{
	struct found *found = &child->sensors.found;
	bool *used = sensors_used(&child->sensors);
	size_t i;

	if (child->source != INSTINCT_VFIO_SOURCE_HWMON)
		bmc_read(&child->bmc, found, used);
	else
		for (i = 0; i < found->count; i++)
			if (used[i])
				hwmon_read(&found->list[i]);
	tell_all(child);
	/* The next round must not report a temperature that this round read. */
	for (i = 0; i < found->count; i++)
		found->list[i].known = false;
	free(used);
}

/* Sleeps until the next round; rounds that were missed are skipped. */
static void rest(int64_t *at, unsigned int interval_ms)
{
	int64_t late = now_ms() - *at;
	struct timespec t;

	*at += (late / interval_ms + 1) * interval_ms;
	t = (struct timespec) { .tv_sec = *at / 1000, .tv_nsec = *at % 1000 * 1000000 };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/**
 * sampler_child() - read temperatures at intervals and write them as lines; never returns
 * @fd: file descriptor to write to
 * @source: source to read: enum instinct_vfio_source, HWMON, IPMI or REDFISH
 * @redfish: settings of the BMC's Redfish
 * @numbers: numbers of the GPUs by monitor.conf, for oam_parse(), or ""
 * @policy_file: policy that names the sensors, NULL for the installed one
 * @interval_ms: time between two rounds, more than 0
 */
void sampler_child(int fd, uint32_t source, const struct redfish_conf *redfish, const char *numbers,
		   const char *policy_file, unsigned int interval_ms)
{
	struct child child = {
		.fd = fd,
		.source = source,
		.numbers = numbers,
		.policy_file = policy_file,
		.bmc = {
			.way = source == INSTINCT_VFIO_SOURCE_REDFISH ? &bmc_by_redfish : &bmc_by_ipmi,
			.library = ipmi_library,
			.redfish = redfish,
			.say = say_for_bmc,
			.data = &child,
		},
	};
	int64_t at = now_ms();

	for (;;) {
		policy_read(&child);
		if (gpus_changed(&child) || child.bmc.changed || now_ms() >= child.scan_at)
			scan(&child);
		else if (now_ms() >= child.map_at)
			map_again(&child);
		sample(&child);
		rest(&at, interval_ms);
	}
}
