/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules that decide whether the members of a hive may be reset together. */
#ifndef _INSTINCT_HIVE_RULE_H
#define _INSTINCT_HIVE_RULE_H

#include "core/pure.h"

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
 */
enum instinct_hive_verdict {
	INSTINCT_HIVE_ALONE,
	INSTINCT_HIVE_TOGETHER,
	INSTINCT_HIVE_LATER,
	INSTINCT_HIVE_NEVER,
};

bool instinct_hive_wide(enum instinct_vfio_scope scope, enum instinct_vfio_method method);
enum instinct_hive_verdict instinct_hive_decide(enum instinct_vfio_cause cause,
						const unsigned int members[INSTINCT_HIVE_KINDS],
						const char **why);

#endif /* _INSTINCT_HIVE_RULE_H */
