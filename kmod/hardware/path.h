/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path from a GPU up to its root port. Two of its ports, SWUS and SWDS, are in the GPU's own
 * package and lose their configuration when the GPU does.
 */
#ifndef _INSTINCT_PATH_H
#define _INSTINCT_PATH_H

#include <linux/pci.h>
#include <linux/instinct_vfio.h>

#include "hardware/config.h"

#define INSTINCT_PORTS_MAX	16
/* The reason for which a GPU without a package switch refuses method "bus". */
#define INSTINCT_PATH_UNPACKAGED \
	"method bus needs the package switch (SWUS, SWDS) above the GPU, and there is none"

/**
 * struct instinct_port - a port on the path
 * @pdev: the port, referenced
 * @below: bus with the next function on the path, which keeps the bus; it may differ from
 *	Linux's @pdev->subordinate, see instinct_port_buses()
 * @config: wanted state; package ports only
 * @restored: the module has restored the port, and has not verified that yet
 */
struct instinct_port {
	struct pci_dev *pdev;
	struct pci_bus *below;
	struct instinct_config config;
	bool restored;
};

/**
 * struct instinct_path - ports from a GPU up to its root port
 * @port: ports, the one next to the GPU first
 * @count: number of ports
 * @swds: downstream port of the package, or NULL
 * @swus: upstream port of the package, or NULL
 * @link: port at the upper end of the link to the package, or to a GPU without one; NULL without
 *	such a port
 */
struct instinct_path {
	struct instinct_port port[INSTINCT_PORTS_MAX];
	unsigned int count;
	struct instinct_port *swds;
	struct instinct_port *swus;
	struct pci_dev *link;
};

/**
 * instinct_path_has_package() - is there a package switch above the GPU?
 * @path: path
 *
 * Return: true if the path has SWDS and SWUS.
 */
static inline bool instinct_path_has_package(const struct instinct_path *path)
{
	return path->swus;
}

/**
 * instinct_port_buses() - make the register with a port's bus numbers
 * @port: any port on the path
 *
 * The numbers are those of the bus that holds the devices below the port. If Linux enumerates while
 * the port has lost its numbers, it adds another bus below the port and leaves that one in place.
 *
 * Return: the dword at PCI_PRIMARY_BUS, with secondary latency timer 0.
 */
static inline u32 instinct_port_buses(const struct instinct_port *port)
{
	const struct resource *below = &port->below->busn_res;

	return port->pdev->bus->number | below->start << 8 | below->end << 16;
}

bool instinct_path_link_up(const struct instinct_path *path);
void instinct_path_free(struct instinct_path *path);
int instinct_path_walk(struct instinct_path *path, struct pci_dev *gpu, struct mutex *lock);
bool instinct_path_package(struct pci_dev *gpu);
const char *instinct_path_stand_in(const struct instinct_path *path, struct pci_dev *gpu,
				   char *why);
bool instinct_path_intact(const struct instinct_path *path);
bool instinct_port_intact(const struct instinct_port *port);
void instinct_path_keep(struct instinct_path *path);
void instinct_port_restore(struct instinct_port *port);
void instinct_path_unblock(const struct instinct_path *path, struct pci_dev *below,
			   enum instinct_vfio_unblock step);

#endif /* _INSTINCT_PATH_H */
