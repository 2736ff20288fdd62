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

static void remark_miscounted(struct sensor_map *map, uint32_t kind, const char *policy,
			      const char *names, size_t gpus)
{
	if (*names)
		remark(map, choice_source(policy), LOG_WARNING, "%s_sensor = %.80s names %s, which are not one for each of %zu GPUs, so none is used. Name them in policy: [device BDF] %s_sensor = NAME",
		       name_of(&sensor_names, kind), policy, names, gpus,
		       name_of(&sensor_names, kind));
	else
		remark(map, choice_source(policy), LOG_WARNING, "%s_sensor = %.80s: no such sensor is found (see instinctctl sensors --all)",
		       name_of(&sensor_names, kind), policy);
}

static void map_named(struct sensor_map *map, const struct devices *gpus, size_t gpu,
		      uint32_t kind, const char *policy, const struct found *found)
{
	struct choice all = { 0 }, choice = { 0 };
	const char *bdf = gpus->list[gpu].bdf;
	char names[NAMES_BYTES];

	if (choice_is_counted(policy) && !choice_is_one_for_each(&all, found, policy, gpus)) {
		choice_names(found, &all, names, sizeof(names));
		remark_miscounted(map, kind, policy, names, gpus->count);
		free(all.index);
		return;
	}
	free(all.index);
	choice_match(&choice, found, policy, gpus, gpu);
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

static bool guess_of(const struct found *found, size_t i, uint32_t source, struct guess *guess)
{
	return found->list[i].source == source && sensor_guess(&found->list[i], guess);
}

/* Is any sensor surely a hot spot? Then "OAM0 Temp" is the board's. */
static bool has_hotspot(const struct found *found, uint32_t source)
{
	struct guess guess;
	size_t i;

	for (i = 0; i < found->count; i++)
		if (guess_of(found, i, source, &guess) && !guess.either &&
		    guess.kind == INSTINCT_VFIO_SENSOR_HOTSPOT)
			return true;
	return false;
}

/* Collects the BMC's sensors of one kind in @choice, and their GPU numbers in @index. */
static void guess_kind(const struct found *found, uint32_t kind, uint32_t source,
		       struct choice *choice, struct choice *index)
{
	bool hotspot = has_hotspot(found, source);
	struct guess guess;
	size_t i;

	for (i = 0; i < found->count; i++) {
		if (!guess_of(found, i, source, &guess))
			continue;
		if (guess.either && hotspot)
			guess.kind = INSTINCT_VFIO_SENSOR_BOARD;
		if (guess.kind != kind)
			continue;
		choice_add(choice, i);
		choice_add(index, guess.index);
	}
}

/*
 * Sorts the sensors by their index, counted from @first. Returns false unless the indexes run
 * without gap or repetition.
 */
static bool order(const struct choice *choice, const struct choice *index, int first,
		  int *ordered)
{
	size_t i;

	for (i = 0; i < choice->count; i++)
		ordered[i] = FEED_NONE;
	for (i = 0; i < choice->count; i++) {
		int at = index->index[i] - first;

		if (at < 0 || (size_t)at >= choice->count || ordered[at] != FEED_NONE)
			return false;
		ordered[at] = choice->index[i];
	}
	return true;
}

static bool is_auto(const struct device *gpu, uint32_t kind)
{
	return !strcmp(sensor_map_policy(&gpu->policy, kind), "auto");
}

/* Policy may name another sensor of the same BMC, by IPMI or by Redfish. */
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
		if (found->list[from].source == found->list[guessed].source)
			return true;
		if (sensor_guess(&found->list[from], &one) &&
		    sensor_guess(&found->list[guessed], &other) && one.index != other.index)
			return true;
	}
	return false;
}

