// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "feed.h"
#include "journal.h"
#include "loop.h"
#include "say.h"

#define UNFLUSHED_MAX	64	/* bounds the memory that a sink needs */

/**
 * feed_init() - set up a feed, before the module is known to be loaded
 * @feed: set
 * @sink: the sink
 * @place: position of the sink
 * @epoch: epoch of @place
 * @fresh: the sink is new, so @place is not valid
 */
void feed_init(struct feed *feed, struct sink *sink, struct place_sink *place, uint64_t epoch,
	       bool fresh)
{
	*feed = (struct feed) {
		.sink = sink,
		.place = place,
		.epoch = epoch,
		.taken = place->next,
		.fresh = fresh,
	};
}

/* Try again after a growing delay, and report each error once. */
static void fail(struct feed *feed, int error)
{
	struct fields fields = { 0 };

	feed->place->failed++;
	feed->lagging = true;
	feed->delay = loop_delay_next(feed->delay);
	if (feed->error == error)
		return;
	feed->error = error;
	fields_add(&fields, FIELDS_PREFIX "SINK=%s", feed->sink->name);
	journal_tell(OWN_SINK_FAILED, &fields, "events do not get to %s from number %" PRIu64 " on: %s; the module keeps them, and the service tries again",
		     feed->sink->name, feed->place->next,
		     *feed->sink->why ? feed->sink->why : strerror(-error));
}

static void recovered(struct feed *feed)
{
	struct fields fields = { 0 };

	feed->delay = 0;
	if (!feed->error)
		return;
	feed->error = 0;
	fields_add(&fields, FIELDS_PREFIX "SINK=%s", feed->sink->name);
	journal_tell(OWN_SINK_BACK, &fields, "events get to %s again", feed->sink->name);
}

/**
 * feed_flush() - flush the sink, and record its position
 * @feed: the feed
 */
void feed_flush(struct feed *feed)
{
	struct sink *sink = feed->sink;
	uint64_t next = feed->taken;
	int ret = sink->calls->flush(sink, feed->epoch, &next);

	feed->unflushed = 0;
	feed->place->delivered += sink->done;
	feed->place->failed += sink->failed;
	sink->done = 0;
	sink->failed = 0;
	if (ret) {
		feed->taken = feed->place->next;
		fail(feed, ret);
		return;
	}
	/* A sink that lags still needs the timer, unless it wakes by itself. */
	if (next > feed->place->next && (!feed->lagging || sink->busy))
		recovered(feed);
	feed->place->next = next;
}

static void tell_lost(const struct feed *feed, const struct gap *gap)
{
	struct fields fields = { 0 };

	feed->place->lost += gap->last - gap->first + 1;
	fields_add(&fields, FIELDS_PREFIX "SINK=%s", feed->sink->name);
	fields_add(&fields, FIELDS_PREFIX "EPOCH=%" PRIu64, gap->epoch);
	fields_add(&fields, FIELDS_PREFIX "FIRST=%" PRIu64, gap->first);
	fields_add(&fields, FIELDS_PREFIX "LAST=%" PRIu64, gap->last);
	journal_tell(OWN_EVENTS_LOST, &fields, "events %" PRIu64 " to %" PRIu64 " did not get to %s: the module no longer has them",
		     gap->first, gap->last, feed->sink->name);
}

/* Flush a gap at once, so that only an arrived gap is counted. */
static bool give_gap(struct feed *feed, const struct gap *gap)
{
	uint64_t next = gap->last + 1;
	int ret = feed->sink->calls->gap(feed->sink, gap);

	if (!ret)
		ret = feed->sink->calls->flush(feed->sink, feed->epoch, &next);
	if (ret)
		fail(feed, ret);
	return !ret;
}

