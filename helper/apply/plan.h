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
 * @waiting: the driver has it not yet: kept until it has
 * @ruled: somebody has set its policy since the module's load
 */
struct change {
	char bdf[BDF_BYTES];
	struct policy found;
	struct policy wanted;
	bool plain;
	bool waiting;
	bool ruled;
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
bool plan_is_done(const struct device *dev, const struct policy *wanted);
void plan_change(const struct device *dev, const struct policy *wanted,
		 struct change *change);
bool plan_port_is_right(const struct isolated *port);
void plan_make(const struct devices *devices, const struct policy *wanted,
	       struct changes *changes);

#endif /* PLAN_H */
