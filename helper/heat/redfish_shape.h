/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interprets the JSON of Redfish resources, which is not trusted. Pure decisions without I/O. */
#ifndef REDFISH_SHAPE_H
#define REDFISH_SHAPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_ID_BYTES	64

const char *shape_link(const json_t *json, const char *key);
const char *shape_own_link(const json_t *json);
const char *shape_next(const json_t *collection);
void shape_id(const char *path, char *id, size_t size);
void shape_chassis(const char *path, char *id, size_t size);
const char *shape_name(const json_t *json);
bool shape_is_sensor(const json_t *json);
bool shape_is_temperature(const json_t *sensor);
bool shape_reading(const json_t *json, int32_t *temperature);
const char *shape_report_time(const json_t *report);
const json_t *shape_report_find(const json_t *report, const char *path);
bool shape_report_reading(const json_t *value, int32_t *temperature);
const json_t *shape_entries(const json_t *json);
const char *shape_entry_key(const json_t *entry);
const json_t *shape_entry_find(const json_t *json, const char *key);

#endif /* REDFISH_SHAPE_H */
