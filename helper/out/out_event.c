// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_clock.h"
#include "now.h"
#include "out.h"

#define NS_PER_MS	1000000ull
#define DAY_S		86400
#define FOLD_MS		1000	/* a reset that is held back for so long is told before its end */
#define REASON_LONGEST	95	/* bytes of a reason; the module has no room for more */

/**
 * out_reason() - end a text that the module has cut in mid-word after its last whole word
 * @reason: reason of an event or of a state
 * @text: set
 *
 * Return: @text.
 */
const char *out_reason(const char *reason, char text[TEXT_BYTES])
{
	size_t length = snprintf(text, TEXT_BYTES, "%s", reason);

	while (length >= REASON_LONGEST && strchr(text, ' ') && text[strlen(text) - 1] != ' ')
		text[strlen(text) - 1] = '\0';
	if (length >= REASON_LONGEST && strlen(text) < length)
		snprintf(text + strlen(text), TEXT_BYTES - strlen(text), "...");
	return text;
}

static uint64_t real_ns(uint64_t boottime)
{
	struct host_clock now = host_clock_now();

	return now.realtime - now.boottime + boottime;
}

/* Print a moment of CLOCK_BOOTTIME in local time, with its date unless it is today. */
static void print_time(FILE *out, uint64_t boottime)
{
	uint64_t now = host_clock_now().realtime, ns = real_ns(boottime);
	time_t second = ns / NS_PER_S, today = now / NS_PER_S;
	struct tm event, current;
	char text[32];

	localtime_r(&second, &event);
	localtime_r(&today, &current);
	strftime(text, sizeof(text), event.tm_yday == current.tm_yday &&
		 today - second < DAY_S ? "%H:%M:%S" : "%F %H:%M:%S", &event);
	fprintf(out, "%s.%03" PRIu64, text, (uint64_t)(ns % NS_PER_S / NS_PER_MS));
}

/**
 * out_time() - format a time in UTC as ISO 8601, with milliseconds
 * @ns: ns since 1970
 *
 * Return: the text, valid until the next call.
 */
const char *out_time(uint64_t ns)
{
	static char text[40];
	time_t second = ns / NS_PER_S;
	struct tm utc;
	size_t size;

	gmtime_r(&second, &utc);
	size = strftime(text, sizeof(text), "%FT%T", &utc);
	snprintf(text + size, sizeof(text) - size, ".%03" PRIu64 "Z",
		 (uint64_t)(ns % NS_PER_S / NS_PER_MS));
	return text;
}

/**
 * out_event_time() - format the time of an event by the current setting of the clock
 * @event: event
 *
 * Return: the text of out_time(), valid until its next call.
 */
const char *out_event_time(const struct event *event)
{
	return out_time(real_ns(event->time));
}

/* A cause in the words of a sentence; the names are those of the interface. */
static const char *cause_of(uint32_t cause)
{
	return cause == INSTINCT_VFIO_CAUSE_NETLINK ? "on request" : name_of(&cause_names, cause);
}

/* A source in the words of a sentence. */
static const char *source_of(uint32_t source)
{
	return source == INSTINCT_VFIO_SOURCE_OTHER ? "a script" : name_of(&source_names, source);
}

/* Phases shorter than 1 ms are left out. */
static void print_phases(FILE *out, const struct event *event)
{
	const char *separator = ": ";
	unsigned int i;

	for (i = 0; i < event->phases; i++) {
		if (event->phase[i].duration < NS_PER_MS)
			continue;
		fprintf(out, "%s%s %" PRIu64 " ms", separator,
			name_of(&phase_names, event->phase[i].name),
			(uint64_t)(event->phase[i].duration / NS_PER_MS));
		separator = ", ";
	}
}

static void print_reset(FILE *out, const struct event *event)
{
	fprintf(out, "%s (%s)", name_of(&method_names, event->method), cause_of(event->cause));
	if (event->duration)
		fprintf(out, " in %" PRIu64 ".%03" PRIu64 " s",
			(uint64_t)(event->duration / NS_PER_S),
			(uint64_t)(event->duration % NS_PER_S / NS_PER_MS));
	print_phases(out, event);
}

