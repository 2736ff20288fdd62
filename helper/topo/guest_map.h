/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices of the host a guest has, and where it has them. */
#ifndef GUEST_MAP_H
#define GUEST_MAP_H

#include "topo.h"

#define GUEST_ID_BYTES	128
#define GUEST_FILES_MAX	16
#define GUEST_SWITCHES	"ffff:ff:"	/* how addresses of made-up switches begin */

/**
 * struct guest_device - a device in a guest
 * @host: its address on the host, "" while that is unknown
 * @guest: its address in the guest, "" while that is unknown
 * @id: what the VMM calls it, or ""
 * @node: its NUMA node in the guest, NUMA_NONE where that is unknown
 * @vendor: that the guest sees, where @host is unknown; 0: unknown
 * @device: likewise
 * @index: on the host, once guest_map_settle() has found it
 * @computed: @guest is what a firmware would make of libvirt's addresses, not seen
 * @file: where it is from
 * @line: in that, 0 where lines mean nothing
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
	const char *file;
	int line;
};

/**
 * struct guest_map_files - files that together tell of a guest
 * @name: of each
 * @count: how many
 */
struct guest_map_files {
	const char *name[GUEST_FILES_MAX];
	int count;
};

/**
 * struct guest_map - all of them
 * @list: they; after guest_map_settle() in order of guest address
 * @count: how many
 * @nodes: how many NUMA nodes the guest has, 0 where that is unknown
 * @errors: what is wrong, so far
 */
struct guest_map {
	struct guest_device *list;
	size_t count;
	int nodes;
	int errors;
};

int guest_map_read(struct guest_map *map, const struct guest_map_files *files);
int guest_map_settle(struct guest_map *map, const struct topo *topo);
bool guest_map_has(const struct guest_map *map, const char *guest);
void guest_map_free(struct guest_map *map);

/* For those who read one form of it. */
struct guest_device *guest_map_add(struct guest_map *map, const char *file, int line);
void guest_map_wrong(struct guest_map *map, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void guest_map_lines(struct guest_map *map, const char *file, char *text, size_t size);
void guest_map_command(struct guest_map *map, const char *file, char *text, size_t size);
void guest_map_json(struct guest_map *map, const char *file, const char *text, size_t size);
void guest_map_libvirt(struct guest_map *map, const char *file, const char *text, size_t size);
void guest_bdf(char *bdf, unsigned int domain, unsigned int bus, unsigned int slot,
	       unsigned int function);

#endif /* GUEST_MAP_H */
