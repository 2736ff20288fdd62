/* SPDX-License-Identifier: GPL-2.0-only */
/* The temperatures of a device for sensors(1), node_exporter and the like. */
#ifndef _INSTINCT_HWMON_H
#define _INSTINCT_HWMON_H

#include <linux/kconfig.h>

#include "pure.h"

struct instinct_device;

#if IS_REACHABLE(CONFIG_HWMON)
void instinct_hwmon_register(struct instinct_device *dev);
void instinct_hwmon_unregister(struct instinct_device *dev);
void instinct_hwmon_notify(struct instinct_device *dev,
			   enum instinct_vfio_sensor sensor,
			   enum instinct_vfio_alarm alarm);
#else
static inline void instinct_hwmon_register(struct instinct_device *dev) { }
static inline void instinct_hwmon_unregister(struct instinct_device *dev) { }
static inline void instinct_hwmon_notify(struct instinct_device *dev,
					 enum instinct_vfio_sensor sensor,
					 enum instinct_vfio_alarm alarm) { }
#endif

#endif /* _INSTINCT_HWMON_H */
