// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of ACS and ATS: does each port and each function comply with policy? */
#include <string.h>

#include "metrics_part.h"

static bool is_port(const struct isolated *item)
{
	return !*item->of;
}

/* Policy says nothing of the ATS of other functions, so they get no metrics. */
static bool is_ruled(const struct isolated *item)
{
	return !is_port(item) && item->ats != INSTINCT_VFIO_ATS_IGNORE;
}

/*
 * An endpoint's ATS may be off while no user has it open, because the IOMMU driver enables ATS
 * when the user's domain is attached. A peer's ATS may always be off here: the module checks
 * it when the endpoint is opened, and reports a refusal as an event.
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

/* A port that the module has never seen may be in any state, so no metric tells one. */
static void put_all(struct prom *prom, const struct snapshot *snapshot)
{
	const struct isolation *isolation = &snapshot->isolation;
	bool compliant = true, seen = true;
	size_t i;

	for (i = 0; i < isolation->count; i++)
		if (is_port(&isolation->list[i]) || is_ruled(&isolation->list[i])) {
			compliant &= is_compliant(snapshot, &isolation->list[i]);
			seen &= !!isolation->list[i].looked;
		}
	prom_family(prom, "isolation_compliant", "gauge",
		    "Were all ports and functions as policy says at the last look? 1 too if it says nothing.");
	if (seen)
		prom_count(prom, compliant, NULL);
}

static void put_looked(struct prom *prom, const struct snapshot *snapshot,
		       const struct isolated *item)
{
	uint64_t looked = snapshot->taken - snapshot->taken_boottime + item->looked;

	if (is_port(item))
		prom_seconds(prom, looked, "port", item->bdf, NULL);
	else
		prom_seconds(prom, looked, "bdf", item->bdf, "of", item->of, NULL);
}

static void put_acs(struct prom *prom, const struct snapshot *snapshot,
		    const struct isolated *list, const struct isolated *end)
{
	const struct isolated *item;

	prom_family(prom, "acs_compliant", "gauge",
		    "Was the port's ACS as policy says at the last look?");
	for (item = list; item < end; item++)
		if (is_port(item) && item->looked)
			prom_count(prom, is_compliant(snapshot, item), "port", item->bdf, NULL);
	prom_family(prom, "acs_checked_timestamp_seconds", "gauge",
		    "When the module last looked at the port's ACS, since 1970.");
	for (item = list; item < end; item++)
		if (is_port(item) && item->looked)
			put_looked(prom, snapshot, item);
	prom_family(prom, "acs_drifts_total", "counter", "Times that the port's ACS was not as it should be.");
	for (item = list; item < end; item++)
		if (is_port(item))
			prom_count(prom, item->drifts, "port", item->bdf, NULL);
}

static void put_ats(struct prom *prom, const struct snapshot *snapshot,
		    const struct isolated *list, const struct isolated *end)
{
	const struct isolated *item;

	prom_family(prom, "ats_compliant", "gauge",
		    "Was the function's ATS as policy says at the last look? It may be off while nobody has the endpoint open.");
	for (item = list; item < end; item++)
		if (is_ruled(item) && item->looked)
			prom_count(prom, is_compliant(snapshot, item), "bdf", item->bdf,
				   "of", item->of, NULL);
	prom_family(prom, "ats_checked_timestamp_seconds", "gauge",
		    "When the module last looked at the function's ATS, since 1970.");
	for (item = list; item < end; item++)
		if (is_ruled(item) && item->looked)
			put_looked(prom, snapshot, item);
	prom_family(prom, "ats_enabled", "gauge", "Was the function's ATS on at the last look?");
	for (item = list; item < end; item++)
		if (is_ruled(item) && item->looked)
			prom_count(prom, item->ats_state == INSTINCT_VFIO_ATS_STATE_ON ||
				   item->ats_state == INSTINCT_VFIO_ATS_STATE_ASTRAY,
				   "bdf", item->bdf, "of", item->of, NULL);
	prom_family(prom, "ats_drifts_total", "counter",
		    "Times that the function's ATS was not what the IOMMU driver believes.");
	for (item = list; item < end; item++)
		if (is_ruled(item))
			prom_count(prom, item->drifts, "bdf", item->bdf, "of", item->of, NULL);
}

/**
 * metrics_isolation() - write whether ports and functions comply with policy
 * @prom: text
 * @snapshot: holds the ports and functions, and the devices that are open
 */
void metrics_isolation(struct prom *prom, const struct snapshot *snapshot)
{
	const struct isolation *isolation = &snapshot->isolation;
	const struct isolated *list = isolation->list;
	const struct isolated *end = isolation->count ? list + isolation->count : list;

	put_all(prom, snapshot);
	put_acs(prom, snapshot, list, end);
	put_ats(prom, snapshot, list, end);
}
