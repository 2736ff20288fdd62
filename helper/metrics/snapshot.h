/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the module and of the monitor at one moment. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "gpu_links.h"
#include "heat.h"
#include "nl.h"
#include "place.h"

/**
 * struct snapshot - the data behind the metrics
 * @devices: devices that the module manages
 * @missing: GPUs that an earlier apply found and that are gone, also without the module
 * @heat: temperatures, which the caller sets and frees; NULL without
 * @links: links of these devices, from sysfs
 * @stats: the module's statistics
 * @isolation: ports and functions that policy covers
 * @info: about the module
 * @place: progress of the monitor
 * @has_place: @place is valid
 * @module: the module is loaded; if not, all of the module's data is empty
 * @taken: time of the snapshot, ns since 1970
 * @taken_boottime: the same time, ns of CLOCK_BOOTTIME
 */
struct snapshot {
	struct devices devices;
	struct devices missing;
	const struct heat *heat;
	struct gpu_links links;
	struct stats stats;
	struct isolation isolation;
	struct nl_info info;
	struct place place;
	bool has_place;
	bool module;
	uint64_t taken;
	uint64_t taken_boottime;
};

int snapshot_take(struct nl *nl, const struct place *place,
		  struct snapshot *snapshot);
void snapshot_sort(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

#endif /* SNAPSHOT_H */
