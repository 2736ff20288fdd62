// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>

#include "pci_config.h"
#include "core/profile.h"
#include "sysfs.h"
#include "sysroot.h"

static int port_type(const char *bdf)
{
	struct pci_config config;
	int type;

	pci_config_open(&config, bdf);
	type = pci_config_port_type(&config);
	pci_config_close(&config);
	return type;
}

static void add_port(struct device *dev, const char *bdf)
{
	struct port *port = &dev->port[dev->ports];
	long long vendor, device;

	if (dev->ports == PORTS_MAX ||
	    !sysfs_read_number(bdf, "vendor", &vendor) ||
	    !sysfs_read_number(bdf, "device", &device))
		return;
	snprintf(port->bdf, sizeof(port->bdf), "%s", bdf);
	port->vendor = vendor;
	port->device = device;
	port->role = instinct_profile_role(vendor, device, port_type(bdf));
	dev->ports++;
}

/**
 * sysfs_ports() - derive the ports above a device from its path in sysfs
 * @dev: device with its bdf; receives its ports, root port first
 */
void sysfs_ports(struct device *dev)
{
	char path[PATH_MAX], real[PATH_MAX], bdf[BDF_BYTES];
	char *part, *rest;

	sysfs_device_path(dev->bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return;
	/* …/pci0000:c0/0000:c0:01.0/0000:c1:00.0, the device itself last. */
	for (part = strtok_r(real, "/", &rest); part;
	     part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, bdf) && strcmp(bdf, dev->bdf))
			add_port(dev, bdf);
}
