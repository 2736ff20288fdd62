// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "now.h"
#include "source_ipmi.h"

#define HUNG_MS	2000	/* a sensor that works answers sooner */

/**
 * struct ipmi - a connection to the BMC
 * @calls: the library's calls
 * @context: the library's context
 * @renew: the next call rereads the BMC's list of sensors
 * @message: the last error
 */
struct ipmi {
	const struct ipmi_calls *calls;
	ipmi_monitoring_ctx_t context;
	bool renew;
	char message[TEXT_BYTES];
};

/**
 * ipmi_temperature() - convert a reading to millidegrees
 * @units: enum ipmi_monitoring_sensor_units
 * @type: enum ipmi_monitoring_sensor_reading_type
 * @reading: value whose C type follows from @type, or NULL
 * @temperature: set, in millidegrees Celsius
 *
 * Return: false if the reading is not a temperature, or is out of range.
 */
bool ipmi_temperature(int units, int type, const void *reading, int32_t *temperature)
{
	double degrees;

	if (!reading)
		return false;
	if (type == IPMI_MONITORING_SENSOR_READING_TYPE_DOUBLE)
		degrees = *(const double *)reading;
	else if (type == IPMI_MONITORING_SENSOR_READING_TYPE_UNSIGNED_INTEGER32)
		degrees = *(const unsigned int *)reading;
	else
		return false;
	if (units == IPMI_MONITORING_SENSOR_UNITS_FAHRENHEIT)
		degrees = (degrees - 32) / 1.8;
	else if (units != IPMI_MONITORING_SENSOR_UNITS_CELSIUS)
		return false;
	/* This form also rejects NaN. */
	if (!(degrees > -1000 && degrees < 1000))
		return false;
	*temperature = degrees * 1000 + (degrees < 0 ? -0.5 : 0.5);
	return found_is_sane(*temperature);
}

/**
 * ipmi_open() - prepare the library for reading the BMC
 * @calls: from ipmi_library()
 * @cache: folder in which the library caches the BMC's list of sensors
 * @why: set to a message for the log on failure
 * @size: of @why in bytes
 *
 * Return: the connection, or NULL on failure.
 */
struct ipmi *ipmi_open(const struct ipmi_calls *calls, const char *cache,
		       char *why, size_t size)
{
	struct ipmi *ipmi = calloc(1, sizeof(*ipmi));
	int error = 0;

	if (!ipmi || calls->init(0, &error) < 0) {
		snprintf(why, size, "no IPMI: the library does not start (error %d)", error);
		free(ipmi);
		return NULL;
	}
	ipmi->calls = calls;
	ipmi->context = calls->create();
	if (!ipmi->context || calls->cache_directory(ipmi->context, cache) < 0) {
		snprintf(why, size, "no IPMI: cannot keep the BMC's list of sensors in %s: %s",
			 cache, ipmi->context ? calls->message(ipmi->context) : strerror(errno));
		ipmi_close(ipmi);
		return NULL;
	}
	return ipmi;
}

/**
 * ipmi_close() - end the connection and free it
 * @ipmi: connection, or NULL
 */
void ipmi_close(struct ipmi *ipmi)
{
	if (ipmi && ipmi->context)
		ipmi->calls->destroy(ipmi->context);
	free(ipmi);
}

/**
 * ipmi_message() - get the last error
 * @ipmi: connection
 *
 * Return: text for the log.
 */
const char *ipmi_message(const struct ipmi *ipmi)
{
	return ipmi->message;
}

static unsigned int flags_of(const struct ipmi *ipmi)
{
	return ipmi->renew ? IPMI_MONITORING_SENSOR_READING_FLAGS_REREAD_SDR_CACHE : 0;
}

/* The kernel's driver arbitrates between several users of the BMC. */
static struct ipmi_monitoring_ipmi_config config = {
	.driver_type = IPMI_MONITORING_DRIVER_TYPE_OPENIPMI,
};

/**
 * struct reading - progress of one call of the library
 * @ipmi: connection
 * @found: list that the call fills
 * @count: sensors that the library has visited, with or without a temperature
 */
struct reading {
	struct ipmi *ipmi;
	struct found *found;
	unsigned int count;
};

/* The library calls this for each sensor before it fails at a later one. */
static int take(ipmi_monitoring_ctx_t context, void *data)
{
	struct reading *reading = data;
	const struct ipmi_calls *calls = reading->ipmi->calls;
	int units = calls->units(context), record = calls->record(context);
	const char *name = calls->name(context);
	struct found_sensor *sensor;

	reading->count++;
	if (!name || record < 0 || (units != IPMI_MONITORING_SENSOR_UNITS_CELSIUS &&
				    units != IPMI_MONITORING_SENSOR_UNITS_FAHRENHEIT))
		return 0;
	sensor = found_add(reading->found, INSTINCT_VFIO_SOURCE_IPMI, name);
	if (!sensor)
		return 0;
	sensor->record = record;
	sensor->known = ipmi_temperature(units, calls->reading_type(context),
					 calls->reading(context), &sensor->temperature);
	return 0;
}

