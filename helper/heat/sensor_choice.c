// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensor_choice.h"

#define PATTERN_BYTES	TEXT_BYTES
#define MORE_BYTES	24	/* " and 1024 more" */

/**
 * choice_add() - one more
 * @choice: those so far
 * @index: of it in the list of those found
 */
void choice_add(struct choice *choice, int index)
{
	*(int *)list_add((void **)&choice->index, &choice->count, sizeof(int)) = index;
}

/**
 * choice_has() - is it among them?
 * @choice: they
 * @index: of it in the list of those found
 *
 * Return: true if so.
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
 * choice_names() - "a, b and 3 more"
 * @found: sensors
 * @choice: some of them
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

/* A pattern with %d and %1d in it, for the GPU of that index. */
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
 * choice_source() - where policy has a sensor
 * @policy: "ipmi:PATTERN" or "hwmon:PATTERN"
 *
 * Return: enum instinct_vfio_source.
 */
uint32_t choice_source(const char *policy)
{
	return !strncmp(policy, "ipmi:", 5) ? INSTINCT_VFIO_SOURCE_IPMI :
					      INSTINCT_VFIO_SOURCE_HWMON;
}

/**
 * choice_match() - the sensors that policy names for a GPU
 * @choice: empty; they are added
 * @found: sensors
 * @policy: "ipmi:PATTERN" or "hwmon:PATTERN"
 * @gpus: all of the host
 * @gpu: index of the GPU, or their number: one that the host does not have
 *
 * Where some are the GPU's own, these alone; never those that are another GPU's.
 */
void choice_match(struct choice *choice, const struct found *found, const char *policy,
		  const struct devices *gpus, size_t gpu)
{
	uint32_t source = choice_source(policy);
	int flags = source == INSTINCT_VFIO_SOURCE_IPMI ? FNM_CASEFOLD : 0;
	const char *bdf = gpu < gpus->count ? gpus->list[gpu].bdf : "";
	char pattern[PATTERN_BYTES];
	size_t owned = 0, i;

	expand(strchr(policy, ':') + 1, gpu, pattern, sizeof(pattern));
	for (i = 0; i < found->count; i++) {
		const struct found_sensor *sensor = &found->list[i];
		bool own = *bdf && !strcmp(sensor->bdf, bdf);

		if (sensor->source != source || (owned && !own) ||
		    fnmatch(pattern, sensor->name, flags) ||
		    is_of_another(sensor, gpus, gpu))
			continue;
		if (own && !owned++)
			choice->count = 0;
		choice_add(choice, i);
	}
}

/**
 * choice_is_counted() - does policy name sensors by the GPU's index?
 * @policy: "ipmi:PATTERN" or "hwmon:PATTERN"
 *
 * Return: true if so.
 */
bool choice_is_counted(const char *policy)
{
	return strstr(policy, "%d") || strstr(policy, "%1d");
}

/**
 * choice_is_one_for_each() - does a pattern count as this host does?
 * @choice: empty; all that it names are added
 * @found: sensors
 * @policy: with the GPU's index in it
 * @gpus: all of the host
 *
 * A BMC counts the GPUs of the board, the host those that are there. Where one is
 * missing, those after it would get their neighbours' temperatures.
 *
 * Return: true if it names one sensor for each GPU, and none for one more.
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
