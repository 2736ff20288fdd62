/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guesses what a BMC's sensor measures from its names. Pure decisions without I/O. */
#ifndef SENSOR_GUESS_H
#define SENSOR_GUESS_H

#include "found.h"

/**
 * struct guess - the meaning of a sensor's name
 * @kind: enum instinct_vfio_sensor
 * @index: the GPU's number, as the BMC counts
 * @oam: the name, or the chassis, says that @index is the number of an OAM
 */
struct guess {
	uint32_t kind;
	unsigned int index;
	bool oam;
};

bool sensor_guess_name(const char *name, struct guess *guess);
bool sensor_guess(const struct found_sensor *sensor, struct guess *guess);

#endif /* SENSOR_GUESS_H */
