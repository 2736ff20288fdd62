/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that the module and the monitor know at one moment. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "nl.h"
#include "place.h"

/**
 * struct snapshot - what metrics are made of
 * @devices: that the module manages
 * @stats: what it has counted
 * @isolation: ports and functions that policy speaks of
 * @info: about the module
 * @place: where the monitor is
 * @has_place: there is a monitor
 * @module: the module is loaded; if not, all of the above is empty
 * @taken: when, ns since 1970
 */
struct snapshot {
	struct devices devices;
	struct stats stats;
	struct isolation isolation;
	struct nl_info info;
	struct place place;
	bool has_place;
	bool module;
	uint64_t taken;
};

int snapshot_take(struct nl *nl, const struct place *place,
		  struct snapshot *snapshot);
void snapshot_sort(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

#endif /* SNAPSHOT_H */