static void print_heat(FILE *out, const struct event *event)
{
	const char *alarm = name_of(&alarm_names, event->alarm);
	const char *source = source_of(event->source);
	double found = event->temperature / 1000.0, threshold = event->threshold / 1000.0;

	fputs(name_of(&sensor_names, event->sensor), out);
	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
		fprintf(out, " %.1f C, %s (%.1f C) cleared (%s)", found, alarm,
			threshold, source);
		break;
	case INSTINCT_VFIO_EVENT_THERMAL_STALE:
		fprintf(out, " is not known any more: %s says nothing, its last was %.1f C",
			source, found);
		break;
	case INSTINCT_VFIO_EVENT_THERMAL_FRESH:
		fprintf(out, " %.1f C, known again (%s)", found, source);
		break;
	default:
		fprintf(out, " %.1f C reached its %s threshold of %.1f C (%s)",
			found, alarm, threshold, source);
		break;
	}
}

static void print_detail(FILE *out, const struct event *event)
{
	char reason[TEXT_BYTES];

	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_RESET_BEGUN:
	case INSTINCT_VFIO_EVENT_RESET_DONE:
	case INSTINCT_VFIO_EVENT_RESET_FAILED:
	case INSTINCT_VFIO_EVENT_RESET_COALESCED:
		print_reset(out, event);
		break;
	case INSTINCT_VFIO_EVENT_THERMAL_WARNING:
	case INSTINCT_VFIO_EVENT_THERMAL_CRITICAL:
	case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
	case INSTINCT_VFIO_EVENT_THERMAL_STALE:
	case INSTINCT_VFIO_EVENT_THERMAL_FRESH:
		print_heat(out, event);
		break;
	case INSTINCT_VFIO_EVENT_CONFIG_VERIFIED:
		fprintf(out, "after %" PRIu64 " ms", (uint64_t)(event->duration / NS_PER_MS));
		break;
	default:
		fputs(name_of(&state_names, event->state), out);
		break;
	}
	/* ECANCELED means that the hive's reset was off, and the reason tells why. */
	if (event->error && (event->error != ECANCELED || !*event->reason))
		fprintf(out, "; %s", event->error == ECANCELED ? "called off" : strerror(event->error));
	if (*event->reason)
		fprintf(out, "; %s", out_reason(event->reason, reason));
}

/**
 * out_event_message() - format an event as one line: device, kind and details
 * @event: event
 *
 * Return: the text, without time and number, which the caller frees; NULL without memory.
 */
char *out_event_message(const struct event *event)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s %s: ", event->bdf, name_of(&event_names, event->kind));
	print_detail(out, event);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Print the event of a GPU and of so many others of its hive. */
static void print_event(const struct event *event, size_t others)
{
	printf("#%-4" PRIu64 "  ", event->seq);
	print_time(stdout, event->time);
	printf("  %s  %-15s  ", event->bdf, name_of(&event_names, event->kind));
	print_detail(stdout, event);
	if (others)
		printf(", with %zu more GPU%s of its hive", others, others == 1 ? "" : "s");
	putchar('\n');
	fflush(stdout);
}

/**
 * out_event_text() - print an event on one line, with its number and time
 * @event: event
 */
void out_event_text(const struct event *event)
{
	print_event(event, 0);
}

static const struct event *fold_find(const struct fold *fold, const char *bdf, uint32_t kind)
{
	size_t i;

	for (i = 0; i < fold->count; i++)
		if (fold->held[i].event.kind == kind && !strcmp(fold->held[i].event.bdf, bdf))
			return &fold->held[i].event;
	return NULL;
}

/* Returns the GPU whose reset has the others of its hive reset; NULL if these resets are no single hive's. */
static const struct fold_event *fold_first(const struct fold *fold)
{
	const struct fold_event *first = NULL;
	size_t i;

	for (i = 0; i < fold->count; i++) {
		const struct event *event = &fold->held[i].event;

		if (event->kind != INSTINCT_VFIO_EVENT_RESET_BEGUN || event->cause == INSTINCT_VFIO_CAUSE_HIVE)
			continue;
		if (first)
			return NULL;
		first = &fold->held[i];
	}
	return fold->begun > 1 ? first : NULL;
}

static void fold_hold(struct fold *fold, const struct event *event)
{
	struct fold_event *held;

	if (!fold->count)
		fold->since = now_ms();
	held = list_add((void **)&fold->held, &fold->count, sizeof(*held));
	*held = (struct fold_event) { .event = *event };
	if (event->kind == INSTINCT_VFIO_EVENT_RESET_BEGUN)
		fold->begun++;
	else
		fold->done++;
}

/**
 * out_fold_end() - print what is held back, event by event
 * @fold: resets that overlap; emptied
 */
