// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "sensor_choice.h"
#include "sensor_guess.h"
#include "sensor_map.h"

#define NAMES_BYTES	320

/* The names of the sensor kinds in amdgpu's hwmon devices. */
static const char *const amdgpu_names[SENSOR_KINDS] = {
	[INSTINCT_VFIO_SENSOR_HOTSPOT] = "amdgpu/junction",
	[INSTINCT_VFIO_SENSOR_MEMORY] = "amdgpu/mem",
};

static void remark(struct sensor_map *map, uint32_t source, int priority,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A remark that several GPUs give rise to is kept once. */
static void remark(struct sensor_map *map, uint32_t source, int priority,
		   const char *format, ...)
{
	struct remark new = { .source = source, .priority = priority };
	char text[REMARK_BYTES];
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* vsnprintf() may have cut a name in the middle of a UTF-8 character. */
	found_clean(text, new.text, sizeof(new.text));
	for (i = 0; i < map->remarks; i++)
		if (!strcmp(map->remark[i].text, new.text))
			return;
	*(struct remark *)list_add((void **)&map->remark, &map->remarks, sizeof(new)) = new;
}

/**
 * sensor_map_policy() - get the policy value that selects a sensor's source
 * @policy: the GPU's policy
 * @kind: enum instinct_vfio_sensor
 *
 * Return: the value as written in the policy.
 */
const char *sensor_map_policy(const struct policy *policy, uint32_t kind)
{
	switch (kind) {
	case INSTINCT_VFIO_SENSOR_HOTSPOT:
		return text_of(policy->hotspot_sensor);
	case INSTINCT_VFIO_SENSOR_MEMORY:
		return text_of(policy->memory_sensor);
	default:
		return text_of(policy->board_sensor);
	}
}

static void map_named(struct sensor_map *map, const struct devices *gpus, size_t gpu, int number,
		      uint32_t kind, const char *policy, const struct found *found)
{
	struct choice choice = { 0 };
	const char *bdf = gpus->list[gpu].bdf;
	char names[NAMES_BYTES];

	if (choice_is_counted(policy) && number == OAM_UNKNOWN) {
		remark(map, choice_source(policy), LOG_NOTICE, "%s: %s_sensor = %.80s feeds nothing, since the GPU's OAM number is not known. Name the sensor itself ([device BDF] %s_sensor), or the number in monitor.conf (oam = BDF=NUMBER)",
		       bdf, name_of(&sensor_names, kind), policy, name_of(&sensor_names, kind));
		return;
	}
	choice_match(&choice, found, policy, gpus, gpu, number);
	choice_names(found, &choice, names, sizeof(names));
	if (choice.count == 1)
		map->gpu[gpu].from[kind][choice_source(policy)] = choice.index[0];
	else if (choice.count)
		remark(map, choice_source(policy), LOG_WARNING, "%s: %s_sensor = %.80s names %zu sensors and so feeds nothing: %s",
		       bdf, name_of(&sensor_names, kind), policy, choice.count, names);
	else
		remark(map, choice_source(policy), LOG_WARNING, "%s: %s_sensor = %.80s: no such sensor is found (see instinctctl sensors --all)",
		       bdf, name_of(&sensor_names, kind), policy);
	free(choice.index);
}

/* A GPU that is bound to amdgpu has a hwmon device of that driver. */
static void map_amdgpu(struct sensor_map *map, const struct devices *gpus, size_t gpu,
		       uint32_t kind, const struct found *found)
{
	size_t i;

	for (i = 0; i < found->count && amdgpu_names[kind]; i++)
		if (found->list[i].source == INSTINCT_VFIO_SOURCE_HWMON &&
		    !strcmp(found->list[i].bdf, gpus->list[gpu].bdf) &&
		    !strcmp(found->list[i].name, amdgpu_names[kind])) {
			map->gpu[gpu].from[kind][INSTINCT_VFIO_SOURCE_HWMON] = i;
			return;
		}
}

/**
 * struct numbered - the sensors of one kind that a BMC names after GPUs
 * @sensor: indexes into the found sensors
 * @number: the number that each name has; OAM_UNKNOWN if the name does not say OAM
 * @lead: what these numbers exceed the GPUs' by, or OAM_UNKNOWN
 */
struct numbered {
	struct choice sensor;
	struct choice number;
	int lead;
};

/*
 * Tells by how much the BMC's numbers exceed the GPUs', or OAM_UNKNOWN. The hardware counts from 0; a
 * BMC, and an operator who names its numbers, may count from 1. Without an OAM 0 both must have the
 * same numbers, or the BMC those of a whole board whose slots begin with 1 too. An operator's numbers
 * without 0 may count from 1, with a GPU missing, so they tell nothing about a BMC that has 0.
 */
static int lead_of(const struct numbered *numbered, const struct oams *oams)
{
	uint64_t named = 0, known = 0;
	bool all = true, by_conf = false;
	size_t i;

	for (i = 0; i < numbered->number.count; i++) {
		int number = numbered->number.index[i];

		if (number != OAM_UNKNOWN)
			named |= 1ull << (number < OAM_NUMBERS ? number : OAM_NUMBERS - 1);
	}
	for (i = 0; i < oams->count; i++) {
		all &= oam_number(oams, i) != OAM_UNKNOWN;
		by_conf |= oam_number(oams, i) != OAM_UNKNOWN && oams->list[i].origin == OAM_BY_CONF;
		if (oam_number(oams, i) != OAM_UNKNOWN)
			known |= 1ull << oam_number(oams, i);
	}
	if (named & 1)
		return oam_first(known) == 1 || (by_conf && !(known & 1)) ? OAM_UNKNOWN : 0;
	if (!named || (all && named == known))
		return 0;
	return oams->from_1 && oam_first(named) == 1 && known & 1 ? 1 : OAM_UNKNOWN;
}

static void numbered_find(struct numbered *numbered, const struct found *found, const struct oams *oams,
			  uint32_t kind, uint32_t source)
{
	struct guess guess;
	size_t i;

	for (i = 0; i < found->count; i++) {
		if (found->list[i].source != source || !sensor_guess(&found->list[i], &guess) ||
		    guess.kind != kind)
			continue;
		choice_add(&numbered->sensor, i);
		choice_add(&numbered->number, guess.oam ? (int)guess.index : OAM_UNKNOWN);
	}
	numbered->lead = lead_of(numbered, oams);
}

static void numbered_free(struct numbered *numbered)
{
	free(numbered->sensor.index);
	free(numbered->number.index);
}

/* Returns the only sensor of a GPU's number, or FEED_NONE. */
static int numbered_sensor(const struct numbered *numbered, int number)
{
	int sensor = FEED_NONE;
	size_t i;

	for (i = 0; i < numbered->number.count && number != OAM_UNKNOWN; i++) {
		if (numbered->number.index[i] != number + numbered->lead)
			continue;
		if (sensor != FEED_NONE)
			return FEED_NONE;
		sensor = numbered->sensor.index[i];
	}
	return sensor;
}

static bool is_auto(const struct device *gpu, uint32_t kind)
{
	return !strcmp(sensor_map_policy(&gpu->policy, kind), "auto");
}

/* Policy may name another OAM's sensor of the same BMC, by IPMI or by Redfish. Other names have no number that counts. */
static bool contradicts(const struct found *found, const struct gpu_feeds *gpu, uint32_t kind,
			int guessed)
{
	static const uint32_t sources[] = { INSTINCT_VFIO_SOURCE_IPMI,
					    INSTINCT_VFIO_SOURCE_REDFISH };
	struct guess one, other;
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		int from = gpu->from[kind][sources[i]];

		if (from == FEED_NONE || from == guessed)
			continue;
		if (sensor_guess(&found->list[from], &one) && one.oam &&
		    sensor_guess(&found->list[guessed], &other) && one.index != other.index)
			return true;
	}
	return false;
}

