/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that write the families of metrics, grouped by subject. */
#ifndef METRICS_PART_H
#define METRICS_PART_H

#include "prom.h"
#include "snapshot.h"

#define METRICS_NAME_BYTES	32

const char *metrics_name(const struct names *names, uint32_t value,
			 char text[METRICS_NAME_BYTES]);
void metrics_states(struct prom *prom, const struct snapshot *snapshot);
void metrics_devices(struct prom *prom, const struct devices *devices);
void metrics_links(struct prom *prom, const struct gpu_links *links);
void metrics_heat(struct prom *prom, const struct snapshot *snapshot);
void metrics_stats(struct prom *prom, const struct stats *stats);
void metrics_isolation(struct prom *prom, const struct snapshot *snapshot);
void metrics_monitor(struct prom *prom, const struct snapshot *snapshot);

#endif /* METRICS_PART_H */
