/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MetricReports of a BMC: one request for the readings of several sensors. */
#ifndef REDFISH_REPORT_H
#define REDFISH_REPORT_H

#include "redfish_link.h"
#include "redfish_shape.h"

/**
 * struct redfish_report - a MetricReport
 * @path: its path
 * @time: the time that it tells, as text of the BMC
 * @since: when it changed from another time to that one, in ms of now_ms(); 0 if it has not yet
 */
struct redfish_report {
	char *path;
	char time[SHAPE_ID_BYTES];
	int64_t since;
};

/**
 * struct redfish_reports - the MetricReports that have readings of known sensors
 * @list: array
 * @count: number of entries in @list
 */
struct redfish_reports {
	struct redfish_report *list;
	size_t count;
};

void redfish_report_add(struct redfish_reports *reports, const char *path, const json_t *json);
int redfish_report_get(struct redfish_report *report, struct redfish_link *link, json_t **json);
bool redfish_report_reading(const json_t *json, const char *sensor, int32_t *temperature);
void redfish_reports_cut(struct redfish_reports *reports, size_t count);
void redfish_reports_free(struct redfish_reports *reports);

#endif /* REDFISH_REPORT_H */
