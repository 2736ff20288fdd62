// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "out_conf.h"
#include "out_sensors.h"
#include "wrap.h"

#define NAME_WIDTH	36
#define STALE		"pushed (stale)"

/* Returns the number of bytes in the first @width characters. */
static size_t fitting(const char *text, size_t width)
{
	size_t n = 0;

	while (text[n] && (width || (text[n] & 0xc0) == 0x80)) {
		width -= (text[n] & 0xc0) != 0x80;
		n++;
	}
	return n;
}

/* Pads a name to NAME_WIDTH columns; printf() would count bytes. */
static void print_name(const char *name)
{
	size_t n = fitting(name, NAME_WIDTH), columns = 0, i;

	if (name[n])
		n = fitting(name, NAME_WIDTH - 3);
	for (i = 0; i < n; i++)
		columns += (name[i] & 0xc0) != 0x80;
	printf("%.*s%s", (int)n, name, name[n] ? "..." : "");
	columns += name[n] ? 3 : 0;
	printf("%*s", (int)(NAME_WIDTH - columns), "");
}

static void print_sensor(const char *bdf, const char *kind,
			 const struct found_sensor *sensor)
{
	printf("%-13s %-8s %-7s ", bdf, kind,
	       sensor ? name_of(&source_names, sensor->source) : "-");
	print_name(!sensor ? "-" : sensor->stale ? STALE : sensor->name);
	if (sensor && sensor->known)
		printf(" %9.1f C\n", sensor->temperature / 1000.0);
	else
		printf(" %11s\n", sensor ? "unreadable" : "-");
}

static void print_gpu(const struct sensors *sensors, size_t gpu)
{
	const char *bdf = sensors->gpus.list[gpu].bdf;
	uint32_t kind, source;

	for (kind = 0; kind < SENSOR_KINDS; kind++) {
		bool fed = false;

		for (source = 0; source < SENSOR_SOURCES; source++) {
			int from = sensors->map.gpu[gpu].from[kind][source];

			if (from == FEED_NONE)
				continue;
			print_sensor(bdf, name_of(&sensor_names, kind),
				     &sensors->found.list[from]);
			fed = true;
		}
		if (!fed)
			print_sensor(bdf, name_of(&sensor_names, kind), NULL);
	}
}

/* The temperature of a GPU, but nobody knows of which. */
static void print_loose(const struct sensors *sensors)
{
	const struct sensor_map *map = &sensors->map;
	size_t i;

	for (i = 0; i < map->looses; i++)
		print_sensor("not known", name_of(&sensor_names, map->loose[i].kind),
			     &sensors->found.list[map->loose[i].found]);
}

static void print_unused(const struct sensors *sensors)
{
	bool *used = sensors_used(sensors);
	size_t i;

	for (i = 0; i < sensors->found.count; i++)
		if (!used[i])
			print_sensor("-", "-", &sensors->found.list[i]);
	free(used);
}

/* Prints a remark as a paragraph, with lines broken between words. */
static void print_remark(const char *text, bool *first)
{
	if (!*first)
		putchar('\n');
	*first = false;
	while (*text) {
		size_t n = fitting(text, wrap_width() - 2), end = n;

		if (text[n])
			while (end && text[end] != ' ')
				end--;
		if (!end)
			end = n;
		printf("%.*s\n", (int)end, text);
		text += end;
		text += strspn(text, " ");
	}
}

static const char *way_on(const struct sensors *sensors)
{
	if (!sensors->gpus.count)
		return "no AMD Instinct GPU that instinct-vfio knows on this host";
	if (!sensors->found.count)
		return "No sensor of this host is found. A script that knows a temperature can push it: see push in instinctctl(8).";
	if (sensor_map_is_empty(&sensors->map) && !sensors->map.looses)
		return "Nothing feeds any GPU. See which sensors there are with instinctctl sensors --all, and name them in policy, such as hotspot_sensor = ipmi:NAME.";
	return NULL;
}

/**
 * out_sensors_text() - print a table of sensors, 80 columns wide, and remarks
 * @sensors: sensors and the GPUs that they feed
 * @why: reasons for which sensors of the BMC are missing, or ""; NULL ends the list
 * @all: also print sensors that feed no GPU
 */
