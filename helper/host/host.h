/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All PCI functions of a host, and of each its ACS and ATS, as sysfs shows them. */
#ifndef HOST_H
#define HOST_H

#include "isolation_plan.h"
#include "model.h"
#include "reach.h"

/**
 * struct host_link - the link above a function; of a port of a switch or of the root
 *	complex that leads downwards, the one below it
 * @speed: as it is, MT/s; 0: unknown, or there is none
 * @width: as it is, lanes; 0: likewise
 * @max_speed: that this end can do, MT/s
 * @max_width: that this end can do, lanes
 */
struct host_link {
	unsigned int speed;
	unsigned int width;
	unsigned int max_speed;
	unsigned int max_width;
};

/**
 * struct host_function - a function beyond its place
 * @bdf: it
 * @resetting: it is being reset, and was not looked at
 * @readable: its extended config space could be read
 * @guessed: its capabilities cannot be read, and what kind of port it is was concluded from
 *	where it is
 * @has_acs: it has ACS
 * @acs_capable: bits that its ACS Control has
 * @acs: ACS Control
 * @has_ats: it has ATS
 * @ats: ATS Control
 * @vfs: virtual functions that it has given away
 * @driver: its driver, "" without one
 * @group: its IOMMU group, GROUP_NONE without one
 * @numa: number of its NUMA node, -1 where that is unknown
 * @bridge: domain << 8 | bus of the host bridge that it is below, -1 where that is unknown
 * @link: as its config space has it; 0 where that cannot be read, before host_links_read()
 * @window: bus addresses that a port forwards downwards: 32-bit and prefetchable
 * @windows: how many of them are open
 */
struct host_function {
	char bdf[BDF_BYTES];
	bool resetting;
	bool readable;
	bool guessed;
	bool has_acs;
	uint16_t acs_capable;
	uint16_t acs;
	bool has_ats;
	uint16_t ats;
	unsigned int vfs;
	char driver[64];
	int group;
	int numa;
	int bridge;
	struct host_link link;
	struct {
		uint64_t start;
		uint64_t end;
	} window[2];
	unsigned int windows;
};

/**
 * struct host - a host
 * @topology: how its functions hang together
 * @node: the same, to be filled
 * @function: each of them, in order of their addresses
 * @port: their ACS, for reach_find()
 * @count: how many
 */
struct host {
	struct instinct_topology topology;
	struct instinct_node *node;
	struct host_function *function;
	struct reach_port *port;
	int count;
};

int host_read(struct host *host, const struct devices *gpus);
int host_find(const struct host *host, const char *bdf);
bool host_is_known(const struct host *host, int index);
bool host_has_vfio(const struct host_function *function);
void host_free(struct host *host);

#endif /* HOST_H */
