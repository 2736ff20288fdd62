// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "say.h"
#include "watch_parts.h"

#define US_PER_MS	1000ull
#define DELAY_MIN_MS	1000
#define DELAY_MAX_MS	60000

static int on_again(sd_event_source *source, uint64_t now, void *data)
{
	(void)source;
	(void)now;
	return watch_go_on(data, watch_link_open(data));
}

static int timer(struct watch *watch)
{
	if (!watch->again)
		return sd_event_add_time_relative(watch->loop, &watch->again,
						  CLOCK_MONOTONIC,
						  watch->delay * US_PER_MS, 0, on_again,
						  watch);
	sd_event_source_set_time_relative(watch->again, watch->delay * US_PER_MS);
	return sd_event_source_set_enabled(watch->again, SD_EVENT_ONESHOT);
}

static int try_again(struct watch *watch, const char *what, int error)
{
	watch_link_close(watch);
	if (!watch->delay)
		say_warning("cannot %s: %s; it is tried again", what, strerror(-error));
	sd_notifyf(0, "STATUS=cannot %s: %s", what, strerror(-error));
	watch->delay = watch->delay ? 2 * watch->delay : DELAY_MIN_MS;
	if (watch->delay > DELAY_MAX_MS)
		watch->delay = DELAY_MAX_MS;
	return timer(watch);
}

static int on_come(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct watch *watch = data;
	int ret = nl_watch_read(watch->come);

	(void)source;
	(void)fd;
	(void)events;
	if (ret < 0)
		ret = try_again(watch, "wait for the module", ret);
	else if (ret)
		ret = watch_link_open(watch);
	return watch_go_on(watch, ret);
}

static int wait_for_module(struct watch *watch)
{
	watch_tell("waiting for the module");
	sd_notify(0, "STATUS=waiting for the module");
	return sd_event_add_io(watch->loop, &watch->comes, nl_watch_fd(watch->come),
			       EPOLLIN, on_come, watch);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct watch *watch = data;
	int ret = stream_read(&watch->stream);

	(void)source;
	(void)fd;
	(void)events;
	if (ret == -ENODEV) {
		watch_tell("the module has been unloaded");
		ret = watch_link_open(watch);
	} else if (ret) {
		ret = try_again(watch, "read events", ret);
	}
	return watch_go_on(watch, ret);
}

static void on_event(const struct event *event, void *data)
{
	char why[TEXT_BYTES];

	if (event->kind != INSTINCT_VFIO_EVENT_DEVICE_ADDED)
		return;
	snprintf(why, sizeof(why), "the driver has taken %s", event->bdf);
	watch_soon(data, why);
}

/* One of them may have been a device's coming. */
static void on_gap(const struct gap *gap, void *data)
{
	(void)gap;
	watch_soon(data, "events were lost");
}

static void on_epoch(uint64_t epoch, void *data)
{
	(void)epoch;
	(void)data;
}

static int subscribe(struct watch *watch, struct nl *ask)
{
	static const struct stream_calls calls = {
		.event = on_event, .gap = on_gap, .epoch = on_epoch,
	};
	struct nl_info info;
	int ret;

	stream_init(&watch->stream, &calls, watch);
	ret = stream_open(&watch->stream, ask, &info);
	if (ret)
		return ret;
	/* What was before this is looked at by the run that follows. */
	watch->stream.next = info.newest + 1;
	ret = sd_event_add_io(watch->loop, &watch->events, nl_fd(watch->stream.listen),
			      EPOLLIN, on_events, watch);
	return ret < 0 ? ret : watch_soon(watch, "the module is there");
}

/**
 * watch_link_open() - subscribe to the module, or wait until it is loaded
 * @watch: not linked, or waiting
 *
 * It is not loaded here: who has unloaded it wants it to be so.
 *
 * Return: 0, or a negative errno, after which the watch cannot go on.
 */
int watch_link_open(struct watch *watch)
{
	int error, ret;
	struct nl *ask;

	watch_link_close(watch);
	/* First this, so that it does not come unheard between. */
	watch->come = nl_watch_open(&error);
	if (!watch->come)
		return try_again(watch, "wait for the module", -error);
	ask = nl_open(&error);
	if (!ask && error == ENOENT)
		return wait_for_module(watch);
	if (!ask)
		return try_again(watch, "reach the module", -error);
	ret = subscribe(watch, ask);
	if (ret == -ENODEV) {
		stream_close(&watch->stream);
		return wait_for_module(watch);
	}
	if (ret < 0)
		return try_again(watch, "subscribe to events", ret);
	watch->delay = 0;
	nl_watch_close(watch->come);
	watch->come = NULL;
	return 0;
}

/**
 * watch_link_close() - neither listen nor wait
 * @watch: linked, waiting, or neither
 */
void watch_link_close(struct watch *watch)
{
	watch->events = sd_event_source_disable_unref(watch->events);
	watch->comes = sd_event_source_disable_unref(watch->comes);
	if (watch->again)
		sd_event_source_set_enabled(watch->again, SD_EVENT_OFF);
	stream_close(&watch->stream);
	nl_watch_close(watch->come);
	watch->come = NULL;
}
