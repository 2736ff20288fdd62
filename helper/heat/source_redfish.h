/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads temperatures from a BMC by Redfish: Sensors, ThermalMetrics, or the older Thermal. */
#ifndef SOURCE_REDFISH_H
#define SOURCE_REDFISH_H

#include "found.h"
#include "redfish_conf.h"

struct redfish;

struct redfish *redfish_open(const struct redfish_conf *conf, char *why, size_t size);
int redfish_scan(struct redfish *redfish, struct found *found);
int redfish_read(struct redfish *redfish, struct found *found, const bool *wanted);
const char *redfish_message(const struct redfish *redfish);
const char *redfish_left_out(const struct redfish *redfish);
void redfish_close(struct redfish *redfish);

#endif /* SOURCE_REDFISH_H */
