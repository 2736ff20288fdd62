/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ACS of the ports and ATS of the functions that policy speaks of: found, wanted,
 * and mended. Of GPUs that this driver has and of any other endpoint.
 */
#ifndef _INSTINCT_ISOLATION_H
#define _INSTINCT_ISOLATION_H

#include <linux/list.h>

#include "event.h"
#include "isolation_plan.h"

struct instinct_device;

/**
 * struct instinct_isolation_item - a port, or a function with ATS
 * @bdf: which
 * @of: endpoint that a function is, or is a peer of; empty for a port
 * @role: of a port
 * @capable: bits that its ACS Control has, 0 if it has no ACS
 * @found: ACS Control, as it was when it was looked at last
 * @wanted: what it should be
 * @mask: bits that policy speaks of
 * @before: what it was before policy spoke of it
 * @ats: policy, of a function
 * @ats_state: of a function
 * @drifts: times that it was not as it should be
 */
struct instinct_isolation_item {
	char bdf[INSTINCT_BDF_BYTES];
	char of[INSTINCT_BDF_BYTES];
	enum instinct_vfio_acs_role role;
	u16 capable;
	u16 found;
	u16 wanted;
	u16 mask;
	u16 before;
	enum instinct_vfio_ats ats;
	enum instinct_vfio_ats_state ats_state;
	u64 drifts;
};

/**
 * struct instinct_isolation_change - one of several policies that change together
 * @node: with the others
 * @bdf: endpoint, which need not be there
 * @dev: what this driver has of it, or NULL
 * @policy: what it is to be under, checked
 * @before: set: what it was under
 * @taken: set: @policy is in force
 */
struct instinct_isolation_change {
	struct list_head node;
	const char *bdf;
	struct instinct_device *dev;
	const struct instinct_isolation_policy *policy;
	struct instinct_isolation_policy before;
	bool taken;
};

int instinct_isolation_join(struct instinct_device *dev,
			    const struct instinct_isolation_policy *policy);
void instinct_isolation_leave(struct instinct_device *dev);
int instinct_isolation_set(struct list_head *changes, struct instinct_isolation_change **culprit,
			   const char **why);
void instinct_isolation_undo(struct list_head *changes);
bool instinct_isolation_get(const char *bdf, struct instinct_isolation_policy *policy);
void instinct_isolation_hold(struct instinct_device *dev);
void instinct_isolation_settle(struct instinct_device *dev, bool lost);
int instinct_isolation_admit(struct instinct_device *dev, bool attached);
void instinct_isolation_look(void);
bool instinct_isolation_item(unsigned int index, struct instinct_isolation_item *item);
bool instinct_isolation_plain(unsigned int index, char *bdf,
			      struct instinct_isolation_policy *policy);

int instinct_isolation_init(void);
void instinct_isolation_exit(void);

#endif /* _INSTINCT_ISOLATION_H */
