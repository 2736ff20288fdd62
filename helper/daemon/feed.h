/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sink and its position: its next event, its lag, its lost events. */
#ifndef FEED_H
#define FEED_H

#include "place.h"
#include "sink.h"
#include "stream.h"

/**
 * struct feed - one sink and its position
 * @sink: the sink
 * @place: the sink's position in the state file
 * @epoch: epoch of its event numbers
 * @taken: number of the next event for the sink; events from @place->next up to this one may not
 *	have arrived yet
 * @unflushed: number of events given to the sink since its last flush
 * @fresh: the sink is new, and begins with the oldest kept event
 * @lagging: the sink gets no event until feed_catch_up()
 * @delay: time until feed_catch_up(), s; 0: when the sink calls wake
 * @error: why the sink fails, a negative errno; or 0
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
