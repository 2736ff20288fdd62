/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The temperatures of a host's GPUs as the monitor service keeps them, and the file in which
 * the service publishes them to other programs.
 */
#ifndef HEAT_H
#define HEAT_H

#include <jansson.h>

#include "found.h"
#include "heat_rule.h"

#define HEAT_FOLDER	"/run/instinct-vfio"
#define HEAT_FILE	HEAT_FOLDER "/heat.json"

/**
 * struct heat_gpu - the temperatures of a GPU
 * @bdf: the GPU's address
 * @policy: thermal policy, indexed by enum instinct_vfio_sensor
 * @sensor: sensor state, indexed by enum instinct_vfio_sensor
 */
struct heat_gpu {
	char bdf[BDF_BYTES];
	struct heat_policy policy[HEAT_KINDS];
	struct heat_sensor sensor[HEAT_KINDS];
};

/**
 * struct heat_loose - a BMC's sensor of a GPU that nobody knows
 * @name: the sensor's name
 * @source: its source, enum instinct_vfio_source
 * @kind: enum instinct_vfio_sensor
 * @policy: thermal policy
 * @sensor: sensor state
 */
struct heat_loose {
	char name[FOUND_NAME_BYTES];
	uint32_t source;
	uint32_t kind;
	struct heat_policy policy;
	struct heat_sensor sensor;
};

/**
 * struct heat - the temperatures of all managed GPUs
 * @gpu: array of GPUs
 * @gpus: number of entries in @gpu
 * @loose: array of sensors that belong to no known GPU
 * @looses: number of entries in @loose
 */
struct heat {
	struct heat_gpu *gpu;
	size_t gpus;
	struct heat_loose *loose;
	size_t looses;
};

struct heat_gpu *heat_find(const struct heat *heat, const char *bdf);
struct heat_gpu *heat_add(struct heat *heat, const char *bdf);
struct heat_loose *heat_loose_find(const struct heat *heat, const char *name, uint32_t source, uint32_t kind);
struct heat_loose *heat_loose(struct heat *heat, const char *name, uint32_t source, uint32_t kind);
void heat_fill(const struct heat *heat, struct devices *devices, uint64_t now);
char *heat_text(const struct heat *heat);
bool heat_parse(const json_t *json, uint64_t now, struct heat *heat);
void heat_load(struct heat *heat);
void heat_free(struct heat *heat);

#endif /* HEAT_H */
