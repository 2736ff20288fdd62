// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "now.h"
#include "redfish_report.h"
#include "source_redfish.h"

#define ROOT		"/redfish/v1/"
/* A call begins no request after this time, so it ends before any sensor is stale. */
#define CALL_MS		10000
#define REQUESTS_MAX	2048	/* of a walk; a BMC with eight GPUs needs some hundred */
#define TIMEOUTS_MAX	3	/* of a walk */
#define REPORTS_MAX	16	/* MetricReports that are looked at */
#define READ_TIMEOUTS_MAX	2	/* of a call that has read nothing yet */

/* The resources that a walk visits, each with links to some of the next. */
enum visit_kind {
	VISIT_ROOT,
	VISIT_CHASSIS_LIST,
	VISIT_CHASSIS,
	VISIT_SUBSYSTEM,
	VISIT_METRICS,
	VISIT_SENSOR_LIST,
	VISIT_SENSOR,
	VISIT_THERMAL,
	VISIT_TELEMETRY,
	VISIT_REPORT_LIST,
	VISIT_REPORT,
};

/**
 * struct visit - a resource that a walk has yet to visit
 * @kind: kind of resource
 * @path: its path
 * @metrics: VISIT_SENSOR: path of the ThermalMetrics that have its reading too, or NULL
 */
struct visit {
	enum visit_kind kind;
	char *path;
	char *metrics;
};

/**
 * struct redfish_sensor - a temperature sensor of the BMC
 * @name: its name, CHASSIS/NAME
 * @id: its Id
 * @chassis: Id of its chassis
 * @path: path of the resource that has its reading
 * @key: key of its entry in that resource, or NULL if the resource is the sensor
 * @report: number of the MetricReport that has its reading too, from 1; 0 for none
 * @known: @temperature is valid
 * @temperature: in millidegrees Celsius
 */
struct redfish_sensor {
	char name[FOUND_NAME_BYTES];
	char id[SHAPE_ID_BYTES];
	char chassis[SHAPE_ID_BYTES];
	char *path;
	char *key;
	size_t report;
	bool known;
	int32_t temperature;
};

/**
 * struct walk - a search for sensors, which may take several calls
 * @todo: resources to visit, the next one last
 * @depth: number of entries in @todo
 * @sensor: sensors found so far
 * @sensors: number of entries in @sensor
 * @reports: MetricReports that have readings of these sensors
 * @looked: number of MetricReports that were looked at
 * @requests: number of resources visited
 * @timeouts: number of resources that did not answer
 * @left_out: reason for leaving a resource out, or ""
 */
struct walk {
	struct visit *todo;
	size_t depth;
	struct redfish_sensor *sensor;
	size_t sensors;
	struct redfish_reports reports;
	unsigned int looked;
	unsigned int requests;
	unsigned int timeouts;
	char left_out[TEXT_BYTES];
};

/**
 * struct redfish - a BMC that is read by Redfish
 * @link: connection
 * @walk: the search under way, or the one before
 * @sensor: sensors of the last complete search
 * @sensors: number of entries in @sensor
 * @reports: MetricReports of the last complete search
 * @next: sensor that the next call reads first
 * @changed: the sensors are no longer those of the last search
 * @left_out: reason for an incomplete search, or ""
 */
struct redfish {
	struct redfish_link *link;
	struct walk walk;
	struct redfish_sensor *sensor;
	size_t sensors;
	struct redfish_reports reports;
	size_t next;
	bool changed;
	char left_out[TEXT_BYTES];
};

static void sensors_clear(struct redfish_sensor **sensor, size_t *count)
{
	size_t i;

	for (i = 0; i < *count; i++) {
		free((*sensor)[i].path);
		free((*sensor)[i].key);
	}
	free(*sensor);
	*sensor = NULL;
	*count = 0;
}

static void visit_free(struct visit *visit)
{
	free(visit->path);
	free(visit->metrics);
}

static void walk_end(struct walk *walk)
{
	while (walk->depth)
		visit_free(&walk->todo[--walk->depth]);
	free(walk->todo);
	sensors_clear(&walk->sensor, &walk->sensors);
	redfish_reports_free(&walk->reports);
	*walk = (struct walk) { 0 };
}

static char *copy(const char *text)
{
	return text ? text_copy(text) : NULL;
}

