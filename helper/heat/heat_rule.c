// SPDX-License-Identifier: GPL-2.0-or-later
#include "heat_rule.h"

#define NS_PER_MS	1000000ull
#define FORGET_AFTER	10	/* times as long as it takes to be stale */
#define BIT(n)		(1u << (n))

static uint64_t stale_after(const struct heat_policy *policy)
{
	return policy->stale * NS_PER_MS;
}

/**
 * heat_policy_of() - the policy of one sensor
 * @policy: of the GPU
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
 * heat_take() - a source has spoken
 * @sensor: changed
 * @source: enum instinct_vfio_source
 * @temperature: the sample
 * @now: when it was taken
 */
void heat_take(struct heat_sensor *sensor, uint32_t source, int32_t temperature, uint64_t now)
{
	sensor->sample[source] = (struct heat_sample) {
		.known = true, .temperature = temperature, .at = now,
	};
}

/*
 * The first source that is not stale counts; if all are, the one that spoke last. A
 * source that does not come back is none any more. Returns a source, -1: none.
 */
static int counting(const struct heat_policy *policy, const struct heat_sensor *sensor,
		    uint64_t now)
{
	int best = -1, i;

	for (i = 0; i < HEAT_SOURCES; i++) {
		const struct heat_sample *sample = &sensor->sample[i];

		if (!sample->known || now - sample->at > FORGET_AFTER * stale_after(policy) ||
		    (best >= 0 && sample->at <= sensor->sample[best].at))
			continue;
		best = i;
		if (now - sample->at <= stale_after(policy))
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
	/* Below it in any case, or an alarm would be cleared and raised in one step. */
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

/* No source is left: its alarms end, and nothing is stale. */
static bool end(const struct heat_policy *policy, struct heat_sensor *sensor,
		struct heat_alarm *alarm)
{
	uint32_t which;

	for (which = HEAT_ALARMS; which; which--)
		if (sensor->raised & BIT(which))
			return tell_alarm(policy, sensor, alarm, which,
					  INSTINCT_VFIO_EVENT_THERMAL_CLEARED,
					  "nobody measures it any more");
	sensor->stale = false;
	return false;
}

/* On the way down the critical alarm is cleared first, on the way up it is raised last. */
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
 * heat_next() - what is to be told of a sensor next
 * @policy: of the sensor
 * @sensor: which sample counts becomes known; else as heat_told() left it
 * @now: the time
 * @alarm: set
 *
 * An alarm is raised at once, however short ago it was cleared, and is cleared only
 * when the temperature has fallen by the hysteresis and the alarm has stood for as
 * long as policy wants: so nothing is hidden, and jitter tells nothing.
 *
 * Return: false if there is nothing to be told. Otherwise heat_told() is owed once the
 * module has taken it, and then there may be more; what the module has not taken is
 * told again.
 */
bool heat_next(const struct heat_policy *policy, struct heat_sensor *sensor, uint64_t now,
	       struct heat_alarm *alarm)
{
	int best = counting(policy, sensor, now);
	uint64_t age = now - (best >= 0 ? sensor->sample[best].at : sensor->begun);
	bool stale = age > stale_after(policy);

	if (best < 0 && age > FORGET_AFTER * stale_after(policy))
		return end(policy, sensor, alarm);
	/* The state before this service began may be that of a source that comes back. */
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
 * heat_told() - the module has taken it
 * @sensor: changed
 * @alarm: what it was told
 * @now: the time
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
 * heat_recall() - what was told before this service began
 * @sensor: changed
 * @event: a thermal one of it, in the order in which they came
 * @now: the time; sources have to speak from now on
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
 * heat_show() - a sensor, as others may know it
 * @policy: of the sensor
 * @sensor: it
 * @now: the time
 * @shown: set, all but its kind
 *
 * Return: false if nothing feeds it.
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
		/* Nobody may be there any more to tell. */
		shown->stale |= shown->age > stale_after(policy);
	}
	/* Without a sample an alarm is shown for as long as one is waited for. */
	return best >= 0 || ((sensor->raised || sensor->stale) &&
			     now - sensor->begun <= FORGET_AFTER * stale_after(policy));
}
