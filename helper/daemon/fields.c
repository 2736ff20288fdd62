// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fields.h"
#include "out.h"

#define NS_PER_US	1000
#define MILLIDEGREES	1000.0

/**
 * fields_add() - add a field
 * @fields: the fields
 * @format: NAME=VALUE, as for printf()
 *
 * fields_add() leaves the field out without memory, or if @fields is full.
 */
void fields_add(struct fields *fields, const char *format, ...)
{
	va_list args;

	if (fields->count == FIELDS_MAX)
		return;
	va_start(args, format);
	if (vasprintf(&fields->text[fields->count], format, args) >= 0)
		fields->count++;
	va_end(args);
}

#define ADD(_name, _format, _value)					\
	fields_add(fields, FIELDS_PREFIX _name "=" _format, _value)

static void add_heat(struct fields *fields, const struct event *event)
{
	ADD("SENSOR", "%s", name_of(&sensor_names, event->sensor));
	ADD("SOURCE", "%s", name_of(&source_names, event->source));
	ADD("TEMPERATURE_CELSIUS", "%.1f", event->temperature / MILLIDEGREES);
	ADD("TEMPERATURE_MILLIDEGREES", "%" PRId32, event->temperature);
	if (!event->alarm)
		return;
	ADD("ALARM", "%s", name_of(&alarm_names, event->alarm));
	ADD("THRESHOLD_CELSIUS", "%.1f", event->threshold / MILLIDEGREES);
	ADD("THRESHOLD_MILLIDEGREES", "%" PRId32, event->threshold);
}

static bool is_reset(const struct event *event)
{
	return event->kind >= INSTINCT_VFIO_EVENT_RESET_BEGUN &&
	       event->kind <= INSTINCT_VFIO_EVENT_RESET_COALESCED;
}

/**
 * fields_add_event() - append what an event says, field by field
 * @fields: the fields
 * @event: the event
 */
void fields_add_event(struct fields *fields, const struct event *event)
{
	char reason[TEXT_BYTES];

	ADD("EPOCH", "%" PRIu64, event->epoch);
	ADD("SEQ", "%" PRIu64, event->seq);
	ADD("TIME_USEC", "%" PRIu64, event->time / NS_PER_US);
	ADD("TIME", "%s", out_event_time(event));
	ADD("KIND", "%s", name_of(&event_names, event->kind));
	ADD("BDF", "%s", event->bdf);
	if (event->serial)
		ADD("SERIAL", "0x%016" PRIx64, event->serial);
	ADD("STATE", "%s", name_of(&state_names, event->state));
	if (event->cause)
		ADD("CAUSE", "%s", name_of(&cause_names, event->cause));
	if (is_reset(event))
		ADD("METHOD", "%s", name_of(&method_names, event->method));
	if (event->duration)
		ADD("DURATION_USEC", "%" PRIu64, event->duration / NS_PER_US);
	if (event->error)
		ADD("ERRNO", "%" PRIu32, event->error);
	if (*event->reason)
		ADD("REASON", "%s", out_reason(event->reason, reason));
	if (event->has_register)
		ADD("REGISTER", "0x%03" PRIx32, event->config_register);
	if (*event->port) {
		ADD("PORT", "%s", event->port);
		ADD("FOUND", "0x%04" PRIx32, event->found);
		ADD("WANTED", "0x%04" PRIx32, event->wanted);
	}
	if (event->thermal)
		add_heat(fields, event);
}

/**
 * fields_free() - free the texts
 * @fields: the fields
 */
void fields_free(struct fields *fields)
{
	while (fields->count)
		free(fields->text[--fields->count]);
}
