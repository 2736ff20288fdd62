// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "now.h"
#include "redfish_report.h"

#define STILL_MS	30000	/* a report whose time has stood still for so long is not made any more */

/* A report without a time, or with one that has not changed yet, may be of any time. */
static void note(struct redfish_report *report, const json_t *json)
{
	char time[SHAPE_ID_BYTES];

	snprintf(time, sizeof(time), "%s", shape_report_time(json) ?: "");
	if (!strcmp(time, report->time))
		return;
	report->since = *report->time ? now_ms() : 0;
	snprintf(report->time, sizeof(report->time), "%s", time);
}

static bool is_fresh(const struct redfish_report *report)
{
	return *report->time && report->since && now_ms() - report->since < STILL_MS;
}

/**
 * redfish_report_add() - append a report
 * @reports: reports
 * @path: its path
 * @json: MetricReport
 */
void redfish_report_add(struct redfish_reports *reports, const char *path, const json_t *json)
{
	struct redfish_report *report = list_add((void **)&reports->list, &reports->count, sizeof(*report));

	report->path = text_copy(path);
	note(report, json);
}

/**
 * redfish_report_get() - ask the BMC for a report
 * @report: report
 * @link: connection
 * @json: set to the MetricReport, which the caller frees, or to NULL
 *
 * Return: 0; -ESTALE if the report is not known to be fresh; or another negative errno if it cannot
 * be read.
 */
int redfish_report_get(struct redfish_report *report, struct redfish_link *link, json_t **json)
{
	int ret = redfish_link_get(link, report->path, json);

	if (ret)
		return ret;
	note(report, *json);
	if (is_fresh(report))
		return 0;
	json_decref(*json);
	*json = NULL;
	return -ESTALE;
}

/**
 * redfish_report_reading() - get the temperature of a sensor
 * @json: MetricReport
 * @sensor: path of the Sensor
 * @temperature: set, in millidegrees Celsius
 *
 * Return: false if the report has no plausible temperature of the sensor, or an old one.
 */
bool redfish_report_reading(const json_t *json, const char *sensor, int32_t *temperature)
{
	const json_t *value = shape_report_find(json, sensor);

	return value && shape_report_reading(value, temperature);
}

/**
 * redfish_reports_cut() - keep the first reports alone
 * @reports: reports
 * @count: number of these
 */
void redfish_reports_cut(struct redfish_reports *reports, size_t count)
{
	while (reports->count > count)
		free(reports->list[--reports->count].path);
}

/**
 * redfish_reports_free() - free the list, and leave it empty
 * @reports: reports
 */
void redfish_reports_free(struct redfish_reports *reports)
{
	redfish_reports_cut(reports, 0);
	free(reports->list);
	*reports = (struct redfish_reports) { 0 };
}
