// SPDX-License-Identifier: GPL-2.0-or-later
#include "heat_rule.h"

#define NS_PER_MS	1000000ull
#define FORGET_AFTER	10	/* as a multiple of the stale time */
#define BIT(n)		(1u << (n))

static uint64_t stale_after(const struct heat_policy *policy)
{
	return policy->stale * NS_PER_MS;
}

/**
 * heat_policy_of() - extract the thermal policy of one sensor
 * @policy: the GPU's policy
 * @kind: enum instinct_vfio_sensor
 * @heat: set
 */
void heat_policy_of(const struct policy *policy, uint32_t kind, struct heat_policy *heat)
{
	*heat = (struct heat_policy) {
		.hysteresis = policy->thermal_hysteresis,
		.hold = policy->thermal_hold,
		.stale = policy->thermal_stale,
	};
	switch (kind) {
	case INSTINCT_VFIO_SENSOR_HOTSPOT:
		heat->warning = policy->hotspot_warning;
		heat->critical = policy->hotspot_critical;
		break;
	case INSTINCT_VFIO_SENSOR_MEMORY:
		heat->warning = policy->memory_warning;
		heat->critical = policy->memory_critical;
		break;
	default:
		heat->warning = policy->board_warning;
		heat->critical = policy->board_critical;
	}
}

/**
 * heat_take() - store a sample from a source
 * @sensor: its sample of @source is replaced
 * @source: enum instinct_vfio_source
 * @temperature: the sample
 * @now: time at which the sample was taken
 */
void heat_take(struct heat_sensor *sensor, uint32_t source, int32_t temperature, uint64_t now)
{
	sensor->sample[source] = (struct heat_sample) {
		.known = true, .temperature = temperature, .at = now,
	};
}

/*
 * After a restart of the service, a source's first sample can come later than that of a source
 * that ranks below it. An alarm waits for the source that raised it.
 */
static bool is_awaited(const struct heat_policy *policy, const struct heat_sensor *sensor,
		       uint32_t source, uint64_t now)
{
	return sensor->begun && sensor->raised && source == sensor->source &&
	       !sensor->sample[source].known && now - sensor->begun <= stale_after(policy);
}

/*
 * The first source that is not stale counts; if all are stale, the one with the youngest
 * sample counts. A source that stays silent for FORGET_AFTER is forgotten. Returns the source,
 * or -1 if none is left, or if one is awaited that ranks above those with samples.
 */
static int counting(const struct heat_policy *policy, const struct heat_sensor *sensor,
		    uint64_t now)
{
	/* A temperature that the service reads comes before one that a script pushes. */
	static const int order[HEAT_SOURCES] = {
		INSTINCT_VFIO_SOURCE_HWMON, INSTINCT_VFIO_SOURCE_IPMI,
		INSTINCT_VFIO_SOURCE_REDFISH, INSTINCT_VFIO_SOURCE_OTHER,
	};
	int best = -1, n, i;
	bool stale;

	for (n = 0; n < HEAT_SOURCES; n++) {
		const struct heat_sample *sample = &sensor->sample[i = order[n]];

		if (best < 0 && is_awaited(policy, sensor, i, now))
			return -1;
		if (!heat_is_kept(policy, sample, now, &stale) ||
		    (best >= 0 && sample->at <= sensor->sample[best].at))
			continue;
		best = i;
		if (!stale)
			break;
	}
	return best;
}

static int32_t threshold(const struct heat_policy *policy, uint32_t alarm)
{
	return alarm == INSTINCT_VFIO_ALARM_WARNING ? policy->warning : policy->critical;
}

static bool is_over(const struct heat_policy *policy, int32_t limit, int32_t temperature,
		    uint64_t held)
{
	if (!limit)
		return true;
	/* Below even with a hysteresis of 0, or one step would clear and raise the same alarm. */
	return temperature < limit && temperature <= limit - policy->hysteresis &&
	       held >= policy->hold * NS_PER_MS;
}

