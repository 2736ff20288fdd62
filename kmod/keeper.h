/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Config writes that do not land: found out by reading back, repeated, kept in
 * order until they do. Knows of no lock, no time but what it is told, and
 * reaches the function through callbacks only.
 */
#ifndef _INSTINCT_KEEPER_H
#define _INSTINCT_KEEPER_H

#include "notes.h"
#include "probe.h"

#define INSTINCT_KEPT_MAX	128

/**
 * struct instinct_keeper_counts - what has happened so far
 * @blocked: writes that did not land at once
 * @retried: times that a write was repeated
 * @replayed: kept writes that landed
 * @forced: writes repeated though they read back, since that proves nothing
 * @failed: writes that never did
 * @longest: longest time, ns, for which anything was kept
 */
struct instinct_keeper_counts {
	u64 blocked;
	u64 retried;
	u64 replayed;
	u64 forced;
	u64 failed;
	u64 longest;
};

/**
 * enum instinct_keeper_result - what became of a write, or of a step
 * @INSTINCT_KEEPER_DONE: passed on, and where that can be seen, landed; or nothing
 *	is kept
 * @INSTINCT_KEEPER_KEPT: kept until it can land; instinct_keeper_step() is due
 * @INSTINCT_KEEPER_MORE: the first of the kept writes landed, there are more
 * @INSTINCT_KEEPER_FAILED: given up; nothing reaches the function any more
 */
enum instinct_keeper_result {
	INSTINCT_KEEPER_DONE,
	INSTINCT_KEEPER_KEPT,
	INSTINCT_KEEPER_MORE,
	INSTINCT_KEEPER_FAILED,
};

/**
 * struct instinct_keeper - of one function
 * @first: of them
 * @count: how many; while there are any, all writes go to the end; may be read without
 *	the caller's lock
 * @tries: of the first of them
 * @probe: by which is found out whether its missing bits are hardwired
 * @since: since when anything is kept, ns
 * @first_since: since when it is the turn of the first of them, ns
 * @repeated: when that one was written last, ns
 * @verify: look whether writes land, and repeat those that do not
 * @keep: keep those for which that does not help
 * @failed: given up; may be read without the caller's lock
 * @crowded: since there was no room for one more
 * @blocked: the write that was blocked last
 * @last: the write that could not land, if @failed
 * @counts: for people
 * @kept: writes that have not landed, a ring in order
 * @map: which bits hold
 */
struct instinct_keeper {
	unsigned int first;
	unsigned int count;
	unsigned int tries;
	struct instinct_probe probe;
	u64 since;
	u64 first_since;
	u64 repeated;
	bool verify;
	bool keep;
	bool failed;
	bool crowded;
	struct instinct_write blocked;
	struct instinct_write last;
	struct instinct_keeper_counts counts;
	struct instinct_write kept[INSTINCT_KEPT_MAX];
	struct instinct_config_map map;
};

void instinct_keeper_survey(struct instinct_keeper *keeper,
			    const struct instinct_config_io *io);
void instinct_keeper_learn(struct instinct_keeper *keeper,
			   const struct instinct_config_io *io);
void instinct_keeper_told(struct instinct_keeper *keeper,
			  const struct instinct_write *write);
enum instinct_keeper_result
instinct_keeper_write(struct instinct_keeper *keeper,
		      const struct instinct_config_io *io,
		      const struct instinct_write *write);
enum instinct_keeper_result
instinct_keeper_recheck(struct instinct_keeper *keeper,
			const struct instinct_config_io *io,
			const struct instinct_write *write);
u32 instinct_keeper_read(struct instinct_keeper *keeper,
			 const struct instinct_config_io *io, int where, int size);
bool instinct_keeper_power(const struct instinct_keeper *keeper, int where,
			   int size);
enum instinct_keeper_result
instinct_keeper_step(struct instinct_keeper *keeper,
		     const struct instinct_config_io *io, u64 deadline,
		     bool again);
void instinct_keeper_forget(struct instinct_keeper *keeper);

#endif /* _INSTINCT_KEEPER_H */
