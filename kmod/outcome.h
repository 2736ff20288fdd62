/* SPDX-License-Identifier: GPL-2.0-only */
/* What state a device is in after a reset. */
#ifndef _INSTINCT_OUTCOME_H
#define _INSTINCT_OUTCOME_H

#include "pure.h"

/**
 * struct instinct_outcome_facts - how a reset went
 * @before: state before it; not RESETTING
 * @cause: who asked
 * @tenancy: policy
 * @error: 0 or the negative errno of the reset
 * @method: the last one tried, AUTO if none was
 * @triggered: the hardware was told to reset by it
 * @owed: no reset has scrubbed yet what a user left, and it is not he who has it now
 * @alive: the device shows life after all
 */
struct instinct_outcome_facts {
	enum instinct_vfio_state before;
	enum instinct_vfio_cause cause;
	enum instinct_vfio_tenancy tenancy;
	int error;
	enum instinct_vfio_method method;
	bool triggered;
	bool owed;
	bool alive;
};

enum instinct_vfio_state
instinct_outcome_state(const struct instinct_outcome_facts *facts,
		       const char **why);

#endif /* _INSTINCT_OUTCOME_H */
