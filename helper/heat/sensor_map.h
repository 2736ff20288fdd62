/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps found sensors to the GPUs' sensors that they feed. Pure decisions without I/O. */
#ifndef SENSOR_MAP_H
#define SENSOR_MAP_H

#include "found.h"
#include "oam.h"

#define SENSOR_KINDS	__INSTINCT_VFIO_SENSOR_MAX
#define SENSOR_SOURCES	__INSTINCT_VFIO_SOURCE_MAX
#define FEED_NONE	(-1)
#define REMARK_BYTES	768

/**
 * struct gpu_feeds - the found sensors that feed a GPU
 * @from: for each enum instinct_vfio_sensor and enum instinct_vfio_source, an index into
 *	the found sensors, or FEED_NONE
 */
struct gpu_feeds {
	int from[SENSOR_KINDS][SENSOR_SOURCES];
};

/**
 * struct loose_sensor - a sensor of a GPU that nobody knows
 * @found: index into the found sensors
 * @kind: enum instinct_vfio_sensor
 */
struct loose_sensor {
	int found;
	uint32_t kind;
};

/**
 * struct remark - a message for the log
 * @source: source of the sensors concerned, enum instinct_vfio_source
 * @priority: as in syslog(3)
 * @text: one line
 */
struct remark {
	uint32_t source;
	int priority;
	char text[REMARK_BYTES];
};

/**
 * struct sensor_map - the feeds of all GPUs
 * @gpu: feeds of each GPU, in the order of the GPUs that the map was made for
 * @gpus: number of entries in @gpu
 * @loose: sensors of GPUs that feed none, since it is not known which GPU they belong to
 * @looses: number of entries in @loose
 * @remark: messages about ambiguous or missing sensors
 * @remarks: number of entries in @remark
 */
struct sensor_map {
	struct gpu_feeds *gpu;
	size_t gpus;
	struct loose_sensor *loose;
	size_t looses;
	struct remark *remark;
	size_t remarks;
};

void sensor_map_make(struct sensor_map *map, const struct devices *gpus, const struct oams *oams,
		     const struct found *found);
bool sensor_map_uses(const struct sensor_map *map, int found);
bool sensor_map_is_loose(const struct sensor_map *map, int found);
bool sensor_map_is_empty(const struct sensor_map *map);
void sensor_map_free(struct sensor_map *map);
const char *sensor_map_policy(const struct policy *policy, uint32_t kind);

#endif /* SENSOR_MAP_H */
