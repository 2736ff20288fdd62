// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "found.h"
#include "heat.h"
#include "host_clock.h"
#include "say.h"
#include "sysroot.h"

#define HEAT_VERSION	1
#define HEAT_BYTES	(1 << 20)	/* larger than any file that the service writes */

/**
 * heat_find() - look a GPU up by its address
 * @heat: temperatures
 * @bdf: the GPU's address
 *
 * Return: the GPU, or NULL.
 */
struct heat_gpu *heat_find(const struct heat *heat, const char *bdf)
{
	size_t i;

	for (i = 0; i < heat->gpus; i++)
		if (!strcmp(heat->gpu[i].bdf, bdf))
			return &heat->gpu[i];
	return NULL;
}

/**
 * heat_add() - append a GPU
 * @heat: temperatures
 * @bdf: the GPU's address
 *
 * Return: the new GPU, without policy or samples.
 */
struct heat_gpu *heat_add(struct heat *heat, const char *bdf)
{
	struct heat_gpu *gpu = list_add((void **)&heat->gpu, &heat->gpus, sizeof(*gpu));

	snprintf(gpu->bdf, sizeof(gpu->bdf), "%s", bdf);
	return gpu;
}

/**
 * heat_loose_find() - look up a sensor of a GPU that nobody knows
 * @heat: temperatures
 * @name: the sensor's name
 * @source: enum instinct_vfio_source
 * @kind: enum instinct_vfio_sensor
 *
 * Return: the sensor, or NULL.
 */
struct heat_loose *heat_loose_find(const struct heat *heat, const char *name, uint32_t source, uint32_t kind)
{
	size_t i;

	for (i = 0; i < heat->looses; i++)
		if (heat->loose[i].source == source && heat->loose[i].kind == kind &&
		    !strcmp(heat->loose[i].name, name))
			return &heat->loose[i];
	return NULL;
}

/**
 * heat_loose() - look up a sensor of a GPU that nobody knows, or append it
 * @heat: temperatures
 * @name: the sensor's name
 * @source: enum instinct_vfio_source
 * @kind: enum instinct_vfio_sensor
 *
 * Return: the sensor, new ones without policy or samples; NULL if there are too many.
 */
struct heat_loose *heat_loose(struct heat *heat, const char *name, uint32_t source, uint32_t kind)
{
	struct heat_loose *loose = heat_loose_find(heat, name, source, kind);

	if (loose || heat->looses == FOUND_MAX)
		return loose;
	loose = list_add((void **)&heat->loose, &heat->looses, sizeof(*loose));
	snprintf(loose->name, sizeof(loose->name), "%s", name);
	loose->source = source;
	loose->kind = kind;
	return loose;
}

/**
 * heat_fill() - copy temperatures into a list of devices
 * @heat: temperatures
 * @devices: their sensors are set; a device without any temperature gets none
 * @now: ns of CLOCK_BOOTTIME
 */
void heat_fill(const struct heat *heat, struct devices *devices, uint64_t now)
{
	uint32_t kind;
	size_t i;

	for (i = 0; i < devices->count; i++) {
		struct device *dev = &devices->list[i];
		const struct heat_gpu *gpu = heat_find(heat, dev->bdf);

		dev->sensors = 0;
		for (kind = 0; gpu && dev->state >= 0 && kind < HEAT_KINDS; kind++) {
			struct sensor *shown = &dev->sensor[dev->sensors];

			if (!heat_show(&gpu->policy[kind], &gpu->sensor[kind], now, shown))
				continue;
			shown->kind = kind;
			dev->sensors++;
		}
	}
}

/* @key is "bdf" with the GPU's address, or "name" with the name of a sensor of no known GPU. */
static json_t *sensor_json(const char *key, const char *whose, uint32_t kind,
			   const struct heat_policy *policy, const struct heat_sensor *sensor)
{
	json_t *samples = json_array();
	unsigned int i;

	for (i = 0; i < HEAT_SOURCES; i++)
		if (sensor->sample[i].known)
			json_array_append_new(samples, json_pack("{s:s, s:i, s:I}",
				"source", name_of(&source_names, i),
				"temperature_millidegrees", (int)sensor->sample[i].temperature,
				"at_ns", (json_int_t)sensor->sample[i].at));
	return json_pack("{s:s, s:s, s:s, s:i, s:b, s:i, s:i, s:I, s:o}",
			 key, whose, "sensor", name_of(&sensor_names, kind),
			 "source", name_of(&source_names, sensor->source),
			 "raised", (int)sensor->raised, "stale", sensor->stale,
			 "warning_millidegrees", (int)policy->warning,
			 "critical_millidegrees", (int)policy->critical,
			 "stale_after_ms", (json_int_t)policy->stale, "samples", samples);
}

/**
 * heat_text() - format temperatures as the contents of HEAT_FILE
 * @heat: temperatures
 *
 * Return: a line of JSON with its newline, to be freed by the caller; NULL without memory.
 */
