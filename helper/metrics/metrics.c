// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "metrics.h"
#include "metrics_part.h"
#include "say.h"

/**
 * metrics_name() - get the label value for an enum of the uapi header
 * @names: names of the enum's values
 * @value: enum value
 * @text: buffer for the number, which stands for a value that only a newer module knows
 *
 * Return: the name, or @text.
 */
const char *metrics_name(const struct names *names, uint32_t value,
			 char text[METRICS_NAME_BYTES])
{
	if (value < names->count)
		return name_of(names, value);
	snprintf(text, METRICS_NAME_BYTES, "%u", value);
	return text;
}

static void put_module(struct prom *prom, const struct snapshot *snapshot)
{
	const struct nl_info *info = &snapshot->info;

	prom_family(prom, "module_info", "gauge", "The kernel module that is loaded, always 1.");
	prom_count(prom, 1, "version", info->version, NULL);
	prom_family(prom, "module_loaded_timestamp_seconds", "gauge",
		    "When the module was loaded, since 1970; all its counters began then or later.");
	prom_seconds(prom, info->epoch, NULL);
	prom_family(prom, "event_newest", "gauge",
		    "Number of the newest event; they count from 1 when the module is loaded.");
	prom_count(prom, info->newest, NULL);
	prom_family(prom, "event_oldest", "gauge", "Number of the oldest event that the module still has.");
	prom_count(prom, info->oldest, NULL);
	prom_family(prom, "events_kept_capacity", "gauge", "How many events the module keeps.");
	prom_count(prom, info->capacity, NULL);
}

/**
 * metrics_text() - format a snapshot in the text format of Prometheus 0.0.4
 * @snapshot: snapshot
 * @length: set to the text's length in bytes
 *
 * If the module is not loaded, the text says only that, which GPUs are missing, and when the snapshot
 * was taken.
 *
 * Return: the text, to be freed by the caller.
 */
char *metrics_text(const struct snapshot *snapshot, size_t *length)
{
	char *text = NULL;
	struct prom prom = { .out = open_memstream(&text, length) };

	if (!prom.out) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	prom_family(&prom, "build_info", "gauge", "The instinctctl that made these metrics, always 1.");
	prom_count(&prom, 1, "version", INSTINCT_VERSION, NULL);
	prom_family(&prom, "snapshot_timestamp_seconds", "gauge",
		    "When these metrics were taken, since 1970.");
	prom_seconds(&prom, snapshot->taken, NULL);
	prom_family(&prom, "module_loaded", "gauge", "Is the kernel module loaded?");
	prom_count(&prom, snapshot->module, NULL);
	metrics_states(&prom, snapshot);
	if (snapshot->module) {
		put_module(&prom, snapshot);
		metrics_devices(&prom, &snapshot->devices);
		metrics_links(&prom, &snapshot->links);
		metrics_heat(&prom, snapshot);
		metrics_stats(&prom, &snapshot->stats);
		metrics_isolation(&prom, snapshot);
		metrics_monitor(&prom, snapshot);
	}
	if (ferror(prom.out) || fclose(prom.out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return text;
}
