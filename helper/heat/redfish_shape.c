// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "found.h"
#include "redfish_link.h"
#include "redfish_shape.h"

#define LATE_S	30	/* a reading that is older than its report by more is not the report's */

static const char *text_at(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text && *text ? text : NULL;
}

/**
 * shape_own_link() - get the path of a resource, or of one that an object stands for
 * @json: object with "@odata.id"
 *
 * Return: the path, or NULL if @json has none that may be followed.
 */
const char *shape_own_link(const json_t *json)
{
	const char *path = text_at(json, "@odata.id");

	return path && redfish_link_is_path(path) ? path : NULL;
}

/**
 * shape_link() - get the path that a property of a resource leads to
 * @json: resource
 * @key: name of the property
 *
 * Return: the path, or NULL if the resource has no such property.
 */
const char *shape_link(const json_t *json, const char *key)
{
	return shape_own_link(json_object_get(json, key));
}

/**
 * shape_next() - get the path of the next part of a collection
 * @collection: collection, or a part of one
 *
 * Return: the path, or NULL after the last part.
 */
const char *shape_next(const json_t *collection)
{
	const char *path = text_at(collection, "Members@odata.nextLink");

	return path && redfish_link_is_path(path) ? path : NULL;
}

/**
 * shape_id() - get the Id of a resource, which is the end of its path
 * @path: path
 * @id: set; bmcweb's "temperature_" is left out, since it begins each of its Ids
 * @size: of @id in bytes
 */
void shape_id(const char *path, char *id, size_t size)
{
	static const char kind[] = "temperature_";
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	path += n;
	if (!strncmp(path, kind, sizeof(kind) - 1) && path[sizeof(kind) - 1])
		path += sizeof(kind) - 1;
	snprintf(id, size, "%.*s", (int)strcspn(path, "/"), path);
}

/**
 * shape_chassis() - get the Id of the chassis that a resource belongs to
 * @path: path
 * @id: set, to "-" for a resource outside any chassis
 * @size: of @id in bytes
 */
void shape_chassis(const char *path, char *id, size_t size)
{
	static const char list[] = "/Chassis/";
	const char *at = strstr(path, list);

	at = at ? at + sizeof(list) - 1 : "-";
	snprintf(id, size, "%.*s", (int)strcspn(at, "/"), at);
}

/**
 * shape_name() - get the name of a sensor
 * @json: Sensor, or an entry of Thermal
 *
 * Return: the name, or NULL.
 */
const char *shape_name(const json_t *json)
{
	return text_at(json, "Name");
}

/**
 * shape_is_sensor() - check whether a member of a collection is more than a link
 * @json: member
 *
 * Return: true if @json is a whole Sensor, as some BMCs send them.
 */
bool shape_is_sensor(const json_t *json)
{
	return json_object_get(json, "Reading") && text_at(json, "ReadingType");
}

/**
 * shape_is_temperature() - check whether a sensor measures degrees Celsius
 * @sensor: Sensor
 *
 * Return: false if its type is another, or its unit.
 */
bool shape_is_temperature(const json_t *sensor)
{
	const char *type = text_at(sensor, "ReadingType");
	const char *units = text_at(sensor, "ReadingUnits");

	if (units && strcmp(units, "Cel") && strcmp(units, "C"))
		return false;
	return type ? !strcmp(type, "Temperature") : !!units;
}

static bool to_millidegrees(double degrees, int32_t *temperature)
{
	/* This form also rejects NaN. */
	if (!(degrees > -1000 && degrees < 1000))
		return false;
	*temperature = degrees * 1000 + (degrees < 0 ? -0.5 : 0.5);
	return found_is_sane(*temperature);
}

/**
 * shape_reading() - get a temperature
 * @json: Sensor, or an entry of Thermal or ThermalMetrics
 * @temperature: set, in millidegrees Celsius
 *
 * Return: false if the sensor is not enabled, or its reading is no plausible temperature.
 */
bool shape_reading(const json_t *json, int32_t *temperature)
{
	const char *state = text_at(json_object_get(json, "Status"), "State");
	const json_t *reading = json_object_get(json, "Reading");

	if (state && strcmp(state, "Enabled"))
		return false;
	if (!reading)
		reading = json_object_get(json, "ReadingCelsius");
	return json_is_number(reading) && to_millidegrees(json_number_value(reading), temperature);
}

