/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which sensors feed which GPUs, printed for people and for programs. */
#ifndef OUT_SENSORS_H
#define OUT_SENSORS_H

#include "sensors.h"

void out_sensors_text(const struct sensors *sensors, const char *why, bool all);
void out_sensors_json(const struct sensors *sensors, const struct conf *conf,
		      const char *why, bool all, int code);

#endif /* OUT_SENSORS_H */
