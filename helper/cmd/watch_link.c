// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "watch_parts.h"

static void on_event(const struct event *event, void *data)
{
	char why[TEXT_BYTES];

	if (event->kind != INSTINCT_VFIO_EVENT_DEVICE_ADDED)
		return;
	snprintf(why, sizeof(why), "the driver has taken %s", event->bdf);
	watch_soon(data, why);
}

/* A lost event may have been device-added. */
static void on_gap(const struct gap *gap, void *data)
{
	(void)gap;
	watch_soon(data, "events were lost");
}

/* Skip earlier events: the run that follows reads the present state. */
static int follow(const struct nl_info *info, void *data)
{
	struct watch *watch = data;

	watch->stream.next = info->newest + 1;
	return 0;
}

static int linked(const struct nl_info *info, void *data)
{
	(void)info;
	return watch_soon(data, "the module is there");
}

static void gone(void *data)
{
	(void)data;
	watch_tell("the module has been unloaded");
}

static void waiting(void *data)
{
	(void)data;
	watch_tell("waiting for the module");
	sd_notify(0, "STATUS=waiting for the module");
}

static void failed(const char *why, void *data)
{
	(void)data;
	sd_notifyf(0, "STATUS=%s", why);
}

/**
 * watch_link_init() - prepare the link to the module
 * @watch: the watch, with its event loop
 */
void watch_link_init(struct watch *watch)
{
	static const struct stream_calls events = {
		.event = on_event, .gap = on_gap,
	};
	static const struct link_calls calls = {
		.follow = follow,
		.linked = linked,
		.gone = gone,
		.waiting = waiting,
		.failed = failed,
	};

	stream_init(&watch->stream, &events, watch);
	watch->link = (struct link){
		.loop = watch->loop,
		.stream = &watch->stream,
		.calls = &calls,
		.data = watch,
	};
}
