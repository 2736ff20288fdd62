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

/* Replaces %d by the GPU's number from 0, and %1d by that from 1. */
static void expand(const char *pattern, int number, char *text, size_t size)
{
	size_t at = 0;

	while (*pattern && at + 1 < size) {
		bool from_0 = !strncmp(pattern, "%d", 2);

		if (from_0 || !strncmp(pattern, "%1d", 3)) {
			at += snprintf(text + at, size - at, "%d", number + !from_0);
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
 * @gpu: the GPU's index in @gpus
 * @number: the number that the hardware gives the GPU, for %d and %1d
 *
 * If some matching sensors belong to the GPU itself, the function returns only these. It
 * never returns a sensor that belongs to another GPU.
 */
void choice_match(struct choice *choice, const struct found *found, const char *policy,
		  const struct devices *gpus, size_t gpu, int number)
{
	uint32_t source = choice_source(policy);
	const char *bdf = gpus->list[gpu].bdf;
	char pattern[PATTERN_BYTES];
	size_t owned = 0, i;

	expand(strchr(policy, ':') + 1, number, pattern, sizeof(pattern));
	for (i = 0; i < found->count; i++) {
		const struct found_sensor *sensor = &found->list[i];
		bool own = !strcmp(sensor->bdf, bdf);

		if (sensor->source != source || (owned && !own) ||
		    !matches(sensor, pattern) || is_of_another(sensor, gpus, gpu))
			continue;
		if (own && !owned++)
			choice->count = 0;
		choice_add(choice, i);
	}
}

/**
 * choice_is_counted() - check whether policy names sensors by the GPU's number
 * @policy: "redfish:PATTERN", "ipmi:PATTERN" or "hwmon:PATTERN"
 *
 * Return: true if the pattern contains %d or %1d.
 */
bool choice_is_counted(const char *policy)
{
	return strstr(policy, "%d") || strstr(policy, "%1d");
}
