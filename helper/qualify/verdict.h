/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of a GPU on which a reset method was tried. */
#ifndef VERDICT_H
#define VERDICT_H

#include "model.h"

enum outcome {
	OUTCOME_NONE,		/* not tried */
	OUTCOME_UNAVAILABLE,	/* the hardware was not told to reset: it cannot be, so */
	OUTCOME_SURVIVED,	/* reset, alive, and as it was before */
	OUTCOME_FAILED,		/* alive, but not reset, or not as it was before */
	OUTCOME_LOST,		/* it, or another GPU of its hive, was lost */
	OUTCOME_BUSY,		/* somebody else came between */
};

extern const struct names outcome_names;

/**
 * struct verdict_facts - how one round went
 * @error: of the request, 0 or a negative errno
 * @lost: an event said that it was lost, or another GPU of its hive
 * @state: afterwards, or STATE_UNKNOWN
 * @mate: the same of one that was reset with it and is not ready, or else READY
 * @triggered: the hardware was told to reset
 * @differs: its config space is not what it was
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
