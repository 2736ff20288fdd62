/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's events: each once, in order, and told what is missing. */
#ifndef STREAM_H
#define STREAM_H

#include "nl.h"

/**
 * struct stream_calls - what a subscriber does
 * @event: each event once, in order of its number
 * @gap: events that the module no longer has; may be NULL
 * @epoch: the module has been loaded anew, events count from 1 again; only those
 *	who open a stream again are told; may be NULL
 */
struct stream_calls {
	void (*event)(const struct event *event, void *data);
	void (*gap)(const struct gap *gap, void *data);
	void (*epoch)(uint64_t epoch, void *data);
};

/**
 * struct stream - where a subscriber is
 * @calls: what it does
 * @data: for @calls
 * @epoch: that @next is of, 0 for none yet
 * @next: number of the next event
 * @ask: socket for requests, NULL without the module
 * @listen: socket that events come by
 * @replay: as nl_events_replay(), which it is but in tests
 * @read: as nl_events_read(), likewise
 * @overrun: events were lost on the way, after those that wait to be read
 * @error: why kept events could not be read, a negative errno
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
