/* SPDX-License-Identifier: GPL-2.0-only */
/* The reset engine: one for every way in which a reset can be asked for. */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include "device.h"

/**
 * struct instinct_reset - one reset
 * @cause: who asks
 * @wanted: method, AUTO for what policy says
 * @method: set to the last method tried, AUTO if none was
 * @duration: set to the time it took, in ns
 * @why: set to the reason, for people, on failure
 */
struct instinct_reset {
	enum instinct_vfio_cause cause;
	enum instinct_vfio_method wanted;
	enum instinct_vfio_method method;
	u64 duration;
	const char *why;
};

int instinct_reset_run(struct instinct_device *dev,
		       struct instinct_reset *reset);
void instinct_reset_survey(struct instinct_device *dev);

#endif /* _INSTINCT_RESET_H */
