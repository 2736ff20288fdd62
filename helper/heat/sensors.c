// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sensor_choice.h"
#include "sensors.h"

/**
 * sensors_merge() - set the policy of each GPU
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
 * sensors_map() - find out the GPUs' numbers, and assign the found sensors to the GPUs
 * @sensors: with GPUs and sensors
 * @numbers: numbers of monitor.conf, for oam_parse(), or ""
 */
void sensors_map(struct sensors *sensors, const char *numbers)
{
	oam_find(&sensors->oams, &sensors->gpus, numbers);
	sensor_map_make(&sensors->map, &sensors->gpus, &sensors->oams, &sensors->found);
}

static bool any_policy(const struct sensors *sensors, uint32_t source, bool named)
{
	uint32_t kind;
	size_t i;

	/* The IPMI of this machine is not that of a captured host. */
	if (*opt_sysroot && source == INSTINCT_VFIO_SOURCE_IPMI)
		return false;
	for (i = 0; i < sensors->gpus.count; i++)
		for (kind = 0; kind < SENSOR_KINDS; kind++) {
			const char *policy =
				sensor_map_policy(&sensors->gpus.list[i].policy, kind);

			if (strchr(policy, ':') ? choice_source(policy) == source :
			    !named && !strcmp(policy, "auto"))
				return true;
		}
	return false;
}

/**
 * sensors_want() - check whether policy lets a source feed any GPU
 * @sensors: with GPUs
 * @source: IPMI or REDFISH of enum instinct_vfio_source
 *
 * Return: false if no policy allows it, or for IPMI if the host is a captured one.
 */
bool sensors_want(const struct sensors *sensors, uint32_t source)
{
	return any_policy(sensors, source, false);
}

/**
 * sensors_name() - check whether policy names a sensor of a source
 * @sensors: with GPUs
 * @source: IPMI or REDFISH of enum instinct_vfio_source
 *
 * Return: false if no policy names one.
 */
bool sensors_name(const struct sensors *sensors, uint32_t source)
{
	return any_policy(sensors, source, true);
}

/**
 * sensors_used() - list the found sensors that are read: those of a GPU, known or not
 * @sensors: mapped by sensors_map()
 *
 * Return: an array with a flag for each found sensor, to be freed by the caller.
 */
bool *sensors_used(const struct sensors *sensors)
{
	bool *used = array_new(sensors->found.count, sizeof(*used));
	size_t i;

	for (i = 0; i < sensors->found.count; i++)
		used[i] = sensor_map_uses(&sensors->map, i) ||
			  sensor_map_is_loose(&sensors->map, i);
	return used;
}

/**
 * sensors_free() - free GPUs, sensors and map, and leave them empty
 * @sensors: sensors
 */
void sensors_free(struct sensors *sensors)
{
	devices_free(&sensors->gpus);
	oam_free(&sensors->oams);
	found_free(&sensors->found);
	sensor_map_free(&sensors->map);
}
