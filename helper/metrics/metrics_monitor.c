// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of the monitor: the progress of its sinks, and the samples that it has judged. */
#include "metrics_part.h"

/* A sink whose place is from another epoch has received none of the present events. */
static uint64_t behind(const struct snapshot *snapshot, const struct place_sink *sink)
{
	uint64_t newest = snapshot->info.newest;

	if (snapshot->place.epoch != snapshot->info.epoch)
		return newest;
	return sink->next > newest ? 0 : newest + 1 - (sink->next ? sink->next : 1);
}

/**
 * metrics_monitor() - write the progress of the monitor's sinks and its sample counts
 * @prom: text
 * @snapshot: holds the place of the monitor, if there is a monitor
 */
void metrics_monitor(struct prom *prom, const struct snapshot *snapshot)
{
	const struct place_sink *sink, *end = snapshot->place.sink + snapshot->place.sinks;

	if (!snapshot->has_place)
		return;
	prom_family(prom, "monitor_events_delivered_total", "counter", "Events that the sink has got.");
	for (sink = snapshot->place.sink; sink < end; sink++)
		prom_count(prom, sink->delivered, "sink", sink->name, NULL);
	prom_family(prom, "monitor_events_lost_total", "counter",
		    "Events that the module no longer had when the sink's turn came.");
	for (sink = snapshot->place.sink; sink < end; sink++)
		prom_count(prom, sink->lost, "sink", sink->name, NULL);
	prom_family(prom, "monitor_events_behind", "gauge", "Events that the sink has yet to get.");
	for (sink = snapshot->place.sink; sink < end; sink++)
		prom_count(prom, behind(snapshot, sink), "sink", sink->name, NULL);
	prom_family(prom, "monitor_delivery_failures_total", "counter",
		    "Times that the sink could not take an event.");
	for (sink = snapshot->place.sink; sink < end; sink++)
		prom_count(prom, sink->failed, "sink", sink->name, NULL);
	prom_family(prom, "monitor_samples_total", "counter", "Temperatures that the service has judged.");
	prom_count(prom, snapshot->place.samples, NULL);
	prom_family(prom, "monitor_samples_refused_total", "counter",
		    "Temperatures that the service has not judged.");
	prom_count(prom, snapshot->place.samples_refused, NULL);
}
