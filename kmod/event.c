// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>

#include "event.h"
#include "netlink.h"

/*
 * Guards the ring and the order of the multicast. Innermost: nothing else is
 * taken under it, and nobody is waited for: no receiver, no memory.
 */
static DEFINE_MUTEX(event_lock);
static struct instinct_event *event_ring;
static u64 event_newest;
static u64 event_epoch;

static u64 event_oldest(void)
{
	lockdep_assert_held(&event_lock);
	return event_newest > INSTINCT_EVENTS_KEPT ? event_newest - INSTINCT_EVENTS_KEPT + 1 : 1;
}

/**
 * instinct_event_emit() - number an event, keep it, tell who listens
 * @event: all but @seq and @time filled in, which are set
 *
 * May sleep. Never fails: an event that cannot be sent for want of memory is
 * still in the ring, and its number tells a listener to fetch it.
 */
void instinct_event_emit(struct instinct_event *event)
{
	mutex_lock(&event_lock);
	event->seq = ++event_newest;
	event->time = ktime_get_boottime_ns();
	instinct_netlink_multicast(event);
	event_ring[event->seq % INSTINCT_EVENTS_KEPT] = *event;
	mutex_unlock(&event_lock);
}

/**
 * instinct_event_read() - the first kept event from a number on
 * @from: number
 * @event: set to the event with that number or, where that is no longer kept,
 *	to the oldest
 *
 * May sleep.
 *
 * Return: false if there is none yet.
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
 * instinct_event_epoch() - tell one load of the module from another
 *
 * Context: any.
 *
 * Return: a number that differs after each load.
 */
u64 instinct_event_epoch(void)
{
	return event_epoch;
}

/**
 * instinct_event_bounds() - tell what the ring holds
 * @oldest: set to the number of the oldest event kept, 1 if there was none yet
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
 * instinct_event_init() - make the ring
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
 * instinct_event_exit() - let go of the ring, when nobody can emit any more
 */
void instinct_event_exit(void)
{
	kvfree(event_ring);
}
