// SPDX-License-Identifier: GPL-2.0-only
#include <linux/spinlock.h>
#include <linux/ktime.h>

#include "tally.h"

#define MS(n)	((n) * (u64)NSEC_PER_MSEC)

/* Upper bounds of the buckets, in ns; the longest is policy's longest deadline. */
const u64 instinct_bounds[] = {
	MS(1), MS(5), MS(10), MS(50), MS(100), MS(250), MS(500), MS(1000), MS(2500),
	MS(5000), MS(10000), MS(30000), MS(60000), MS(120000), MS(600000),
};

/* Guards all tallies and the durations. Innermost. */
static DEFINE_SPINLOCK(tally_lock);
static struct instinct_durations durations;

static void measure(struct instinct_histogram *histogram, u64 ns)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(instinct_bounds) && ns > instinct_bounds[i])
		i++;
	histogram->bucket[i]++;
	histogram->count++;
	histogram->sum += ns;
}

static int result_of(const struct instinct_event *event)
{
	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_RESET_DONE:
		return INSTINCT_VFIO_RESULT_DONE;
	case INSTINCT_VFIO_EVENT_RESET_FAILED:
		return INSTINCT_VFIO_RESULT_FAILED;
	case INSTINCT_VFIO_EVENT_RESET_COALESCED:
		return INSTINCT_VFIO_RESULT_COALESCED;
	default:
		return -1;
	}
}

static void measure_reset(const struct instinct_event *event)
{
	unsigned int i;

	measure(&durations.method[event->method], event->duration);
	for (i = 0; i < INSTINCT_PHASES; i++)
		if (event->phases_passed & BIT(i))
			measure(&durations.phase[i], event->phase[i]);
}

/**
 * instinct_tally_count() - count an event
 * @tally: of its device
 * @event: it
 *
 * Context: process.
 */
void instinct_tally_count(struct instinct_tally *tally,
			  const struct instinct_event *event)
{
	int result = result_of(event);

	spin_lock(&tally_lock);
	tally->event[event->kind]++;
	if (result >= 0)
		tally->reset[event->method][event->cause][result]++;
	if (result == INSTINCT_VFIO_RESULT_DONE)
		measure_reset(event);
	if (event->kind == INSTINCT_VFIO_EVENT_POLICY_APPLIED)
		tally->policy_time = ktime_get_real_seconds();
	spin_unlock(&tally_lock);
}

/**
 * instinct_tally_get() - what was counted of a device
 * @tally: of it
 * @copy: set
 *
 * Context: process.
 */
void instinct_tally_get(const struct instinct_tally *tally, struct instinct_tally *copy)
{
	spin_lock(&tally_lock);
	*copy = *tally;
	spin_unlock(&tally_lock);
}

/**
 * instinct_durations_get() - how long the resets of all devices took
 * @copy: set
 *
 * Context: process.
 */
void instinct_durations_get(struct instinct_durations *copy)
{
	spin_lock(&tally_lock);
	*copy = durations;
	spin_unlock(&tally_lock);
}
