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

#define SCAN_MS		60000	/* new sensors, a BMC or the library for it */
#define SCAN_IDLE_MS	600000	/* a BMC that has been asked, and feeds nothing */

/**
 * struct feed - one sensor of a GPU and who feeds it
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
 * struct child - all there is to know
 * @fd: where lines go
 * @source: whose sensors it reads
 * @policy_file: its name, NULL: the installed one
 * @read: that has been looked at
 * @policy: stamp that it had then
 * @conf: the policy, the last one without errors
 * @roster: the GPUs
 * @sensors: as of the last scan
 * @scan_at: when the next one is, in ms
 * @bmc: the BMC
 * @failed: feeds that cannot be read, which has been said
 * @failures: how many
 */
struct child {
	int fd;
	uint32_t source;
	const char *policy_file;
	bool read;
	uint64_t policy;
	struct conf conf;
	struct roster roster;
	struct sensors sensors;
	int64_t scan_at;
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
	/* So short that the pipe takes all of it or nothing. */
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

/* A policy that is gone says nothing; one with errors does not count, as one of two says. */
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
			say(child, LOG_WARNING, "%s cannot be read or has errors: which sensors are read stays as it is (what is wrong says instinctctl sensors %s)",
			    name, child->policy_file ?: "");
		conf_free(&conf);
		return;
	}
	conf_free(&child->conf);
	child->conf = conf;
	child->scan_at = 0;
	child->failures = 0;
}

static void say_remarks(struct child *child, const struct sensor_map *before)
{
	const struct sensor_map *map = &child->sensors.map;
	size_t i, j;

	for (i = 0; i < map->remarks; i++) {
		if (map->remark[i].source != child->source)
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

/* Each once: one that is being reset lets nobody look until it is back. */
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
	else if (sensors_want_ipmi(&child->sensors))
		bmc_scan(&child->bmc, &before.found, &child->sensors.found);
	sensors_map(&child->sensors);
	if (child->bmc.fresh && sensor_map_is_empty(&child->sensors.map))
		child->scan_at = now_ms() + SCAN_IDLE_MS;
	say_remarks(child, &before.map);
	sensors_free(&before);
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

/* That a sensor cannot be read is said when it begins, and when it is over. */
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
	if (roster_is_away(&child->roster, line.bdf))
		return;
	/* What has been said of the whole BMC is not said of each of its sensors. */
	if (sensor->source != INSTINCT_VFIO_SOURCE_IPMI || !child->bmc.failed ||
	    sensor->known)
		note(child, line.bdf, kind, sensor);
	if (sensor->known)
		put(child, &line);
}

static void tell_all(struct child *child)
{
	const struct sensor_map *map = &child->sensors.map;
	uint32_t kind;
	size_t gpu;

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

	if (child->source == INSTINCT_VFIO_SOURCE_IPMI)
		bmc_read(&child->bmc, found, used);
	else
		for (i = 0; i < found->count; i++)
			if (used[i])
				hwmon_read(&found->list[i]);
	tell_all(child);
	/* What is not read again by then is not told again in the next round. */
	for (i = 0; i < found->count; i++)
		found->list[i].known = false;
	free(used);
}

/* Until the next round; those that were missed are left out. */
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
 * sampler_child() - read temperatures and write them
 * @fd: where to
 * @source: whose: enum instinct_vfio_source, HWMON or IPMI
 * @policy_file: policy that says whose, NULL: the installed one
 * @interval_ms: how often, more than 0
 */
void sampler_child(int fd, uint32_t source, const char *policy_file,
		   unsigned int interval_ms)
{
	struct child child = {
		.fd = fd,
		.source = source,
		.policy_file = policy_file,
		.bmc = { .library = ipmi_library, .say = say_for_bmc, .data = &child },
	};
	int64_t at = now_ms();

	for (;;) {
		policy_read(&child);
		if (gpus_changed(&child) || child.bmc.changed || now_ms() >= child.scan_at)
			scan(&child);
		sample(&child);
		rest(&at, interval_ms);
	}
}