static void push(struct walk *walk, enum visit_kind kind, const char *path, const char *metrics)
{
	struct visit *visit;

	if (!path)
		return;
	if (walk->depth + walk->requests >= REQUESTS_MAX) {
		snprintf(walk->left_out, sizeof(walk->left_out), "it has more than %d resources",
			 REQUESTS_MAX);
		return;
	}
	visit = list_add((void **)&walk->todo, &walk->depth, sizeof(*visit));
	visit->kind = kind;
	visit->path = text_copy(path);
	visit->metrics = copy(metrics);
}

/* Returns the path of the Sensor itself, wherever its reading is; NULL if it has none. */
static const char *own_path(const char *path, const char *key)
{
	return !key ? path : *key == '/' ? key : NULL;
}

static bool has_sensor(const struct walk *walk, const char *path, const char *key)
{
	const char *own = own_path(path, key), *other;
	size_t i;

	for (i = 0; i < walk->sensors; i++) {
		const struct redfish_sensor *sensor = &walk->sensor[i];

		other = own_path(sensor->path, sensor->key);
		if (own && other ? !strcmp(own, other) :
		    key && sensor->key && !own && !other && !strcmp(path, sensor->path) &&
		    !strcmp(key, sensor->key))
			return true;
	}
	return false;
}

static bool has_name(const struct walk *walk, const char *name)
{
	size_t i;

	for (i = 0; i < walk->sensors; i++)
		if (!strcmp(walk->sensor[i].name, name))
			return true;
	return false;
}

/* Two sensors of a chassis with one name are told apart by their Ids. */
static void set_name(const struct walk *walk, struct redfish_sensor *sensor, const char *name)
{
	char text[2 * FOUND_NAME_BYTES];

	snprintf(text, sizeof(text), "%.31s/%.*s", sensor->chassis, FOUND_NAME_BYTES - 1,
		 name ? name : sensor->id);
	found_clean(text, sensor->name, sizeof(sensor->name));
	if (!has_name(walk, sensor->name))
		return;
	snprintf(text, sizeof(text), "%.31s/%s", sensor->chassis, sensor->id);
	found_clean(text, sensor->name, sizeof(sensor->name));
}

/* @json is the sensor, or its entry in the resource at @path, or NULL. */
static void add_sensor(struct walk *walk, const json_t *json, const char *path, const char *key)
{
	const char *own = own_path(path, key);
	struct redfish_sensor new = { 0 };

	if (walk->sensors == FOUND_MAX || has_sensor(walk, path, key))
		return;
	shape_id(own ? own : key, new.id, sizeof(new.id));
	shape_chassis(own ? own : path, new.chassis, sizeof(new.chassis));
	new.path = text_copy(path);
	new.key = copy(key);
	new.known = shape_reading(json, &new.temperature);
	set_name(walk, &new, shape_name(json));
	*(struct redfish_sensor *)list_add((void **)&walk->sensor, &walk->sensors,
					   sizeof(new)) = new;
}

static void take_sensor(struct walk *walk, const json_t *json, const char *path,
			const char *metrics)
{
	if (shape_is_temperature(json))
		add_sensor(walk, json, metrics ? metrics : path, metrics ? path : NULL);
}

static void take_members(struct walk *walk, const struct visit *visit, const json_t *json,
			 enum visit_kind kind)
{
	const json_t *members = json_object_get(json, "Members"), *member;
	const char *path;
	size_t i;

	push(walk, visit->kind, shape_next(json), NULL);
	for (i = json_array_size(members); i--; ) {
		member = json_array_get(members, i);
		path = shape_own_link(member);
		if (path && kind == VISIT_SENSOR && shape_is_sensor(member))
			take_sensor(walk, member, path, NULL);
		else
			push(walk, kind, path, NULL);
	}
}

/* An entry whose sensor has a path is visited for its name. */
static void take_entries(struct walk *walk, const struct visit *visit, const json_t *json)
{
	const json_t *entries = shape_entries(json), *entry;
	const char *key;
	size_t i;

	for (i = json_array_size(entries); i--; ) {
		entry = json_array_get(entries, i);
		key = shape_entry_key(entry);
		if (key && redfish_link_is_path(key))
			push(walk, VISIT_SENSOR, key, visit->path);
	}
	json_array_foreach(entries, i, entry) {
		key = shape_entry_key(entry);
		if (key && !redfish_link_is_path(key) && *key != '/')
			add_sensor(walk, entry, visit->path, key);
	}
}

