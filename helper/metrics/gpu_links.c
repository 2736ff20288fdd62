// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu_links.h"
#include "sysfs_folder.h"

/* A lost GPU does not answer, and in a reset a read may reach the GPU at the worst moment. */
static bool answers(const struct device *dev)
{
	return dev->state == INSTINCT_VFIO_STATE_READY ||
	       dev->state == INSTINCT_VFIO_STATE_BLOCKED ||
	       dev->state == INSTINCT_VFIO_STATE_QUARANTINED;
}

/* A GPU that a reset has reached meanwhile reads as all ones, which no link has. */
static void read_link(struct host_link *link, int folder, const char *above)
{
	struct host_link other;
	int parent;

	host_link_read(link, folder);
	parent = above ? sysfs_folder_open(above) : -1;
	if (parent >= 0) {
		host_link_read(&other, parent);
		host_link_limit(link, &other);
		close(parent);
	}
	if (!link->speed || !link->width || !link->max_width)
		*link = (struct host_link) { 0 };
}

static void add(struct gpu_links *links, const struct device *dev, const char *port,
		bool has_link, const char *above)
{
	int folder = sysfs_folder_open(port);
	struct gpu_link *link;

	if (folder < 0)
		return;
	link = list_add((void **)&links->list, &links->count, sizeof(*link));
	snprintf(link->bdf, sizeof(link->bdf), "%s", dev->bdf);
	snprintf(link->port, sizeof(link->port), "%s", port);
	if (has_link && answers(dev))
		read_link(&link->link, folder, above);
	aer_read(&link->aer, folder);
	close(folder);
}

/* The index of the port to which the package is connected. */
static unsigned int port_above_package(const struct device *dev)
{
	unsigned int i = dev->ports;

	while (i && (dev->port[i - 1].role == PORT_SWUS ||
		     dev->port[i - 1].role == PORT_SWDS))
		i--;
	return i ? i - 1 : 0;
}

/**
 * gpu_links_read() - read the links and AER counters of managed GPUs
 * @links: receives them; the caller calls gpu_links_free()
 * @devices: GPUs as the module has just reported them, with their states and ports
 *
 * No register of a GPU that is in reset or lost is read, nor of the ports of its package.
 */
void gpu_links_read(struct gpu_links *links, const struct devices *devices)
{
	unsigned int k;
	size_t i;

	*links = (struct gpu_links) { 0 };
	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];
		const char *above = NULL;

		/* The ports of one switch have no link between them. */
		for (k = 0; k < dev->ports; k++) {
			const struct port *port = &dev->port[k];
			bool has_link = port->role == PORT_SWUS ||
					port->role == PORT_SWITCH_UPSTREAM;

			if (has_link || k >= port_above_package(dev))
				add(links, dev, port->bdf, has_link, above);
			above = port->bdf;
		}
		add(links, dev, dev->bdf, true, above);
	}
}

/**
 * gpu_links_free() - free the memory of links
 * @links: links, left empty
 */
void gpu_links_free(struct gpu_links *links)
{
	free(links->list);
	*links = (struct gpu_links) { 0 };
}