/* Returns the first GPU whose policy contradicts the guess, or the number of GPUs if none does. */
static size_t disproof(const struct sensor_map *map, const struct devices *gpus,
		       uint32_t kind, const struct found *found, const int *ordered)
{
	size_t i;

	for (i = 0; i < gpus->count; i++)
		if (!is_auto(&gpus->list[i], kind) &&
		    contradicts(found, &map->gpu[i], kind, ordered[i]))
			break;
	return i;
}

static void take_guess(struct sensor_map *map, const struct devices *gpus, uint32_t kind,
		       uint32_t source, const struct found *found, const struct choice *ordered)
{
	size_t against = disproof(map, gpus, kind, found, ordered->index), i;
	const char *key = name_of(&sensor_names, kind);
	char names[NAMES_BYTES];

	if (against < gpus->count) {
		remark(map, source, LOG_WARNING, "%s: [device %s] %s_sensor = %.80s says that the BMC does not count GPUs in the order of their addresses, so none is guessed. Name the others too: [device BDF] %s_sensor = %s:NAME",
		       key, gpus->list[against].bdf, key,
		       sensor_map_policy(&gpus->list[against].policy, kind), key,
		       name_of(&source_names, source));
		return;
	}
	for (i = 0; i < gpus->count; i++)
		if (is_auto(&gpus->list[i], kind))
			map->gpu[i].from[kind][source] = ordered->index[i];
	choice_names(found, ordered, names, sizeof(names));
	remark(map, source, LOG_NOTICE, "%s: guessed that the BMC counts GPUs in the order of their addresses: %s. Make sure, and name each in policy: [device BDF] %s_sensor = %s:NAME",
	       key, names, key, name_of(&source_names, source));
}

/* The BMC numbers GPUs by board slot, which may differ from the order of their addresses. */
static void map_guessed(struct sensor_map *map, const struct devices *gpus, uint32_t kind,
			uint32_t source, const struct found *found)
{
	struct choice choice = { 0 }, index = { 0 }, ordered = { 0 };
	const char *key = name_of(&sensor_names, kind);
	char names[NAMES_BYTES];
	size_t i;

	guess_kind(found, kind, source, &choice, &index);
	for (i = 0; i < choice.count; i++)
		choice_add(&ordered, FEED_NONE);
	if (!choice.count) {
		return;
	} else if (choice.count == gpus->count &&
		   (order(&choice, &index, 0, ordered.index) ||
		    order(&choice, &index, 1, ordered.index))) {
		take_guess(map, gpus, kind, source, found, &ordered);
	} else {
		choice_names(found, &choice, names, sizeof(names));
		remark(map, source, LOG_WARNING, "%s: the BMC has %s, which are not one for each of %zu GPUs, so none is used. Name them in policy: [device BDF] %s_sensor = %s:NAME",
		       key, names, gpus->count, key, name_of(&source_names, source));
	}
	free(choice.index);
	free(index.index);
	free(ordered.index);
}

static bool any_auto(const struct devices *gpus, uint32_t kind)
{
	size_t i;

	for (i = 0; i < gpus->count; i++)
		if (is_auto(&gpus->list[i], kind))
			return true;
	return false;
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
 * @gpus: all GPUs of the host with their policies, sorted by address
 * @found: sensors
 */
void sensor_map_make(struct sensor_map *map, const struct devices *gpus,
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
	for (kind = 0; kind < SENSOR_KINDS; kind++) {
		for (i = 0; i < gpus->count; i++) {
			const char *policy = sensor_map_policy(&gpus->list[i].policy, kind);

			if (!strcmp(policy, "auto"))
				map_amdgpu(map, gpus, i, kind, found);
			else if (strchr(policy, ':'))
				map_named(map, gpus, i, kind, policy, found);
		}
		if (!any_auto(gpus, kind))
			continue;
		map_guessed(map, gpus, kind, INSTINCT_VFIO_SOURCE_IPMI, found);
		map_guessed(map, gpus, kind, INSTINCT_VFIO_SOURCE_REDFISH, found);
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
	free(map->remark);
	*map = (struct sensor_map) { 0 };
}