char *heat_text(const struct heat *heat)
{
	json_t *list = json_array(), *loose = json_array(), *json;
	uint32_t kind;
	size_t i;
	char *text, *line = NULL;

	for (i = 0; i < heat->gpus; i++)
		for (kind = 0; kind < HEAT_KINDS; kind++)
			json_array_append_new(list, sensor_json("bdf", heat->gpu[i].bdf, kind,
								&heat->gpu[i].policy[kind],
								&heat->gpu[i].sensor[kind]));
	for (i = 0; i < heat->looses; i++)
		json_array_append_new(loose, sensor_json("name", heat->loose[i].name, heat->loose[i].kind,
							 &heat->loose[i].policy, &heat->loose[i].sensor));
	json = json_pack("{s:i, s:o, s:o}", "version", HEAT_VERSION, "sensors", list, "unassigned", loose);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

static bool get(const json_t *object, const char *key, int64_t min, int64_t max, int64_t *value)
{
	const json_t *number = json_object_get(object, key);

	*value = json_integer_value(number);
	return json_is_integer(number) && *value >= min && *value <= max;
}

/* Returns the enum value that the string at @key names, -1 if it names none. */
static int get_name(const json_t *object, const char *key, const struct names *names)
{
	const char *name = json_string_value(json_object_get(object, key));

	return name ? name_find(names, name) : -1;
}

static bool parse_sample(const json_t *json, uint64_t now, struct heat_sensor *sensor)
{
	int source = get_name(json, "source", &source_names);
	int64_t temperature, at;

	if (source < 0 || !get(json, "temperature_millidegrees", INT32_MIN, INT32_MAX, &temperature) ||
	    !found_is_sane(temperature) || !get(json, "at_ns", 0, INT64_MAX, &at))
		return false;
	/* A captured file may be slightly younger than the clock captured beside it. */
	heat_take(sensor, source, temperature, (uint64_t)at > now ? now : (uint64_t)at);
	return true;
}

/* Entries of @unassigned sensors have a name in place of an address. */
static bool parse_sensor(const json_t *json, uint64_t now, struct heat *heat, bool unassigned)
{
	const char *name = json_string_value(json_object_get(json, unassigned ? "name" : "bdf"));
	const json_t *samples = json_object_get(json, "samples"), *sample;
	const json_t *stale = json_object_get(json, "stale");
	int kind = get_name(json, "sensor", &sensor_names);
	int source = get_name(json, "source", &source_names);
	int64_t raised, warning, critical, after;
	char bdf[BDF_BYTES], clean[FOUND_NAME_BYTES];
	struct heat_loose *loose;
	struct heat_policy *policy;
	struct heat_sensor *of;
	struct heat_gpu *gpu;
	size_t i;

	if (!name || !(unassigned ? *name : bdf_parse(name, bdf)) || kind < 0 || source < 0 ||
	    !json_is_boolean(stale) || !json_is_array(samples) ||
	    !get(json, "raised", 0, (2 << HEAT_ALARMS) - 1, &raised) ||
	    !get(json, "warning_millidegrees", 0, INT32_MAX, &warning) ||
	    !get(json, "critical_millidegrees", 0, INT32_MAX, &critical) ||
	    !get(json, "stale_after_ms", 0, UINT32_MAX, &after))
		return false;
	if (unassigned) {
		found_clean(name, clean, sizeof(clean));
		loose = heat_loose(heat, clean, source, kind);
		if (!loose)
			return false;
		policy = &loose->policy;
		of = &loose->sensor;
	} else {
		gpu = heat_find(heat, bdf) ?: heat_add(heat, bdf);
		policy = &gpu->policy[kind];
		of = &gpu->sensor[kind];
	}
	*policy = (struct heat_policy) {
		.warning = warning, .critical = critical, .stale = after,
	};
	*of = (struct heat_sensor) {
		.source = source, .raised = raised, .stale = json_is_true(stale),
	};
	json_array_foreach(samples, i, sample)
		if (!parse_sample(sample, now, of))
			return false;
	return true;
}

/**
 * heat_parse() - parse the contents of HEAT_FILE
 * @json: output of heat_text(), or any other JSON
 * @now: ns of CLOCK_BOOTTIME; no sample may be younger
 * @heat: set, to be freed by the caller; empty if @json is not valid
 *
 * Return: false if @json is not valid.
 */
bool heat_parse(const json_t *json, uint64_t now, struct heat *heat)
{
	const json_t *list = json_object_get(json, "sensors"), *sensor;
	const json_t *loose = json_object_get(json, "unassigned");
	int64_t version;
	bool right = true;
	size_t i;

	*heat = (struct heat) { 0 };
	if (!get(json, "version", HEAT_VERSION, HEAT_VERSION, &version) ||
	    !json_is_array(list))
		return false;
	json_array_foreach(list, i, sensor)
		right = right && parse_sensor(sensor, now, heat, false);
	json_array_foreach(loose, i, sensor)
		right = right && parse_sensor(sensor, now, heat, true);
	if (!right)
		heat_free(heat);
	return right;
}

/**
 * heat_load() - read the temperatures that the service published on this or a captured host
 * @heat: set, to be freed by the caller; empty if no service has published any
 */
void heat_load(struct heat *heat)
{
	char *text = malloc(HEAT_BYTES), name[PATH_MAX];
	json_t *json;
	ssize_t n;

	*heat = (struct heat) { 0 };
	if (!text)
		return;
	snprintf(name, sizeof(name), "%s" HEAT_FILE, opt_sysroot);
	n = sysroot_read(name, text, HEAT_BYTES);
	json = n > 0 && n < HEAT_BYTES ? json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL) : NULL;
	heat_parse(json, host_clock_now().boottime, heat);
	json_decref(json);
	free(text);
}

/**
 * heat_free() - free temperatures, and leave them empty
 * @heat: temperatures
 */
void heat_free(struct heat *heat)
{
	free(heat->gpu);
	free(heat->loose);
	*heat = (struct heat) { 0 };
}