/* Report a gap up to @seq, since the module no longer has the events before it. */
static bool skip_to(struct feed *feed, uint64_t seq)
{
	struct gap gap = { feed->epoch, feed->taken, seq - 1 };

	feed_flush(feed);
	/* The sink has not arrived at the gap yet. */
	if (feed->place->next != feed->taken)
		feed->lagging = true;
	if (feed->lagging || !give_gap(feed, &gap))
		return false;
	tell_lost(feed, &gap);
	feed->taken = seq;
	feed->place->next = seq;
	return true;
}

/**
 * feed_event() - give the sink an event, unless it has the event already or lags
 * @feed: the feed
 * @event: the event; the caller has given all earlier events that the module still had
 */
void feed_event(struct feed *feed, const struct event *event)
{
	int ret;

	if (feed->lagging || event->epoch != feed->epoch || event->seq < feed->taken)
		return;
	if (event->seq > feed->taken && !skip_to(feed, event->seq))
		return;
	ret = feed->sink->calls->take(feed->sink, event);
	if (ret && !feed->sink->busy) {
		fail(feed, ret);
		return;
	}
	feed->lagging = feed->sink->busy;
	if (ret)
		return;
	feed->taken = event->seq + 1;
	if (++feed->unflushed >= UNFLUSHED_MAX)
		feed_flush(feed);
}

/* Give the sink the gaps that it could not take when they arose. */
static bool pay(struct feed *feed)
{
	struct place_sink *place = feed->place;

	while (place->owes) {
		if (!give_gap(feed, &place->owed[0]))
			return false;
		memmove(&place->owed[0], &place->owed[1],
			--place->owes * sizeof(place->owed[0]));
	}
	return true;
}

/**
 * feed_end_epoch() - record a gap for the events that an unloaded module took along
 * @feed: the feed
 * @newest: number of the last event that the service has heard of
 */
void feed_end_epoch(struct feed *feed, uint64_t newest)
{
	struct place_sink *place = feed->place;
	struct gap gap;

	feed_flush(feed);
	gap = (struct gap) { feed->epoch, feed->taken, newest };
	if (feed->epoch && !feed->fresh && gap.first <= gap.last) {
		tell_lost(feed, &gap);
		if (place->owes == PLACE_GAPS_MAX)
			memmove(&place->owed[0], &place->owed[1],
				--place->owes * sizeof(gap));
		place->owed[place->owes++] = gap;
	}
	feed->taken = 1;
	place->next = 1;
}

/**
 * feed_begin() - begin, now that the module is loaded
 * @feed: the feed, whose position is of @epoch
 * @epoch: epoch of the module
 * @oldest: number of the oldest event that the module has
 * @newest: number of its newest event
 */
void feed_begin(struct feed *feed, uint64_t epoch, uint64_t oldest, uint64_t newest)
{
	feed->epoch = epoch;
	if (feed->fresh) {
		feed->taken = oldest;
		feed->place->next = oldest;
	} else if (feed->taken > newest + 1) {
		say_warning("the state file has %s at event %" PRIu64 ", and there is none after %" PRIu64 " yet",
			    feed->sink->name, feed->taken, newest);
		feed->taken = newest + 1;
		feed->place->next = newest + 1;
	}
	feed->fresh = false;
	if (feed->sink->calls->begin)
		feed->sink->calls->begin(feed->sink, epoch, newest);
	/* The caller reads the kept events anyway, so try the sink again. */
	feed->lagging = feed->sink->busy || !pay(feed);
}

static void on_event(const struct event *event, void *data)
{
	feed_event(data, event);
}

/**
 * feed_catch_up() - give a sink that lags the events that the module keeps
 * @feed: the feed
 * @stream: the module's events
 */
void feed_catch_up(struct feed *feed, struct stream *stream)
{
	int ret;

	if (!feed->lagging || feed->sink->busy || !stream->ask)
		return;
	feed->lagging = false;
	if (!pay(feed))
		return;
	ret = stream_replay(stream, feed->taken, on_event, feed);
	if (ret)
		fail(feed, ret);
	feed_flush(feed);
	if (!feed->lagging)
		recovered(feed);
}
