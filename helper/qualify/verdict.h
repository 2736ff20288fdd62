/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging the outcome of a reset for the GPU. */
#ifndef VERDICT_H
#define VERDICT_H

#include "model.h"

enum outcome {
	OUTCOME_NONE,		/* the method was not tried */
	OUTCOME_UNAVAILABLE,	/* the method cannot reset this GPU; no reset was triggered */
	OUTCOME_SURVIVED,	/* the GPU was reset, is alive and unchanged */
	OUTCOME_FAILED,		/* the GPU is alive, but not reset, or changed */
	OUTCOME_LOST,		/* the GPU or another member of its hive was lost */
	OUTCOME_BUSY,		/* another user opened, reset or removed the GPU */
};

extern const struct names outcome_names;

/**
 * struct verdict_facts - facts about one round
 * @error: result of the request, 0 or a negative errno
 * @lost: an event reports that the GPU or another member of its hive was lost
 * @state: state of the GPU afterwards, or STATE_UNKNOWN
 * @mate: state of a hive member that was reset with the GPU and is not ready, else READY
 * @triggered: the module triggered a reset of the hardware
 * @differs: the config space has changed
 */
struct verdict_facts {
	int error;
	bool lost;
	int state;
	int mate;
	bool triggered;
	bool differs;
};

enum outcome verdict_of(const struct verdict_facts *facts);

#endif /* VERDICT_H */
