/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints sensors and the GPUs that they feed as text and as JSON. */
#ifndef OUT_SENSORS_H
#define OUT_SENSORS_H

#include "sensors.h"

void out_sensors_text(const struct sensors *sensors, const char *const why[], bool all);
void out_sensors_json(const struct sensors *sensors, const struct conf *conf,
		      const char *const why[], bool all);

#endif /* OUT_SENSORS_H */
