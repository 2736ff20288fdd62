/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of temperature sensors found on a host, from any source. */
#ifndef FOUND_H
#define FOUND_H

#include "model.h"

#define FOUND_MAX		1024	/* bounds the memory that a broken BMC can consume */
#define FOUND_NAME_BYTES	96
#define FOUND_PLACE_BYTES	64

/**
 * struct found_sensor - a temperature sensor
 * @source: enum instinct_vfio_source
 * @name: printable name; CHIP/LABEL for hwmon, the sensor's own name for IPMI,
 *	CHASSIS/NAME for Redfish, "pushed" for samples from a script
 * @bdf: hwmon, pushed: PCI function that the sensor belongs to, or ""
 * @place: hwmon: path below /sys/class/hwmon, such as hwmon3/temp2; Redfish: the sensor's Id
 * @record: IPMI: record ID in the BMC's sensor data repository (SDR); Redfish: place in the
 *	list of the last scan
 * @skipped: Redfish: the last round had no time left to read the sensor
 * @known: @temperature is valid
 * @temperature: in millidegrees Celsius
 * @stale: pushed: the script has been silent for longer than policy's thermal_stale
 */
struct found_sensor {
	uint32_t source;
	char name[FOUND_NAME_BYTES];
	char bdf[BDF_BYTES];
	char place[FOUND_PLACE_BYTES];
	uint32_t record;
	bool skipped;
	bool known;
	int32_t temperature;
	bool stale;
};

struct found {
	struct found_sensor *list;
	size_t count;
};

void found_clean(const char *text, char *clean, size_t size);
bool found_is_sane(long long temperature);
struct found_sensor *found_add(struct found *found, uint32_t source, const char *name);
void found_free(struct found *found);

#endif /* FOUND_H */
