// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "source_ipmi.h"

#define LIBRARY	"libipmimonitoring.so.6"
#define DEVICE	"/dev/ipmi0"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
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
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	if (!library) {
		snprintf(why, size, "no IPMI: this host has " DEVICE ", but " LIBRARY " cannot be loaded: install it (Debian: libipmimonitoring6; elsewhere: freeipmi)");
		return false;
	}
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol) {
			snprintf(why, size, "no IPMI: " LIBRARY " has no %s", symbols[i].name);
			dlclose(library);
			return false;
		}
		memcpy((char *)calls + symbols[i].offset, &symbol, sizeof(symbol));
	}
	return true;
}

/**
 * ipmi_library() - the library, if this host has a BMC that the kernel's driver knows
 * @why: set for people, where there is no library
 * @size: of @why in bytes
 *
 * Loaded by name when it is first of use, so that nobody else needs it. It stays.
 *
 * Return: its calls, or NULL.
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
		/* The devices of a unit are those whose driver was there before it. */
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
