// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "stream.h"

#define BATCH_MAX	256
#define REPLAY_TRIES	5

/**
 * stream_init() - a subscriber that has heard of nothing yet
 * @stream: set
 * @calls: what it does
 * @data: for @calls
 */
void stream_init(struct stream *stream, const struct stream_calls *calls, void *data)
{
	*stream = (struct stream) {
		.calls = calls,
		.data = data,
		.replay = nl_events_replay,
		.read = nl_events_read,
	};
}

/* The requests of a module that is gone are of an unknown family. */
static int gone_or(int error)
{
	return error == -ENOENT ? -ENODEV : error;
}

/**
 * stream_begin() - the module has been found to be of an epoch
 * @stream: that of another one goes on at 1
 * @epoch: of the module
 */
void stream_begin(struct stream *stream, uint64_t epoch)
{
	bool anew = stream->epoch;

	if (stream->epoch == epoch)
		return;
	stream->epoch = epoch;
	stream->next = 1;
	if (anew && stream->calls->epoch)
		stream->calls->epoch(epoch, stream->data);
}

/**
 * stream_open() - subscribe
 * @stream: not open; an @epoch that it knows goes on at its @next, or is told to
 *	be over
 * @ask: to the module, closed with the stream whatever is returned
 * @info: set, about the module
 *
 * What was before is looked at after this, so that nothing falls between.
 *
 * Return: 0 or a negative errno, -ENODEV if the module has gone.
 */
int stream_open(struct stream *stream, struct nl *ask, struct nl_info *info)
{
	int error, ret;

	stream->ask = ask;
	stream->error = 0;
	stream->overrun = false;
	stream->listen = nl_open(&error);
	if (!stream->listen)
		return gone_or(-error);
	ret = nl_events_join(stream->listen);
	if (!ret)
		ret = nl_info_get(ask, info);
	if (ret)
		return gone_or(ret);
	stream_begin(stream, info->epoch);
	return 0;
}

/* Each event once, in order; what is missing is told with its numbers. */
static void order(const struct event *event, void *data)
{
	struct stream *stream = data;
	struct gap gap;

	/* Another module: this one has gone. */
	if (event->epoch != stream->epoch)
		stream->error = -ENODEV;
	if (stream->error || event->seq < stream->next)
		return;
	gap = (struct gap) { stream->epoch, stream->next, event->seq - 1 };
	stream->next = event->seq + 1;
	if (gap.first <= gap.last && stream->calls->gap)
		stream->calls->gap(&gap, stream->data);
	stream->calls->event(event, stream->data);
}

/**
 * stream_replay() - the kept events, for one that lags
 * @stream: open
 * @from: first number wanted
 * @call: called for each, again after an interruption
 * @data: for @call
 *
 * Return: 0 or a negative errno, -ENODEV if the module has gone.
 */
int stream_replay(struct stream *stream, uint64_t from, nl_event_t call, void *data)
{
	int tries = REPLAY_TRIES, ret;

	do
		ret = stream->replay(stream->ask, from, call, data);
	while (ret == -EAGAIN && --tries);
	return ret == -EAGAIN ? -EBUSY : gone_or(ret);
}

/**
 * stream_look_back() - take the kept events from the next number on
 * @stream: open
 *
 * Return: 0 or a negative errno, -ENODEV if the module has gone.
 */
int stream_look_back(struct stream *stream)
{
	int ret;

	stream->error = 0;
	ret = stream_replay(stream, stream->next, order, stream);
	if (!stream->error)
		stream->error = ret;
	return stream->error;
}

/**
 * stream_take() - an event that has arrived
 * @stream: open
 * @event: it
 *
 * A number that jumps is made good from the kernel's ring before this event is
 * told, which is then in there too.
 */
void stream_take(struct stream *stream, const struct event *event)
{
	if (!stream->error && event->epoch == stream->epoch &&
	    event->seq > stream->next)
		stream_look_back(stream);
	order(event, stream);
}

static void take(const struct event *event, void *data)
{
	stream_take(data, event);
}

/*
 * The kernel tells of an overrun at once, and what had arrived before it is read
 * after that: the ring may no longer have those.
 */
static int read_one(struct stream *stream)
{
	int ret = stream->read(stream->listen, take, stream);

	if (ret == -ENOBUFS) {
		stream->overrun = true;
		return 0;
	}
	if (ret == -EAGAIN && stream->overrun) {
		stream->overrun = false;
		return stream_look_back(stream) ? stream->error : -EAGAIN;
	}
	return ret ? ret : stream->error;
}

/**
 * stream_read() - take the events that have arrived
 * @stream: open, its @listen readable
 *
 * Return: 0; -ENODEV if the module has been unloaded, or another negative errno,
 * after which the stream is to be closed. No event has been lost by that.
 */
int stream_read(struct stream *stream)
{
	int i, ret = 0;

	/* After an overrun nothing may come that would tell of it. */
	for (i = 0; (i < BATCH_MAX || stream->overrun) && !ret; i++)
		ret = read_one(stream);
	return ret == -EAGAIN || ret == -EINTR ? 0 : ret;
}

/**
 * stream_close() - hear no more; where it was is kept
 * @stream: open, or not
 */
void stream_close(struct stream *stream)
{
	if (stream->listen)
		nl_close(stream->listen);
	if (stream->ask)
		nl_close(stream->ask);
	stream->listen = NULL;
	stream->ask = NULL;
}