static bool tell(const struct heat_sensor *sensor, struct heat_alarm *alarm, uint32_t kind,
		 const char *reason)
{
	*alarm = (struct heat_alarm) {
		.kind = kind, .source = sensor->source, .temperature = sensor->temperature,
		.alarm = INSTINCT_VFIO_ALARM_NONE, .reason = reason,
	};
	return true;
}

static bool tell_alarm(const struct heat_policy *policy, const struct heat_sensor *sensor,
		       struct heat_alarm *alarm, uint32_t which, uint32_t kind,
		       const char *reason)
{
	tell(sensor, alarm, kind, reason);
	alarm->alarm = which;
	alarm->threshold = threshold(policy, which);
	return true;
}

/**
 * heat_end() - decide what to report next of a sensor that is judged no more
 * @policy: the sensor's policy
 * @sensor: sensor; it no longer counts as stale once nothing is left to report
 * @reason: text for the event
 * @alarm: set to the report: its alarms are cleared
 *
 * Return: as heat_next(), for the same loop.
 */
bool heat_end(const struct heat_policy *policy, struct heat_sensor *sensor, const char *reason,
	      struct heat_alarm *alarm)
{
	uint32_t which;

	for (which = HEAT_ALARMS; which; which--)
		if (sensor->raised & BIT(which))
			return tell_alarm(policy, sensor, alarm, which,
					  INSTINCT_VFIO_EVENT_THERMAL_CLEARED, reason);
	sensor->stale = false;
	return false;
}

/* The critical alarm is cleared before the warning, and raised after it. */
static bool step(const struct heat_policy *policy, const struct heat_sensor *sensor,
		 uint64_t now, struct heat_alarm *alarm)
{
	uint32_t which;

	for (which = HEAT_ALARMS; which; which--)
		if ((sensor->raised & BIT(which)) &&
		    is_over(policy, threshold(policy, which), sensor->temperature,
			    now - sensor->since[which]))
			return tell_alarm(policy, sensor, alarm, which,
					  INSTINCT_VFIO_EVENT_THERMAL_CLEARED, "");
	for (which = 1; which <= HEAT_ALARMS; which++)
		if (!(sensor->raised & BIT(which)) && threshold(policy, which) &&
		    sensor->temperature >= threshold(policy, which))
			return tell_alarm(policy, sensor, alarm, which,
					  which == INSTINCT_VFIO_ALARM_CRITICAL ?
						INSTINCT_VFIO_EVENT_THERMAL_CRITICAL :
						INSTINCT_VFIO_EVENT_THERMAL_WARNING, "");
	return false;
}

/**
 * heat_next() - decide what to report of a sensor next
 * @policy: the sensor's policy
 * @sensor: the function records the sample that counts, and changes nothing else that
 *	heat_told() sets while a source is left
 * @now: the current time
 * @alarm: set to the report
 *
 * A sample at the threshold raises its alarm at once, even right after the alarm was cleared.
 * The alarm is cleared only when the temperature has fallen by the hysteresis and the alarm
 * has stood for the policy's hold time. So no peak stays hidden, and jitter reports nothing.
 *
 * Return: false if there is nothing to report. Otherwise the caller sends @alarm to the
 * module, calls heat_told() once the module has accepted it, and asks again. A report that
 * the module has not accepted is returned again.
 */
bool heat_next(const struct heat_policy *policy, struct heat_sensor *sensor, uint64_t now,
	       struct heat_alarm *alarm)
{
	int best = counting(policy, sensor, now);
	uint64_t age = now - (best >= 0 ? sensor->sample[best].at : sensor->begun);
	bool stale = age > stale_after(policy);

