/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bringing a GPU back that a trial has lost, or left not ready. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "ladder.h"

struct qualify;
struct trial;

enum rung {
	RUNG_NONE,	/* nothing is left to do */
	RUNG_WAIT,	/* for a reset under way, or for the next go */
	RUNG_RESCAN,	/* for the module's own, where policy allows one */
	RUNG_MODE1,
	RUNG_QUIESCE,	/* which writes its package's ports and its config space back */
	RUNG_RELEASE,	/* from quarantine */
};

#define RUNGS	(RUNG_RELEASE + 1)

extern const struct names rung_names;

/**
 * struct recovery_facts - what decides what is done next
 * @state: the GPU's, or STATE_UNKNOWN while it is not there
 * @lost_by: methods that the module remembers to have lost it, BIT(method)
 * @rescan: policy lets the module enumerate its package anew, and that is still awaited
 * @mode1_bad: mode1 failed or lost it in this run
 * @max_risk: how far the operator goes
 * @tried: BIT(rung) of what was tried since the last wait
 * @late: its time is over
 */
struct recovery_facts {
	int state;
	uint32_t lost_by;
	bool rescan;
	bool mode1_bad;
	enum risk max_risk;
	uint32_t tried;
	bool late;
};

/**
 * struct recovery_step - what was done
 * @rung: it
 * @ok: the GPU was ready after it
 * @why: what came of it, for people, or ""
 */
struct recovery_step {
	enum rung rung;
	bool ok;
	char why[TEXT_BYTES];
};

/**
 * struct recovery - all that was done after one trial
 * @of: kind that made it necessary, or NULL
 * @bdf: the GPU that was brought back: that of the trial, or another one of its hive
 * @step: each thing that was tried, the last of its kind
 * @steps: how many
 * @by: what brought the GPU back, RUNG_NONE if nothing has
 * @rescanned: before that, the module had removed and enumerated it anew
 */
struct recovery {
	const struct kind *of;
	char bdf[BDF_BYTES];
	struct recovery_step step[RUNGS];
	size_t steps;
	enum rung by;
	bool rescanned;
};

enum rung recovery_next(const struct recovery_facts *facts);
bool recovery_run(struct qualify *qualify, const struct trial *trial, const char *bdf);

#endif /* RECOVERY_H */
