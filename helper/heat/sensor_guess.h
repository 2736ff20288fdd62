/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a BMC's sensor may be, by its name. Decides only. */
#ifndef SENSOR_GUESS_H
#define SENSOR_GUESS_H

#include "found.h"

/**
 * struct guess - what a name says
 * @kind: enum instinct_vfio_sensor
 * @either: @kind is HOTSPOT, but it is the BOARD where another one is the hot spot
 * @index: which GPU, as the BMC counts
 */
struct guess {
	uint32_t kind;
	bool either;
	unsigned int index;
};

bool sensor_guess(const char *name, struct guess *guess);

#endif /* SENSOR_GUESS_H */
