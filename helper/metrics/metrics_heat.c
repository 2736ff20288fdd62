// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of each GPU's sensors. */
#include "metrics_part.h"

typedef void (*put_sensor_t)(struct prom *prom, const struct device *dev,
			     const struct sensor *sensor, const char *kind);

static void put_temperature(struct prom *prom, const struct device *dev,
			    const struct sensor *sensor, const char *kind)
{
	if (sensor->known && !sensor->stale)
		prom_celsius(prom, sensor->temperature, "bdf", dev->bdf, "sensor", kind, NULL);
}

static void put_thresholds(struct prom *prom, const struct device *dev,
			   const struct sensor *sensor, const char *kind)
{
	const int32_t limits[] = { sensor->warning, sensor->critical };
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (limits[i])
			prom_celsius(prom, limits[i], "bdf", dev->bdf, "sensor", kind, "threshold",
				     name_of(&alarm_names, INSTINCT_VFIO_ALARM_WARNING + i), NULL);
}

static void put_alarms(struct prom *prom, const struct device *dev,
		       const struct sensor *sensor, const char *kind)
{
	uint32_t alarm;

	for (alarm = INSTINCT_VFIO_ALARM_WARNING; alarm < alarm_names.count; alarm++)
		prom_count(prom, sensor->alarm == alarm, "bdf", dev->bdf, "sensor", kind,
			   "alarm", name_of(&alarm_names, alarm), NULL);
}

static void put_stale(struct prom *prom, const struct device *dev,
		      const struct sensor *sensor, const char *kind)
{
	prom_count(prom, sensor->stale, "bdf", dev->bdf, "sensor", kind, NULL);
}

static void put_age(struct prom *prom, const struct device *dev,
		    const struct sensor *sensor, const char *kind)
{
	if (sensor->known)
		prom_seconds(prom, sensor->age, "bdf", dev->bdf, "sensor", kind, NULL);
}

/* A sensor of a GPU that nobody knows has the BMC's name in place of an address. */
static void put_loose(struct prom *prom, const struct snapshot *snapshot)
{
	const struct heat *heat = snapshot->heat;
	char kind[METRICS_NAME_BYTES];
	struct sensor shown;
	uint32_t alarm;
	size_t i;

	prom_family(prom, "unassigned_temperature_celsius", "gauge",
		    "Temperature of a GPU that the BMC reports, where it is not known which GPU that is.");
	for (i = 0; i < heat->looses; i++) {
		const struct heat_loose *loose = &heat->loose[i];

		if (heat_show(&loose->policy, &loose->sensor, snapshot->taken_boottime, &shown) &&
		    shown.known && !shown.stale)
			prom_celsius(prom, shown.temperature, "source", name_of(&source_names, loose->source),
				     "name", loose->name, "sensor",
				     metrics_name(&sensor_names, loose->kind, kind), NULL);
	}
	prom_family(prom, "unassigned_temperature_alarm", "gauge",
		    "1 for the highest alarm that is raised; not known of which GPU.");
	for (i = 0; i < heat->looses; i++) {
		const struct heat_loose *loose = &heat->loose[i];

		heat_show(&loose->policy, &loose->sensor, snapshot->taken_boottime, &shown);
		for (alarm = INSTINCT_VFIO_ALARM_WARNING; alarm < alarm_names.count; alarm++)
			prom_count(prom, shown.alarm == alarm, "source", name_of(&source_names, loose->source),
				   "name", loose->name, "sensor", metrics_name(&sensor_names, loose->kind, kind),
				   "alarm", name_of(&alarm_names, alarm), NULL);
	}
}

/**
 * metrics_heat() - write temperatures, thresholds and alarms
 * @prom: text
 * @snapshot: with the GPUs, and the sensors of unknown ones
 */
void metrics_heat(struct prom *prom, const struct snapshot *snapshot)
{
	const struct devices *devices = &snapshot->devices;
	static const struct {
		const char *name;
		const char *help;
		put_sensor_t put;
	} families[] = {
		{ "temperature_celsius", "Temperature that the sensor reports; absent while it is unknown or stale.",
		  put_temperature },
		{ "temperature_threshold_celsius",
		  "Temperature at which the alarm is raised; absent if policy sets none.", put_thresholds },
		{ "temperature_alarm", "1 for the highest alarm that is raised.", put_alarms },
		{ "temperature_stale", "1 while the sensor's source sends no samples.", put_stale },
		{ "temperature_age_seconds", "Time since the last sample.", put_age },
	};
	char text[METRICS_NAME_BYTES];
	size_t family, i, k;

	for (family = 0; family < sizeof(families) / sizeof(families[0]); family++) {
		prom_family(prom, families[family].name, "gauge", families[family].help);
		for (i = 0; i < devices->count; i++) {
			const struct device *dev = &devices->list[i];

			for (k = 0; k < dev->sensors; k++)
				families[family].put(prom, dev, &dev->sensor[k],
					metrics_name(&sensor_names, dev->sensor[k].kind, text));
		}
	}
	if (snapshot->heat)
		put_loose(prom, snapshot);
}
