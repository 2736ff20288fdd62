/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event-loop parts that long-running services share: signals, timers, handler results. */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <systemd/sd-event.h>

int loop_timer(sd_event *loop, sd_event_source **timer, uint64_t ms,
	       sd_event_time_handler_t ring, void *data);
void loop_timer_off(sd_event_source *timer);
bool loop_timer_is_on(sd_event_source *timer);
int loop_signals(sd_event *loop, sd_event_signal_handler_t on_reload, void *data);
unsigned int loop_delay_next(unsigned int delay);
int loop_go_on(sd_event *loop, int ret);

#endif /* LOOP_H */
