// SPDX-License-Identifier: GPL-2.0-only
#include "reset/plan.h"

/**
 * instinct_plan_refusal() - find out why a device cannot be reset by a method
 * @facts: facts about the device
 * @method: reset method, not AUTO
 *
 * Return: the reason, for the user, or NULL if the method can be tried.
 */
const char *instinct_plan_refusal(const struct instinct_plan_facts *facts,
				  enum instinct_vfio_method method)
{
	if (facts->lost_by & BIT(method))
		return "this method lost the device before; release it to try again";

	switch (method) {
	case INSTINCT_VFIO_METHOD_MODE1:
		if (facts->family->no_mode1)
			return facts->family->no_mode1;
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
 * instinct_plan_make() - decide which methods the engine tries
 * @facts: facts about the device and the request
 * @plan: set to the plan
 *
 * Return: the first method that can be tried, AUTO if there is none.
 */
enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan)
{
	const struct instinct_methods one = { .method = { facts->wanted }, .count = 1 };
	enum instinct_vfio_method first = INSTINCT_VFIO_METHOD_AUTO;
	const struct instinct_methods *from = &one;
	unsigned int i;

	if (facts->wanted == INSTINCT_VFIO_METHOD_AUTO)
		from = &facts->family->methods;

	plan->steps = from->count;
	for (i = 0; i < from->count; i++) {
		plan->step[i].method = from->method[i];
		plan->step[i].refusal = instinct_plan_refusal(facts, from->method[i]);
		if (!plan->step[i].refusal && first == INSTINCT_VFIO_METHOD_AUTO)
			first = from->method[i];
	}
	return first;
}
