/* SPDX-License-Identifier: GPL-2.0-only */
/* Which reset methods a device is tried with, in which order. */
#ifndef _INSTINCT_PLAN_H
#define _INSTINCT_PLAN_H

#include "profile.h"

/**
 * struct instinct_plan_facts - what a plan is made from
 * @wanted: method asked for, AUTO for the family's ladder
 * @family: facts of the device
 * @lost_by: BIT(method) of methods that lost this device
 * @mailbox: the SMU mailbox was found and confirmed
 * @package: the ports of the GPU's package are known, so that their
 *	configuration can be restored
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
 * struct instinct_plan_step - one rung of what was thought of
 * @method: it
 * @refusal: why it is left out, for people, or NULL
 */
struct instinct_plan_step {
	enum instinct_vfio_method method;
	const char *refusal;
};

/**
 * struct instinct_plan - what to try
 * @step: methods, in order, those that are left out too
 * @steps: how many
 */
struct instinct_plan {
	struct instinct_plan_step step[INSTINCT_LADDER_MAX];
	unsigned int steps;
};

const char *instinct_plan_refusal(const struct instinct_plan_facts *facts,
				  enum instinct_vfio_method method);
enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan);
bool instinct_plan_scrubs(enum instinct_vfio_method method);

#endif /* _INSTINCT_PLAN_H */
