/* SPDX-License-Identifier: GPL-2.0-only */
/* The policy of one device: its values, and whether a device can have them. */
#ifndef _INSTINCT_POLICY_H
#define _INSTINCT_POLICY_H

#include "isolation_plan.h"
#include "policy_key.h"
#include "profile.h"

/**
 * struct instinct_policy - what an operator wants of a device
 * @method: how to reset it
 * @tenancy: whether an unscrubbed device may be handed out again
 * @bus_port: where method "bus" resets
 * @ready_timeout: how long a method has to bring the device back, in ms
 * @mailbox: byte offset of MP1 in the register BAR, 0 to discover it
 * @overlap: which resets go on in the background
 * @scope: what a reset concerns
 * @hive: number of its hive, INSTINCT_VFIO_HIVE_AUTO or _NONE
 * @rescan: whether its package is enumerated anew when it is lost
 * @config_verify: whether config writes are verified, and repeated
 * @config_unblock: what may be tried to bring a switch to let them through
 * @config_timeout: how long a register may take to hold what was written, in ms
 * @isolation: ACS of the ports on its path, ATS, its peers
 */
struct instinct_policy {
	enum instinct_vfio_method method;
	enum instinct_vfio_tenancy tenancy;
	enum instinct_vfio_bus_port bus_port;
	u32 ready_timeout;
	u32 mailbox;
	enum instinct_vfio_overlap overlap;
	enum instinct_vfio_scope scope;
	u32 hive;
	enum instinct_vfio_rescan rescan;
	enum instinct_vfio_verify config_verify;
	enum instinct_vfio_unblock config_unblock;
	u32 config_timeout;
	struct instinct_isolation_policy isolation;
};

void instinct_policy_set(struct instinct_policy *policy,
			 const struct instinct_policy_key *key, u32 value);
u32 instinct_policy_get(const struct instinct_policy *policy,
			const struct instinct_policy_key *key);
void instinct_policy_defaults(struct instinct_policy *policy);
const struct instinct_policy_key *instinct_policy_fault(const struct instinct_policy *policy,
							const struct instinct_family *family,
							const char **why);

#endif /* _INSTINCT_POLICY_H */
