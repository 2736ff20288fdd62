/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of a reset: the methods that the engine tries, in their order, and whether the members of a
 * hive may be reset together. The code decides only.
 */
#ifndef _INSTINCT_PLAN_H
#define _INSTINCT_PLAN_H

#include "core/profile.h"
#include "device/scrub.h"

/**
 * struct instinct_plan_facts - facts from which the planner makes a plan
 * @wanted: method that policy or the request names, AUTO for those that are not known to lose it
 * @family: facts of the device's family
 * @lost_by: BIT(method) of each method that lost this device
 * @mailbox: the module knows where the SMU's mailbox is, and no test message has failed there
 * @package: the module knows the ports of the GPU's package, and can restore their configuration
 */
struct instinct_plan_facts {
	enum instinct_vfio_method wanted;
	const struct instinct_family *family;
	u32 lost_by;
	bool mailbox;
	bool package;
};

#define INSTINCT_STEPS_MAX	2

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

enum instinct_vfio_method instinct_plan_make(const struct instinct_plan_facts *facts,
					     struct instinct_plan *plan);

/**
 * enum instinct_hive_member - kinds of other members, as the requester sees them
 * @INSTINCT_HIVE_FREE: no user has the member open
 * @INSTINCT_HIVE_SAME: the requester has the member open
 * @INSTINCT_HIVE_OTHER: another user has the member open
 * @INSTINCT_HIVE_UNMANAGED: this driver does not have the member
 * @INSTINCT_HIVE_KINDS: number of kinds
 */
enum instinct_hive_member {
	INSTINCT_HIVE_FREE,
	INSTINCT_HIVE_SAME,
	INSTINCT_HIVE_OTHER,
	INSTINCT_HIVE_UNMANAGED,
	INSTINCT_HIVE_KINDS,
};

/**
 * enum instinct_hive_verdict - how a reset may proceed
 * @INSTINCT_HIVE_ALONE: the device is reset alone, since the hive has no other member
 * @INSTINCT_HIVE_TOGETHER: all members are reset together
 * @INSTINCT_HIVE_LATER: the reset waits until the user has closed the other members too
 * @INSTINCT_HIVE_NEVER: this method must not be used
 * @INSTINCT_HIVE_TAKEN: nor this one, since another user has a member
 */
enum instinct_hive_verdict {
	INSTINCT_HIVE_ALONE,
	INSTINCT_HIVE_TOGETHER,
	INSTINCT_HIVE_LATER,
	INSTINCT_HIVE_NEVER,
	INSTINCT_HIVE_TAKEN,
};

/**
 * instinct_hive_wide() - does a reset concern the whole hive?
 * @scope: policy's scope; "auto" and "hive" are the same for all methods that there are
 * @method: method of the reset
 *
 * A mode-1 reset does: it "needs to be triggered on all devices together" (Linux, amdgpu_reset.c), and
 * AMD's GIM enters it behind a barrier. A bus reset does too: after one amdgpu resets the links of all
 * other members (amdgpu_pci_slot_reset()).
 *
 * Return: true if the reset concerns all members.
 */
static inline bool instinct_hive_wide(enum instinct_vfio_scope scope, enum instinct_vfio_method method)
{
	return scope != INSTINCT_VFIO_SCOPE_DEVICE && instinct_method_scrubs(method);
}

enum instinct_hive_verdict instinct_hive_decide(enum instinct_vfio_cause cause,
						const unsigned int members[INSTINCT_HIVE_KINDS],
						const char **why);

#endif /* _INSTINCT_PLAN_H */