	if (best < 0 && age > FORGET_AFTER * stale_after(policy))
		return heat_end(policy, sensor, "no source measures it any more", alarm);
	/* A source may come back that raised this state before the service was started. */
	if (best < 0 && (!stale || !(sensor->raised || sensor->stale)))
		return false;
	if (best >= 0) {
		sensor->source = best;
		sensor->temperature = sensor->sample[best].temperature;
	}
	if (stale != sensor->stale)
		return tell(sensor, alarm, stale ? INSTINCT_VFIO_EVENT_THERMAL_STALE :
						   INSTINCT_VFIO_EVENT_THERMAL_FRESH, "");
	if (stale && (policy->warning || policy->critical))
		return false;
	return step(policy, sensor, now, alarm);
}

/**
 * heat_told() - note that the module has accepted a report
 * @sensor: changed
 * @alarm: the report
 * @now: the current time
 */
void heat_told(struct heat_sensor *sensor, const struct heat_alarm *alarm, uint64_t now)
{
	switch (alarm->kind) {
	case INSTINCT_VFIO_EVENT_THERMAL_WARNING:
	case INSTINCT_VFIO_EVENT_THERMAL_CRITICAL:
		sensor->raised |= BIT(alarm->alarm);
		sensor->since[alarm->alarm] = now;
		break;
	case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
		sensor->raised &= ~BIT(alarm->alarm);
		break;
	default:
		sensor->stale = alarm->kind == INSTINCT_VFIO_EVENT_THERMAL_STALE;
	}
}

/**
 * heat_recall() - restore a sensor's state from an event of an earlier service
 * @sensor: changed
 * @event: a thermal event of @sensor; the caller passes them in the order in which they came
 * @now: the current time; the sensor waits for its sources from now on
 */
void heat_recall(struct heat_sensor *sensor, const struct event *event, uint64_t now)
{
	const struct heat_alarm alarm = { .kind = event->kind, .alarm = event->alarm };

	if (event->alarm > HEAT_ALARMS || event->source >= HEAT_SOURCES)
		return;
	heat_told(sensor, &alarm, event->time);
	sensor->source = event->source;
	sensor->temperature = event->temperature;
	sensor->begun = now;
}

/**
 * heat_is_kept() - tell whether a source still counts, fresh or stale
 * @policy: the sensor's policy
 * @sample: last sample of the source
 * @now: the current time
 * @stale: set to whether the sample is stale
 *
 * Return: false if there is no sample, or if the source is forgotten.
 */
bool heat_is_kept(const struct heat_policy *policy, const struct heat_sample *sample,
		  uint64_t now, bool *stale)
{
	*stale = sample->known && now - sample->at > stale_after(policy);
	return sample->known && now - sample->at <= FORGET_AFTER * stale_after(policy);
}

/**
 * heat_show() - describe a sensor for other programs
 * @policy: the sensor's policy
 * @sensor: sensor
 * @now: the current time
 * @shown: set, except for its kind
 *
 * Return: false if no source feeds the sensor.
 */
bool heat_show(const struct heat_policy *policy, const struct heat_sensor *sensor,
	       uint64_t now, struct sensor *shown)
{
	int best = counting(policy, sensor, now);

	*shown = (struct sensor) {
		.source = best < 0 ? sensor->source : (uint32_t)best,
		.known = best >= 0,
		.stale = sensor->stale,
		.alarm = sensor->raised & BIT(INSTINCT_VFIO_ALARM_CRITICAL) ?
				INSTINCT_VFIO_ALARM_CRITICAL :
			 sensor->raised ? INSTINCT_VFIO_ALARM_WARNING :
					  INSTINCT_VFIO_ALARM_NONE,
		.warning = policy->warning,
		.critical = policy->critical,
	};
	if (best >= 0) {
		shown->temperature = sensor->sample[best].temperature;
		shown->age = now - sensor->sample[best].at;
		/* The service that reports a stale sensor to the module may have stopped. */
		shown->stale |= shown->age > stale_after(policy);
	}
	/* An alarm without a sample stays visible while the sensor waits for its sources. */
	return best >= 0 || ((sensor->raised || sensor->stale) &&
			     now - sensor->begun <= FORGET_AFTER * stale_after(policy));
}
