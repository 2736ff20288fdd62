/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path from a GPU up to its root port. Two of its ports, SWUS and SWDS,
 * are in the GPU's own package and lose their configuration with it.
 */
#ifndef _INSTINCT_FABRIC_H
#define _INSTINCT_FABRIC_H

#include <linux/pci.h>
#include <linux/instinct_vfio.h>

#include "config.h"

#define INSTINCT_PORTS_MAX	16

struct instinct_device;

/**
 * struct instinct_port - a port on the path
 * @pdev: it, referenced
 * @below: the bus below it, which is that of what it leads to; not always what Linux
 *	calls subordinate: see instinct_port_buses();
 *	held by what is on it
 * @role: what it is to the GPU
 * @config: what it is to hold; package ports only
 * @restored: it was written back, and that was not verified yet
 * @degraded: the link below it is slower or narrower than it could be
 */
struct instinct_port {
	struct pci_dev *pdev;
	struct pci_bus *below;
	enum instinct_vfio_role role;
	struct instinct_config config;
	bool restored;
	bool degraded;
};

/**
 * struct instinct_fabric - the path
 * @port: the ports, that next to the GPU first
 * @count: how many
 * @swds: the package's downstream port, or NULL
 * @swus: the package's upstream port, or NULL
 */
struct instinct_fabric {
	struct instinct_port port[INSTINCT_PORTS_MAX];
	unsigned int count;
	struct instinct_port *swds;
	struct instinct_port *swus;
};

bool instinct_fabric_link_up(const struct instinct_fabric *fabric);
void instinct_fabric_retrain(const struct instinct_fabric *fabric);
int instinct_fabric_walk(struct instinct_fabric *fabric, struct pci_dev *gpu, struct mutex *lock);
void instinct_fabric_free(struct instinct_fabric *fabric);
bool instinct_fabric_has_package(const struct instinct_fabric *fabric);
struct pci_dev *instinct_fabric_bus_port(const struct instinct_fabric *fabric,
					 enum instinct_vfio_bus_port where);
bool instinct_fabric_intact(const struct instinct_fabric *fabric);
u32 instinct_port_buses(const struct instinct_port *port);
struct instinct_window instinct_port_window(const struct instinct_port *port, bool pref);
bool instinct_port_intact(const struct instinct_port *port);
void instinct_fabric_keep(struct instinct_fabric *fabric);
void instinct_fabric_restore(struct instinct_fabric *fabric);
void instinct_port_restore(struct instinct_port *port);
void instinct_fabric_unblock(const struct instinct_fabric *fabric, struct pci_dev *below,
			     enum instinct_vfio_unblock rung);
void instinct_link_look(struct instinct_device *dev);
struct pci_dev *instinct_fabric_link_port(const struct instinct_fabric *fabric);

#endif /* _INSTINCT_FABRIC_H */
