// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon_parts.h"
#include "journal.h"
#include "say.h"

#define DELAY_MAX_S	60
#define MS_PER_S	1000

static int on_again(sd_event_source *source, uint64_t now, void *data)
{
	(void)source;
	(void)now;
	return daemon_go_on(data, daemon_link_open(data));
}

static const char *why(int error)
{
	if (error == -EPROTO || error == -EBADMSG)
		return "module and instinctctl do not match, install both from the same version";
	return strerror(-error);
}

/* Not for a module that is not loaded: of that one the kernel tells. */
static int try_again(struct daemon *daemon, const char *what, int error)
{
	daemon_link_close(daemon);
	if (!daemon->delay)
		say_warning("cannot %s: %s; it is tried again", what, why(error));
	sd_notifyf(0, "READY=1\nSTATUS=cannot %s: %s", what, why(error));
	daemon->delay = !daemon->delay ? 1 : daemon->delay < DELAY_MAX_S / 2 ?
			2 * daemon->delay : DELAY_MAX_S;
	return daemon_timer(daemon->loop, &daemon->again, daemon->delay * MS_PER_S,
			    on_again, daemon);
}

static int on_come(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct daemon *daemon = data;
	int ret = nl_watch_read(daemon->watch);

	(void)source;
	(void)fd;
	(void)events;
	if (ret < 0)
		ret = try_again(daemon, "wait for the module", ret);
	else if (ret)
		ret = daemon_link_open(daemon);
	return daemon_go_on(daemon, ret);
}

static int on_events(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct daemon *daemon = data;
	int ret = stream_read(&daemon->stream);

	(void)source;
	(void)fd;
	(void)events;
	daemon_sinks_settle(daemon);
	if (ret == -ENODEV) {
		daemon_link_close(daemon);
		journal_tell(OWN_MODULE_GONE, NULL, "the module has been unloaded: waiting for it");
		ret = daemon_link_open(daemon);
	} else if (ret) {
		ret = try_again(daemon, "read events", ret);
	}
	return daemon_go_on(daemon, ret);
}

/* What the ring has for sinks that are behind, and all that comes from now on. */
static int follow(struct daemon *daemon, const struct nl_info *info)
{
	struct stream *stream = &daemon->stream;
	int ret;

	stream->next = daemon_sinks_begin(daemon, info);
	ret = stream_look_back(stream);
	daemon_sinks_settle(daemon);
	if (ret)
		return ret;
	return sd_event_add_io(daemon->loop, &daemon->events, nl_fd(stream->listen),
			       EPOLLIN, on_events, daemon);
}

static int subscribe(struct daemon *daemon, struct nl *ask)
{
	struct nl_info info;
	int ret;

	if (nl_version(ask) != INSTINCT_VFIO_FAMILY_VERSION) {
		nl_close(ask);
		return -EPROTO;
	}
	ret = stream_open(&daemon->stream, ask, &info);
	if (!ret)
		ret = follow(daemon, &info);
	if (ret < 0)
		return ret;
	daemon->delay = 0;
	journal_tell(OWN_MODULE_COME, NULL, "listening to the module %s", info.version);
	daemon_samples_start(daemon->samples);
	sd_notifyf(0, "READY=1\nSTATUS=listening to the module %s", info.version);
	return 0;
}

static int wait_for_module(struct daemon *daemon)
{
	sd_notify(0, "READY=1\nSTATUS=waiting for the module to be loaded");
	return sd_event_add_io(daemon->loop, &daemon->come, nl_watch_fd(daemon->watch),
			       EPOLLIN, on_come, daemon);
}

/**
 * daemon_link_open() - subscribe to the module, or wait until it is loaded
 * @daemon: not linked, or waiting
 *
 * Return: 0, or a negative errno, after which the daemon cannot go on.
 */
int daemon_link_open(struct daemon *daemon)
{
	int error, ret;
	struct nl *ask;

	daemon_link_close(daemon);
	/* First this, so that it does not come unheard between. */
	daemon->watch = nl_watch_open(&error);
	if (!daemon->watch)
		return try_again(daemon, "wait for the module", -error);
	ask = nl_open(&error);
	if (!ask && error == ENOENT)
		return wait_for_module(daemon);
	if (!ask)
		return try_again(daemon, "reach the module", -error);
	ret = subscribe(daemon, ask);
	/* Gone meanwhile: of the next one the watch would tell. */
	if (ret == -ENODEV) {
		stream_close(&daemon->stream);
		return wait_for_module(daemon);
	}
	if (ret < 0)
		return try_again(daemon, "subscribe to events", ret);
	nl_watch_close(daemon->watch);
	daemon->watch = NULL;
	return 0;
}

/**
 * daemon_link_close() - neither listen nor wait
 * @daemon: linked, waiting, or neither
 */
void daemon_link_close(struct daemon *daemon)
{
	daemon->events = sd_event_source_disable_unref(daemon->events);
	daemon->come = sd_event_source_disable_unref(daemon->come);
	daemon_timer_off(daemon->again);
	if (daemon->samples)
		daemon_samples_stop(daemon->samples);
	stream_close(&daemon->stream);
	nl_watch_close(daemon->watch);
	daemon->watch = NULL;
}
