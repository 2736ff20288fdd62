/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the members of a hive may be reset together. */
#ifndef _INSTINCT_HIVE_RULE_H
#define _INSTINCT_HIVE_RULE_H

#include "pure.h"

/**
 * enum instinct_hive_member - what another member is to who asks
 * @INSTINCT_HIVE_FREE: nobody has it open
 * @INSTINCT_HIVE_SAME: the same user has it open
 * @INSTINCT_HIVE_OTHER: another user has it open
 * @INSTINCT_HIVE_UNMANAGED: this driver does not have it
 */
enum instinct_hive_member {
	INSTINCT_HIVE_FREE,
	INSTINCT_HIVE_SAME,
	INSTINCT_HIVE_OTHER,
	INSTINCT_HIVE_UNMANAGED,
	INSTINCT_HIVE_KINDS,
};

/**
 * enum instinct_hive_verdict - what becomes of the reset
 * @INSTINCT_HIVE_ALONE: there is no other member
 * @INSTINCT_HIVE_TOGETHER: all members are reset together
 * @INSTINCT_HIVE_LATER: when the same user has closed the other members too
 * @INSTINCT_HIVE_NEVER: not by this method
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