/* Returns the first GPU whose policy contradicts the numbers, or the number of GPUs if none does. */
static size_t disproof(const struct sensor_map *map, const struct devices *gpus, const struct oams *oams,
		       uint32_t kind, const struct found *found, const struct numbered *numbered)
{
	size_t i;

	for (i = 0; i < gpus->count; i++) {
		int by_number = numbered_sensor(numbered, oam_number(oams, i));

		if (!is_auto(&gpus->list[i], kind) && by_number != FEED_NONE &&
		    contradicts(found, &map->gpu[i], kind, by_number))
			break;
	}
	return i;
}

static bool feeds_gpu(const struct gpu_feeds *gpu, int found)
{
	uint32_t kind, source;

	for (kind = 0; kind < SENSOR_KINDS; kind++)
		for (source = 0; source < SENSOR_SOURCES; source++)
			if (gpu->from[kind][source] == found)
				return true;
	return false;
}

static void add_loose(struct sensor_map *map, int found, uint32_t kind)
{
	struct loose_sensor *loose = list_add((void **)&map->loose, &map->looses, sizeof(*loose));

	*loose = (struct loose_sensor) { .found = found, .kind = kind };
}

/* Policy leaves the sensors of some GPUs alone, or names others for them. */
static bool is_left_alone(const struct devices *gpus, const struct oams *oams, uint32_t kind, int number)
{
	size_t i;

	for (i = 0; i < gpus->count && number != OAM_UNKNOWN; i++)
		if (oam_number(oams, i) == number && !is_auto(&gpus->list[i], kind))
			return true;
	return false;
}

