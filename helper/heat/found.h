/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temperature sensors that a host was found to have, whoever reads them. */
#ifndef FOUND_H
#define FOUND_H

#include "model.h"

#define FOUND_MAX		1024	/* what a broken BMC can make us keep */
#define FOUND_NAME_BYTES	96
#define FOUND_PLACE_BYTES	64

/**
 * struct found_sensor - a temperature sensor
 * @source: enum instinct_vfio_source
 * @name: hwmon: CHIP/LABEL, IPMI: the sensor's; of what a script pushes "pushed"; printable
 * @bdf: hwmon, pushed: the PCI function that it belongs to, or ""
 * @place: hwmon: where it is below /sys/class/hwmon, such as hwmon3/temp2
 * @record: IPMI: its record in the BMC's repository
 * @known: there is a temperature
 * @temperature: in millidegrees Celsius
 */
struct found_sensor {
	uint32_t source;
	char name[FOUND_NAME_BYTES];
	char bdf[BDF_BYTES];
	char place[FOUND_PLACE_BYTES];
	uint32_t record;
	bool known;
	int32_t temperature;
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
