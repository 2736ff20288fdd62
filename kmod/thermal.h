/* SPDX-License-Identifier: GPL-2.0-only */
/* The temperatures of a device: samples in, alarms out. */
#ifndef _INSTINCT_THERMAL_H
#define _INSTINCT_THERMAL_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "thermal_rule.h"

struct device;
struct instinct_device;

/**
 * struct instinct_sample - a temperature from one source
 * @known: there is one
 * @temperature: millidegrees Celsius
 * @at: when it was taken, ktime_get_boottime_ns(); of a register that has said
 *	nothing yet since when, 0: since now
 */
struct instinct_sample {
	bool known;
	s32 temperature;
	u64 at;
};

/**
 * struct instinct_sensor - one place where a device's temperature is measured
 * @sample: the last one of each source
 * @source: of the sample that counts, or that none has come of yet
 * @expected: its register is read, so a sample is to come
 * @stale: the sample that counts is older than policy allows, or its register never
 *	gave one
 * @alarms: raised
 */
struct instinct_sensor {
	struct instinct_sample sample[INSTINCT_SOURCES];
	enum instinct_vfio_source source;
	bool expected;
	bool stale;
	struct instinct_thermal_alarms alarms;
};

/**
 * struct instinct_thermal_maps - the registers that a policy names
 * @map: that of each sensor that has one, or NULL
 */
struct instinct_thermal_maps {
	void __iomem *map[INSTINCT_MMIO_SENSORS];
};

/**
 * struct instinct_thermal - the temperatures of a device
 * @lock: guards all but @work, and that alarms are told in their order; taken
 *	before the devices' status_lock and event_lock. reset_lock and vfio's
 *	memory_lock are only tried under it.
 * @running: samples are taken; from the registration to the removal
 * @policy: in force
 * @sensor: by enum instinct_vfio_sensor
 * @maps: the registers that are read
 * @work: reads them, and looks for what is stale
 * @hwmon: the hwmon device, or NULL
 */
struct instinct_thermal {
	struct mutex lock;		/* see above */
	bool running;
	struct instinct_thermal_policy policy;
	struct instinct_sensor sensor[INSTINCT_SENSORS];
	struct instinct_thermal_maps maps;
	struct delayed_work work;
	struct device *hwmon;
};

/**
 * struct instinct_reading - a sensor, as others may know it
 * @source: of the sample
 * @expected: there is a source
 * @known: there is a sample
 * @stale: and it is older than policy allows
 * @temperature: it, millidegrees Celsius
 * @age: of it, ns
 * @raised: BIT(enum instinct_vfio_alarm)
 * @limits: by policy
 * @hysteresis: by policy, millidegrees
 */
struct instinct_reading {
	enum instinct_vfio_source source;
	bool expected;
	bool known;
	bool stale;
	s32 temperature;
	u64 age;
	u32 raised;
	struct instinct_thermal_limits limits;
	u32 hysteresis;
};

void instinct_thermal_setup(struct instinct_device *dev);
const char *instinct_thermal_start(struct instinct_device *dev);
void instinct_thermal_begin(struct instinct_device *dev);
void instinct_thermal_stop(struct instinct_device *dev);
int instinct_thermal_map(struct instinct_device *dev,
			 const struct instinct_thermal_policy *policy,
			 struct instinct_thermal_maps *maps, const char **why);
void instinct_thermal_unmap(struct instinct_thermal_maps *maps);
void instinct_thermal_apply(struct instinct_device *dev,
			    const struct instinct_thermal_policy *policy,
			    struct instinct_thermal_maps *maps);
int instinct_thermal_push(struct instinct_device *dev,
			  enum instinct_vfio_sensor sensor,
			  enum instinct_vfio_source source, s32 temperature);
void instinct_thermal_read(struct instinct_device *dev,
			   enum instinct_vfio_sensor sensor,
			   struct instinct_reading *reading);

#endif /* _INSTINCT_THERMAL_H */
