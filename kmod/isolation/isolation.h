/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The isolation room keeps the ACS of ports and the ATS of functions as policy wants them. Policy
 * covers the GPUs that this driver has, and any other endpoint.
 */
#ifndef _INSTINCT_ISOLATION_H
#define _INSTINCT_ISOLATION_H

#include <linux/list.h>

#include "core/event.h"
#include "isolation/plan.h"

struct instinct_device;

/**
 * struct instinct_isolation_item - a port, or a function with ATS
 * @bdf: address of the port or function
 * @of: the endpoint whose policy covers the port, or that a function is or is a peer of
 * @role: role of a port
 * @capable: ACS Control bits that a port implements, 0 without ACS
 * @found: ACS Control that the last look found
 * @wanted: ACS Control that the plan wants
 * @mask: ACS Control bits that policy covers
 * @before: ACS Control before policy covered the port
 * @ats: ATS that policy wants of a function; IGNORE of a port
 * @ats_state: ATS that the last look found at a function
 * @drifts: how often a look found a state that had changed against policy
 * @looked: time of the last look that got an answer, ns of CLOCK_BOOTTIME; 0 if there was none
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
	u64 looked;
};

/**
 * struct instinct_isolation_change - one of several policies that change together
 * @node: links the changes of one request
 * @bdf: address of the endpoint, which need not be present
 * @policy: the new policy, which the caller has checked
 * @before: set to the policy that was in force before
 */
struct instinct_isolation_change {
	struct list_head node;
	const char *bdf;
	const struct instinct_isolation_policy *policy;
	struct instinct_isolation_policy before;
};

/**
 * struct instinct_isolation_changes - all policies that change together
 * @list: list of struct instinct_isolation_change, each for another endpoint
 * @commit: the caller's part of the change, the last step that can refuse it; called once at most,
 *	inside isolation's lock. Returns 0 or a negative errno, and then sets @culprit and @why
 * @culprit: on failure, the change that is to blame, or NULL
 * @why: on failure, the reason, for the user
 */
struct instinct_isolation_changes {
	struct list_head list;
	int (*commit)(struct instinct_isolation_changes *changes);
	struct instinct_isolation_change *culprit;
	const char *why;
};

int instinct_isolation_join(struct instinct_device *dev,
			    const struct instinct_isolation_policy *policy);
void instinct_isolation_leave(struct instinct_device *dev);
int instinct_isolation_set(struct instinct_isolation_changes *changes);
bool instinct_isolation_get(const char *bdf, struct instinct_isolation_policy *policy);
void instinct_isolation_hold(struct instinct_device *dev);
void instinct_isolation_settle(struct instinct_device *dev, bool lost);
int instinct_isolation_admit(struct instinct_device *dev, bool attached);
int instinct_isolation_look(bool all);
void instinct_isolation_look_soon(void);
bool instinct_isolation_item(unsigned int index, struct instinct_isolation_item *item);
bool instinct_isolation_unmanaged(unsigned int index, char *bdf,
				  struct instinct_isolation_policy *policy);

void instinct_isolation_notice(struct pci_dev *pdev, unsigned long action);
void instinct_isolation_init(void);
void instinct_isolation_exit(void);

#endif /* _INSTINCT_ISOLATION_H */
