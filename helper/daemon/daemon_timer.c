// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon_parts.h"

#define US_PER_MS	1000ull
#define ACCURACY_US	250000ull	/* so that timers ring together */

/**
 * daemon_timer() - have a timer ring once
 * @loop: that it rings in
 * @timer: NULL at first, then kept for the next time
 * @ms: from now
 * @ring: called then
 * @data: for @ring
 *
 * Return: 0 or a negative errno.
 */
int daemon_timer(sd_event *loop, sd_event_source **timer, uint64_t ms,
		 sd_event_time_handler_t ring, void *data)
{
	int ret;

	if (!*timer)
		return sd_event_add_time_relative(loop, timer, CLOCK_MONOTONIC,
						  ms * US_PER_MS, ACCURACY_US, ring, data);
	ret = sd_event_source_set_time_relative(*timer, ms * US_PER_MS);
	return ret < 0 ? ret : sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}

/**
 * daemon_timer_off() - a timer is not to ring
 * @timer: it or NULL
 */
void daemon_timer_off(sd_event_source *timer)
{
	if (timer)
		sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

/**
 * daemon_timer_is_on() - is a timer to ring?
 * @timer: it or NULL
 *
 * Return: true if it is.
 */
bool daemon_timer_is_on(sd_event_source *timer)
{
	return timer && sd_event_source_get_enabled(timer, NULL) > 0;
}