/**
 * shape_report_time() - get the time at which a MetricReport was made
 * @report: MetricReport
 *
 * Return: the text, or NULL.
 */
const char *shape_report_time(const json_t *report)
{
	return text_at(report, "Timestamp");
}

/* A service behind a path may have it in some of its links only. */
static const char *from_root(const char *path)
{
	const char *root = strstr(path, "/redfish/");

	return root ? root : path;
}

/* Reads a time such as 2026-11-29T10:00:00.5+00:00, in s. */
static bool to_time(const char *text, int64_t *at)
{
	struct tm tm = { 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	long east;

	if (end && *end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	end = end ? strptime(end, "%z", &tm) : NULL;
	if (!end || *end)
		return false;
	east = tm.tm_gmtoff;
	*at = timegm(&tm) - east;
	return true;
}

/* A BMC may repeat the last reading of a sensor in each new report, with the time of that reading. */
static bool is_current(const json_t *report, const json_t *value)
{
	const char *made = shape_report_time(report), *read = text_at(value, "Timestamp");
	int64_t made_at, read_at;

	if (!json_object_get(value, "Timestamp") || (made && read && !strcmp(made, read)))
		return true;
	return to_time(made, &made_at) && to_time(read, &read_at) && made_at - read_at <= LATE_S;
}

/**
 * shape_report_find() - find the value of a sensor in a MetricReport
 * @report: MetricReport
 * @path: path of the Sensor
 *
 * Return: the entry of MetricValues; NULL without one, if it has a time that is much older than the
 * report's or cannot be compared with it, and if there are several, which may be means, limits or
 * earlier values.
 */
const json_t *shape_report_find(const json_t *report, const char *path)
{
	const json_t *list = json_object_get(report, "MetricValues"), *value, *found = NULL;
	size_t i, n;

	path = from_root(path);
	json_array_foreach(list, i, value) {
		const char *property = text_at(value, "MetricProperty");

		if (!property)
			continue;
		property = from_root(property);
		n = strcspn(property, "#");
		if (strncmp(property, path, n) || path[n] ||
		    (property[n] && strcmp(property + n, "#/Reading")))
			continue;
		if (found)
			return NULL;
		found = value;
	}
	return found && is_current(report, found) ? found : NULL;
}

/**
 * shape_report_reading() - get a temperature of a MetricReport
 * @value: entry of MetricValues
 * @temperature: set, in millidegrees Celsius
 *
 * Return: false if the value is no plausible temperature.
 */
bool shape_report_reading(const json_t *value, int32_t *temperature)
{
	const json_t *reading = json_object_get(value, "MetricValue");
	const char *text = json_string_value(reading);
	double degrees;
	char *end;

	if (json_is_number(reading))
		return to_millidegrees(json_number_value(reading), temperature);
	if (!text || !*text)
		return false;
	degrees = strtod(text, &end);
	return !*end && to_millidegrees(degrees, temperature);
}

/**
 * shape_entries() - get the temperatures of a resource that has several
 * @json: Thermal or ThermalMetrics
 *
 * Return: an array, or NULL.
 */
const json_t *shape_entries(const json_t *json)
{
	const json_t *list = json_object_get(json, "TemperatureReadingsCelsius");

	if (!json_is_array(list))
		list = json_object_get(json, "Temperatures");
	return json_is_array(list) ? list : NULL;
}

/**
 * shape_entry_key() - get what tells an entry from the others of its resource
 * @entry: entry of Thermal or ThermalMetrics
 *
 * Return: path of the sensor, or another text, or NULL.
 */
const char *shape_entry_key(const json_t *entry)
{
	const char *key = text_at(entry, "DataSourceUri");

	if (!key)
		key = text_at(entry, "MemberId");
	return key ? key : text_at(entry, "Name");
}

/**
 * shape_entry_find() - find the entry of a sensor
 * @json: Thermal or ThermalMetrics
 * @key: from shape_entry_key()
 *
 * Return: the entry, or NULL.
 */
const json_t *shape_entry_find(const json_t *json, const char *key)
{
	const json_t *list = shape_entries(json), *entry;
	const char *its;
	size_t i;

	json_array_foreach(list, i, entry) {
		its = shape_entry_key(entry);
		if (its && !strcmp(its, key))
			return entry;
	}
	return NULL;
}
