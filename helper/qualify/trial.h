/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trial: one reset method, tried several times on a spare GPU. */
#ifndef TRIAL_H
#define TRIAL_H

#include "compare.h"
#include "kernel_log.h"
#include "memory.h"
#include "methods.h"
#include "verdict.h"

struct qualify;

#define ROUNDS_MAX	100

/**
 * struct round - one reset of a trial
 * @outcome: outcome for the GPU
 * @error: result of the request, 0 or a negative errno
 * @why: explanation of a failure, or ""
 * @state: state of the GPU afterwards, or STATE_UNKNOWN
 * @event: the module's event about this reset; @seq is 0 without one
 * @slowest: longest duration for the GPU and hive members reset with it, ns; 0 without a reset
 * @secure_os_before: enum instinct_vfio_secure_os, as the module knew it before the reset
 * @placeholder: a switch's placeholder has answered for the GPU or its package meanwhile
 * @config: differences of the config space from that before the trial; @bits is 0 without a
 *	comparison
 */
struct round {
	enum outcome outcome;
	int error;
	char why[TEXT_BYTES];
	int state;
	struct event event;
	uint64_t slowest;
	uint32_t secure_os_before;
	bool placeholder;
	struct comparison config;
};

/**
 * struct trial - trial of a method
 * @kind: method
 * @wide: the method resets the whole hive
 * @since: number of the newest event before the trial
 * @outcome: outcome of the last round, or another one if the GPU could not be opened after it, or
 *	did not survive the trial of the memory
 * @why: reason why the method was not tried, explanation of a failure, or ""
 * @round: rounds
 * @rounds: number of rounds
 * @opened: 1 if a VFIO user could open the GPU afterwards, 0 if not, -1 if that was not tried
 * @open_why: reason why the open failed or was not tried
 * @memory: outcome of the trial of the memory, which follows the open
 * @log: lines of the kernel log during the trial
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
	struct memory memory;
	struct kernel_log log;
};

/**
 * struct spread - durations over all rounds, ns
 * @min: minimum
 * @median: median; of an even number the higher one in the middle
 * @max: maximum
 */
struct spread {
	uint64_t min;
	uint64_t median;
	uint64_t max;
};

bool trial_spread(const struct trial *trial, int phase, struct spread *spread);
uint64_t trial_slowest(const struct trial *trial);
const struct trial *trial_of(const struct trial trials[KINDS], uint32_t method);
size_t trial_bare_rounds(const struct trial *trial, bool survived);
bool trial_was_triggered(const struct event *event);
void trial_read_log(const struct qualify *qualify, struct trial *trial, struct round *round);
void trial_run(struct qualify *qualify, struct trial *trial);

#endif /* TRIAL_H */
