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
	*port = (struct port) { .vendor = vendor, .device = device };
	snprintf(port->bdf, sizeof(port->bdf), "%s", bdf);
	dev->ports++;
}

/*
 * The two ports right above a GPU are its package's, if they are AMD's: their place tells their types. A
 * reset may be under way, and nothing may touch the package then.
 */
static bool is_packaged(const struct device *dev, const struct port *port)
{
	bool swds = port == &dev->port[dev->ports - 1];

	if (!swds && (port + 2 != &dev->port[dev->ports] || port[1].role != PORT_SWDS))
		return false;
	return instinct_profile_port(port->vendor, port->device, swds ? PCI_EXP_TYPE_DOWNSTREAM :
				     PCI_EXP_TYPE_UPSTREAM) ||
	       (!swds && port->vendor == INSTINCT_VENDOR_AMD);
}

static enum port_role role_of(int type)
{
	switch (type) {
	case PCI_EXP_TYPE_ROOT_PORT:
		return PORT_ROOT_PORT;
	case PCI_EXP_TYPE_UPSTREAM:
		return PORT_SWITCH_UPSTREAM;
	case PCI_EXP_TYPE_DOWNSTREAM:
		return PORT_SWITCH_DOWNSTREAM;
	default:
		return PORT_OTHER;
	}
}

/**
 * sysfs_place() - derive a device's IDs, NUMA node and ports from sysfs
 * @dev: device with its bdf; receives vendor, device, node, and its ports, root port first
 *
 * No register of the device is read, nor of the ports of its package.
 */
void sysfs_place(struct device *dev)
{
	char path[PATH_MAX], real[PATH_MAX], bdf[BDF_BYTES];
	long long number;
	char *part, *rest;
	struct port *port;

	if (sysfs_read_number(dev->bdf, "vendor", &number))
		dev->vendor = number;
	if (sysfs_read_number(dev->bdf, "device", &number))
		dev->device = number;
	dev->numa_node = sysfs_read_number(dev->bdf, "numa_node", &number) ? (int)number : -1;
	dev->ports = 0;
	sysfs_device_path(dev->bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return;
	/* …/pci0000:c0/0000:c0:01.0/0000:c1:00.0, the device itself last. */
	for (part = strtok_r(real, "/", &rest); part;
	     part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, bdf) && strcmp(bdf, dev->bdf))
			add_port(dev, bdf);
	for (port = dev->port + dev->ports; port-- > dev->port;)
		port->role = !is_packaged(dev, port) ? role_of(port_type(port->bdf)) :
			     port == &dev->port[dev->ports - 1] ? PORT_SWDS : PORT_SWUS;
}
