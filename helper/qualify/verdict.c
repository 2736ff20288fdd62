// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "verdict.h"

static const char *const outcomes[] = {
	[OUTCOME_NONE] = "none", [OUTCOME_UNAVAILABLE] = "unavailable",
	[OUTCOME_SURVIVED] = "survived", [OUTCOME_FAILED] = "failed",
	[OUTCOME_LOST] = "lost", [OUTCOME_BUSY] = "busy",
};

const struct names outcome_names = { outcomes, sizeof(outcomes) / sizeof(outcomes[0]) };

/**
 * verdict_of() - judge one round
 * @facts: facts about the round
 *
 * Return: the outcome, never OUTCOME_NONE.
 */
enum outcome verdict_of(const struct verdict_facts *facts)
{
	if (facts->lost || facts->state == INSTINCT_VFIO_STATE_LOST ||
	    facts->mate == INSTINCT_VFIO_STATE_LOST)
		return OUTCOME_LOST;
	if (facts->error == -EBUSY || facts->error == -ENODEV)
		return OUTCOME_BUSY;
	if (facts->error && !facts->triggered && facts->state == INSTINCT_VFIO_STATE_READY)
		return OUTCOME_UNAVAILABLE;
	if (facts->error || facts->state != INSTINCT_VFIO_STATE_READY ||
	    facts->mate != INSTINCT_VFIO_STATE_READY || facts->differs)
		return OUTCOME_FAILED;
	return OUTCOME_SURVIVED;
}
