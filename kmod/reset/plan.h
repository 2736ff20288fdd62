/* SPDX-License-Identifier: GPL-2.0-only */
/* The planner decides which reset methods the engine tries on a device, and in which order. */
#ifndef _INSTINCT_PLAN_H
#define _INSTINCT_PLAN_H

#include "core/profile.h"

/**
 * struct instinct_plan_facts - facts from which the planner makes a plan
 * @wanted: method that policy or the request names, AUTO for the family's method list
 * @family: facts of the device's family
 * @lost_by: BIT(method) of each method that lost this device
 * @mailbox: the module knows where the SMU's mailbox is, and no test message has failed there
 * @package: the module knows the ports of the GPU's package, and can restore their configuration
 * @flr: the function can do FLR
 */
struct instinct_plan_facts {
	enum instinct_vfio_method wanted;
	const struct instinct_family *family;
	u32 lost_by;
	bool mailbox;
	bool package;
	bool flr;
};

/**
 * struct instinct_plan_step - one method, and whether the engine tries it
 * @method: reset method
 * @refusal: reason, for the user, why the engine skips the method; or NULL
 */
struct instinct_plan_step {
	enum instinct_vfio_method method;
	const char *refusal;
};

/**
 * struct instinct_plan - the method list of one reset
 * @step: methods in the order of trial, including those that the engine skips
 * @steps: number of methods
 */
struct instinct_plan {
	struct instinct_plan_step step[INSTINCT_STEPS_MAX];
	unsigned int steps;
};

const char *instinct_plan_refusal(const struct instinct_plan_facts *facts,
				  enum instinct_vfio_method method);
enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan);

#endif /* _INSTINCT_PLAN_H */
