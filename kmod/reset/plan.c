// SPDX-License-Identifier: GPL-2.0-only
#include "reset/plan.h"

/* Returns the reason, for the user, why the device cannot be reset by the method, or NULL. */
static const char *plan_refusal(const struct instinct_plan_facts *facts,
				enum instinct_vfio_method method)
{
	if (facts->lost_by & BIT(method))
		return "this method lost the device before (instinctctl forgive lets it be tried again)";

	switch (method) {
	case INSTINCT_VFIO_METHOD_MODE1:
		return facts->mailbox ? NULL :
			"mode1: no SMU mailbox that answers (IP discovery table or policy)";
	case INSTINCT_VFIO_METHOD_BUS:
		return facts->package ? NULL :
			"bus: no package switch (SWUS, SWDS) above the GPU to restore";
	default:
		return NULL;
	}
}

/**
 * instinct_plan_make() - decide which methods the engine tries
 * @facts: facts about the device and the request
 * @plan: set to the plan
 *
 * AUTO tries only methods that are not known to lose a device: mode-1, then quiesce. A method that is
 * named is tried alone.
 *
 * Return: the first method that can be tried, AUTO if there is none.
 */
enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan)
{
	enum instinct_vfio_method first = INSTINCT_VFIO_METHOD_AUTO;
	unsigned int i;

	plan->steps = 0;
	if (facts->wanted != INSTINCT_VFIO_METHOD_AUTO) {
		plan->step[plan->steps++].method = facts->wanted;
	} else {
		if (!facts->family->mode1_by_name)
			plan->step[plan->steps++].method = INSTINCT_VFIO_METHOD_MODE1;
		plan->step[plan->steps++].method = INSTINCT_VFIO_METHOD_QUIESCE;
	}
	for (i = plan->steps; i-- > 0; ) {
		plan->step[i].refusal = plan_refusal(facts, plan->step[i].method);
		if (!plan->step[i].refusal)
			first = plan->step[i].method;
	}
	return first;
}

/**
 * instinct_hive_decide() - may a device's hive be reset with it?
 * @cause: cause of the device's reset
 * @members: number of other members of each kind
 * @why: set to the reason, for the user, or empty if nothing stands against the reset
 *
 * Return: the verdict.
 */
enum instinct_hive_verdict instinct_hive_decide(enum instinct_vfio_cause cause,
						const unsigned int members[INSTINCT_HIVE_KINDS],
						const char **why)
{
	*why = "";
	/* This comes first: whose memory a user sees does not depend on the rest of the hive. */
	if (members[INSTINCT_HIVE_OTHER]) {
		*why = "another user has a GPU of the same hive open (policy: scope)";
		return INSTINCT_HIVE_TAKEN;
	}
	if (members[INSTINCT_HIVE_UNMANAGED]) {
		*why = "not all GPUs of the hive are bound to this driver (policy: hive, scope)";
		return INSTINCT_HIVE_NEVER;
	}
	if (members[INSTINCT_HIVE_SAME] && cause == INSTINCT_VFIO_CAUSE_CLOSE) {
		*why = "waits for the other GPUs of the hive to be closed";
		return INSTINCT_HIVE_LATER;
	}
	/* Only a reset by VFIO can be meant for all GPUs of the user. */
	if (members[INSTINCT_HIVE_SAME] && cause != INSTINCT_VFIO_CAUSE_VFIO_RESET &&
	    cause != INSTINCT_VFIO_CAUSE_HOT_RESET) {
		*why = "this GPU alone was asked for, and its user has others of the same hive open";
		return INSTINCT_HIVE_NEVER;
	}
	return members[INSTINCT_HIVE_FREE] + members[INSTINCT_HIVE_SAME] ?
		INSTINCT_HIVE_TOGETHER : INSTINCT_HIVE_ALONE;
}
