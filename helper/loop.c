// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "loop.h"

#define US_PER_MS	1000ull
#define DELAY_MAX_S	60
#define ACCURACY_US	250000ull	/* so that timers ring together */

/**
 * loop_timer() - have a timer ring once
 * @loop: that it rings in
 * @timer: NULL at first, then kept for the next time
 * @ms: from now
 * @ring: called then
 * @data: for @ring
 *
 * Return: 0 or a negative errno.
 */
int loop_timer(sd_event *loop, sd_event_source **timer, uint64_t ms,
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
 * loop_timer_off() - a timer is not to ring
 * @timer: it or NULL
 */
void loop_timer_off(sd_event_source *timer)
{
	if (timer)
		sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

/**
 * loop_timer_is_on() - is a timer to ring?
 * @timer: it or NULL
 *
 * Return: true if it is.
 */
bool loop_timer_is_on(sd_event_source *timer)
{
	return timer && sd_event_source_get_enabled(timer, NULL) > 0;
}

/**
 * loop_delay_next() - how long to wait until what has failed is tried once more
 * @delay: s, as long as it was the last time; 0: it has failed for the first time
 *
 * Return: s: 1, 2, 4 and so on, then 60.
 */
unsigned int loop_delay_next(unsigned int delay)
{
	if (!delay)
		return 1;
	return delay < DELAY_MAX_S / 2 ? 2 * delay : DELAY_MAX_S;
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	(void)info;
	(void)data;
	sd_notify(0, "STOPPING=1");
	return sd_event_exit(sd_event_source_get_event(source), EXIT_SUCCESS);
}

/**
 * loop_signals() - SIGINT and SIGTERM end a loop, SIGHUP has it read its files again
 * @loop: it
 * @on_reload: called on SIGHUP
 * @data: for @on_reload
 *
 * Return: 0 or a negative errno.
 */
int loop_signals(sd_event *loop, sd_event_signal_handler_t on_reload, void *data)
{
	sigset_t caught;
	int ret;

	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigprocmask(SIG_BLOCK, &caught, NULL);
	ret = sd_event_add_signal(loop, NULL, SIGINT, on_end, NULL);
	if (ret >= 0)
		ret = sd_event_add_signal(loop, NULL, SIGTERM, on_end, NULL);
	if (ret >= 0)
		ret = sd_event_add_signal(loop, NULL, SIGHUP, on_reload, data);
	return ret < 0 ? ret : 0;
}

/**
 * loop_go_on() - the end of a handler
 * @loop: ends where it cannot go on; sd-event would only not call the handler again
 * @ret: negative errno if so
 *
 * Return: what the handler has to.
 */
int loop_go_on(sd_event *loop, int ret)
{
	return ret < 0 ? sd_event_exit(loop, ret) : 0;
}
