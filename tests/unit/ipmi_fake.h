/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake BMC, and a fake library in place of libipmimonitoring. */
#ifndef IPMI_FAKE_H
#define IPMI_FAKE_H

#include "helper_util.h"
#include "source_ipmi.h"

#define CELSIUS		IPMI_MONITORING_SENSOR_UNITS_CELSIUS
#define FAHRENHEIT	IPMI_MONITORING_SENSOR_UNITS_FAHRENHEIT
#define DOUBLE		IPMI_MONITORING_SENSOR_READING_TYPE_DOUBLE

/* The BMC's sensors; one of them may fail. */
static struct {
	int record;
	const char *name;
	int units;
	int type;
	double value;
	bool unreadable;
} bmc_sensors[] = {
	{ 1, "GPU0_TEMP", CELSIUS, DOUBLE, 41.5, false },
	{ 2, "GPU1_TEMP", FAHRENHEIT, DOUBLE, 212, false },
	{ 3, "FAN0", IPMI_MONITORING_SENSOR_UNITS_RPM, DOUBLE, 9000, false },
	{ 4, "", CELSIUS, DOUBLE, 20, false },
	{ 5, "GPU0_HBM", CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNKNOWN, 0, true },
	{ 0xfffe, "GPU1_HBM", CELSIUS, DOUBLE, 39, false },
};

#define SENSORS	(sizeof(bmc_sensors) / sizeof(bmc_sensors[0]))

static int fails_at, fails_with, fails_after_ms, last_error, asked_for, calls_made;
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

/* Like the real library, calls back for the sensors before the one that fails. */
static int go(ipmi_monitoring_ctx_t context, const unsigned int *records, unsigned int count,
	      Ipmi_Monitoring_Callback call, void *data)
{
	int read = 0;
	unsigned int i;

	calls_made++;
	asked_for += count;
	for (i = 0; i < (records ? count : SENSORS); i++) {
		for (at = 0; at < SENSORS && records && bmc_sensors[at].record != (int)records[i]; at++)
			;
		at = records ? at : i;
		if (at == SENSORS) {
			last_error = IPMI_MONITORING_ERR_SENSOR_NOT_FOUND;
			return -1;
		}
		if (bmc_sensors[at].record == fails_at) {
			usleep(fails_after_ms * 1000);
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
	return bmc_sensors[at].record;
}

static char *lib_name(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return (char *)bmc_sensors[at].name;
}

static int lib_units(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc_sensors[at].units;
}

static int lib_type(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc_sensors[at].type;
}

static void *lib_reading(ipmi_monitoring_ctx_t context)
{
	(void)context;
	return bmc_sensors[at].unreadable ? NULL : &bmc_sensors[at].value;
}

static const struct ipmi_calls library = {
	.init = lib_init, .create = lib_create, .destroy = lib_destroy, .error = lib_error,
	.message = lib_message, .cache_directory = lib_cache, .by_record = lib_by_record,
	.by_type = lib_by_type, .record = lib_record, .name = lib_name, .units = lib_units,
	.reading_type = lib_type, .reading = lib_reading,
};

#endif /* IPMI_FAKE_H */