/* The walk visits what is pushed last first: ThermalSubsystem, then Sensors, then Thermal. */
static void take_chassis(struct walk *walk, const json_t *json)
{
	push(walk, VISIT_THERMAL, shape_link(json, "Thermal"), NULL);
	push(walk, VISIT_SENSOR_LIST, shape_link(json, "Sensors"), NULL);
	push(walk, VISIT_SUBSYSTEM, shape_link(json, "ThermalSubsystem"), NULL);
}

static void take_report(struct walk *walk, const char *path, const json_t *json)
{
	bool added = false;
	int32_t temperature;
	size_t i;

	for (i = 0; i < walk->sensors && shape_report_time(json); i++) {
		struct redfish_sensor *sensor = &walk->sensor[i];
		const char *own = own_path(sensor->path, sensor->key);

		if (!own || sensor->report || !redfish_report_reading(json, own, &temperature))
			continue;
		if (!added)
			redfish_report_add(&walk->reports, path, json);
		added = true;
		sensor->report = walk->reports.count;
	}
}

static void take(struct walk *walk, const struct visit *visit, const json_t *json)
{
	switch (visit->kind) {
	case VISIT_ROOT:
		/* Its reports are looked at last, when the sensors are known. */
		push(walk, VISIT_TELEMETRY, shape_link(json, "TelemetryService"), NULL);
		push(walk, VISIT_CHASSIS_LIST, shape_link(json, "Chassis"), NULL);
		break;
	case VISIT_CHASSIS_LIST:
		take_members(walk, visit, json, VISIT_CHASSIS);
		break;
	case VISIT_CHASSIS:
		take_chassis(walk, json);
		break;
	case VISIT_SUBSYSTEM:
		push(walk, VISIT_METRICS, shape_link(json, "ThermalMetrics"), NULL);
		break;
	case VISIT_METRICS:
	case VISIT_THERMAL:
		take_entries(walk, visit, json);
		break;
	case VISIT_SENSOR_LIST:
		take_members(walk, visit, json, VISIT_SENSOR);
		break;
	case VISIT_SENSOR:
		take_sensor(walk, json, visit->path, visit->metrics);
		break;
	case VISIT_TELEMETRY:
		push(walk, VISIT_REPORT_LIST, shape_link(json, "MetricReports"), NULL);
		break;
	case VISIT_REPORT_LIST:
		take_members(walk, visit, json, VISIT_REPORT);
		break;
	case VISIT_REPORT:
		take_report(walk, visit->path, json);
		break;
	}
}

/* A chassis may show a sensor in several ways. The older Thermal counts if no other way does. */
static bool is_spare(const struct walk *walk, const struct visit *visit)
{
	char chassis[SHAPE_ID_BYTES];
	size_t i;

	if (visit->kind == VISIT_SENSOR)
		return has_sensor(walk, visit->path, NULL);
	/* Reports may be many, and large. */
	if (visit->kind == VISIT_REPORT)
		return walk->looked >= REPORTS_MAX;
	if (visit->kind != VISIT_THERMAL)
		return false;
	shape_chassis(visit->path, chassis, sizeof(chassis));
	for (i = 0; i < walk->sensors; i++)
		if (!strcmp(walk->sensor[i].chassis, chassis))
			return true;
	return false;
}

/* An entry of ThermalMetrics remains if its sensor cannot be read. */
static void leave_out(struct redfish *redfish, const struct visit *visit, int error)
{
	struct walk *walk = &redfish->walk;

	if (visit->kind == VISIT_SENSOR && visit->metrics)
		add_sensor(walk, NULL, visit->metrics, visit->path);
	else if (error != -ENOENT && visit->kind < VISIT_TELEMETRY)
		snprintf(walk->left_out, sizeof(walk->left_out), "%s",
			 redfish_link_message(redfish->link));
}

/* Visits the next resource. Returns a negative errno if that ends the walk. */
static int step(struct redfish *redfish)
{
	struct walk *walk = &redfish->walk;
	struct visit visit = walk->todo[--walk->depth];
	bool ends = visit.kind == VISIT_ROOT || visit.kind == VISIT_CHASSIS_LIST;
	json_t *json = NULL;
	int ret = 0;

	if (!is_spare(walk, &visit)) {
		walk->requests++;
		walk->looked += visit.kind == VISIT_REPORT;
		ret = redfish_link_get(redfish->link, visit.path, &json);
	}
	if (json)
		take(walk, &visit, json);
	else if (ret)
		leave_out(redfish, &visit, ret);
	/* A report only saves requests: a fault of one does not end the walk, and a slow one ends the look for more. */
	if (visit.kind >= VISIT_TELEMETRY && ret) {
		if (ret == -ETIMEDOUT || ret == -ECONNREFUSED)
			walk->looked = REPORTS_MAX;
		ret = 0;
	}
	ends |= ret == -EACCES || ret == -ECONNREFUSED ||
		(ret == -ETIMEDOUT && ++walk->timeouts >= TIMEOUTS_MAX);
	json_decref(json);
	visit_free(&visit);
	return ends ? ret : 0;
}

