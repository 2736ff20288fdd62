/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sensor's temperatures amount to: which alarms are raised and cleared, and
 * which source is stale. Decides only. Times are ns of CLOCK_BOOTTIME, temperatures
 * millidegrees Celsius.
 */
#ifndef HEAT_RULE_H
#define HEAT_RULE_H

#include "model.h"

#define HEAT_KINDS	(INSTINCT_VFIO_SENSOR_BOARD + 1)
#define HEAT_SOURCES	(INSTINCT_VFIO_SOURCE_OTHER + 1)
#define HEAT_ALARMS	INSTINCT_VFIO_ALARM_CRITICAL

/**
 * struct heat_policy - an operator's wishes for one sensor
 * @warning: threshold, 0 for none
 * @critical: threshold, 0 for none
 * @hysteresis: an alarm is cleared that far below its threshold
 * @hold: an alarm stays raised for so long at least, ms
 * @stale: a source that says nothing for longer is stale, ms
 */
struct heat_policy {
	int32_t warning;
	int32_t critical;
	int32_t hysteresis;
	uint32_t hold;
	uint32_t stale;
};

/**
 * struct heat_sample - a temperature from one source
 * @known: there is one
 * @temperature: of it
 * @at: when it was taken
 */
struct heat_sample {
	bool known;
	int32_t temperature;
	uint64_t at;
};

/**
 * struct heat_sensor - one place where a GPU's temperature is measured
 * @sample: the last one of each source
 * @begun: since when a sample is waited for, if there is none
 * @source: of the sample that counted last
 * @temperature: of that
 * @stale: that it is stale has been told
 * @raised: 1 << enum instinct_vfio_alarm, as has been told
 * @since: when each alarm was raised
 */
struct heat_sensor {
	struct heat_sample sample[HEAT_SOURCES];
	uint64_t begun;
	uint32_t source;
	int32_t temperature;
	bool stale;
	uint32_t raised;
	uint64_t since[HEAT_ALARMS + 1];
};

/**
 * struct heat_alarm - what the module is to be told
 * @kind: enum instinct_vfio_event, a thermal one
 * @source: enum instinct_vfio_source
 * @temperature: the sample
 * @alarm: enum instinct_vfio_alarm that is raised or cleared, or NONE
 * @threshold: of that
 * @reason: for people, or ""
 */
struct heat_alarm {
	uint32_t kind;
	uint32_t source;
	int32_t temperature;
	uint32_t alarm;
	int32_t threshold;
	const char *reason;
};

void heat_policy_of(const struct policy *policy, uint32_t kind, struct heat_policy *heat);
void heat_take(struct heat_sensor *sensor, uint32_t source, int32_t temperature, uint64_t now);
bool heat_next(const struct heat_policy *policy, struct heat_sensor *sensor, uint64_t now,
	       struct heat_alarm *alarm);
void heat_told(struct heat_sensor *sensor, const struct heat_alarm *alarm, uint64_t now);
void heat_recall(struct heat_sensor *sensor, const struct event *event, uint64_t now);
bool heat_show(const struct heat_policy *policy, const struct heat_sensor *sensor,
	       uint64_t now, struct sensor *shown);

#endif /* HEAT_RULE_H */
