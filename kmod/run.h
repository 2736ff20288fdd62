/* SPDX-License-Identifier: GPL-2.0-only */
/* A reset under way, as those see it who carry it out. */
#ifndef _INSTINCT_RUN_H
#define _INSTINCT_RUN_H

#include "attempt.h"
#include "reset.h"
#include "tenure.h"

/**
 * struct instinct_run - a reset under way
 * @dev: device
 * @reset: what was asked
 * @began: when, ktime_get_ns()
 * @before: status before it
 * @ask: what that means for whose data the device holds
 * @attempt: the current one
 */
struct instinct_run {
	struct instinct_device *dev;
	struct instinct_reset *reset;
	u64 began;
	struct instinct_status before;
	struct instinct_tenure_ask ask;
	struct instinct_attempt attempt;
};

void instinct_run_tell(struct instinct_run *run, enum instinct_vfio_event kind,
		       int error, const char *why);

#endif /* _INSTINCT_RUN_H */
