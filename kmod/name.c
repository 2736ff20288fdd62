// SPDX-License-Identifier: GPL-2.0-only
#include "name.h"
#include "policy_key.h"

static const char *name_of(const char *const names[], size_t count, unsigned int n)
{
	return n < count ? names[n] : "unknown";
}

/**
 * instinct_name_method() - name of a reset method
 * @method: it
 *
 * Return: its name, as in policy.
 */
const char *instinct_name_method(enum instinct_vfio_method method)
{
	return name_of(instinct_method_words, ARRAY_SIZE(instinct_method_words), method);
}

/**
 * instinct_name_cause() - name of a cause
 * @cause: it
 *
 * Return: its name, as in events.
 */
const char *instinct_name_cause(enum instinct_vfio_cause cause)
{
	static const char *const names[] = {
		[INSTINCT_VFIO_CAUSE_NONE] = "none",
		[INSTINCT_VFIO_CAUSE_OPEN] = "open",
		[INSTINCT_VFIO_CAUSE_CLOSE] = "close",
		[INSTINCT_VFIO_CAUSE_VFIO_RESET] = "vfio-reset",
		[INSTINCT_VFIO_CAUSE_GUEST_FLR] = "guest-flr",
		[INSTINCT_VFIO_CAUSE_SYSFS] = "sysfs",
		[INSTINCT_VFIO_CAUSE_NETLINK] = "netlink",
		[INSTINCT_VFIO_CAUSE_HOT_RESET] = "hot-reset",
		[INSTINCT_VFIO_CAUSE_HIVE] = "hive",
		[INSTINCT_VFIO_CAUSE_RECOVERY] = "recovery",
	};

	static_assert(ARRAY_SIZE(names) == __INSTINCT_VFIO_CAUSE_MAX);
	return name_of(names, ARRAY_SIZE(names), cause);
}

/**
 * instinct_name_state() - name of a state
 * @state: it
 *
 * Return: its name, as in events.
 */
const char *instinct_name_state(enum instinct_vfio_state state)
{
	static const char *const names[] = {
		[INSTINCT_VFIO_STATE_READY] = "ready",
		[INSTINCT_VFIO_STATE_RESETTING] = "resetting",
		[INSTINCT_VFIO_STATE_LOST] = "lost",
		[INSTINCT_VFIO_STATE_QUARANTINED] = "quarantined",
	};

	static_assert(ARRAY_SIZE(names) == __INSTINCT_VFIO_STATE_MAX);
	return name_of(names, ARRAY_SIZE(names), state);
}

/**
 * instinct_name_sensor() - name of a sensor
 * @sensor: it
 *
 * Return: its name, as in events.
 */
const char *instinct_name_sensor(enum instinct_vfio_sensor sensor)
{
	static const char *const names[] = {
		[INSTINCT_VFIO_SENSOR_HOTSPOT] = "hotspot",
		[INSTINCT_VFIO_SENSOR_MEMORY] = "memory",
		[INSTINCT_VFIO_SENSOR_BOARD] = "board",
	};

	static_assert(ARRAY_SIZE(names) == __INSTINCT_VFIO_SENSOR_MAX);
	return name_of(names, ARRAY_SIZE(names), sensor);
}

/**
 * instinct_name_alarm() - name of an alarm
 * @alarm: it
 *
 * Return: its name, as in events.
 */
const char *instinct_name_alarm(enum instinct_vfio_alarm alarm)
{
	static const char *const names[] = {
		[INSTINCT_VFIO_ALARM_NONE] = "none",
		[INSTINCT_VFIO_ALARM_WARNING] = "warning",
		[INSTINCT_VFIO_ALARM_CRITICAL] = "critical",
	};

	static_assert(ARRAY_SIZE(names) == __INSTINCT_VFIO_ALARM_MAX);
	return name_of(names, ARRAY_SIZE(names), alarm);
}
