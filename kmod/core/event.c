// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>

#include "core/event.h"

/*
 * Guards the ring, and keeps the multicast in the order of the numbers. Innermost lock: code
 * under it takes no other lock, and waits neither for a receiver nor for memory.
 */
static DEFINE_MUTEX(event_lock);
static struct instinct_event *event_ring;
static u64 event_newest;
static u64 event_epoch;
static void (*event_listener)(const struct instinct_event *event);

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

static u64 event_oldest(void)
{
	lockdep_assert_held(&event_lock);
	return event_newest > INSTINCT_EVENTS_KEPT ? event_newest - INSTINCT_EVENTS_KEPT + 1 : 1;
}

/**
 * instinct_event_emit() - number an event, keep it, and hand it to the listener
 * @event: event; this function sets @seq and @time, the caller all else
 *
 * This function never fails. An event that the listener has no memory to send is still in the
 * ring, and the gap in the numbers tells a subscriber to fetch it.
 *
 * Context: may sleep.
 */
void instinct_event_emit(struct instinct_event *event)
{
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
	from = max(from, event_oldest());
	found = from <= event_newest;
	if (found)
		*event = event_ring[from % INSTINCT_EVENTS_KEPT];
	mutex_unlock(&event_lock);
	return found;
}

/**
 * instinct_event_epoch() - identify this load of the module
 *
 * Context: any.
 *
 * Return: a number that differs after each module load.
 */
u64 instinct_event_epoch(void)
{
	return event_epoch;
}

/**
 * instinct_event_bounds() - read the numbers of the first and the last event in the ring
 * @oldest: set to the number of the oldest event, 1 if there was none yet
 * @newest: set to the number of the newest event, 0 if there was none yet
 *
 * Context: may sleep.
 */
void instinct_event_bounds(u64 *oldest, u64 *newest)
{
	mutex_lock(&event_lock);
	*oldest = event_oldest();
	*newest = event_newest;
	mutex_unlock(&event_lock);
}

/**
 * instinct_event_init() - allocate the ring
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_event_init(void)
{
	event_ring = kvcalloc(INSTINCT_EVENTS_KEPT, sizeof(*event_ring), GFP_KERNEL);
	event_epoch = ktime_get_real_ns();
	return event_ring ? 0 : -ENOMEM;
}

/**
 * instinct_event_exit() - free the ring; the caller knows that no more events come
 */
void instinct_event_exit(void)
{
	kvfree(event_ring);
}
