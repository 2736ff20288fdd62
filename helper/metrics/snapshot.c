// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "host_clock.h"
#include "missing.h"
#include "snapshot.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_address(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return strcmp(x->bdf, y->bdf);
}

static int by_stats_address(const void *a, const void *b)
{
	const struct device_stats *x = a, *y = b;

	return strcmp(x->bdf, y->bdf);
}

static int by_endpoint(const void *a, const void *b)
{
	const struct isolated *x = a, *y = b;

	return strcmp(x->of, y->of) ?: strcmp(x->bdf, y->bdf);
}

static int by_what(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	return compare_numbers(x->method, y->method) ?:
	       compare_numbers(x->cause, y->cause) ?:
	       compare_numbers(x->result, y->result) ?:
	       compare_numbers(x->event, y->event);
}

static int by_of(const void *a, const void *b)
{
	const struct duration *x = a, *y = b;

	return compare_numbers(x->of, y->of);
}

static void sort(void *list, size_t count, size_t size,
		 int (*compare)(const void *, const void *))
{
	if (count)
		qsort(list, count, size, compare);
}

/**
 * snapshot_sort() - sort all lists, so that equal snapshots yield equal texts
 * @snapshot: snapshot
 */
void snapshot_sort(struct snapshot *snapshot)
{
	struct stats *stats = &snapshot->stats;
	size_t i;

	sort(snapshot->devices.list, snapshot->devices.count,
	     sizeof(*snapshot->devices.list), by_address);
	sort(snapshot->isolation.list, snapshot->isolation.count,
	     sizeof(*snapshot->isolation.list), by_endpoint);
	sort(stats->duration, stats->durations, sizeof(*stats->duration), by_of);
	sort(stats->phase, stats->phases, sizeof(*stats->phase), by_of);
	sort(stats->device, stats->devices, sizeof(*stats->device), by_stats_address);
	for (i = 0; i < stats->devices; i++) {
		sort(stats->device[i].reset, stats->device[i].resets,
		     sizeof(struct tally), by_what);
		sort(stats->device[i].event, stats->device[i].events,
		     sizeof(struct tally), by_what);
	}
}

/* missing_add() adds to GPUs whose serial numbers are known. */
static void find_missing(struct snapshot *snapshot)
{
	struct devices all = { 0 };
	size_t i;

	devices_append(&all, &snapshot->devices);
	missing_add(&all);
	for (i = 0; i < all.count; i++)
		if (all.list[i].state == STATE_MISSING)
			*devices_add(&snapshot->missing) = all.list[i];
	devices_free(&all);
}

static int ask(struct nl *nl, struct snapshot *snapshot)
{
	return nl_devices_get(nl, &snapshot->devices) ?:
	       nl_stats_get(nl, &snapshot->stats) ?:
	       nl_isolation_get(nl, &snapshot->isolation) ?:
	       nl_info_get(nl, &snapshot->info);
}

/**
 * snapshot_take() - query the module for its whole state, and sysfs for links
 * @nl: netlink socket, NULL if the module is not loaded
 * @place: progress of the monitor, NULL if not known
 * @snapshot: set; the caller calls snapshot_free() even on failure
 *
 * Return: 0 or a negative errno.
 */
int snapshot_take(struct nl *nl, const struct place *place,
		  struct snapshot *snapshot)
{
	struct host_clock now = host_clock_now();
	int ret = 0;

	*snapshot = (struct snapshot) {
		.has_place = place,
		.module = nl,
		.taken = now.realtime,
		.taken_boottime = now.boottime,
	};
	if (place)
		snapshot->place = *place;
	if (nl)
		ret = ask(nl, snapshot);
	find_missing(snapshot);
	snapshot_sort(snapshot);
	gpu_links_read(&snapshot->links, &snapshot->devices);
	return ret;
}

/**
 * snapshot_free() - free a snapshot's lists
 * @snapshot: snapshot
 */
void snapshot_free(struct snapshot *snapshot)
{
	devices_free(&snapshot->devices);
	devices_free(&snapshot->missing);
	gpu_links_free(&snapshot->links);
	stats_free(&snapshot->stats);
	isolation_free(&snapshot->isolation);
}
