/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies of several devices that are set together: all of them or none. */
#ifndef _INSTINCT_POLICY_CHANGE_H
#define _INSTINCT_POLICY_CHANGE_H

#include "identity.h"
#include "isolation.h"
#include "policy.h"

struct instinct_device;
struct instinct_record;

/* More than any host has endpoints. */
#define INSTINCT_POLICY_CHANGES_MAX	256

/**
 * enum instinct_policy_of - whose policy it is
 * @INSTINCT_POLICY_OF_MANAGED: a GPU's that this driver has
 * @INSTINCT_POLICY_OF_PLAIN: another endpoint's: its isolation only
 * @INSTINCT_POLICY_OF_WAITING: a GPU's for which it waits until the driver takes it
 * @INSTINCT_POLICY_OF_NOBODY: any endpoint's, which is a GPU that the driver has, and
 *	that is there with its own policy too
 */
enum instinct_policy_of {
	INSTINCT_POLICY_OF_MANAGED,
	INSTINCT_POLICY_OF_PLAIN,
	INSTINCT_POLICY_OF_WAITING,
	INSTINCT_POLICY_OF_NOBODY,
};

/**
 * struct instinct_policy_change - what is to change of one device
 * @bdf: which
 * @of: whose policy it is; that is looked up before any lock is taken, and holds or
 *	ends the whole when it comes to be set
 * @waiting: it may wait
 * @dev: of a managed one, referenced
 * @identity: of a GPU for which it waits
 * @family: of a GPU
 * @before: what was in force, or waited, when nobody could set it any more
 * @ruled: and somebody had set it
 * @policy: what is to be; @before at first, for the caller to change
 * @spare: a record, for a GPU for which it waits and of which there may be none
 * @isolation: its part in isolation
 */
struct instinct_policy_change {
	char bdf[INSTINCT_BDF_BYTES];
	enum instinct_policy_of of;
	bool waiting;
	struct instinct_device *dev;
	struct instinct_identity identity;
	const struct instinct_family *family;
	struct instinct_policy before;
	bool ruled;
	struct instinct_policy policy;
	struct instinct_record *spare;
	struct instinct_isolation_change isolation;
};

/**
 * struct instinct_policy_changes - all that one request changes
 * @count: of @change
 * @locked: nobody else changes a policy
 * @change: they, each of another device, or one of a GPU that this driver does not
 *	have as any endpoint and one that waits for it
 */
struct instinct_policy_changes {
	unsigned int count;
	bool locked;
	struct instinct_policy_change *change;
};

int instinct_policy_changes_begin(struct instinct_policy_changes *changes, unsigned int room);
int instinct_policy_changes_add(struct instinct_policy_changes *changes, const char *bdf,
				bool waiting, const char **why);
void instinct_policy_changes_lock(struct instinct_policy_changes *changes);
const char *instinct_policy_change_unmet(const struct instinct_policy *policy, bool package);
int instinct_policy_change_check(struct instinct_policy_change *change, const char **why);
void instinct_policy_change_reject(const struct instinct_policy_change *change, const char *why);
int instinct_policy_changes_set(struct instinct_policy_changes *changes,
				struct instinct_policy_change **culprit, const char **why);
void instinct_policy_changes_end(struct instinct_policy_changes *changes);

#endif /* _INSTINCT_POLICY_CHANGE_H */
