/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads temperatures from the hwmon devices of this host, or of the one below --sysroot. */
#ifndef SOURCE_HWMON_H
#define SOURCE_HWMON_H

#include "found.h"

void hwmon_scan(struct found *found);
void hwmon_read(struct found_sensor *sensor);

#endif /* SOURCE_HWMON_H */
