// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iopoll.h>
#include <linux/slab.h>

#include "core/event.h"
#include "core/profile.h"
#include "hardware/path.h"

#define RETRAIN_POLL_US	2000
#define RETRAIN_WAIT_US	(50 * USEC_PER_MSEC)

static enum instinct_package_port port_of(struct pci_dev *port)
{
	return instinct_profile_port(port->vendor, port->device,
				     pci_is_pcie(port) ? pci_pcie_type(port) : -1);
}

/**
 * instinct_path_package() - is there a package switch right above a GPU?
 * @gpu: function, referenced
 *
 * Return: true if the ports above it are SWDS and SWUS.
 */
bool instinct_path_package(struct pci_dev *gpu)
{
	struct pci_dev *swds = pci_upstream_bridge(gpu);
	struct pci_dev *swus = swds ? pci_upstream_bridge(swds) : NULL;

	return swus && port_of(swds) == INSTINCT_PACKAGE_SWDS &&
	       (port_of(swus) == INSTINCT_PACKAGE_SWUS ||
		(swus->vendor == INSTINCT_VENDOR_AMD && pci_is_pcie(swus) &&
		 pci_pcie_type(swus) == PCI_EXP_TYPE_UPSTREAM));
}

/**
 * instinct_path_walk() - find the ports above a GPU
 * @path: path, set
 * @gpu: function; its driver's probe or remove holds the device lock, which keeps the ports
 * @lock: the GPU's reset_lock
 *
 * Return: 0, or -E2BIG for a path longer than INSTINCT_PORTS_MAX.
 */
int instinct_path_walk(struct instinct_path *path, struct pci_dev *gpu, struct mutex *lock)
{
	struct pci_bus *below = gpu->bus;
	struct instinct_port *port;
	struct pci_dev *pdev;

	for (pdev = pci_upstream_bridge(gpu); pdev; pdev = pci_upstream_bridge(pdev)) {
		port = &path->port[path->count];
		if (path->count == INSTINCT_PORTS_MAX)
			return -E2BIG;
		port->pdev = pci_dev_get(pdev);
		port->below = below;
		below = pdev->bus;
		path->count++;
	}

	/* The ports of the GPU's package are the two right above the GPU. */
	path->link = path->port[0].pdev;
	if (instinct_path_package(gpu)) {
		path->link = path->port[2].pdev;
		path->swds = &path->port[0];
		path->swus = &path->port[1];
		for (port = path->swds; port <= path->swus; port++)
			instinct_config_setup(&port->config, port->pdev, port, lock);
	}
	return 0;
}

/**
 * instinct_path_free() - drop the references to the ports
 * @path: path; it may be empty
 */
void instinct_path_free(struct instinct_path *path)
{
	for (; path->count; path->count--) {
		kfree(path->port[path->count - 1].config.baseline);
		pci_dev_put(path->port[path->count - 1].pdev);
	}
}

/**
 * instinct_path_link_up() - is the link to the package up?
 * @path: path
 *
 * Return: false if the port above reports a link that is not up; true if the port cannot report it
 * (PCIe r6.0 sec 7.5.3.6, Data Link Layer Link Active Reporting).
 */
bool instinct_path_link_up(const struct instinct_path *path)
{
	u16 status;

	if (!path->link || !path->link->link_active_reporting)
		return true;
	pcie_capability_read_word(path->link, PCI_EXP_LNKSTA, &status);
	return status & PCI_EXP_LNKSTA_DLLLA;
}

/**
 * instinct_port_intact() - does a port have its bus numbers and its windows?
 * @port: port of the package
 *
 * Return: false if the port has lost them, or still holds its secondary bus in reset: the write
 * that ends a secondary bus reset does not reach the port while a switch answers for it.
 */
bool instinct_port_intact(const struct instinct_port *port)
{
	u16 control;

	pci_read_config_word(port->pdev, PCI_BRIDGE_CONTROL, &control);
	return port->pdev->subordinate && !(control & PCI_BRIDGE_CTL_BUS_RESET) &&
	       instinct_config_intact(&port->config);
}

/**
 * instinct_path_intact() - do config accesses reach the GPU?
 * @path: path
 *
 * Return: false if the link above is down, or instinct_port_intact() is false for a port of the package.
 */
