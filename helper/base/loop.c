// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "loop.h"

#define US_PER_MS	1000ull
#define DELAY_MAX_S	60
#define ACCURACY_US	250000ull	/* lets sd-event coalesce timers */

/**
 * loop_timer() - arm a one-shot timer
 * @loop: event loop
 * @timer: timer; NULL before the first call, which creates it
 * @ms: delay from now, ms
 * @ring: called when the timer expires
 * @data: passed to @ring
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
 * loop_timer_off() - disarm a timer
 * @timer: timer, or NULL
 */
void loop_timer_off(sd_event_source *timer)
{
	if (timer)
		sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

/**
 * loop_timer_is_on() - tell whether a timer is armed
 * @timer: timer, or NULL
 *
 * Return: true if @timer is armed.
 */
bool loop_timer_is_on(sd_event_source *timer)
{
	return timer && sd_event_source_get_enabled(timer, NULL) > 0;
}

/**
 * loop_delay_next() - compute the next delay of an exponential back-off
 * @delay: delay before the attempt that has just failed, s; 0 after the first attempt
 *
 * Return: delay before the next attempt, s: 1, 2, 4 and so on, then 60.
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
 * loop_signals() - have SIGINT and SIGTERM end a loop, and SIGHUP reload its files
 * @loop: event loop
 * @on_reload: called on SIGHUP
 * @data: passed to @on_reload
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
 * loop_go_on() - turn a handler's result into its return value
 * @loop: event loop, which ends if the handler failed
 * @ret: result of the handler; a negative errno is fatal
 *
 * When a handler returns an error, sd-event only disables that handler and keeps the loop
 * running. A service without one of its handlers is of no use, so the loop ends instead.
 *
 * Return: the value that the handler must return to sd-event.
 */
int loop_go_on(sd_event *loop, int ret)
{
	return ret < 0 ? sd_event_exit(loop, ret) : 0;
}
