/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sink and its place: what it gets next, when it lags, what it has lost. */
#ifndef FEED_H
#define FEED_H

#include "place.h"
#include "sink.h"
#include "stream.h"

/**
 * struct feed - one sink and its place
 * @sink: the sink
 * @place: how far it has come, as in the state file
 * @epoch: that its numbers are of
 * @taken: number of the event that it is to be given next; what it was given before
 *	@place may not have arrived
 * @unflushed: events given to it since its last flush
 * @fresh: it is new, and begins with what the ring holds
 * @lagging: it is given nothing until feed_catch_up()
 * @delay: s until that is to be tried, 0: when the sink has got on
 * @error: why it fails, a negative errno; 0 while it does not
 */
struct feed {
	struct sink *sink;
	struct place_sink *place;
	uint64_t epoch;
	uint64_t taken;
	unsigned int unflushed;
	bool fresh;
	bool lagging;
	unsigned int delay;
	int error;
};

void feed_init(struct feed *feed, struct sink *sink, struct place_sink *place, uint64_t epoch,
	       bool fresh);
void feed_begin(struct feed *feed, uint64_t epoch, uint64_t oldest, uint64_t newest);
void feed_end_epoch(struct feed *feed, uint64_t newest);
void feed_event(struct feed *feed, const struct event *event);
void feed_flush(struct feed *feed);
void feed_catch_up(struct feed *feed, struct stream *stream);

#endif /* FEED_H */
