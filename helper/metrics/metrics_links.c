// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of PCIe links: speed, width, and the errors that AER has counted. */
#include "metrics_part.h"

#define TRANSFERS	1000000ull	/* a transfer per second, of a speed in MT/s */

static const struct {
	const char *name;
	const char *help;
	size_t offset;
	uint64_t unit;
} gauges[] = {
	{ "link_transfers_per_second",
	  "Speed of the link above the port, on the way from the root port to the GPU; absent while the GPU is in reset or lost.",
	  offsetof(struct host_link, speed), TRANSFERS },
	{ "link_max_transfers_per_second", "Speed that both ends of the link support.",
	  offsetof(struct host_link, max_speed), TRANSFERS },
	{ "link_width_lanes", "Width of the link above the port; absent while the GPU is in reset or lost.",
	  offsetof(struct host_link, width), 1 },
	{ "link_max_width_lanes", "Width that both ends of the link support.",
	  offsetof(struct host_link, max_width), 1 },
};

static const struct {
	const char *name;
	const char *help;
	size_t offset;
} totals[] = {
	{ "aer_nonfatal_errors_total",
	  "Uncorrectable errors that were not fatal, as AER counted them for the port.",
	  offsetof(struct aer, nonfatal) },
	{ "aer_fatal_errors_total", "Fatal errors, as AER counted them for the port.",
	  offsetof(struct aer, fatal) },
};

static void put_kinds(struct prom *prom, const struct gpu_link *link)
{
	unsigned int i;

	for (i = 0; i < link->aer.kinds; i++)
		prom_count(prom, link->aer.kind[i].count, "bdf", link->bdf, "port", link->port,
			   "kind", link->aer.kind[i].name, NULL);
}

/**
 * metrics_links() - write the links of GPUs and the errors on them
 * @prom: text
 * @links: links
 */
void metrics_links(struct prom *prom, const struct gpu_links *links)
{
	const struct gpu_link *link, *end = links->count ? links->list + links->count : links->list;
	size_t k;

	for (k = 0; k < sizeof(gauges) / sizeof(gauges[0]); k++) {
		prom_family(prom, gauges[k].name, "gauge", gauges[k].help);
		for (link = links->list; link < end; link++)
			if (link->link.speed)
				prom_count(prom, gauges[k].unit *
					   *(const unsigned int *)((const char *)&link->link +
								   gauges[k].offset),
					   "bdf", link->bdf, "port", link->port, NULL);
	}
	prom_family(prom, "aer_correctable_errors_total", "counter",
		    "Correctable errors, as AER counted them for the port, by the kernel's name of the kind.");
	for (link = links->list; link < end; link++)
		put_kinds(prom, link);
	for (k = 0; k < sizeof(totals) / sizeof(totals[0]); k++) {
		prom_family(prom, totals[k].name, "counter", totals[k].help);
		for (link = links->list; link < end; link++)
			if (link->aer.known)
				prom_count(prom, *(const uint64_t *)((const char *)&link->aer +
								     totals[k].offset),
					   "bdf", link->bdf, "port", link->port, NULL);
	}
}
