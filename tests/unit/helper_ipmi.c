// SPDX-License-Identifier: GPL-2.0-only
/* What is made of a BMC's sensors, with a library that is made up. */
#include <errno.h>
#include <math.h>

#include "helper_util.h"
#include "source_ipmi.h"

#define CELSIUS		IPMI_MONITORING_SENSOR_UNITS_CELSIUS
#define FAHRENHEIT	IPMI_MONITORING_SENSOR_UNITS_FAHRENHEIT
#define DOUBLE		IPMI_MONITORING_SENSOR_READING_TYPE_DOUBLE

/* A BMC: sensors, one of which may fail. */
static struct {
	int record;
	const char *name;
	int units;
	int type;
	double value;
	bool unreadable;
} bmc[] = {
	{ 1, "GPU0_TEMP", CELSIUS, DOUBLE, 41.5, false },
	{ 2, "GPU1_TEMP", FAHRENHEIT, DOUBLE, 212, false },
	{ 3, "FAN0", IPMI_MONITORING_SENSOR_UNITS_RPM, DOUBLE, 9000, false },
	{ 4, "", CELSIUS, DOUBLE, 20, false },
	{ 5, "GPU0_HBM", CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNKNOWN, 0, true },
	{ 0xfffe, "GPU1_HBM", CELSIUS, DOUBLE, 39, false },
};

#define SENSORS	(sizeof(bmc) / sizeof(bmc[0]))

static int fails_at, fails_with, last_error, asked_for, calls_made;
static unsigned int last_flags;
static size_t at;
static int dummy;

static int lib_init(unsigned int flags, int *error)
{
	(void)flags;
	*error = 7;
	return fails_with == 7 ? -1 : 0;
}

static ipmi_monitoring_ctx_t lib_create(void)
{
	return (ipmi_monitoring_ctx_t)&dummy;
}

static void lib_destroy(ipmi_monitoring_ctx_t context)
{
	(void)context;
}

static int lib_error(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return last_error;
}

static char *lib_message(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return (char *)"made\nup";
}

static int lib_cache(ipmi_monitoring_ctx_t context, const char *directory)
{
	(void)context;
	return access(directory, W_OK);
}

/* As the library: a failure comes after the sensors before it. */
static int go(ipmi_monitoring_ctx_t context, const unsigned int *records, unsigned int count,
	      Ipmi_Monitoring_Callback call, void *data)
{
	int read = 0;
	unsigned int i;

	calls_made++;
	asked_for += count;
	for (i = 0; i < (records ? count : SENSORS); i++) {
		for (at = 0; at < SENSORS && records && bmc[at].record != (int)records[i]; at++)
			;
		at = records ? at : i;
		if (at == SENSORS) {
			last_error = IPMI_MONITORING_ERR_SENSOR_NOT_FOUND;
			return -1;
		}
		if (bmc[at].record == fails_at) {
			last_error = fails_with;
			return -1;
		}
		call(context, data);
		read++;
	}
	return read;
}

static int lib_by_record(ipmi_monitoring_ctx_t context, const char *name,
			 struct ipmi_monitoring_ipmi_config *config, unsigned int flags,
			 unsigned int *records, unsigned int count,
			 Ipmi_Monitoring_Callback call, void *data)
{
	CHECK(!name);
	CHECK_INT(config->driver_type, IPMI_MONITORING_DRIVER_TYPE_OPENIPMI);
	last_flags = flags;
	return go(context, records, count, call, data);
}

static int lib_by_type(ipmi_monitoring_ctx_t context, const char *name,
		       struct ipmi_monitoring_ipmi_config *config, unsigned int flags,
		       unsigned int *types, unsigned int count,
		       Ipmi_Monitoring_Callback call, void *data)
{
	CHECK(!name);
	CHECK_INT(config->driver_type, IPMI_MONITORING_DRIVER_TYPE_OPENIPMI);
	CHECK_INT(types[0], IPMI_MONITORING_SENSOR_TYPE_TEMPERATURE);
	CHECK_INT(count, 1);
	last_flags = flags;
	return go(context, NULL, 0, call, data);
}

static int lib_record(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc[at].record;
}

static char *lib_name(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return (char *)bmc[at].name;
}

static int lib_units(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc[at].units;
}

static int lib_type(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc[at].type;
}

static void *lib_reading(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc[at].unreadable ? NULL : &bmc[at].value;
}

static const struct ipmi_calls library = {
	.init = lib_init, .create = lib_create, .destroy = lib_destroy, .error = lib_error,
	.message = lib_message, .cache_directory = lib_cache, .by_record = lib_by_record,
	.by_type = lib_by_type, .record = lib_record, .name = lib_name, .units = lib_units,
	.reading_type = lib_type, .reading = lib_reading,
};

static struct ipmi *begin(void)
{
	char why[TEXT_BYTES];

	fails_at = 0;
	fails_with = 0;
	asked_for = 0;
	calls_made = 0;
	return ipmi_open(&library, ".", why, sizeof(why));
}

