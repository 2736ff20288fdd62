/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps devices of the host to their addresses in a guest. */
#ifndef GUEST_MAP_H
#define GUEST_MAP_H

#include <jansson.h>

#include "topo.h"

#define GUEST_ID_BYTES	128
#define GUEST_FILES_MAX	16
#define GUEST_CELL_MANY	(-1)
#define GUEST_SWITCHES	"ffff:ff:"	/* prefix of the invented addresses of switches */

/**
 * struct guest_device - a device in a guest
 * @host: address on the host, "" while unknown
 * @guest: address in the guest, "" while unknown
 * @id: the VMM's name of the device, or ""
 * @node: NUMA node in the guest, NUMA_NONE while unknown
 * @vendor: Vendor ID that the guest sees, set if @host is unknown; 0 if unknown
 * @device: Device ID that the guest sees, set if @host is unknown
 * @index: index on the host, set by guest_map_settle()
 * @computed: @guest was computed: from libvirt's addresses the way firmware numbers buses, or the
 *	way Cloud Hypervisor numbers devices; "" if that depends on the VMM's unknown version
 * @alike: number of the host's devices that it may be, -1 if nothing says; 0 if @host is known
 * @whole: the VMM passes all functions of @host's device (Proxmox)
 * @mapping: Proxmox's resource mapping that names the device, "" if the file names it
 * @file: file that describes the device
 * @line: line in @file, 0 if the file has no meaningful lines
 */
struct guest_device {
	char host[BDF_BYTES];
	char guest[BDF_BYTES];
	char id[GUEST_ID_BYTES];
	int node;
	unsigned int vendor;
	unsigned int device;
	int index;
	bool computed;
	int alike;
	bool whole;
	char mapping[GUEST_ID_BYTES];
	const char *file;
	int line;
};

/**
 * struct guest_mapping - a resource mapping of Proxmox
 * @name: its name
 * @path: devices of the host on which the VM runs, separated by ";"
 * @more: the mapping has other devices too, and Proxmox takes one that is free
 */
struct guest_mapping {
	char name[GUEST_ID_BYTES];
	char path[256];
	bool more;
};

/**
 * struct guest_map_files - files that together describe a guest
 * @name: names of the files
 * @count: number of entries in @name
 * @cloud_version: finds the version of the host's Cloud Hypervisor, or returns false; or NULL
 */
struct guest_map_files {
	const char *name[GUEST_FILES_MAX];
	int count;
	bool (*cloud_version)(char *version, size_t size);
};

/**
 * struct guest_map - the devices of a guest
 * @list: devices; sorted by guest address after guest_map_settle()
 * @count: number of entries in @list
 * @mapping: resource mappings of Proxmox
 * @mappings: number of entries in @mapping
 * @nodes: number of NUMA nodes of the guest, 0 if unknown
 * @cell_of: for each NUMA node of the host, one more than the guest's node that has its memory
 *	from there; 0 if unknown, GUEST_CELL_MANY if several have
 * @pinned: for each NUMA node of the guest, one more than the first and last CPU of the host
 *	that its virtual CPUs are pinned to; 0 if unknown
 * @version: version of Cloud Hypervisor that a file tells, or ""
 * @cloud_version: as in struct guest_map_files
 * @errors: number of errors reported so far
 */
struct guest_map {
	struct guest_device *list;
	size_t count;
	struct guest_mapping *mapping;
	size_t mappings;
	int nodes;
	int cell_of[NUMA_NODES_MAX];
	int pinned[NUMA_NODES_MAX][2];
	char version[64];
	bool (*cloud_version)(char *version, size_t size);
	int errors;
};

int guest_map_read(struct guest_map *map, const struct guest_map_files *files);
int guest_map_settle(struct guest_map *map, const struct topo *topo);
bool guest_map_has(const struct guest_map *map, const char *guest);
void guest_map_free(struct guest_map *map);

/* For the parsers of the individual formats. */
struct guest_device *guest_map_add(struct guest_map *map, const char *file, int line);
void guest_map_wrong(struct guest_map *map, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void guest_map_info_pci(struct guest_map *map, const char *file, char *text);
void guest_map_info_qtree(struct guest_map *map, const char *file, char *text);
void guest_map_proxmox(struct guest_map *map, const char *file, char *text);
bool guest_map_proxmox_json(struct guest_map *map, const char *file, const json_t *json);
void guest_map_proxmox_expand(struct guest_map *map, const struct topo *topo);
void guest_map_cloud(struct guest_map *map, const char *file, char *text, size_t size);
bool guest_map_cloud_json(struct guest_map *map, const char *file, const json_t *json);
void guest_map_lines(struct guest_map *map, const char *file, char *text, size_t size);
void guest_map_command(struct guest_map *map, const char *file, char *text, size_t size);
void guest_map_json(struct guest_map *map, const char *file, const char *text, size_t size);
void guest_map_libvirt(struct guest_map *map, const char *file, const char *text, size_t size);
bool guest_device_option(const char *device, const char *key, char *value, size_t size);
bool guest_device_is_vfio(const char *device);
void guest_device_host(const char *device, char *host, size_t size);
void guest_bdf(char *bdf, unsigned int domain, unsigned int bus, unsigned int slot,
	       unsigned int function);

#endif /* GUEST_MAP_H */
