// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon_parts.h"
#include "say.h"

#define BATCH_MAX	256
#define MS_PER_S	1000

static const char *const names[DAEMON_FEEDS] = {
	[FEED_JOURNAL] = "journal",
	[FEED_JSON] = "json",
	[FEED_HOOKS] = "hooks",
};

/**
 * daemon_sinks_lock() - lock a state file
 * @daemon: the daemon; it gives up the lock on another state file
 * @state: name of the file
 *
 * Other errors than -EBUSY are reported when the file cannot be written: its folder may appear
 * by then.
 *
 * Return: 0, or -EBUSY if another process has the lock.
 */
int daemon_sinks_lock(struct daemon *daemon, const char *state)
{
	int lock = place_lock(state);

	if (lock == -EBUSY)
		return lock;
	if (daemon->lock >= 0)
		close(daemon->lock);
	daemon->lock = lock;
	return 0;
}

/**
 * daemon_sinks_load() - read the positions of the sinks from the state file
 * @daemon: the daemon
 *
 * Without a state file the sinks begin with the oldest event that the module keeps.
 */
void daemon_sinks_load(struct daemon *daemon)
{
	int ret = place_load(daemon->conf.state, &daemon->place);

	if (ret && ret != -ENOENT)
		say_warning("%s: %s; events begin with the oldest one that the module has",
			    daemon->conf.state,
			    ret == -EBADMSG ? "not understood" : strerror(-ret));
	/* The state file is stored with events only, so its sample counts lag: begin at 0. */
	daemon->place.samples = 0;
	daemon->place.samples_refused = 0;
	daemon->stored = daemon->place;
	daemon->stream.epoch = daemon->place.epoch;
}

static int on_retry(sd_event_source *source, uint64_t now, void *data)
{
	struct daemon_feed *at = data;

	(void)source;
	(void)now;
	feed_catch_up(&at->feed, &at->daemon->stream);
	daemon_sinks_settle(at->daemon);
	return 0;
}

/* Only a sink that fails needs the timer; a busy one wakes by itself. */
static void arm(struct daemon_feed *at)
{
	struct feed *feed = &at->feed;

	if (!feed->sink || !feed->lagging || feed->sink->busy || !feed->delay ||
	    !at->daemon->stream.ask)
		loop_timer_off(at->retry);
	else if (!loop_timer_is_on(at->retry))
		loop_timer(at->daemon->loop, &at->retry, feed->delay * MS_PER_S,
			   on_retry, at);
}

/* A sink goes on by itself: a hook has ended, or the journal has room. */
static void on_wake(void *data)
{
	struct daemon_feed *at = data;

	feed_flush(&at->feed);
	feed_catch_up(&at->feed, &at->daemon->stream);
	daemon_sinks_settle(at->daemon);
}

static struct sink *sink_new(struct daemon *daemon, unsigned int i,
			     const struct monitor_conf *conf)
{
	switch (i) {
	case FEED_JOURNAL:
		return conf->journal ? sink_journal_new(daemon->loop) : NULL;
	case FEED_JSON:
		return *conf->json ? sink_json_new(conf->json) : NULL;
	default:
		return *conf->hooks ? sink_hooks_new(daemon->loop, conf->hooks,
						     conf->hook_timeout) : NULL;
	}
}

static bool is_on(unsigned int i, const struct monitor_conf *conf)
{
	return i == FEED_JOURNAL ? conf->journal :
	       i == FEED_JSON ? *conf->json : *conf->hooks;
}

static void feed_close(struct daemon_feed *at)
{
	if (!at->feed.sink)
		return;
	feed_flush(&at->feed);
	at->feed.sink->calls->close(at->feed.sink);
	at->feed.sink = NULL;
	arm(at);
}

/*
 * Keep the positions of active sinks, in the order of the table. A sink that is switched off
 * loses its position, and begins with the next event when it is switched on again.
 */
static void sort_places(struct daemon *daemon, const struct monitor_conf *conf)
{
	struct place before = daemon->place, *place = &daemon->place;
	unsigned int i;

	place->sinks = 0;
	for (i = 0; i < DAEMON_FEEDS; i++) {
		struct place_sink *known = place_find(&before, names[i]);
		struct place_sink *sink = &place->sink[place->sinks];

		if (!is_on(i, conf))
			continue;
		if (known)
			*sink = *known;
		else
			*sink = (struct place_sink) { .next = place->heard + 1 };
		snprintf(sink->name, sizeof(sink->name), "%s", names[i]);
		daemon->feeds[i].feed.place = sink;
		place->sinks++;
	}
}

/* Without a state file the feed begins with the oldest event that the module keeps. */
static int feed_open(struct daemon *daemon, unsigned int i, const struct monitor_conf *conf)
{
	struct daemon_feed *at = &daemon->feeds[i];
	struct sink *sink = sink_new(daemon, i, conf);

	if (!sink)
		return -ENOMEM;
	at->daemon = daemon;
	feed_init(&at->feed, sink, at->feed.place, daemon->place.epoch,
		  !daemon->place.epoch);
	sink->wake = on_wake;
	sink->data = at;
	return 0;
}