/**
 * redfish_open() - prepare for reading the BMC
 * @conf: settings
 * @why: set to a message for the log on failure
 * @size: of @why in bytes
 *
 * Return: the BMC, or NULL on failure. Nothing has been sent to the BMC.
 */
struct redfish *redfish_open(const struct redfish_conf *conf, char *why, size_t size)
{
	struct redfish_link *link = redfish_link_open(conf, why, size);
	struct redfish *redfish = link ? calloc(1, sizeof(*redfish)) : NULL;

	if (redfish)
		redfish->link = link;
	else
		redfish_link_close(link);
	return redfish;
}

/**
 * redfish_close() - end the connection and free it
 * @redfish: BMC, or NULL
 */
void redfish_close(struct redfish *redfish)
{
	if (!redfish)
		return;
	walk_end(&redfish->walk);
	sensors_clear(&redfish->sensor, &redfish->sensors);
	redfish_reports_free(&redfish->reports);
	redfish_link_close(redfish->link);
	free(redfish);
}

/**
 * redfish_message() - get the last error
 * @redfish: BMC
 *
 * Return: text for the log.
 */
const char *redfish_message(const struct redfish *redfish)
{
	return redfish->changed ? "its list of sensors has changed" :
				  redfish_link_message(redfish->link);
}

/**
 * redfish_left_out() - tell whether the last complete search left any resource out
 * @redfish: BMC
 *
 * Return: the reason, or "".
 */
const char *redfish_left_out(const struct redfish *redfish)
{
	return redfish->left_out;
}

static void walk_done(struct redfish *redfish, struct found *found)
{
	struct walk *walk = &redfish->walk;
	size_t i;

	sensors_clear(&redfish->sensor, &redfish->sensors);
	redfish->sensor = walk->sensor;
	redfish->sensors = walk->sensors;
	redfish_reports_free(&redfish->reports);
	redfish->reports = walk->reports;
	redfish->next = 0;
	memcpy(redfish->left_out, walk->left_out, sizeof(redfish->left_out));
	walk->sensor = NULL;
	walk->sensors = 0;
	walk->reports = (struct redfish_reports) { 0 };
	walk_end(walk);
	for (i = 0; i < redfish->sensors; i++) {
		const struct redfish_sensor *sensor = &redfish->sensor[i];
		struct found_sensor *new = found_add(found, INSTINCT_VFIO_SOURCE_REDFISH,
						     sensor->name);

		if (!new)
			return;
		found_clean(sensor->id, new->place, sizeof(new->place));
		new->record = i;
		new->known = sensor->known;
		new->temperature = sensor->temperature;
	}
}

/**
 * redfish_scan() - list the BMC's temperature sensors with their readings
 * @redfish: BMC
 * @found: the sensors are added when all have been found
 *
 * The function begins no request after ten seconds. A search that needs longer goes on in the
 * next call.
 *
 * Return: 0 when the search is complete, -EAGAIN while it is not, or another negative errno that
 * has ended it; then redfish_message() gives the reason.
 */
int redfish_scan(struct redfish *redfish, struct found *found)
{
	struct walk *walk = &redfish->walk;
	int64_t end = now_ms() + CALL_MS;
	int ret = 0;

	redfish->changed = false;
	if (!walk->depth)
		push(walk, VISIT_ROOT, ROOT, NULL);
	while (walk->depth) {
		if (now_ms() >= end)
			return -EAGAIN;
		ret = step(redfish);
		if (ret) {
			walk_end(walk);
			return ret == -ENOENT ? -EIO : ret;
		}
	}
	walk_done(redfish, found);
	return 0;
}

/* Returns the sensor of the last scan that a found one stands for, or NULL. */
static const struct redfish_sensor *sensor_of(const struct redfish *redfish,
					      const struct found_sensor *found)
{
	if (found->source != INSTINCT_VFIO_SOURCE_REDFISH || found->record >= redfish->sensors ||
	    strcmp(redfish->sensor[found->record].name, found->name))
		return NULL;
	return &redfish->sensor[found->record];
}

