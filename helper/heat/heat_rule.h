/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges a sensor's temperatures: raises and clears alarms, and finds stale sources. Pure
 * decisions without I/O. Times are ns of CLOCK_BOOTTIME, temperatures millidegrees Celsius.
 */
#ifndef HEAT_RULE_H
#define HEAT_RULE_H

#include "model.h"

#define HEAT_KINDS	(INSTINCT_VFIO_SENSOR_BOARD + 1)
#define HEAT_SOURCES	__INSTINCT_VFIO_SOURCE_MAX
#define HEAT_ALARMS	INSTINCT_VFIO_ALARM_CRITICAL

/**
 * struct heat_policy - the thermal policy of one sensor
 * @warning: threshold, 0 for none
 * @critical: threshold, 0 for none
 * @hysteresis: distance below its threshold at which an alarm is cleared
 * @hold: shortest time for which an alarm stays raised, in ms
 * @stale: age at which a source's last sample is stale, in ms
 */
struct heat_policy {
	int32_t warning;
	int32_t critical;
	int32_t hysteresis;
	uint32_t hold;
	uint32_t stale;
};

/**
 * struct heat_sample - the last temperature from one source
 * @known: the source has delivered a sample
 * @temperature: the sample
 * @at: time at which it was taken
 */
struct heat_sample {
	bool known;
	int32_t temperature;
	uint64_t at;
};

/**
 * struct heat_sensor - one place where a GPU's temperature is measured
 * @sample: the last sample of each source
 * @begun: start of the wait for a first sample, if there is none
 * @source: source of the sample that was last judged
 * @temperature: the sample that was last judged
 * @stale: the module has been told that the sensor is stale
 * @raised: alarms that the module has been told of, 1 << enum instinct_vfio_alarm
 * @since: time at which each alarm was raised
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
 * struct heat_alarm - a change of a sensor to report to the module
 * @kind: enum instinct_vfio_event, a thermal one
 * @source: enum instinct_vfio_source
 * @temperature: the sample
 * @alarm: enum instinct_vfio_alarm that is raised or cleared, or NONE
 * @threshold: the threshold of @alarm
 * @reason: text for the event, or ""
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
bool heat_end(const struct heat_policy *policy, struct heat_sensor *sensor, const char *reason,
	      struct heat_alarm *alarm);
void heat_told(struct heat_sensor *sensor, const struct heat_alarm *alarm, uint64_t now);
void heat_recall(struct heat_sensor *sensor, const struct event *event, uint64_t now);
bool heat_is_kept(const struct heat_policy *policy, const struct heat_sample *sample,
		  uint64_t now, bool *stale);
bool heat_show(const struct heat_policy *policy, const struct heat_sensor *sensor,
	       uint64_t now, struct sensor *shown);

#endif /* HEAT_RULE_H */
