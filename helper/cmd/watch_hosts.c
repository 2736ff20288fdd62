// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "core/profile.h"
#include "watch_parts.h"

static bool number(sd_device *device, const char *attribute, unsigned int *value)
{
	const char *text;
	char *end;

	if (sd_device_get_sysattr_value(device, attribute, &text) < 0)
		return false;
	*value = strtoul(text, &end, 16);
	return end != text && !*end;
}

static bool is_known(sd_device *device)
{
	unsigned int vendor, id;

	return number(device, "vendor", &vendor) && number(device, "device", &id) &&
	       instinct_profile_find(vendor, id);
}

/* The driver may bind a new GPU at any time, so its policy has to be there before. */
static int on_host(sd_device_monitor *monitor, sd_device *device, void *data)
{
	struct watch *watch = data;
	char why[TEXT_BYTES];
	sd_device_action_t action;
	const char *bdf;

	(void)monitor;
	if (sd_device_get_action(device, &action) < 0 || action != SD_DEVICE_ADD ||
	    sd_device_get_sysname(device, &bdf) < 0 || !is_known(device))
		return 0;
	snprintf(why, sizeof(why), "GPU %s has appeared", bdf);
	return loop_go_on(watch->loop, watch_soon(watch, why));
}

/**
 * watch_hosts_open() - subscribe to new PCI functions
 * @watch: the watch, with its event loop
 *
 * Return: 0 or a negative errno.
 */
int watch_hosts_open(struct watch *watch)
{
	int ret = sd_device_monitor_new(&watch->hosts);

	if (ret >= 0)
		ret = sd_device_monitor_filter_add_match_subsystem_devtype(watch->hosts,
									   "pci", NULL);
	if (ret >= 0)
		ret = sd_device_monitor_attach_event(watch->hosts, watch->loop);
	if (ret >= 0)
		ret = sd_device_monitor_start(watch->hosts, on_host, watch);
	return ret < 0 ? ret : 0;
}
