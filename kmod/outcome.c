// SPDX-License-Identifier: GPL-2.0-only
#include "outcome.h"
#include "plan.h"

/**
 * instinct_outcome_state() - decide the state after a reset
 * @facts: how it went
 * @why: set to the reason, for people, unless the device is ready
 *
 * Return: READY, LOST or QUARANTINED.
 */
enum instinct_vfio_state
instinct_outcome_state(const struct instinct_outcome_facts *facts,
		       const char **why)
{
	if (!facts->alive) {
		*why = "no sign of life after the reset";
		return INSTINCT_VFIO_STATE_LOST;
	}
	if (facts->error && !facts->triggered &&
	    facts->cause != INSTINCT_VFIO_CAUSE_CLOSE) {
		/* Refused before the hardware was touched: nothing has changed. */
		*why = facts->before == INSTINCT_VFIO_STATE_READY ? "" :
			"as before: no reset method worked";
		return facts->before;
	}
	if (facts->error) {
		*why = "the reset that policy asks for was not done";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	if (facts->tenancy == INSTINCT_VFIO_TENANCY_MULTI &&
	    !instinct_plan_scrubs(facts->method) &&
	    (facts->cause == INSTINCT_VFIO_CAUSE_CLOSE || facts->owed ||
	     facts->before != INSTINCT_VFIO_STATE_READY)) {
		*why = "quiesced only: what the last tenant left is still there";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	*why = "";
	return INSTINCT_VFIO_STATE_READY;
}
