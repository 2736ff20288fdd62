// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hwmon.h>

#include "device.h"
#include "hwmon.h"
#include "name.h"

#define CHANNEL	(HWMON_T_INPUT | HWMON_T_LABEL | HWMON_T_FAULT | HWMON_T_MAX | \
		 HWMON_T_MAX_HYST | HWMON_T_MAX_ALARM | HWMON_T_CRIT | \
		 HWMON_T_CRIT_HYST | HWMON_T_CRIT_ALARM)

/* A channel for each enum instinct_vfio_sensor. */
static const u32 channels[] = { CHANNEL, CHANNEL, CHANNEL, 0 };

static const struct hwmon_channel_info temperatures = {
	.type = hwmon_temp,
	.config = channels,
};

/* Not const all over: the member that it is for was not, before 6.4. */
static const struct hwmon_channel_info *infos[] = { &temperatures, NULL };

/* Those without a source, too: which has one changes, and what is shown cannot. */
static umode_t is_visible(const void *data, enum hwmon_sensor_types type, u32 attr,
			  int channel)
{
	return 0444;
}

static int read_limit(const struct instinct_reading *reading, u32 attr, long *val)
{
	bool crit = attr == hwmon_temp_crit || attr == hwmon_temp_crit_hyst;
	u32 limit = crit ? reading->limits.critical : reading->limits.warning;

	if (!limit)
		return -ENODATA;
	*val = limit;
	if (attr == hwmon_temp_max_hyst || attr == hwmon_temp_crit_hyst)
		*val -= reading->hysteresis;
	return 0;
}

static int read_value(struct device *hwmon, enum hwmon_sensor_types type, u32 attr,
		      int channel, long *val)
{
	struct instinct_reading reading;

	instinct_thermal_read(dev_get_drvdata(hwmon), channel, &reading);
	switch (attr) {
	case hwmon_temp_input:
		*val = reading.temperature;
		return reading.known && !reading.stale ? 0 : -ENODATA;
	case hwmon_temp_fault:
		*val = reading.stale;
		return 0;
	case hwmon_temp_max_alarm:
		*val = !!(reading.raised & BIT(INSTINCT_VFIO_ALARM_WARNING));
		return 0;
	case hwmon_temp_crit_alarm:
		*val = !!(reading.raised & BIT(INSTINCT_VFIO_ALARM_CRITICAL));
		return 0;
	default:
		return read_limit(&reading, attr, val);
	}
}

static int read_label(struct device *hwmon, enum hwmon_sensor_types type, u32 attr,
		      int channel, const char **label)
{
	*label = instinct_name_sensor(channel);
	return 0;
}

static const struct hwmon_ops hwmon_ops = {
	.is_visible = is_visible,
	.read = read_value,
	.read_string = read_label,
};

static const struct hwmon_chip_info chip = {
	.ops = &hwmon_ops,
	.info = infos,
};

static void set_hwmon(struct instinct_thermal *thermal, struct device *hwmon)
{
	mutex_lock(&thermal->lock);
	thermal->hwmon = hwmon;
	mutex_unlock(&thermal->lock);
}

/**
 * instinct_hwmon_register() - show a device's temperatures
 * @dev: device
 *
 * Without it the device is as good, so a failure is only said.
 *
 * Context: may sleep.
 */
void instinct_hwmon_register(struct instinct_device *dev)
{
	struct device *hwmon;

	hwmon = hwmon_device_register_with_info(&dev->pdev->dev, "instinct_vfio", dev,
						&chip, NULL);
	if (IS_ERR(hwmon)) {
		pci_warn(dev->pdev, "no hwmon device: %pe\n", hwmon);
		return;
	}
	set_hwmon(&dev->thermal, hwmon);
}

/**
 * instinct_hwmon_unregister() - do so no more
 * @dev: device
 *
 * Context: may sleep, for as long as somebody reads.
 */
void instinct_hwmon_unregister(struct instinct_device *dev)
{
	struct device *hwmon = dev->thermal.hwmon;

	set_hwmon(&dev->thermal, NULL);
	if (hwmon)
		hwmon_device_unregister(hwmon);
}

/**
 * instinct_hwmon_notify() - an alarm was raised or cleared
 * @dev: device, with its thermal lock held
 * @sensor: which
 * @alarm: which
 *
 * Context: may sleep.
 */
void instinct_hwmon_notify(struct instinct_device *dev,
			   enum instinct_vfio_sensor sensor,
			   enum instinct_vfio_alarm alarm)
{
	if (dev->thermal.hwmon)
		hwmon_notify_event(dev->thermal.hwmon, hwmon_temp,
				   alarm == INSTINCT_VFIO_ALARM_CRITICAL ?
				   hwmon_temp_crit_alarm : hwmon_temp_max_alarm,
				   sensor);
}
