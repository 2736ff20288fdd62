// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sensors.h"

/**
 * sensors_merge() - what policy says of each GPU
 * @sensors: with GPUs
 * @conf: policy
 */
void sensors_merge(struct sensors *sensors, const struct conf *conf)
{
	size_t i;

	for (i = 0; i < sensors->gpus.count; i++)
		conf_merge(conf, &sensors->gpus.list[i], &sensors->gpus.list[i].policy);
}

/**
 * sensors_map() - see which sensor feeds which GPU
 * @sensors: with GPUs and sensors
 */
void sensors_map(struct sensors *sensors)
{
	sensor_map_make(&sensors->map, &sensors->gpus, &sensors->found);
}

/**
 * sensors_want_ipmi() - may the BMC feed any GPU?
 * @sensors: with GPUs
 *
 * Return: false if policy has no place for it, or the host is a captured one.
 */
bool sensors_want_ipmi(const struct sensors *sensors)
{
	uint32_t kind;
	size_t i;

	for (i = 0; i < sensors->gpus.count && !*opt_sysroot; i++)
		for (kind = 0; kind < SENSOR_KINDS; kind++) {
			const char *policy =
				sensor_map_policy(&sensors->gpus.list[i].policy, kind);

			if (!strcmp(policy, "auto") || !strncmp(policy, "ipmi:", 5))
				return true;
		}
	return false;
}

/**
 * sensors_used() - which sensors feed anything
 * @sensors: mapped
 *
 * Return: of each found sensor whether it does, to be freed.
 */
bool *sensors_used(const struct sensors *sensors)
{
	bool *used = array_new(sensors->found.count, sizeof(*used));
	size_t i;

	for (i = 0; i < sensors->found.count; i++)
		used[i] = sensor_map_uses(&sensors->map, i);
	return used;
}

/**
 * sensors_free() - let go of it
 * @sensors: it
 */
void sensors_free(struct sensors *sensors)
{
	devices_free(&sensors->gpus);
	found_free(&sensors->found);
	sensor_map_free(&sensors->map);
}