bool instinct_path_intact(const struct instinct_path *path)
{
	return instinct_path_link_up(path) &&
	       (!instinct_path_has_package(path) ||
		(instinct_port_intact(path->swus) && instinct_port_intact(path->swds)));
}

/**
 * instinct_path_stand_in() - does something else answer for the GPU, or for its package?
 * @path: path
 * @gpu: function
 * @why: buffer of INSTINCT_REASON_BYTES; set to a text that names the function and the switch
 *
 * The function asks nobody below a port that is not intact: that would be an error at a port.
 *
 * Return: @why, or NULL if each function answers for itself, is not ready, or does not answer.
 */
const char *instinct_path_stand_in(const struct instinct_path *path, struct pci_dev *gpu,
				   char *why)
{
	struct pci_dev *pdev;
	unsigned int i = instinct_path_has_package(path) ? 2 : 0;
	u32 other;

	if (!instinct_path_link_up(path))
		return NULL;
	do {
		pdev = i ? path->port[i - 1].pdev : gpu;
		other = instinct_endpoint_other(pdev);
	} while (!other && i && instinct_port_intact(&path->port[i - 1]) && i--);
	if (other == (INSTINCT_PLACEHOLDER_DEVICE << 16 | INSTINCT_PLACEHOLDER_VENDOR))
		snprintf(why, INSTINCT_REASON_BYTES,
			 INSTINCT_PLACEHOLDER_TEXT,
			 pci_name(pdev), path->link ? pci_name(path->link) : "above it");
	else if (instinct_endpoint_stranger(other))
		snprintf(why, INSTINCT_REASON_BYTES, "%s reads as another device, %04x:%04x",
			 pci_name(pdev), other & 0xffff, other >> 16);
	else
		return NULL;
	return why;
}

/**
 * instinct_path_keep() - make the current state of the package's ports their baseline
 * @path: path
 *
 * The function does nothing for a path that is not intact, so that the old baseline stays.
 *
 * Context: as instinct_config_keep().
 */
void instinct_path_keep(struct instinct_path *path)
{
	if (!instinct_path_has_package(path) || !instinct_path_intact(path))
		return;
	instinct_config_set_base(&path->swus->config);
	instinct_config_set_base(&path->swds->config);
}

/**
 * instinct_port_restore() - restore a port of the package
 * @port: port; a caller restores SWUS before SWDS, as amdgpu_device_load_switch_state() does
 *
 * Context: as instinct_config_restore().
 */
void instinct_port_restore(struct instinct_port *port)
{
	if (!port->pdev->subordinate)
		return;
	port->restored = true;
	instinct_config_restore(&port->config, port->config.baseline, true);
}

/**
 * instinct_path_unblock() - try a remedy for a switch that swallows config writes
 * @path: path
 * @below: function that the writes do not reach: the GPU, or a port of its package
 * @step: strongest remedy to try
 *
 * The function works on the ports between @below and the upper end of the package's link. Ports
 * further up carry traffic of other devices.
 *
 * Context: may sleep.
 */
void instinct_path_unblock(const struct instinct_path *path, struct pci_dev *below,
			   enum instinct_vfio_unblock step)
{
	const struct instinct_port *port = path->port, *end = port + path->count;
	u32 read;
	bool up;

	while (port < end && port->below != below->bus)
		port++;
	for (; port < end; port++) {
		pci_read_config_dword(port->pdev, PCI_VENDOR_ID, &read);
		pci_read_config_dword(port->pdev, PCI_PRIMARY_BUS, &read);
		/* A port without its bus numbers has lost all registers, and needs a full restore. */
		if (step >= INSTINCT_VFIO_UNBLOCK_BUSES && port->pdev->subordinate &&
		    (read & INSTINCT_BRIDGE_BUSES) == instinct_port_buses(port))
			pci_write_config_dword(port->pdev, PCI_PRIMARY_BUS, instinct_port_buses(port));
		if (port->pdev == path->link)
			break;
	}
	if (step < INSTINCT_VFIO_UNBLOCK_RETRAIN || !path->link)
		return;
	pcie_capability_set_word(path->link, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_RL);
	read_poll_timeout(instinct_path_link_up, up, up, RETRAIN_POLL_US, RETRAIN_WAIT_US, true, path);
}
