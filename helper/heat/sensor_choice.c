// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensor_choice.h"

#define PATTERN_BYTES	TEXT_BYTES
#define MORE_BYTES	24	/* " and 1024 more" */

/**
 * choice_add() - append a candidate
 * @choice: candidates
 * @index: the sensor's index in the list of found sensors
 */
void choice_add(struct choice *choice, int index)
{
	*(int *)list_add((void **)&choice->index, &choice->count, sizeof(int)) = index;
}

/**
 * choice_has() - check whether a sensor is a candidate
 * @choice: candidates
 * @index: the sensor's index in the list of found sensors
 *
 * Return: true if @choice contains @index.
 */
bool choice_has(const struct choice *choice, int index)
{
	size_t i;

	for (i = 0; i < choice->count; i++)
		if (choice->index[i] == index)
			return true;
	return false;
}

/**
 * choice_names() - list the candidates' names, as in "a, b and 3 more"
 * @found: sensors
 * @choice: candidates
 * @text: set
 * @size: of @text in bytes
 */
void choice_names(const struct found *found, const struct choice *choice,
		  char *text, size_t size)
{
	size_t at = 0, i;

	*text = '\0';
	for (i = 0; i < choice->count; i++) {
		if (size - at < FOUND_NAME_BYTES + MORE_BYTES) {
			snprintf(text + at, size - at, " and %zu more", choice->count - i);
			return;
		}
		at += snprintf(text + at, size - at, "%s%s",
			       !i ? "" : i + 1 < choice->count ? ", " : " and ",
			       found->list[choice->index[i]].name);
	}
}

/* Replaces %d by the GPU's index from 0, and %1d by its index from 1. */
static void expand(const char *pattern, size_t index, char *text, size_t size)
{
	size_t at = 0;

	while (*pattern && at + 1 < size) {
		bool from_0 = !strncmp(pattern, "%d", 2);

		if (from_0 || !strncmp(pattern, "%1d", 3)) {
			at += snprintf(text + at, size - at, "%zu", index + !from_0);
			pattern += from_0 ? 2 : 3;
		} else {
			text[at++] = *pattern++;
		}
	}
	text[at < size ? at : size - 1] = '\0';
}

static bool is_of_another(const struct found_sensor *sensor, const struct devices *gpus,
			  size_t gpu)
{
	size_t i;

	for (i = 0; i < gpus->count; i++)
		if (i != gpu && !strcmp(sensor->bdf, gpus->list[i].bdf))
			return true;
	return false;
}

/**
 * choice_source() - get the source that a policy value refers to
 * @policy: "redfish:PATTERN", "ipmi:PATTERN" or "hwmon:PATTERN"
 *
 * Return: enum instinct_vfio_source.
 */
uint32_t choice_source(const char *policy)
{
	if (!strncmp(policy, "redfish:", 8))
		return INSTINCT_VFIO_SOURCE_REDFISH;
	return !strncmp(policy, "ipmi:", 5) ? INSTINCT_VFIO_SOURCE_IPMI :
					      INSTINCT_VFIO_SOURCE_HWMON;
}

/* A Redfish sensor, CHASSIS/NAME, can be named without its chassis. */
static bool matches(const struct found_sensor *sensor, const char *pattern)
{
	int flags = sensor->source == INSTINCT_VFIO_SOURCE_HWMON ? 0 : FNM_CASEFOLD;
	const char *slash = sensor->source == INSTINCT_VFIO_SOURCE_REDFISH ?
			    strchr(sensor->name, '/') : NULL;

	return !fnmatch(pattern, sensor->name, flags) ||
	       (slash && !fnmatch(pattern, slash + 1, flags));
}

/**
 * choice_match() - find the sensors that policy names for a GPU
 * @choice: empty; matching sensors are added
 * @found: sensors
 * @policy: "redfish:PATTERN", "ipmi:PATTERN" or "hwmon:PATTERN"
 * @gpus: all GPUs of the host
 * @gpu: the GPU's index in @gpus; the number of GPUs stands for one that the host lacks
 *
 * If some matching sensors belong to the GPU itself, the function returns only these. It
 * never returns a sensor that belongs to another GPU.
 */
void choice_match(struct choice *choice, const struct found *found, const char *policy,
		  const struct devices *gpus, size_t gpu)
{
	uint32_t source = choice_source(policy);
	const char *bdf = gpu < gpus->count ? gpus->list[gpu].bdf : "";
	char pattern[PATTERN_BYTES];
	size_t owned = 0, i;

	expand(strchr(policy, ':') + 1, gpu, pattern, sizeof(pattern));
	for (i = 0; i < found->count; i++) {
		const struct found_sensor *sensor = &found->list[i];
		bool own = *bdf && !strcmp(sensor->bdf, bdf);

		if (sensor->source != source || (owned && !own) ||
		    !matches(sensor, pattern) || is_of_another(sensor, gpus, gpu))
			continue;
		if (own && !owned++)
			choice->count = 0;
		choice_add(choice, i);
	}
}

/**
 * choice_is_counted() - check whether policy names sensors by the GPU's index
 * @policy: "redfish:PATTERN", "ipmi:PATTERN" or "hwmon:PATTERN"
 *
 * Return: true if the pattern contains %d or %1d.
 */
bool choice_is_counted(const char *policy)
{
	return strstr(policy, "%d") || strstr(policy, "%1d");
}

/**
 * choice_is_one_for_each() - check that a pattern matches one sensor for each GPU
 * @choice: empty; all sensors that the pattern names are added
 * @found: sensors
 * @policy: pattern that contains the GPU's index
 * @gpus: all GPUs of the host
 *
 * A BMC numbers the GPU slots of the board, the host numbers the GPUs that are present. If
 * one is missing, the GPUs after it would get their neighbours' temperatures.
 *
 * Return: true if the pattern names exactly one sensor for each GPU, all of them distinct,
 * and none for one GPU more.
 */
bool choice_is_one_for_each(struct choice *choice, const struct found *found,
			    const char *policy, const struct devices *gpus)
{
	bool right = true;
	size_t gpu, i;

	for (gpu = 0; gpu <= gpus->count; gpu++) {
		struct choice one = { 0 };

		choice_match(&one, found, policy, gpus, gpu);
		right &= one.count == (gpu < gpus->count);
		for (i = 0; i < one.count; i++) {
			if (choice_has(choice, one.index[i]))
				right = false;
			else
				choice_add(choice, one.index[i]);
		}
		free(one.index);
	}
	return right;
}