void out_sensors_text(const struct sensors *sensors, const char *const why[], bool all)
{
	const char *on = way_on(sensors);
	bool first = !sensors->gpus.count && (!all || !sensors->found.count);
	size_t i;

	if (!first)
		printf("%-13s %-8s %-7s %-*s %11s\n", "GPU", "SENSOR", "SOURCE",
		       NAME_WIDTH, "NAME", "TEMPERATURE");
	for (i = 0; i < sensors->gpus.count; i++)
		print_gpu(sensors, i);
	print_loose(sensors);
	if (all)
		print_unused(sensors);
	for (i = 0; i < sensors->map.remarks; i++)
		print_remark(sensors->map.remark[i].text, &first);
	for (; *why; why++)
		if (**why)
			print_remark(*why, &first);
	if (on)
		print_remark(on, &first);
}

static json_t *sensor_json(const struct found_sensor *sensor)
{
	return json_pack("{s:s, s:s, s:o, s:b, s:o}",
			 "source", name_of(&source_names, sensor->source),
			 "name", sensor->name,
			 "bdf", *sensor->bdf ? json_string(sensor->bdf) : json_null(),
			 "stale", sensor->stale,
			 "temperature_millidegrees", sensor->known ?
				json_integer(sensor->temperature) : json_null());
}

static json_t *kind_json(const struct sensors *sensors, size_t gpu, uint32_t kind)
{
	char policy[TEXT_BYTES];
	json_t *feeds = json_array();
	uint32_t source;

	found_clean(sensor_map_policy(&sensors->gpus.list[gpu].policy, kind), policy,
		    sizeof(policy));
	for (source = 0; source < SENSOR_SOURCES; source++) {
		int from = sensors->map.gpu[gpu].from[kind][source];

		if (from != FEED_NONE)
			json_array_append_new(feeds,
					      sensor_json(&sensors->found.list[from]));
	}
	return json_pack("{s:s, s:s, s:o}", "sensor", name_of(&sensor_names, kind),
			 "policy", policy, "feeds", feeds);
}

static json_t *gpu_json(const struct sensors *sensors, size_t gpu)
{
	const struct oam *oam = &sensors->oams.list[gpu];
	json_t *kinds = json_array();
	uint32_t kind;

	for (kind = 0; kind < SENSOR_KINDS; kind++)
		json_array_append_new(kinds, kind_json(sensors, gpu, kind));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "bdf", sensors->gpus.list[gpu].bdf,
			 "model", sensors->gpus.list[gpu].model,
			 "oam", oam->number == OAM_UNKNOWN ? json_null() : json_integer(oam->number),
			 "oam_source", oam->number == OAM_UNKNOWN ? json_null() :
				json_string(name_of(&oam_origin_names, oam->origin)),
			 "sensors", kinds);
}

static json_t *loose_json(const struct sensors *sensors)
{
	const struct sensor_map *map = &sensors->map;
	json_t *list = json_array(), *one;
	size_t i;

	for (i = 0; i < map->looses; i++) {
		one = sensor_json(&sensors->found.list[map->loose[i].found]);
		json_object_set_new(one, "sensor", json_string(name_of(&sensor_names, map->loose[i].kind)));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *unused_json(const struct sensors *sensors)
{
	bool *used = sensors_used(sensors);
	json_t *unused = json_array();
	size_t i;

	for (i = 0; i < sensors->found.count; i++)
		if (!used[i])
			json_array_append_new(unused, sensor_json(&sensors->found.list[i]));
	free(used);
	return unused;
}

/**
 * out_sensors_json() - print sensors and remarks as JSON, version 1 of the schema
 * @sensors: sensors and the GPUs that they feed
 * @conf: policy that names the sensors, with its errors
 * @why: reasons for which sensors of the BMC are missing, or ""; NULL ends the list
 * @all: also print sensors that feed no GPU
 */
void out_sensors_json(const struct sensors *sensors, const struct conf *conf,
		      const char *const why[], bool all)
{
	json_t *gpus = json_array(), *remarks = json_array(), *json;
	size_t i;

	for (i = 0; i < sensors->gpus.count; i++)
		json_array_append_new(gpus, gpu_json(sensors, i));
	for (i = 0; i < sensors->map.remarks; i++)
		json_array_append_new(remarks, json_string(sensors->map.remark[i].text));
	for (; *why; why++)
		if (**why)
			json_array_append_new(remarks, json_string(*why));
	json = json_pack("{s:i, s:o, s:o, s:o, s:o}", "version", 1, "gpus", gpus,
			 "unassigned", loose_json(sensors), "remarks", remarks, "errors", out_errors_json(conf));
	if (all)
		json_object_set_new(json, "unused", unused_json(sensors));
	out_json(json, JSON_INDENT(2));
}
