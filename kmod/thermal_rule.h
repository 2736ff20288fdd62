/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temperatures: which registers have them, which thresholds they reach and when
 * that is said. Decides only, on plain structs. Millidegrees Celsius throughout.
 */
#ifndef _INSTINCT_THERMAL_RULE_H
#define _INSTINCT_THERMAL_RULE_H

#include "pure.h"

#define INSTINCT_SENSORS		(INSTINCT_VFIO_SENSOR_BOARD + 1)
#define INSTINCT_SOURCES		(INSTINCT_VFIO_SOURCE_OTHER + 1)
#define INSTINCT_ALARMS			INSTINCT_VFIO_ALARM_CRITICAL
#define INSTINCT_MMIO_SENSORS		(INSTINCT_VFIO_SENSOR_MEMORY + 1)
#define INSTINCT_MMIO_BYTES		96

/**
 * struct instinct_thermal_register - a register with a temperature
 * @set: there is one
 * @bar: number of the BAR
 * @offset: in bytes
 * @mask: which bits
 * @shift: to the right, of what @mask leaves
 * @scale: millidegrees for each one of it
 * @add: millidegrees
 */
struct instinct_thermal_register {
	bool set;
	u32 bar;
	u32 offset;
	u32 mask;
	u32 shift;
	s32 scale;
	s32 add;
};

/**
 * struct instinct_thermal_limits - thresholds of a sensor
 * @warning: 0 for none
 * @critical: 0 for none
 */
struct instinct_thermal_limits {
	u32 warning;
	u32 critical;
};

/**
 * struct instinct_thermal_policy - an operator's wishes for a device's heat
 * @limits: of each enum instinct_vfio_sensor
 * @hysteresis: an alarm is cleared that far below its threshold
 * @hold: for so long at least it stays raised, ms
 * @stale: a source that says nothing for longer is stale, ms
 * @interval: how often registers are read, ms
 * @mmio: of each enum instinct_vfio_sensor that can have one
 */
struct instinct_thermal_policy {
	struct instinct_thermal_limits limits[INSTINCT_SENSORS];
	u32 hysteresis;
	u32 hold;
	u32 stale;
	u32 interval;
	struct instinct_thermal_register mmio[INSTINCT_MMIO_SENSORS];
};

/**
 * struct instinct_thermal_alarms - those of a sensor
 * @raised: BIT(enum instinct_vfio_alarm)
 * @since: when each was raised, ns
 */
struct instinct_thermal_alarms {
	u32 raised;
	u64 since[INSTINCT_ALARMS + 1];
};

/**
 * struct instinct_thermal_change - an alarm is raised or cleared
 * @alarm: which
 * @raised: raised
 * @threshold: of it
 */
struct instinct_thermal_change {
	enum instinct_vfio_alarm alarm;
	bool raised;
	s32 threshold;
};

int instinct_thermal_limits_check(const struct instinct_thermal_limits *limits,
				  const char **why);
int instinct_thermal_register_check(const struct instinct_thermal_register *reg,
				    const char **why);
bool instinct_thermal_register_same(const struct instinct_thermal_register *a,
				    const struct instinct_thermal_register *b);
bool instinct_thermal_same(const struct instinct_thermal_policy *a,
			   const struct instinct_thermal_policy *b);
int instinct_thermal_register_parse(struct instinct_thermal_register *reg,
				    const char *text, const char **why);
void instinct_thermal_register_format(const struct instinct_thermal_register *reg,
				      char *text, size_t size);
bool instinct_thermal_register_value(const struct instinct_thermal_register *reg,
				     u32 read, s32 *temperature);
s32 instinct_thermal_threshold(const struct instinct_thermal_limits *limits,
			       enum instinct_vfio_alarm alarm);
unsigned int instinct_thermal_step(const struct instinct_thermal_policy *policy,
				   enum instinct_vfio_sensor sensor,
				   struct instinct_thermal_alarms *alarms,
				   s32 temperature, u64 now,
				   struct instinct_thermal_change change[INSTINCT_ALARMS]);
enum instinct_vfio_alarm instinct_thermal_level(u32 raised);

#endif /* _INSTINCT_THERMAL_RULE_H */