/* Why a sensor is given to no GPU. */
enum loose_reason {
	LOOSE_ALL,		/* none of the BMC's numbers counts */
	LOOSE_NAMELESS,		/* its name tells no OAM number */
	LOOSE_SEVERAL,		/* another sensor has the same number */
	LOOSE_NOBODY,		/* no GPU has its number */
	LOOSE_REASONS
};

static enum loose_reason loose_reason(const struct numbered *numbered, size_t i, bool usable)
{
	size_t k;

	if (!usable)
		return LOOSE_ALL;
	if (numbered->number.index[i] == OAM_UNKNOWN)
		return LOOSE_NAMELESS;
	for (k = 0; k < numbered->number.count; k++)
		if (k != i && numbered->number.index[k] == numbered->number.index[i])
			return LOOSE_SEVERAL;
	return LOOSE_NOBODY;
}

/* Tells why no GPU has a number: the numbers of some GPUs are not known, or all of them are. */
static void say_unknown(const struct devices *gpus, const struct oams *oams, uint32_t kind, char *text,
			size_t size)
{
	const char *unknown = NULL;
	size_t count = 0, i;

	for (i = 0; i < gpus->count; i++)
		if (is_auto(&gpus->list[i], kind) && oam_number(oams, i) == OAM_UNKNOWN && !count++)
			unknown = gpus->list[i].bdf;
	if (count > 1)
		snprintf(text, size, "the OAM numbers of %s and %zu more are not known", unknown, count - 1);
	else if (count)
		snprintf(text, size, "the OAM number of %s is not known", unknown);
	else
		snprintf(text, size, "no GPU has such an OAM number");
}

static void remark_fed(struct sensor_map *map, const struct oams *oams, uint32_t source, int lead)
{
	static const char from_0[] = "The BMC's OAM numbers are taken for the GPUs' own: ",
			  from_1[] = "The BMC's OAM numbers, less 1, are taken for the GPUs' own: ";
	char text[REMARK_BYTES - sizeof(from_1)];

	oam_list(oams, text, sizeof(text));
	remark(map, source, LOG_NOTICE, "%s%s", lead ? from_1 : from_0, text);
}

/*
 * The BMC numbers the OAMs of the board. The order of addresses tells nothing of that, so only the
 * number that the hardware gives a GPU, or that the operator names, finds its sensors.
 */
static void map_numbered(struct sensor_map *map, const struct devices *gpus, const struct oams *oams,
			 uint32_t kind, uint32_t source, const struct found *found)
{
	const char *key = name_of(&sensor_names, kind), *why[LOOSE_REASONS] = {
		[LOOSE_NAMELESS] = "their names do not tell an OAM number",
		[LOOSE_SEVERAL] = "several sensors have the same OAM number",
	};
	char text[REMARK_BYTES / 2], nobody[128], names[200];
	struct choice loose[LOOSE_REASONS] = { 0 };
	struct numbered numbered = { 0 };
	size_t against = gpus->count, i, fed = 0;
	bool usable;

	numbered_find(&numbered, found, oams, kind, source);
	if (numbered.lead != OAM_UNKNOWN)
		against = disproof(map, gpus, oams, kind, found, &numbered);
	else
		why[LOOSE_ALL] = "the BMC's numbers and the GPUs' do not both begin with OAM 0";
	if (against < gpus->count) {
		snprintf(text, sizeof(text), "[device %s] %s_sensor = %.80s says that the BMC has other numbers than the GPUs",
			 gpus->list[against].bdf, key,
			 sensor_map_policy(&gpus->list[against].policy, kind));
		why[LOOSE_ALL] = text;
	}
	usable = !why[LOOSE_ALL];
	for (i = 0; i < gpus->count && usable; i++) {
		int sensor = numbered_sensor(&numbered, oam_number(oams, i));

		if (!is_auto(&gpus->list[i], kind) || sensor == FEED_NONE)
			continue;
		map->gpu[i].from[kind][source] = sensor;
		fed++;
	}
	for (i = 0; i < numbered.sensor.count; i++) {
		int sensor = numbered.sensor.index[i], number = numbered.number.index[i];

		if (sensor_map_uses(map, sensor) ||
		    (usable && number != OAM_UNKNOWN &&
		     is_left_alone(gpus, oams, kind, number - numbered.lead)))
			continue;
		add_loose(map, sensor, kind);
		choice_add(&loose[loose_reason(&numbered, i, usable)], sensor);
	}
	if (fed)
		remark_fed(map, oams, source, numbered.lead);
	say_unknown(gpus, oams, kind, nobody, sizeof(nobody));
	why[LOOSE_NOBODY] = nobody;
	for (i = 0; i < LOOSE_REASONS; i++) {
		choice_names(found, &loose[i], names, sizeof(names));
		if (loose[i].count)
			remark(map, source, LOG_NOTICE, "%s: %s: not given to any GPU, since %s. Name the numbers in monitor.conf (oam = BDF=NUMBER), or each sensor in policy ([device BDF] %s_sensor = %s:NAME)",
			       key, names, why[i], key, name_of(&source_names, source));
		free(loose[i].index);
	}
	numbered_free(&numbered);
}

