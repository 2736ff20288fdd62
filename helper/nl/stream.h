/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's events: each is delivered once, in order, and gaps are reported. */
#ifndef STREAM_H
#define STREAM_H

#include "nl.h"

/**
 * struct stream_calls - callbacks of a subscriber
 * @event: called for each event once, in order of its number
 * @gap: called for events that the module no longer has; may be NULL
 * @epoch: called if the module was loaded again before the stream was opened again, so events
 *	count from 1; may be NULL
 */
struct stream_calls {
	void (*event)(const struct event *event, void *data);
	void (*gap)(const struct gap *gap, void *data);
	void (*epoch)(uint64_t epoch, void *data);
};

/**
 * struct stream - position of a subscriber
 * @calls: callbacks of the subscriber
 * @data: passed to @calls
 * @epoch: epoch of @next, 0 for none yet
 * @next: number of the next event
 * @ask: socket for requests, NULL without the module
 * @listen: socket that receives events
 * @replay: nl_events_replay(), which tests replace
 * @read: nl_events_read(), which tests replace
 * @overrun: the socket has dropped events after those that wait to be read
 * @error: negative errno of a failed read of kept events, or 0
 */
struct stream {
	const struct stream_calls *calls;
	void *data;
	uint64_t epoch;
	uint64_t next;
	struct nl *ask;
	struct nl *listen;
	int (*replay)(struct nl *ask, uint64_t from, nl_event_t call, void *data);
	int (*read)(struct nl *listen, nl_event_t call, void *data);
	bool overrun;
	int error;
};

void stream_init(struct stream *stream, const struct stream_calls *calls, void *data);
void stream_begin(struct stream *stream, uint64_t epoch);
int stream_open(struct stream *stream, struct nl *ask, struct nl_info *info);
int stream_look_back(struct stream *stream);
int stream_replay(struct stream *stream, uint64_t from, nl_event_t call, void *data);
int stream_read(struct stream *stream);
void stream_take(struct stream *stream, const struct event *event);
void stream_close(struct stream *stream);

#endif /* STREAM_H */
