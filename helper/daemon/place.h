/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far each sink of the daemon has come: the state file. */
#ifndef PLACE_H
#define PLACE_H

#include "model.h"

#define PLACE_SINKS_MAX		8
#define PLACE_NAME_BYTES	16
#define PLACE_GAPS_MAX		4

/**
 * struct place_sink - one sink
 * @name: of it
 * @next: number of the event that it needs next
 * @delivered: events that it has got
 * @lost: events that the module had dropped before it got them
 * @failed: times that it could not take what it was given
 * @owes: gaps of epochs that are over, which it could not be told yet
 * @owed: each
 */
struct place_sink {
	char name[PLACE_NAME_BYTES];
	uint64_t next;
	uint64_t delivered;
	uint64_t lost;
	uint64_t failed;
	uint64_t owes;
	struct gap owed[PLACE_GAPS_MAX];
};

/**
 * struct place - all of them
 * @epoch: that their numbers are of, 0 for none
 * @heard: number of the newest event that was heard of
 * @sink: each
 * @sinks: how many
 * @samples: temperatures that were judged
 * @samples_refused: temperatures that were not
 */
struct place {
	uint64_t epoch;
	uint64_t heard;
	struct place_sink sink[PLACE_SINKS_MAX];
	unsigned int sinks;
	uint64_t samples;
	uint64_t samples_refused;
};

int place_load(const char *file, struct place *place);
int place_load_fd(int fd, struct place *place);
int place_store(const char *file, const struct place *place);
int place_lock(const char *file);
struct place_sink *place_find(struct place *place, const char *name);

#endif /* PLACE_H */