static bool any_auto(const struct devices *gpus, uint32_t kind)
{
	size_t i;

	for (i = 0; i < gpus->count; i++)
		if (is_auto(&gpus->list[i], kind))
			return true;
	return false;
}

/* Policy may intend it for a sensor between two GPUs, but few boards have one. */
static void remark_shared(struct sensor_map *map, const struct devices *gpus,
			  const struct found *found)
{
	const char *first;
	size_t i, gpu;

	for (i = 0; i < found->count; i++)
		for (gpu = 0, first = NULL; gpu < gpus->count; gpu++) {
			if (!feeds_gpu(&map->gpu[gpu], i))
				continue;
			if (first)
				remark(map, found->list[i].source, LOG_WARNING,
				       "%s feeds both %s and %s: make sure that policy means that",
				       found->list[i].name, first, gpus->list[gpu].bdf);
			first = gpus->list[gpu].bdf;
		}
}

/**
 * sensor_map_make() - assign the found sensors to GPUs
 * @map: set; the caller calls sensor_map_free()
 * @gpus: all GPUs of the host with their policies
 * @oams: the number that the hardware gives each of them, in the same order
 * @found: sensors
 */
void sensor_map_make(struct sensor_map *map, const struct devices *gpus, const struct oams *oams,
		     const struct found *found)
{
	uint32_t kind, source;
	size_t i, gpu_count = 0;

	*map = (struct sensor_map) { 0 };
	for (i = 0; i < gpus->count; i++) {
		struct gpu_feeds *feeds = list_add((void **)&map->gpu, &gpu_count,
						   sizeof(*feeds));

		for (kind = 0; kind < SENSOR_KINDS; kind++)
			for (source = 0; source < SENSOR_SOURCES; source++)
				feeds->from[kind][source] = FEED_NONE;
	}
	map->gpus = gpu_count;
	/* Policy comes first: a sensor that it names is not guessed to be of another kind. */
	for (kind = 0; kind < SENSOR_KINDS; kind++)
		for (i = 0; i < gpus->count; i++) {
			const char *policy = sensor_map_policy(&gpus->list[i].policy, kind);

			if (!strcmp(policy, "auto"))
				map_amdgpu(map, gpus, i, kind, found);
			else if (strchr(policy, ':'))
				map_named(map, gpus, i, oam_number(oams, i), kind, policy, found);
		}
	for (kind = 0; kind < SENSOR_KINDS; kind++) {
		if (!any_auto(gpus, kind))
			continue;
		map_numbered(map, gpus, oams, kind, INSTINCT_VFIO_SOURCE_IPMI, found);
		map_numbered(map, gpus, oams, kind, INSTINCT_VFIO_SOURCE_REDFISH, found);
	}
	remark_shared(map, gpus, found);
}

/**
 * sensor_map_uses() - check whether a found sensor feeds any GPU
 * @map: map
 * @found: the sensor's index
 *
 * Return: true if at least one GPU uses the sensor.
 */
bool sensor_map_uses(const struct sensor_map *map, int found)
{
	size_t i;

	for (i = 0; i < map->gpus; i++)
		if (feeds_gpu(&map->gpu[i], found))
			return true;
	return false;
}

/**
 * sensor_map_is_loose() - check whether a found sensor is of a GPU that nobody knows
 * @map: map
 * @found: the sensor's index
 *
 * Return: true if so.
 */
bool sensor_map_is_loose(const struct sensor_map *map, int found)
{
	size_t i;

	for (i = 0; i < map->looses; i++)
		if (map->loose[i].found == found)
			return true;
	return false;
}

/**
 * sensor_map_is_empty() - check whether no sensor feeds any GPU
 * @map: map
 *
 * Return: true if the map assigns no sensor.
 */
bool sensor_map_is_empty(const struct sensor_map *map)
{
	uint32_t kind, source;
	size_t i;

	for (i = 0; i < map->gpus; i++)
		for (kind = 0; kind < SENSOR_KINDS; kind++)
			for (source = 0; source < SENSOR_SOURCES; source++)
				if (map->gpu[i].from[kind][source] != FEED_NONE)
					return false;
	return true;
}

/**
 * sensor_map_free() - free a map's lists, and leave it empty
 * @map: map
 */
void sensor_map_free(struct sensor_map *map)
{
	free(map->gpu);
	free(map->loose);
	free(map->remark);
	*map = (struct sensor_map) { 0 };
}
