/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's state file: the position of each sink in the event stream. */
#ifndef PLACE_H
#define PLACE_H

#include "model.h"

#define PLACE_SINKS_MAX		8
#define PLACE_NAME_BYTES	16
#define PLACE_GAPS_MAX		4

/**
 * struct place_sink - position of a sink
 * @name: name of the sink
 * @next: number of the event that the sink needs next
 * @delivered: number of events delivered to the sink
 * @lost: number of events that the module dropped before their delivery
 * @failed: number of failed deliveries
 * @owes: number of gaps from past epochs that the sink was not told of yet
 * @owed: these gaps
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
 * struct place - contents of the state file
 * @epoch: epoch of the event numbers, 0 for none
 * @heard: number of the newest event that the daemon knows of
 * @sink: positions of the sinks
 * @sinks: number of sinks
 * @samples: number of temperature samples that the daemon judged
 * @samples_refused: number of temperature samples that it refused
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