/*
 * The library itself detects that the BMC's list has changed. If it cannot cope with its
 * cached list, the next call rereads the list.
 */
static int done(struct ipmi *ipmi, int result, unsigned int count)
{
	int error;

	ipmi->renew = false;
	if (result >= 0)
		return 0;
	error = ipmi->calls->error(ipmi->context);
	ipmi->renew = error == IPMI_MONITORING_ERR_SENSOR_NOT_FOUND ||
		      (error == IPMI_MONITORING_ERR_INTERNAL_ERROR && !count);
	found_clean(ipmi->calls->message(ipmi->context), ipmi->message,
		    sizeof(ipmi->message));
	return error == IPMI_MONITORING_ERR_SENSOR_NOT_FOUND ? -ENOENT : -EIO;
}

/**
 * ipmi_scan() - list the BMC's temperature sensors with their readings
 * @ipmi: connection
 * @found: the sensors are added, including those read before a failure
 *
 * Return: 0, or a negative errno; then ipmi_message() gives the reason.
 */
int ipmi_scan(struct ipmi *ipmi, struct found *found)
{
	unsigned int type = IPMI_MONITORING_SENSOR_TYPE_TEMPERATURE;
	struct reading reading = { .ipmi = ipmi, .found = found };
	int result;

	result = ipmi->calls->by_type(ipmi->context, NULL, &config, flags_of(ipmi),
				      &type, 1, take, &reading);
	return done(ipmi, result, reading.count);
}

/*
 * A call ends at the first sensor that fails. The next call skips that sensor and reads the rest;
 * after a sensor that hung, the scan ends.
 */
static int read_records(struct ipmi *ipmi, unsigned int *records, size_t asked,
			struct found *found)
{
	struct reading reading = { .ipmi = ipmi, .found = found };
	int ret = 0, result;
	size_t at;

	for (at = 0; at < asked; at += reading.count + 1) {
		int64_t begun = now_ms();

		reading.count = 0;
		result = ipmi->calls->by_record(ipmi->context, NULL, &config, flags_of(ipmi),
						records + at, asked - at, take, &reading);
		ret = done(ipmi, result, reading.count);
		if (!ret || ret == -ENOENT || now_ms() - begun > HUNG_MS)
			return ret;
	}
	return ret && !found->count ? ret : 0;
}

static bool is_wanted(const struct found *found, const bool *wanted, size_t i)
{
	return wanted[i] && found->list[i].source == INSTINCT_VFIO_SOURCE_IPMI;
}

/* A record ID may belong to another sensor by now. */
static int give(const struct found *read, struct found_sensor *sensor)
{
	size_t i;

	for (i = 0; i < read->count; i++) {
		if (read->list[i].record != sensor->record)
			continue;
		if (strcmp(read->list[i].name, sensor->name))
			return -ENOENT;
		sensor->known = read->list[i].known;
		sensor->temperature = read->list[i].temperature;
	}
	return 0;
}

/**
 * ipmi_read() - read the temperatures of some sensors
 * @ipmi: connection
 * @found: sensors listed by ipmi_scan(); the function sets the temperature of each wanted
 *	sensor, or marks it unknown if the sensor cannot be read
 * @wanted: for each entry of @found, whether to read it; sensors of other sources are skipped
 *
 * Return: 0; -ENOENT if the BMC's sensors differ from @found; or another negative errno.
 * On failure ipmi_message() gives the reason.
 */
int ipmi_read(struct ipmi *ipmi, struct found *found, const bool *wanted)
{
	unsigned int *records = NULL;
	struct found read = { 0 };
	size_t asked = 0, i;
	int ret;

	for (i = 0; i < found->count; i++) {
		if (!is_wanted(found, wanted, i))
			continue;
		found->list[i].known = false;
		*(unsigned int *)list_add((void **)&records, &asked, sizeof(*records)) =
			found->list[i].record;
	}
	ret = asked ? read_records(ipmi, records, asked, &read) : 0;
	for (i = 0; i < found->count; i++)
		if (is_wanted(found, wanted, i) && give(&read, &found->list[i])) {
			snprintf(ipmi->message, sizeof(ipmi->message),
				 "its list of sensors has changed");
			ret = -ENOENT;
		}
	found_free(&read);
	free(records);
	return ret;
}
