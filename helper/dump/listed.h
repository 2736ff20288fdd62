/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions as another program lists them, and the sysfs that a capture would have of them. */
#ifndef LISTED_H
#define LISTED_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "tree.h"

#define LISTED_NAMES	4
#define LISTED_BARS	6

/**
 * struct listed_bar - a BAR that the program lists
 * @start: address
 * @bytes: size, 0 without a BAR
 * @flags: IORESOURCE_* as in sysfs
 */
struct listed_bar {
	uint64_t start;
	uint64_t bytes;
	uint64_t flags;
};

/**
 * struct listed - a PCI function
 * @bdf: address with the domain
 * @number: domain << 16 | bus << 8 | devfn
 * @has_ids: @vendor and @device are known
 * @vendor: Vendor ID
 * @device: Device ID
 * @subvendor: Subsystem Vendor ID
 * @subdevice: Subsystem ID
 * @has_class: @class is known
 * @class: base class, sub-class, interface
 * @secondary: bus below a bridge, -1 for any other function
 * @subordinate: last bus below a bridge
 * @numa: number of the NUMA node, -1 if unknown
 * @group: number of the IOMMU group, -1 if unknown
 * @driver: name of the driver, "" if unknown
 * @physfn: address of a VF's PF, "" for any other function
 * @vfs: number of VFs that are enabled
 * @speed: speed of the link above the function in GB/s, "" if unknown
 * @config: config space from its beginning, as far as it is known
 * @bar: BARs
 * @bars: the program lists BARs
 * @name: kernel names as paths below the function's folder, such as "net/eth0"
 * @names: number of entries in @name
 * @parent: index of the bridge above, -1 without one; set by listed_write()
 */
struct listed {
	char bdf[BDF_BYTES];
	uint64_t number;
	bool has_ids;
	uint32_t vendor;
	uint32_t device;
	uint32_t subvendor;
	uint32_t subdevice;
	bool has_class;
	uint32_t class;
	int secondary;
	int subordinate;
	int numa;
	int group;
	char driver[32];
	char physfn[BDF_BYTES];
	unsigned int vfs;
	char speed[32];
	struct bytes config;
	struct listed_bar bar[LISTED_BARS];
	bool bars;
	char name[LISTED_NAMES][64];
	int names;
	int parent;
};

/**
 * struct listing - all functions of a host
 * @list: functions
 * @count: number of entries in @list
 * @drivers: the program lists drivers, so a function without a driver has none
 */
struct listing {
	struct listed *list;
	size_t count;
	bool drivers;
};

struct listed *listed_add(struct listing *listing, const char *bdf);
bool listed_is_word(const char *word);
void listed_name(struct listed *listed, const char *folder, const char *name);
void listed_write(struct listing *listing, struct tree *tree);
void listed_free(struct listing *listing);

#endif /* LISTED_H */
