/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: the changes that bring the policies in force to the policy files. */
#ifndef PLAN_H
#define PLAN_H

#include "model.h"

/**
 * struct change - a device whose policy in force differs from the wanted one
 * @bdf: address of the device
 * @found: policy in force
 * @wanted: policy of the files
 * @unmanaged: another driver has the device; its policy covers ACS and ATS only
 * @pending: our driver does not have the device yet; the module keeps its policy until then
 * @policy_set: a policy was set since the module was loaded
 */
struct change {
	char bdf[BDF_BYTES];
	struct policy found;
	struct policy wanted;
	bool unmanaged;
	bool pending;
	bool policy_set;
};

/**
 * struct changes - a plan
 * @list: changes in order of the devices
 * @count: number of changes
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
