// SPDX-License-Identifier: GPL-2.0-only
#include "plan.h"

/**
 * instinct_plan_refusal() - why a device cannot be reset with a method
 * @facts: of the device
 * @method: not AUTO
 *
 * Return: the reason, for people, or NULL if it can.
 */
const char *instinct_plan_refusal(const struct instinct_plan_facts *facts,
				  enum instinct_vfio_method method)
{
	if (facts->lost_by & BIT(method))
		return "this method lost the device before; release it to try again";

	switch (method) {
	case INSTINCT_VFIO_METHOD_MODE1:
		return facts->mailbox ? NULL :
			"mode1: no SMU mailbox that answers (IP discovery table or policy)";
	case INSTINCT_VFIO_METHOD_BUS:
		return facts->package ? NULL :
			"bus: no package switch (SWUS, SWDS) above the GPU to restore";
	case INSTINCT_VFIO_METHOD_FLR:
		if (!facts->flr)
			return "flr: the function has no FLR capability";
		return facts->package ? NULL :
			"flr: no package switch (SWUS, SWDS) above the GPU to restore";
	case INSTINCT_VFIO_METHOD_QUIESCE:
		return NULL;
	default:
		return "unknown method";
	}
}

/**
 * instinct_plan_make() - decide what to try
 * @facts: of the device and of the request
 * @plan: set
 *
 * Return: the first method that may be tried, AUTO if none may be.
 */
enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan)
{
	const struct instinct_ladder one = { .method = { facts->wanted }, .count = 1 };
	enum instinct_vfio_method first = INSTINCT_VFIO_METHOD_AUTO;
	const struct instinct_ladder *from = &one;
	unsigned int i;

	if (facts->wanted == INSTINCT_VFIO_METHOD_AUTO)
		from = &facts->family->ladder;

	plan->steps = from->count;
	for (i = 0; i < from->count; i++) {
		plan->step[i].method = from->method[i];
		plan->step[i].refusal = instinct_plan_refusal(facts, from->method[i]);
		if (!plan->step[i].refusal && first == INSTINCT_VFIO_METHOD_AUTO)
			first = from->method[i];
	}
	return first;
}

/**
 * instinct_plan_scrubs() - does a method reset the hardware?
 * @method: any but AUTO
 *
 * Return: true if what the last tenant left in the device is gone after it.
 */
bool instinct_plan_scrubs(enum instinct_vfio_method method)
{
	return method != INSTINCT_VFIO_METHOD_QUIESCE && method != INSTINCT_VFIO_METHOD_AUTO;
}
