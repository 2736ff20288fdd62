// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of the module's statistics: resets, their durations, events. */
#include <inttypes.h>

#include "metrics_part.h"

static void put_resets(struct prom *prom, const struct device_stats *dev)
{
	char method[METRICS_NAME_BYTES], cause[METRICS_NAME_BYTES], result[METRICS_NAME_BYTES];
	size_t i;

	for (i = 0; i < dev->resets; i++)
		prom_count(prom, dev->reset[i].count, "bdf", dev->bdf,
			   "method", metrics_name(&method_names, dev->reset[i].method, method),
			   "cause", metrics_name(&cause_names, dev->reset[i].cause, cause),
			   "result", metrics_name(&result_names, dev->reset[i].result, result),
			   NULL);
}

static void put_events(struct prom *prom, const struct device_stats *dev)
{
	char kind[METRICS_NAME_BYTES];
	size_t i;

	for (i = 0; i < dev->events; i++)
		prom_count(prom, dev->event[i].count, "bdf", dev->bdf, "kind",
			   metrics_name(&event_names, dev->event[i].event, kind), NULL);
}

static void put_duration(struct prom *prom, const struct duration *duration, const char *label,
			 const char *of)
{
	char value[PROM_VALUE_BYTES];

	prom_format_seconds(duration->sum, value, sizeof(value));
	prom_sample(prom, "_sum", value, label, of, NULL);
	snprintf(value, sizeof(value), "%" PRIu64, duration->count);
	prom_sample(prom, "_count", value, label, of, NULL);
}

/**
 * metrics_stats() - write the module's statistics
 * @prom: text
 * @stats: statistics
 */
void metrics_stats(struct prom *prom, const struct stats *stats)
{
	char name[METRICS_NAME_BYTES];
	size_t i;

	prom_family(prom, "resets_total", "counter",
		    "Resets; one that fails counts once for each method tried and once in all.");
	for (i = 0; i < stats->devices; i++)
		put_resets(prom, &stats->device[i]);
	prom_family(prom, "reset_duration_seconds", "summary",
		    "How long the resets took that ended well, of all GPUs.");
	for (i = 0; i < stats->durations; i++)
		put_duration(prom, &stats->duration[i], "method",
			     metrics_name(&method_names, stats->duration[i].of, name));
	prom_family(prom, "reset_phase_duration_seconds", "summary",
		    "How long each phase of these resets took.");
	for (i = 0; i < stats->phases; i++)
		put_duration(prom, &stats->phase[i], "phase",
			     metrics_name(&phase_names, stats->phase[i].of, name));
	prom_family(prom, "events_total", "counter", "Events of the GPU, by kind.");
	for (i = 0; i < stats->devices; i++)
		put_events(prom, &stats->device[i]);
	prom_family(prom, "policy_applied_timestamp_seconds", "gauge",
		    "When a policy was applied last, since 1970; absent if none was.");
	for (i = 0; i < stats->devices; i++)
		if (stats->device[i].policy_time)
			prom_count(prom, stats->device[i].policy_time, "bdf",
				   stats->device[i].bdf, NULL);
}
