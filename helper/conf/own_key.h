/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a policy that only the helper knows, since it judges temperatures and counts GPUs. In
 * user space they are part of the table in kmod/policy/policy.c, and use the macros of that file.
 */
#ifndef OWN_KEY_H
#define OWN_KEY_H

#define INSTINCT_POLICY_KEYS_HELPER(X) \
	X(HOTSPOT_WARNING, hotspot_warning) \
	X(HOTSPOT_CRITICAL, hotspot_critical) \
	X(MEMORY_WARNING, memory_warning) \
	X(MEMORY_CRITICAL, memory_critical) \
	X(BOARD_WARNING, board_warning) \
	X(BOARD_CRITICAL, board_critical) \
	X(THERMAL_HYSTERESIS, thermal_hysteresis) \
	X(THERMAL_HOLD, thermal_hold) \
	X(THERMAL_STALE, thermal_stale) \
	X(HOTSPOT_SENSOR, hotspot_sensor) \
	X(MEMORY_SENSOR, memory_sensor) \
	X(BOARD_SENSOR, board_sensor) \
	X(EXPECT_GPUS, expect_gpus)

#define THRESHOLD(_name) \
	NAME(_name, "none, or 0.001 to 200 degrees Celsius", "") \
	RANGE(DEGREES, 1, 200000) OR(SPECIAL("none"), 0)
#define FEED(_name) \
	NAME(_name, "auto, none, redfish:NAME, ipmi:NAME or hwmon:CHIP/LABEL, with * and ? as in file names", "") \
	TEXT(FEED)

/*
 * AMD's virtualization driver lets 1002:74a1 slow down at 100 degrees of the hot spot and 95 of the
 * memory, and shut down at 110 and 105. AMD has named 105 degrees to an operator as the highest
 * operating temperature. A stress test reaches 100 degrees without harm, so that temperature is a
 * warning only.
 */
#define INSTINCT_POLICY_ROWS_HELPER \
	[INSTINCT_KEY_HOTSPOT_WARNING] = { THRESHOLD(hotspot_warning) DEFAULT(100000) }, \
	[INSTINCT_KEY_HOTSPOT_CRITICAL] = { THRESHOLD(hotspot_critical) DEFAULT(105000) }, \
	[INSTINCT_KEY_MEMORY_WARNING] = { THRESHOLD(memory_warning) DEFAULT(95000) }, \
	[INSTINCT_KEY_MEMORY_CRITICAL] = { THRESHOLD(memory_critical) DEFAULT(105000) }, \
	[INSTINCT_KEY_BOARD_WARNING] = { THRESHOLD(board_warning) }, \
	[INSTINCT_KEY_BOARD_CRITICAL] = { THRESHOLD(board_critical) }, \
	[INSTINCT_KEY_THERMAL_HYSTERESIS] = { NAME(thermal_hysteresis, \
						   "0 to 50 degrees Celsius", "") \
		RANGE(DEGREES, 0, 50000) DEFAULT(3000) }, \
	[INSTINCT_KEY_THERMAL_HOLD] = { NAME(thermal_hold, "0s to 60min", "") \
		RANGE(TIME, 0, 3600000) DEFAULT(5000) }, \
	[INSTINCT_KEY_THERMAL_STALE] = { NAME(thermal_stale, "1s to 60min", "") \
		RANGE(TIME, 1000, 3600000) DEFAULT(60000) }, \
	[INSTINCT_KEY_HOTSPOT_SENSOR] = { FEED(hotspot_sensor) }, \
	[INSTINCT_KEY_MEMORY_SENSOR] = { FEED(memory_sensor) }, \
	[INSTINCT_KEY_BOARD_SENSOR] = { FEED(board_sensor) }, \
	[INSTINCT_KEY_EXPECT_GPUS] = { NAME(expect_gpus, "any, or a number from 0 to 256", "") \
		RANGE(COUNT, 0, 256) OR(SPECIAL("any"), ~0u) DEFAULT(~0u) },

#endif /* OWN_KEY_H */
