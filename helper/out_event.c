// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "out.h"

#define NS_PER_MS	1000000ull
#define NS_PER_S	1000000000ull
#define DAY_S		86400

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Local time of a moment of CLOCK_BOOTTIME; with its date if not of today. */
static void print_time(uint64_t boottime)
{
	uint64_t now = now_ns(CLOCK_REALTIME);
	uint64_t ns = now - now_ns(CLOCK_BOOTTIME) + boottime;
	time_t second = ns / NS_PER_S, today = now / NS_PER_S;
	struct tm event, current;
	char text[32];

	localtime_r(&second, &event);
	localtime_r(&today, &current);
	strftime(text, sizeof(text), event.tm_yday == current.tm_yday &&
		 today - second < DAY_S ? "%H:%M:%S" : "%F %H:%M:%S", &event);
	printf("%s.%03" PRIu64, text, (uint64_t)(ns % NS_PER_S / NS_PER_MS));
}

/* Those that a person would notice. */
static void print_phases(const struct event *event)
{
	const char *separator = ": ";
	unsigned int i;

	for (i = 0; i < event->phases; i++) {
		if (event->phase[i].duration < NS_PER_MS)
			continue;
		printf("%s%s %" PRIu64 " ms", separator,
		       name_of(&phase_names, event->phase[i].name),
		       (uint64_t)(event->phase[i].duration / NS_PER_MS));
		separator = ", ";
	}
}

static void print_reset(const struct event *event)
{
	printf("  %s (%s)", name_of(&method_names, event->method),
	       name_of(&cause_names, event->cause));
	if (event->duration)
		printf(" in %" PRIu64 ".%03" PRIu64 " s",
		       (uint64_t)(event->duration / NS_PER_S),
		       (uint64_t)(event->duration % NS_PER_S / NS_PER_MS));
	print_phases(event);
}

static void print_heat(const struct event *event)
{
	printf("  %s %.1f C (%s)", name_of(&sensor_names, event->sensor),
	       event->temperature / 1000.0, name_of(&source_names, event->source));
	if (event->alarm)
		printf(", %s at %.1f C", name_of(&alarm_names, event->alarm),
		       event->threshold / 1000.0);
}

static void print_detail(const struct event *event)
{
	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_RESET_BEGUN:
	case INSTINCT_VFIO_EVENT_RESET_DONE:
	case INSTINCT_VFIO_EVENT_RESET_FAILED:
	case INSTINCT_VFIO_EVENT_RESET_COALESCED:
		print_reset(event);
		break;
	case INSTINCT_VFIO_EVENT_THERMAL_WARNING:
	case INSTINCT_VFIO_EVENT_THERMAL_CRITICAL:
	case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
	case INSTINCT_VFIO_EVENT_THERMAL_STALE:
	case INSTINCT_VFIO_EVENT_THERMAL_FRESH:
		print_heat(event);
		break;
	case INSTINCT_VFIO_EVENT_CONFIG_REPLAYED:
		printf("  after %" PRIu64 " ms", (uint64_t)(event->duration / NS_PER_MS));
		break;
	default:
		printf("  %s", name_of(&state_names, event->state));
		break;
	}
	if (event->error)
		printf("; %s", strerror(event->error));
	if (*event->reason)
		printf("; %s", event->reason);
}

/**
 * out_event_text() - an event in a line, for people
 * @event: it
 */
void out_event_text(const struct event *event)
{
	printf("#%-4" PRIu64 "  ", event->seq);
	print_time(event->time);
	printf("  %s  %-15s", event->bdf, name_of(&event_names, event->kind));
	print_detail(event);
	putchar('\n');
	fflush(stdout);
}

/**
 * out_event_json() - an event in a line, for programs
 * @event: it
 */
void out_event_json(const struct event *event)
{
	json_t *phases = json_array(), *json;
	unsigned int i;

	for (i = 0; i < event->phases; i++)
		json_array_append_new(phases, json_pack("{s:s, s:I}",
			"phase", name_of(&phase_names, event->phase[i].name),
			"duration_ns", (json_int_t)event->phase[i].duration));
	json = json_pack("{s:I, s:I, s:I, s:s, s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:s}",
			   "seq", (json_int_t)event->seq,
			   "epoch", (json_int_t)event->epoch,
			   "time_ns", (json_int_t)event->time,
			   "kind", name_of(&event_names, event->kind),
			   "bdf", event->bdf,
			   "serial", out_serial_json(event->serial),
			   "state", name_of(&state_names, event->state),
			   "cause", name_of(&cause_names, event->cause),
			   "method", name_of(&method_names, event->method),
			   "error", (json_int_t)event->error,
			   "duration_ns", (json_int_t)event->duration,
			   "phases", phases,
			   "reason", event->reason);
	if (*event->port)
		json_object_update_new(json, json_pack("{s:s, s:i, s:i}",
						       "port", event->port,
						       "found", (int)event->found,
						       "wanted", (int)event->wanted));
	if (event->thermal)
		json_object_update_new(json, json_pack("{s:s, s:s, s:i, s:s, s:i}",
			"sensor", name_of(&sensor_names, event->sensor),
			"source", name_of(&source_names, event->source),
			"temperature_millidegrees", (int)event->temperature,
			"alarm", name_of(&alarm_names, event->alarm),
			"threshold_millidegrees", (int)event->threshold));
	if (event->has_register)
		json_object_set_new(json, "register",
				    json_integer(event->config_register));
	out_json(json, JSON_COMPACT);
}