/* Gives all wanted sensors whose readings @json has their temperatures. */
static void give(struct redfish *redfish, const char *path, const json_t *json,
		 struct found *found, const bool *wanted)
{
	size_t i;

	for (i = 0; i < found->count; i++) {
		const struct redfish_sensor *sensor = sensor_of(redfish, &found->list[i]);
		const json_t *entry = json;

		if (!sensor || !wanted[i] || strcmp(sensor->path, path))
			continue;
		found->list[i].skipped = false;
		if (json && sensor->key)
			entry = shape_entry_find(json, sensor->key);
		found->list[i].known = json && entry &&
				       shape_reading(entry, &found->list[i].temperature);
	}
}

/* Gives the sensors the temperatures that fresh reports have; the others are read by themselves. */
static size_t read_reports(struct redfish *redfish, struct found *found, int64_t end)
{
	struct redfish_reports *reports = &redfish->reports;
	size_t number, i, read = 0;
	json_t *json;
	int ret;

	for (number = 1; number <= reports->count && now_ms() < end; number++) {
		json = NULL;
		ret = 0;
		for (i = 0; i < found->count; i++) {
			const struct redfish_sensor *sensor = sensor_of(redfish, &found->list[i]);

			if (!found->list[i].skipped || !sensor || sensor->report != number)
				continue;
			/* The report is asked for when the first sensor needs it. */
			if (!json)
				ret = redfish_report_get(&reports->list[number - 1], redfish->link, &json);
			if (!json)
				break;
			found->list[i].known = redfish_report_reading(json, own_path(sensor->path, sensor->key),
								      &found->list[i].temperature);
			found->list[i].skipped = !found->list[i].known;
			read += found->list[i].known;
		}
		json_decref(json);
		/* The next search looks for reports again. */
		if (ret && ret != -ESTALE)
			redfish_reports_cut(reports, number - 1);
	}
	return read;
}

/* Marks the sensors that are to be read. */
static void mark(struct redfish *redfish, struct found *found, const bool *wanted)
{
	size_t i;

	redfish->changed = false;
	for (i = 0; i < found->count; i++) {
		struct found_sensor *sensor = &found->list[i];

		if (!wanted[i] || sensor->source != INSTINCT_VFIO_SOURCE_REDFISH)
			continue;
		sensor->known = false;
		sensor->skipped = sensor_of(redfish, sensor);
		redfish->changed |= !sensor->skipped;
	}
}

/**
 * redfish_read() - read the temperatures of some sensors
 * @redfish: BMC
 * @found: sensors listed by redfish_scan(); the function sets the temperature of each wanted
 *	sensor, or marks it unknown if the sensor cannot be read. It marks a sensor skipped that
 *	it had no time for, and begins with that one in the next call.
 * @wanted: for each entry of @found, whether to read it; sensors of other sources are skipped
 *
 * The function begins no request after ten seconds.
 *
 * Return: 0; -ENOENT if the BMC's sensors differ from @found; or another negative errno if no
 * sensor can be read. On failure redfish_message() gives the reason.
 */
int redfish_read(struct redfish *redfish, struct found *found, const bool *wanted)
{
	int64_t end = now_ms() + CALL_MS;
	size_t i, n, read = 0, timeouts = 0;
	int ret = 0, last = 0;

	mark(redfish, found, wanted);
	read = read_reports(redfish, found, end);
	for (n = 0; n < found->count && now_ms() < end; n++) {
		const struct redfish_sensor *sensor;
		json_t *json;

		i = (redfish->next + n) % found->count;
		if (!found->list[i].skipped)
			continue;
		sensor = sensor_of(redfish, &found->list[i]);
		ret = redfish_link_get(redfish->link, sensor->path, &json);
		give(redfish, sensor->path, json, found, wanted);
		json_decref(json);
		read += !ret;
		last = ret ? ret : last;
		timeouts += ret == -ETIMEDOUT;
		redfish->changed |= ret == -ENOENT;
		if (ret == -EACCES || ret == -ECONNREFUSED ||
		    (!read && timeouts == READ_TIMEOUTS_MAX))
			break;
	}
	redfish->next = found->count ? (redfish->next + n) % found->count : 0;
	if (redfish->changed)
		return -ENOENT;
	return read ? 0 : last;
}
