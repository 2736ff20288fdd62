/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must change for a host to be as policy says. */
#ifndef PLAN_H
#define PLAN_H

#include "model.h"

/**
 * struct change - one device whose policy is not as wanted
 * @bdf: device
 * @found: in force
 * @wanted: by policy
 * @plain: the driver has it not: ACS and ATS only
 */
struct change {
	char bdf[BDF_BYTES];
	struct policy found;
	struct policy wanted;
	bool plain;
};

/**
 * struct changes - a plan
 * @list: in order of the devices
 * @count: how many
 */
struct changes {
	struct change *list;
	size_t count;
};

bool policy_equal(const struct policy *a, const struct policy *b);
void plan_make(const struct devices *devices, const struct policy *wanted,
	       struct changes *changes);

#endif /* PLAN_H */
