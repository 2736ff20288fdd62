/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sensors of this or a captured host, and the GPUs that they feed. */
#ifndef SENSORS_H
#define SENSORS_H

#include "conf.h"
#include "sensor_map.h"

/**
 * struct sensors - GPUs, sensors and their assignment
 * @gpus: GPUs that instinct-vfio knows, with their policies
 * @oams: the number that the hardware gives each of them
 * @found: sensors
 * @map: assignment of @found to @gpus
 */
struct sensors {
	struct devices gpus;
	struct oams oams;
	struct found found;
	struct sensor_map map;
};

void sensors_merge(struct sensors *sensors, const struct conf *conf);
void sensors_map(struct sensors *sensors, const char *numbers);
bool sensors_want(const struct sensors *sensors, uint32_t source);
bool sensors_name(const struct sensors *sensors, uint32_t source);
bool *sensors_used(const struct sensors *sensors);
void sensors_free(struct sensors *sensors);

#endif /* SENSORS_H */
