// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "core/event.h"

/*
 * Guards the ring, and keeps the multicast in the order of the numbers. Innermost lock: code
 * under it takes no other lock, and waits neither for a receiver nor for memory.
 */
static DEFINE_MUTEX(event_lock);
static struct instinct_event event_ring[INSTINCT_EVENTS_KEPT];
static u64 event_newest;
static void (*event_listener)(const struct instinct_event *event);

struct instinct_durations instinct_durations;

/**
 * instinct_event_listen() - register the function that gets each event
 * @listener: called with each event, in order; it must not wait. NULL for no listener
 *
 * Context: may sleep. On return the previous listener has run for the last time.
 */
void instinct_event_listen(void (*listener)(const struct instinct_event *event))
{
	mutex_lock(&event_lock);
	event_listener = listener;
	mutex_unlock(&event_lock);
}

static void measure(struct instinct_duration *duration, u64 ns)
{
	atomic64_inc(&duration->count);
	atomic64_add(ns, &duration->sum);
}

/* event_count() computes a result from the kind of an event. */
static_assert(INSTINCT_VFIO_EVENT_RESET_FAILED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_FAILED &&
	      INSTINCT_VFIO_EVENT_RESET_COALESCED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_COALESCED);

static void event_count(const struct instinct_event *event, struct instinct_stats *stats)
{
	unsigned int i, result = event->kind - INSTINCT_VFIO_EVENT_RESET_DONE;

	atomic64_inc(&stats->event[event->kind]);
	if (result < INSTINCT_RESULTS)
		atomic64_inc(&stats->reset[event->method][event->cause][result]);
	if (event->kind == INSTINCT_VFIO_EVENT_POLICY_APPLIED)
		atomic64_set(&stats->policy_time, ktime_get_real_seconds());
	if (event->kind != INSTINCT_VFIO_EVENT_RESET_DONE)
		return;
	measure(&instinct_durations.method[event->method], event->duration);
	for (i = 0; i < INSTINCT_PHASES; i++)
		if (event->phase[i])
			measure(&instinct_durations.phase[i], event->phase[i]);
}

/**
 * instinct_event_emit() - number an event, keep it, and hand it to the listener
 * @event: event; this function sets @seq and @time, the caller all else
 * @stats: counts of the event's device, or NULL if this driver does not have it
 *
 * This function never fails. An event that the listener has no memory to send is still in the
 * ring, and the gap in the numbers tells a subscriber to fetch it.
 *
 * Context: may sleep.
 */
void instinct_event_emit(struct instinct_event *event, struct instinct_stats *stats)
{
	if (stats)
		event_count(event, stats);
	mutex_lock(&event_lock);
	event->seq = ++event_newest;
	event->time = ktime_get_boottime_ns();
	if (event_listener)
		event_listener(event);
	event_ring[event->seq % INSTINCT_EVENTS_KEPT] = *event;
	mutex_unlock(&event_lock);
}

/**
 * instinct_event_read() - read an event from the ring
 * @from: number of the wanted event
 * @event: set to that event, or to the oldest one if the ring no longer holds it
 *
 * Context: may sleep.
 *
 * Return: false if no event has that number or a later one yet.
 */
bool instinct_event_read(u64 from, struct instinct_event *event)
{
	bool found;

	mutex_lock(&event_lock);
	from = max(from, event_newest > INSTINCT_EVENTS_KEPT ?
			 event_newest - INSTINCT_EVENTS_KEPT + 1 : 1);
	found = from <= event_newest;
	if (found)
		*event = event_ring[from % INSTINCT_EVENTS_KEPT];
	mutex_unlock(&event_lock);
	return found;
}

/**
 * instinct_event_newest() - read the number of the last event
 *
 * Context: may sleep.
 *
 * Return: the number, 0 if there was no event yet.
 */
u64 instinct_event_newest(void)
{
	u64 newest;

	mutex_lock(&event_lock);
	newest = event_newest;
	mutex_unlock(&event_lock);
	return newest;
}