static void test_temperature(void)
{
	double value = 41.25;
	unsigned int whole = 60;
	int32_t t;

	CHECK(ipmi_temperature(CELSIUS, DOUBLE, &value, &t));
	CHECK_INT(t, 41250);
	value = -12.3456;
	CHECK(ipmi_temperature(CELSIUS, DOUBLE, &value, &t));
	CHECK_INT(t, -12346);
	value = 122;
	CHECK(ipmi_temperature(FAHRENHEIT, DOUBLE, &value, &t));
	CHECK_INT(t, 50000);
	value = -40;
	CHECK(ipmi_temperature(FAHRENHEIT, DOUBLE, &value, &t));
	CHECK_INT(t, -40000);
	CHECK(ipmi_temperature(CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNSIGNED_INTEGER32,
			       &whole, &t));
	CHECK_INT(t, 60000);
}

static void test_no_temperature(void)
{
	const double wrong[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 251, -61, 1e9 };
	double value = 20;
	int32_t t;
	size_t i;

	CHECK(!ipmi_temperature(CELSIUS, DOUBLE, NULL, &t));
	CHECK(!ipmi_temperature(IPMI_MONITORING_SENSOR_UNITS_VOLTS, DOUBLE, &value, &t));
	CHECK(!ipmi_temperature(-1, DOUBLE, &value, &t));
	CHECK(!ipmi_temperature(CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNKNOWN, &value, &t));
	CHECK(!ipmi_temperature(CELSIUS, -1, &value, &t));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!ipmi_temperature(CELSIUS, DOUBLE, &wrong[i], &t));
}

static void test_scan(void)
{
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	CHECK_INT(ipmi_scan(ipmi, &found), 0);
	CHECK_INT(found.count, 4);
	CHECK_STR(found.list[0].name, "GPU0_TEMP");
	CHECK_INT(found.list[0].source, INSTINCT_VFIO_SOURCE_IPMI);
	CHECK_INT(found.list[0].record, 1);
	CHECK(found.list[0].known);
	CHECK_INT(found.list[0].temperature, 41500);
	CHECK_INT(found.list[1].temperature, 100000);
	CHECK_STR(found.list[2].name, "GPU0_HBM");
	CHECK(!found.list[2].known);
	CHECK_INT(found.list[3].record, 0xfffe);
	CHECK_INT(last_flags, 0);
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_scan_fails(void)
{
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	fails_at = 2;
	fails_with = IPMI_MONITORING_ERR_INTERNAL_ERROR;
	CHECK_INT(ipmi_scan(ipmi, &found), -EIO);
	CHECK_INT(found.count, 1);
	CHECK_STR(ipmi_message(ipmi), "made?up");
	/* The list of sensors was good enough: it stays. */
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, 0);
	fails_at = 1;
	ipmi_scan(ipmi, &found);
	fails_at = 0;
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, IPMI_MONITORING_SENSOR_READING_FLAGS_REREAD_SDR_CACHE);
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, 0);
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_read(void)
{
	const bool none[5] = { false }, some[5] = { true, false, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	found_add(&found, INSTINCT_VFIO_SOURCE_HWMON, "nvme/Composite")->known = true;
	calls_made = 0;
	CHECK_INT(ipmi_read(ipmi, &found, none), 0);
	CHECK_INT(calls_made, 0);
	bmc[0].value = 55;
	CHECK_INT(ipmi_read(ipmi, &found, some), 0);
	CHECK_INT(calls_made, 1);
	CHECK_INT(asked_for, 3);
	CHECK_INT(found.list[0].temperature, 55000);
	CHECK(!found.list[2].known);
	CHECK(found.list[3].known);
	CHECK(found.list[4].known);
	bmc[0].value = 41.5;
	found_free(&found);
	ipmi_close(ipmi);
}

/* One that fails takes no other with it; a BMC that fails throughout does. */
static void test_read_fails(void)
{
	const bool all[4] = { true, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	fails_at = 1;
	fails_with = IPMI_MONITORING_ERR_IPMI_ERROR;
	CHECK_INT(ipmi_read(ipmi, &found, all), 0);
	CHECK(!found.list[0].known);
	CHECK(found.list[1].known);
	CHECK(found.list[3].known);
	found.count = 1;
	CHECK_INT(ipmi_read(ipmi, &found, all), -EIO);
	CHECK_STR(ipmi_message(ipmi), "made?up");
	found_free(&found);
	ipmi_close(ipmi);
}

/* The BMC's list has changed: a record is gone, or of another sensor. */
static void test_read_changed(void)
{
	const bool all[4] = { true, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	bmc[5].record = 9;
	CHECK_INT(ipmi_read(ipmi, &found, all), -ENOENT);
	bmc[5].record = 0xfffe;
	bmc[0].name = "INLET";
	CHECK_INT(ipmi_read(ipmi, &found, all), -ENOENT);
	CHECK(!found.list[0].known);
	CHECK_STR(ipmi_message(ipmi), "its list of sensors has changed");
	bmc[0].name = "GPU0_TEMP";
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_open_fails(void)
{
	char why[TEXT_BYTES];

	fails_with = 7;
	CHECK(!ipmi_open(&library, ".", why, sizeof(why)));
	CHECK(strstr(why, "error 7"));
	fails_with = 0;
	CHECK(!ipmi_open(&library, "absent/folder", why, sizeof(why)));
	CHECK(strstr(why, "absent/folder"));
	ipmi_close(NULL);
}

int main(void)
{
	util_begin();
	RUN(test_temperature);
	RUN(test_no_temperature);
	RUN(test_scan);
	RUN(test_scan_fails);
	RUN(test_read);
	RUN(test_read_fails);
	RUN(test_read_changed);
	RUN(test_open_fails);
	return unit_end();
}
