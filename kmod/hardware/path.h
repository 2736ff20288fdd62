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

/**
 * struct instinct_port - a port on the path
 * @pdev: the port, referenced
 * @below: bus with the next function on the path, which keeps the bus; it may differ from
 *	Linux's @pdev->subordinate, see instinct_port_buses()
 * @role: role of the port on the path
 * @config: wanted state; package ports only
 * @restored: the module has restored the port, and has not verified that yet
 */
struct instinct_port {
	struct pci_dev *pdev;
	struct pci_bus *below;
	enum instinct_vfio_role role;
	struct instinct_config config;
	bool restored;
};

/**
 * struct instinct_path - ports from a GPU up to its root port
 * @port: ports, the one next to the GPU first
 * @count: number of ports
 * @swds: downstream port of the package, or NULL
 * @swus: upstream port of the package, or NULL
 */
struct instinct_path {
	struct instinct_port port[INSTINCT_PORTS_MAX];
	unsigned int count;
	struct instinct_port *swds;
	struct instinct_port *swus;
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

bool instinct_path_link_up(const struct instinct_path *path);
void instinct_path_retrain(const struct instinct_path *path);
int instinct_path_walk(struct instinct_path *path, struct pci_dev *gpu, struct mutex *lock);
void instinct_path_free(struct instinct_path *path);
bool instinct_path_package(struct pci_dev *gpu);
const char *instinct_path_stand_in(const struct instinct_path *path, struct pci_dev *gpu,
				   char *why);
bool instinct_path_intact(const struct instinct_path *path);
u32 instinct_port_buses(const struct instinct_port *port);
bool instinct_port_intact(const struct instinct_port *port);
void instinct_path_keep(struct instinct_path *path);
void instinct_path_restore(struct instinct_path *path);
void instinct_port_restore(struct instinct_port *port);
void instinct_path_unblock(const struct instinct_path *path, struct pci_dev *below,
			   enum instinct_vfio_unblock step);
struct pci_dev *instinct_path_link_port(const struct instinct_path *path);

#endif /* _INSTINCT_PATH_H */
