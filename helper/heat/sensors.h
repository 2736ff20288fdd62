/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sensors of this host, or of a captured one, and the GPUs that they feed. */
#ifndef SENSORS_H
#define SENSORS_H

#include "conf.h"
#include "sensor_map.h"

/**
 * struct sensors - all of it
 * @gpus: GPUs that this product knows, with their policies
 * @found: sensors
 * @map: of the one to the other
 */
struct sensors {
	struct devices gpus;
	struct found found;
	struct sensor_map map;
};

void sensors_merge(struct sensors *sensors, const struct conf *conf);
void sensors_map(struct sensors *sensors);
bool sensors_want_ipmi(const struct sensors *sensors);
bool *sensors_used(const struct sensors *sensors);
void sensors_free(struct sensors *sensors);

#endif /* SENSORS_H */
