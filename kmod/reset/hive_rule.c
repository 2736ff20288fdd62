// SPDX-License-Identifier: GPL-2.0-only
#include "reset/hive_rule.h"

/**
 * instinct_hive_wide() - does a reset concern the whole hive?
 * @scope: policy's scope
 * @method: method of the reset
 *
 * By default a mode-1 reset does: it "needs to be triggered on all devices together" (Linux,
 * amdgpu_reset.c), and AMD's GIM enters it behind a barrier. A bus reset does too: after one
 * amdgpu resets the links of all other members (amdgpu_pci_slot_reset()).
 *
 * Return: true if the reset concerns all members.
 */
bool instinct_hive_wide(enum instinct_vfio_scope scope, enum instinct_vfio_method method)
{
	switch (scope) {
	case INSTINCT_VFIO_SCOPE_DEVICE:
		return false;
	case INSTINCT_VFIO_SCOPE_HIVE:
		return method != INSTINCT_VFIO_METHOD_QUIESCE;
	default:
		return method == INSTINCT_VFIO_METHOD_MODE1 || method == INSTINCT_VFIO_METHOD_BUS;
	}
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
	if (members[INSTINCT_HIVE_UNMANAGED]) {
		*why = "not all GPUs of the hive are bound to this driver (policy: hive, scope)";
		return INSTINCT_HIVE_NEVER;
	}
	if (members[INSTINCT_HIVE_OTHER]) {
		*why = "another user has a GPU of the same hive open (policy: scope)";
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
