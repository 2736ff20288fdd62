// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link.h"
#include "loop.h"
#include "say.h"

#define MS_PER_S	1000

static int on_again(sd_event_source *source, uint64_t now, void *data)
{
	struct link *link = data;

	(void)source;
	(void)now;
	return loop_go_on(link->loop, link_open(link));
}

static const char *reason(int error)
{
	if (error == -EPROTO || error == -EBADMSG)
		return "module and instinctctl do not match, install both from the same version";
	return strerror(-error);
}

/* Stop listening to events, waiting for the module and waiting for the next attempt. */
static void close_all(struct link *link)
{
	link->events = sd_event_source_disable_unref(link->events);
	link->come = sd_event_source_disable_unref(link->come);
	loop_timer_off(link->again);
	if (link->calls->closing)
		link->calls->closing(link->data);
	stream_close(link->stream);
	nl_watch_close(link->watch);
	link->watch = NULL;
}

/* A missing module needs no retry: the kernel announces its netlink family when it loads. */
static int try_again(struct link *link, const char *what, int error)
{
	char why[TEXT_BYTES];

	close_all(link);
	snprintf(why, sizeof(why), "cannot %s: %s", what, reason(error));
	if (!link->delay)
		say_warning("%s; instinctctl tries again", why);
	link->calls->failed(why, link->data);
	link->delay = loop_delay_next(link->delay);
	return loop_timer(link->loop, &link->again, link->delay * MS_PER_S, on_again, link);
}

static int on_come(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct link *link = data;
	int ret = nl_watch_read(link->watch);

	(void)source;
	(void)fd;
	(void)events;
	if (ret < 0)
		ret = try_again(link, "wait for the module", ret);
	else if (ret)
		ret = link_open(link);
	return loop_go_on(link->loop, ret);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct link *link = data;
	int ret = stream_read(link->stream);

	(void)source;
	(void)fd;
	(void)events;
	if (link->calls->read)
		link->calls->read(link->data);
	if (ret == -ENODEV) {
		close_all(link);
		link->calls->gone(link->data);
		ret = link_open(link);
	} else if (ret) {
		ret = try_again(link, "read events", ret);
	}
	return loop_go_on(link->loop, ret);
}

static int subscribe(struct link *link, struct nl *ask)
{
	struct nl_info info;
	int ret;

	if (nl_version(ask) != INSTINCT_VFIO_FAMILY_VERSION) {
		nl_close(ask);
		return -EPROTO;
	}
	ret = stream_open(link->stream, ask, &info);
	if (!ret)
		ret = link->calls->follow(&info, link->data);
	if (!ret)
		ret = sd_event_add_io(link->loop, &link->events, nl_fd(link->stream->listen),
				      EPOLLIN, on_events, link);
	if (ret < 0)
		return ret;
	link->delay = 0;
	return link->calls->linked(&info, link->data);
}

static int wait_for_module(struct link *link)
{
	link->calls->waiting(link->data);
	return sd_event_add_io(link->loop, &link->come, nl_watch_fd(link->watch), EPOLLIN,
			       on_come, link);
}

/**
 * link_open() - subscribe to the module, or wait until it is loaded
 * @link: link whose first four members are set; closed first if it is open
 *
 * A service does not load the module: an operator who has unloaded it wants it unloaded.
 *
 * Return: 0, or a negative errno if the service cannot continue.
 */
int link_open(struct link *link)
{
	int error, ret;
	struct nl *ask;

	close_all(link);
	/* The watch opens before the attempt, so that a module that loads in between is noticed. */
	link->watch = nl_watch_open(&error);
	if (!link->watch)
		return try_again(link, "wait for the module", -error);
	ask = nl_open(&error);
	if (!ask && error == ENOENT)
		return wait_for_module(link);
	if (!ask)
		return try_again(link, "reach the module", -error);
	ret = subscribe(link, ask);
	/* The module was unloaded meanwhile; the watch announces the next one. */
	if (ret == -ENODEV) {
		stream_close(link->stream);
		return wait_for_module(link);
	}
	if (ret < 0)
		return try_again(link, "subscribe to events", ret);
	nl_watch_close(link->watch);
	link->watch = NULL;
	return 0;
}

/**
 * link_free() - close a link for good
 * @link: link; a zeroed one is left alone
 */
void link_free(struct link *link)
{
	if (link->calls)
		close_all(link);
	link->again = sd_event_source_disable_unref(link->again);
}
