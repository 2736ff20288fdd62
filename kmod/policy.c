// SPDX-License-Identifier: GPL-2.0-only
#include "policy.h"

#define MAILBOX_BYTES	0x400	/* around MP1 C2PMSG_0 to C2PMSG_127, in bytes */

/**
 * instinct_policy_defaults() - the policy of a device that nobody spoke about
 * @policy: set
 */
void instinct_policy_defaults(struct instinct_policy *policy)
{
	*policy = (struct instinct_policy) {
		.method = INSTINCT_VFIO_METHOD_AUTO,
		.tenancy = INSTINCT_VFIO_TENANCY_SINGLE,
		.bus_port = INSTINCT_VFIO_BUS_PORT_SWDS,
		.ready_timeout = INSTINCT_READY_TIMEOUT_DEFAULT,
		.mailbox = 0,
		.overlap = INSTINCT_VFIO_OVERLAP_CLOSE,
		.scope = INSTINCT_VFIO_SCOPE_AUTO,
		.hive = INSTINCT_VFIO_HIVE_AUTO,
		.rescan = INSTINCT_VFIO_RESCAN_NO,
		.guard = INSTINCT_VFIO_GUARD_ON,
		.guard_verify = INSTINCT_VFIO_GUARD_ON,
		.guard_keep = INSTINCT_VFIO_GUARD_ON,
		.guard_force = INSTINCT_VFIO_GUARD_ON,
		.guard_unblock = INSTINCT_VFIO_UNBLOCK_RETRAIN,
		.guard_timeout = INSTINCT_GUARD_TIMEOUT_DEFAULT,
	};
	instinct_isolation_defaults(&policy->isolation);
	instinct_thermal_defaults(&policy->thermal);
}

static int check_guard(const struct instinct_policy *policy, const char **why)
{
	if (policy->guard > INSTINCT_VFIO_GUARD_ON ||
	    policy->guard_verify > INSTINCT_VFIO_GUARD_ON ||
	    policy->guard_keep > INSTINCT_VFIO_GUARD_ON ||
	    policy->guard_force > INSTINCT_VFIO_GUARD_ON) {
		*why = "guard, guard_verify, guard_keep and guard_force must be off or on";
		return -ERANGE;
	}
	if (policy->guard_unblock > INSTINCT_VFIO_UNBLOCK_RETRAIN) {
		*why = "guard_unblock must be none, read, buses or retrain";
		return -ERANGE;
	}
	if (policy->guard_timeout < INSTINCT_VFIO_GUARD_TIMEOUT_MIN ||
	    policy->guard_timeout > INSTINCT_VFIO_GUARD_TIMEOUT_MAX) {
		*why = "guard_timeout must be 100 to 600000 ms";
		return -ERANGE;
	}
	return 0;
}

/* Registers of the SMU's mailbox change what they do with who reads when. */
static int check_thermal(const struct instinct_policy *policy,
			 const struct instinct_family *family, const char **why)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++) {
		const struct instinct_thermal_register *reg = &policy->thermal.mmio[i];

		if (reg->set && policy->mailbox && reg->bar == family->register_bar &&
		    instinct_policy_is_mailbox(family, policy->mailbox, reg->offset)) {
			*why = "a temperature's register must not be one of the SMU's mailbox, which the guest's driver uses";
			return -ERANGE;
		}
	}
	return instinct_thermal_policy_check(&policy->thermal, why);
}

/**
 * instinct_policy_is_mailbox() - is a register one of the SMU's mailbox?
 * @family: of the device
 * @mailbox: byte offset of MP1 in the register BAR
 * @offset: byte offset of the register there
 *
 * MP1's C2PMSG registers, all of them: drivers use others than the module does.
 *
 * Return: true if so.
 */
bool instinct_policy_is_mailbox(const struct instinct_family *family, u32 mailbox,
				u32 offset)
{
	u32 first = mailbox + family->mp1.message * 4 / MAILBOX_BYTES * MAILBOX_BYTES;

	return offset >= first && offset - first < MAILBOX_BYTES;
}

/**
 * instinct_policy_check() - can a device of this family have this policy?
 * @policy: what is asked
 * @family: of the device
 * @why: set to the reason, for people, when it cannot
 *
 * Return: 0, -ERANGE for a value out of its range.
 */
int instinct_policy_check(const struct instinct_policy *policy,
			  const struct instinct_family *family,
			  const char **why)
{
	u32 last = policy->mailbox + family->mp1.response * 4;

	if (policy->method > INSTINCT_VFIO_METHOD_FLR) {
		*why = "method must be auto, mode1, quiesce, bus or flr";
		return -ERANGE;
	}
	if (policy->tenancy > INSTINCT_VFIO_TENANCY_MULTI) {
		*why = "tenancy must be single or multi";
		return -ERANGE;
	}
	if (policy->bus_port > INSTINCT_VFIO_BUS_PORT_SWITCH) {
		*why = "bus_port must be swds or switch";
		return -ERANGE;
	}
	if (policy->overlap > INSTINCT_VFIO_OVERLAP_ALL) {
		*why = "overlap must be none, close or all";
		return -ERANGE;
	}
	if (policy->scope > INSTINCT_VFIO_SCOPE_HIVE) {
		*why = "scope must be auto, device or hive";
		return -ERANGE;
	}
	if (policy->hive > INSTINCT_VFIO_HIVE_MAX &&
	    policy->hive != INSTINCT_VFIO_HIVE_NONE) {
		*why = "hive must be auto, none or a number from 1 to 255";
		return -ERANGE;
	}
	if (policy->rescan > INSTINCT_VFIO_RESCAN_YES) {
		*why = "rescan must be no or yes";
		return -ERANGE;
	}
	if (policy->ready_timeout < INSTINCT_VFIO_READY_TIMEOUT_MIN ||
	    policy->ready_timeout > INSTINCT_VFIO_READY_TIMEOUT_MAX) {
		*why = "ready_timeout must be 1000 to 600000 ms";
		return -ERANGE;
	}
	if (policy->mailbox &&
	    (policy->mailbox % 4 || policy->mailbox >= family->register_bytes ||
	     last >= family->register_bytes)) {
		*why = "mailbox must be a dword-aligned offset inside the register BAR";
		return -ERANGE;
	}
	return check_guard(policy, why) ?:
	       instinct_isolation_policy_check(&policy->isolation, why) ?:
	       check_thermal(policy, family, why);
}
