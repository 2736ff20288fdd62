/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All PCI functions of a host with their ACS and ATS, as sysfs shows them. */
#ifndef HOST_H
#define HOST_H

#include "isolation/plan.h"
#include "model.h"
#include "reach.h"

/**
 * struct host_link - link above a function, or below a root port or downstream port
 * @speed: current speed, MT/s; 0 if it is unknown or there is no link
 * @width: current width, lanes; 0 if it is unknown or there is no link
 * @max_speed: highest speed that this end supports, MT/s
 * @max_width: largest width that this end supports, lanes
 */
struct host_link {
	unsigned int speed;
	unsigned int width;
	unsigned int max_speed;
	unsigned int max_width;
};

/**
 * struct host_function - facts about a function other than its place in the topology
 * @bdf: address of the function
 * @resetting: the function is in reset, and its config space was not read
 * @readable: its extended config space could be read
 * @guessed: its capabilities cannot be read, so the kind of port is derived from its place
 * @has_acs: the function has ACS
 * @acs_capable: bits that its ACS Control implements
 * @acs: ACS Control
 * @isolates: the function isolates without ACS, see quirk_isolates()
 * @has_ats: the function has ATS
 * @ats: ATS Control
 * @vfs: number of virtual functions that it has enabled
 * @driver: name of its driver, "" without one
 * @group: number of its IOMMU group, GROUP_NONE without one
 * @numa: number of its NUMA node, -1 if unknown
 * @bridge: domain << 8 | bus of the host bridge above it, -1 if unknown
 * @link: link from its config space; zeroed until host_links_read() if that cannot be read
 * @window: bus addresses that a port forwards downstream: 32-bit and prefetchable window
 * @windows: number of open windows
 */
struct host_function {
	char bdf[BDF_BYTES];
	bool resetting;
	bool readable;
	bool guessed;
	bool has_acs;
	uint16_t acs_capable;
	uint16_t acs;
	bool isolates;
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
 * struct host - the PCI functions of a host
 * @topology: topology of its functions, made of @node
 * @node: place of each function in the topology
 * @function: other facts about each function, in order of address
 * @port: ACS of each function, for reach_find()
 * @count: number of functions
 * @unread: addresses of functions that are left out, since sysfs does not tell what they are
 * @unreads: number of these
 * @tells_drivers: a function without a driver has none; false for a capture that has no drivers
 * @tells_groups: a function without an IOMMU group has none; false for a capture without groups
 */
struct host {
	struct instinct_topology topology;
	struct instinct_node *node;
	struct host_function *function;
	struct reach_port *port;
	int count;
	char (*unread)[BDF_BYTES];
	size_t unreads;
	bool tells_drivers;
	bool tells_groups;
};

int host_read(struct host *host, const struct devices *gpus);
int host_find(const struct host *host, const char *bdf);
void host_unread_text(const struct host *host, char *text, size_t size);
bool host_is_known(const struct host *host, int index);
bool host_has_vfio(const struct host_function *function);
bool host_waits_for_user(const struct host_function *function);
const char *host_unread_why(void);
const char *host_unread_remedy(void);
bool host_capture_has(const char *path);
bool host_tells(const char *link, const char *folder);
void host_free(struct host *host);

#endif /* HOST_H */