void out_fold_end(struct fold *fold)
{
	size_t i;

	for (i = 0; i < fold->count; i++)
		if (!fold->held[i].printed)
			out_event_text(&fold->held[i].event);
	free(fold->held);
	*fold = (struct fold) { 0 };
}

/* The line has the number and the time of the last event, and the time that the slowest GPU took. */
static void fold_print(struct fold *fold, const char *first)
{
	struct event event = *fold_find(fold, first, INSTINCT_VFIO_EVENT_RESET_DONE);
	size_t others = fold->begun - 1, i;

	event.seq = fold->held[fold->count - 1].event.seq;
	event.time = fold->held[fold->count - 1].event.time;
	event.phases = 0;
	for (i = 0; i < fold->count; i++) {
		if (fold->held[i].event.duration > event.duration)
			event.duration = fold->held[i].event.duration;
		fold->held[i].printed = true;
	}
	print_event(&event, others);
	out_fold_end(fold);
}

/**
 * out_fold_event() - print an event, and a reset of a whole hive on one line
 * @fold: resets that overlap; empty before the first event
 * @event: event
 *
 * The function holds the events of resets back until each of them is done. If they are those of one
 * hive, and all went well, one line tells so; otherwise each event has its line. Events of other kinds
 * end that, so that lines keep their order.
 */
void out_fold_event(struct fold *fold, const struct event *event)
{
	bool begun = fold_find(fold, event->bdf, INSTINCT_VFIO_EVENT_RESET_BEGUN);
	bool done = fold_find(fold, event->bdf, INSTINCT_VFIO_EVENT_RESET_DONE);
	const struct fold_event *first;

	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_RESET_BEGUN:
		if (begun)
			out_fold_end(fold);
		fold_hold(fold, event);
		return;
	case INSTINCT_VFIO_EVENT_RESET_DONE:
		if (!begun || done || event->error || *event->reason ||
		    event->state != INSTINCT_VFIO_STATE_READY)
			break;
		fold_hold(fold, event);
		if (fold->done < fold->begun)
			return;
		first = fold_first(fold);
		if (first)
			fold_print(fold, first->event.bdf);
		else
			out_fold_end(fold);
		return;
	default:
		break;
	}
	out_fold_end(fold);
	out_event_text(event);
}

/**
 * out_fold_due() - tell when out_fold_late() is due
 * @fold: resets that overlap
 *
 * Return: the time in ms of now_ms(), or 0 if it is not.
 */
int64_t out_fold_due(const struct fold *fold)
{
	return fold->count ? fold->since + FOLD_MS : 0;
}

/**
 * out_fold_late() - tell of resets that have begun and take long
 * @fold: resets that overlap; emptied, so that the end of each reset has its own line at once
 */
void out_fold_late(struct fold *fold)
{
	const struct fold_event *first = fold_first(fold);
	size_t i;

	if (first)
		print_event(&first->event, fold->begun - 1);
	for (i = 0; i < fold->count && first; i++)
		fold->held[i].printed = fold->held[i].event.kind == INSTINCT_VFIO_EVENT_RESET_BEGUN;
	out_fold_end(fold);
}

/**
 * out_event_json() - convert an event to JSON
 * @event: event
 *
 * Return: an object.
 */
json_t *out_event_json(const struct event *event)
{
	json_t *phases = json_array(), *json;
	unsigned int i;

	for (i = 0; i < event->phases; i++)
		json_array_append_new(phases, json_pack("{s:s, s:I}",
			"phase", name_of(&phase_names, event->phase[i].name),
			"duration_ns", (json_int_t)event->phase[i].duration));
	json = json_pack("{s:I, s:I, s:I, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:s}",
			   "seq", (json_int_t)event->seq,
			   "epoch", (json_int_t)event->epoch,
			   "time_ns", (json_int_t)event->time,
			   "time", out_event_time(event),
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
	if (event->has_secure_os)
		json_object_set_new(json, "secure_os",
				    json_string(name_of(&secure_os_names, event->secure_os)));
	if (event->has_register)
		json_object_set_new(json, "register",
				    json_integer(event->config_register));
	return json;
}

/**
 * out_gap_json() - convert a gap in the events to JSON
 * @gap: gap
 *
 * Return: an object.
 */
json_t *out_gap_json(const struct gap *gap)
{
	return json_pack("{s:{s:I, s:I, s:I}}", "gap",
			 "epoch", (json_int_t)gap->epoch,
			 "first", (json_int_t)gap->first,
			 "last", (json_int_t)gap->last);
}