/**
 * daemon_sinks_set() - open, close and change sinks by new settings
 * @daemon: the daemon
 * @conf: the new settings
 *
 * A changed sink keeps its position. The caller has to let all sinks catch up afterwards.
 *
 * Return: 0 or a negative errno.
 */
int daemon_sinks_set(struct daemon *daemon, const struct monitor_conf *conf)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < DAEMON_FEEDS; i++)
		if (!is_on(i, conf) || (i == FEED_JSON && strcmp(conf->json, daemon->conf.json)))
			feed_close(&daemon->feeds[i]);
	sort_places(daemon, conf);
	if (strcmp(conf->state, daemon->conf.state))
		daemon->stored = (struct place) { 0 };
	for (i = 0; i < DAEMON_FEEDS && !ret; i++) {
		if (!is_on(i, conf))
			continue;
		if (!daemon->feeds[i].feed.sink)
			ret = feed_open(daemon, i, conf);
		else if (i == FEED_HOOKS)
			sink_hooks_set(daemon->feeds[i].feed.sink, conf->hooks,
				       conf->hook_timeout);
	}
	return ret;
}

/**
 * daemon_sinks_event() - give an event to all sinks
 * @daemon: the daemon
 * @event: the event, in order
 */
void daemon_sinks_event(struct daemon *daemon, const struct event *event)
{
	unsigned int i;

	/* The event may be an old one that a sink has missed. */
	if (event->seq > daemon->place.heard)
		daemon->place.heard = event->seq;
	for (i = 0; i < DAEMON_FEEDS; i++)
		if (daemon->feeds[i].feed.sink)
			feed_event(&daemon->feeds[i].feed, event);
	if (++daemon->batch >= BATCH_MAX)
		daemon_sinks_settle(daemon);
}

/**
 * daemon_sinks_end_epoch() - end the epoch of a module that was unloaded
 * @daemon: the daemon
 */
void daemon_sinks_end_epoch(struct daemon *daemon)
{
	unsigned int i;

	for (i = 0; i < DAEMON_FEEDS; i++)
		if (daemon->feeds[i].feed.sink)
			feed_end_epoch(&daemon->feeds[i].feed, daemon->place.heard);
	daemon->place.heard = 0;
}

/**
 * daemon_sinks_begin() - begin, now that the module is loaded
 * @daemon: the daemon
 * @info: the module's epoch, oldest and newest event
 *
 * Return: number of the first event that a sink still needs.
 */
uint64_t daemon_sinks_begin(struct daemon *daemon, const struct nl_info *info)
{
	uint64_t next = info->newest + 1;
	unsigned int i;

	daemon->place.epoch = info->epoch;
	daemon->place.heard = info->newest;
	for (i = 0; i < DAEMON_FEEDS; i++) {
		struct feed *feed = &daemon->feeds[i].feed;

		if (!feed->sink)
			continue;
		feed_begin(feed, info->epoch, info->oldest ? info->oldest : 1, info->newest);
		if (!feed->lagging && feed->taken < next)
			next = feed->taken;
	}
	return next;
}

static void store(struct daemon *daemon)
{
	int ret = 0;

	if (!daemon->place.epoch ||
	    !memcmp(&daemon->place, &daemon->stored, sizeof(daemon->place)))
		return;
	if (daemon->lock < 0)
		ret = daemon_sinks_lock(daemon, daemon->conf.state);
	if (!ret)
		ret = place_store(daemon->conf.state, &daemon->place);
	if (!ret)
		daemon->stored = daemon->place;
	else if (ret != daemon->store_error)
		say_warning("cannot write %s: %s; after a crash sinks may get events twice",
			    daemon->conf.state,
			    ret == -EBUSY ? "another monitor uses it" : strerror(-ret));
	daemon->store_error = ret;
}

/**
 * daemon_sinks_settle() - end a batch: flush all sinks, then store their positions
 * @daemon: the daemon
 */
void daemon_sinks_settle(struct daemon *daemon)
{
	unsigned int i;

	for (i = 0; i < DAEMON_FEEDS; i++) {
		if (daemon->feeds[i].feed.sink)
			feed_flush(&daemon->feeds[i].feed);
		arm(&daemon->feeds[i]);
	}
	daemon->batch = 0;
	store(daemon);
}

/**
 * daemon_sinks_close() - close all sinks at the end of the daemon
 * @daemon: the daemon
 */
void daemon_sinks_close(struct daemon *daemon)
{
	unsigned int i;

	for (i = 0; i < DAEMON_FEEDS; i++) {
		feed_close(&daemon->feeds[i]);
		sd_event_source_disable_unref(daemon->feeds[i].retry);
	}
	store(daemon);
}
