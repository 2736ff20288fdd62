// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of ACS and ATS: is each port and each function as policy says? */
#include <string.h>

#include "metrics_part.h"

static bool is_port(const struct isolated *item)
{
	return !*item->of;
}

/* Functions at whose ATS policy does not look have no part in this. */
static bool is_ruled(const struct isolated *item)
{
	return !is_port(item) && item->ats != INSTINCT_VFIO_ATS_IGNORE;
}

/*
 * Off is right while nobody has the endpoint open, since its IOMMU domain brings
 * ATS with it. Of a peer the module asks when the endpoint is opened, and tells of
 * a refusal by an event.
 */
static bool ats_off_is_right(const struct snapshot *snapshot, const struct isolated *item)
{
	const struct device *dev = devices_find(&snapshot->devices, item->of);

	return strcmp(item->bdf, item->of) || !dev || !dev->open;
}

static bool is_compliant(const struct snapshot *snapshot, const struct isolated *item)
{
	bool required = item->ats == INSTINCT_VFIO_ATS_REQUIRED;

	if (is_port(item))
		return !((item->found ^ item->wanted) & item->mask);
	switch (item->ats_state) {
	case INSTINCT_VFIO_ATS_STATE_ON:
		return true;
	case INSTINCT_VFIO_ATS_STATE_OFF:
		return !required || ats_off_is_right(snapshot, item);
	case INSTINCT_VFIO_ATS_STATE_ABSENT:
	case INSTINCT_VFIO_ATS_STATE_GONE:
		return !required;
	default:
		return false;
	}
}

static void put_all(struct prom *prom, const struct snapshot *snapshot)
{
	const struct isolation *isolation = &snapshot->isolation;
	bool compliant = true;
	size_t i;

	for (i = 0; i < isolation->count; i++)
		if (is_port(&isolation->list[i]) || is_ruled(&isolation->list[i]))
			compliant &= is_compliant(snapshot, &isolation->list[i]);
	prom_family(prom, "isolation_compliant", "gauge",
		    "Are all ports and functions as policy says? 1 too if it says nothing.");
	prom_count(prom, compliant, NULL);
}

/**
 * metrics_isolation() - what ports and functions are against what they should be
 * @prom: text
 * @snapshot: it has them, and who is open
 */
void metrics_isolation(struct prom *prom, const struct snapshot *snapshot)
{
	const struct isolation *isolation = &snapshot->isolation;
	const struct isolated *item, *end = isolation->list;

	if (isolation->count)
		end += isolation->count;
	put_all(prom, snapshot);
	prom_family(prom, "acs_compliant", "gauge", "Is the port's ACS as policy says?");
	for (item = isolation->list; item < end; item++)
		if (is_port(item))
			prom_count(prom, is_compliant(snapshot, item), "port", item->bdf, NULL);
	prom_family(prom, "acs_drifts_total", "counter", "Times that the port's ACS was not as it should be.");
	for (item = isolation->list; item < end; item++)
		if (is_port(item))
			prom_count(prom, item->drifts, "port", item->bdf, NULL);
	prom_family(prom, "ats_compliant", "gauge",
		    "Is the function's ATS as policy says? It may be off while nobody has the endpoint open.");
	for (item = isolation->list; item < end; item++)
		if (is_ruled(item))
			prom_count(prom, is_compliant(snapshot, item), "bdf", item->bdf,
				   "of", item->of, NULL);
	prom_family(prom, "ats_enabled", "gauge", "Is the function's ATS on?");
	for (item = isolation->list; item < end; item++)
		if (is_ruled(item))
			prom_count(prom, item->ats_state == INSTINCT_VFIO_ATS_STATE_ON ||
				   item->ats_state == INSTINCT_VFIO_ATS_STATE_ASTRAY,
				   "bdf", item->bdf, "of", item->of, NULL);
	prom_family(prom, "ats_drifts_total", "counter",
		    "Times that the function's ATS was not what the IOMMU driver believes.");
	for (item = isolation->list; item < end; item++)
		if (is_ruled(item))
			prom_count(prom, item->drifts, "bdf", item->bdf, "of", item->of, NULL);
}
