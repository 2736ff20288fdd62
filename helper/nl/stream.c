// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "stream.h"

#define BATCH_MAX	256
#define REPLAY_TRIES	5

/**
 * stream_init() - set up a stream at its beginning
 * @stream: receives the initial state
 * @calls: callbacks of the subscriber
 * @data: passed to @calls
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

/* After the module was unloaded, the kernel answers its requests with ENOENT. */
static int gone_or(int error)
{
	return error == -ENOENT ? -ENODEV : error;
}

/**
 * stream_begin() - adopt the epoch of the module
 * @stream: stream, whose next event becomes 1 if its epoch was another
 * @epoch: epoch of the module
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
 * stream_open() - subscribe to the module's events
 * @stream: closed stream, which continues at its next event if the epoch is the same
 * @ask: socket to the module, which stream_close() closes, even if this function fails
 * @info: receives the facts about the module
 *
 * The caller reads kept events with stream_look_back() after this, so that no event is missed
 * in between.
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

/* Deliver each event once and in order, and report a gap with its numbers. */
static void order(const struct event *event, void *data)
{
	struct stream *stream = data;
	struct gap gap;

	/* An event of another epoch comes from a module that was loaded since. */
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
 * stream_replay() - read kept events without moving the stream, for a sink that lags
 * @stream: open stream
 * @from: number of the first wanted event
 * @call: called for each event; an interrupted dump starts again and repeats events
 * @data: passed to @call
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
 * stream_look_back() - take the kept events from the stream's next event on
 * @stream: open stream
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
 * stream_take() - take an event that has arrived
 * @stream: open stream
 * @event: event
 *
 * If the number of the event is not the next one, the stream first reads the module's ring,
 * which has the missing events and this one.
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
 * The kernel reports an overrun before the events that had arrived earlier are read. These
 * must be read first, since the ring may no longer have them.
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
 * @stream: open stream with a readable socket
 *
 * Return: 0, or a negative errno, after which the caller must close the stream; -ENODEV if the
 * module has been unloaded. An error loses no event.
 */
int stream_read(struct stream *stream)
{
	int i, ret = 0;

	/* No further event may arrive after an overrun, so the loop must not stop before it. */
	for (i = 0; (i < BATCH_MAX || stream->overrun) && !ret; i++)
		ret = read_one(stream);
	return ret == -EAGAIN || ret == -EINTR ? 0 : ret;
}

/**
 * stream_close() - close the sockets and keep the position
 * @stream: stream, open or not
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
