// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "source_ipmi.h"

#define LIBRARY	"libipmimonitoring.so.6"
#define DEVICE	"/dev/ipmi0"

LIBRARY_NOTE("ipmi", "recommended", "\"" LIBRARY "\"");

static const struct library_call symbols[] = {
#define SYMBOL(_call, _name)	{ "ipmi_monitoring_" #_name, offsetof(struct ipmi_calls, _call) }
	SYMBOL(init, init),
	SYMBOL(create, ctx_create),
	SYMBOL(destroy, ctx_destroy),
	SYMBOL(error, ctx_errnum),
	SYMBOL(message, ctx_errormsg),
	SYMBOL(cache_directory, ctx_sdr_cache_directory),
	SYMBOL(by_record, sensor_readings_by_record_id),
	SYMBOL(by_type, sensor_readings_by_sensor_type),
	SYMBOL(record, sensor_read_record_id),
	SYMBOL(name, sensor_read_sensor_name),
	SYMBOL(units, sensor_read_sensor_units),
	SYMBOL(reading_type, sensor_read_sensor_reading_type),
	SYMBOL(reading, sensor_read_sensor_reading),
};

static bool load(struct ipmi_calls *calls, char *why, size_t size)
{
	const char *missing;

	if (library_open(LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0]), calls, &missing))
		return true;
	if (missing)
		snprintf(why, size, "no IPMI: " LIBRARY " has no %s", missing);
	else
		snprintf(why, size, "no IPMI: this host has " DEVICE ", but " LIBRARY " cannot be loaded: install it (Debian: libipmimonitoring6; elsewhere: freeipmi)");
	return false;
}

/**
 * ipmi_library() - load libipmimonitoring if the kernel's IPMI driver has found a BMC
 * @why: set to a message for the log if the library is not usable
 * @size: of @why in bytes
 *
 * The function loads the library at run time, so that hosts without a BMC need not install
 * it. The library stays loaded.
 *
 * Return: the library's calls, or NULL.
 */
const struct ipmi_calls *ipmi_library(char *why, size_t size)
{
	static struct ipmi_calls calls;
	static bool loaded;

	if (access(DEVICE, F_OK)) {
		snprintf(why, size, "no IPMI: there is no " DEVICE "; on a host with a BMC load the kernel's driver: modprobe -a ipmi_si ipmi_devintf");
		return NULL;
	}
	if (access(DEVICE, R_OK | W_OK)) {
		/* systemd resolves a unit's DeviceAllow= when it starts the unit, not later. */
		if (errno == EPERM)
			snprintf(why, size, "no IPMI: the service may not open " DEVICE ", whose driver was loaded after it: systemctl restart instinct-vfio-monitor");
		else
			snprintf(why, size, "no IPMI: cannot open " DEVICE ": %s; run this as root",
				 strerror(errno));
		return NULL;
	}
	if (!loaded)
		loaded = load(&calls, why, size);
	return loaded ? &calls : NULL;
}
