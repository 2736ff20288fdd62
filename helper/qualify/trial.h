/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One reset method, tried a number of times on a spare GPU. */
#ifndef TRIAL_H
#define TRIAL_H

#include "compare.h"
#include "kernel_log.h"
#include "ladder.h"
#include "verdict.h"

struct qualify;

#define ROUNDS_MAX	100

/**
 * struct round - one time
 * @outcome: what became of the GPU
 * @error: of the request, 0 or a negative errno
 * @why: what went wrong, for people, or ""
 * @state: the GPU's afterwards, or STATE_UNKNOWN
 * @event: the module's own of this reset, @kind and phases; @seq is 0 without one
 * @slowest: that it or any that was reset with it took, ns, 0 if none was reset
 * @config: its config space against that before the trial, @bits 0 if it was not
 *	looked at
 */
struct round {
	enum outcome outcome;
	int error;
	char why[TEXT_BYTES];
	int state;
	struct event event;
	uint64_t slowest;
	struct comparison config;
};

/**
 * struct trial - a method and what became of it
 * @kind: method
 * @wide: the whole hive was reset with the GPU
 * @since: number of the newest event before it
 * @outcome: the worst of its rounds
 * @why: why it was not tried, or what went wrong, for people, or ""
 * @round: each time
 * @rounds: how many
 * @opened: 1: a VFIO user could open the GPU afterwards, 0: not, -1: that was not tried
 * @open_why: why not, for people
 * @log: what the kernel said meanwhile
 */
struct trial {
	const struct kind *kind;
	bool wide;
	uint64_t since;
	enum outcome outcome;
	char why[TEXT_BYTES];
	struct round *round;
	size_t rounds;
	int opened;
	char open_why[TEXT_BYTES];
	struct kernel_log log;
};

/**
 * struct spread - how long something took in all rounds, ns
 * @min: least
 * @median: of an even number the higher one of the middle
 * @max: most
 */
struct spread {
	uint64_t min;
	uint64_t median;
	uint64_t max;
};

bool trial_spread(const struct trial *trial, int phase, struct spread *spread);
uint64_t trial_slowest(const struct trial *trial);
const struct trial *trial_of(const struct trial trials[KINDS], uint32_t method);
void trial_run(struct qualify *qualify, struct trial *trial);

#endif /* TRIAL_H */
