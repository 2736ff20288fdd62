/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPUs of an XGMI hive enter some resets together; this header offers their meeting point. */
#ifndef _INSTINCT_HIVE_H
#define _INSTINCT_HIVE_H

#include "reset/plan.h"
#include "reset/reset.h"

/* No hive has more members. */
#define INSTINCT_HIVE_MEMBERS	64

enum instinct_hive_state {
	INSTINCT_HIVE_GATHERING,
	INSTINCT_HIVE_GATHERED,
	INSTINCT_HIVE_BROKEN,
};

/**
 * struct instinct_hive - a reset of a hive under way
 * @ref: one reference per participant, and one per reset work that will take part
 * @node: links all resets of hives under way
 * @terms: terms on which each member is reset
 * @requester: user that asked and has other members open, or nobody
 * @member: the members, each referenced
 * @called: reset work has started for the member, or the member came by itself
 * @joined: a reset of the member takes part, or has; a second one of it does not
 * @count: number of members
 * @fatal: a member that has arrived has had a fatal error
 * @arrived: number of members that have reached instinct_hive_sync()
 * @deadline: time in jiffies by which all members must have arrived
 * @state: GATHERING, then GATHERED or BROKEN for good
 * @why: reason, for the user, while BROKEN; a copy, since its author may be gone before the readers
 * @wait: woken when @state changes
 */
struct instinct_hive {
	struct kref ref;
	struct list_head node;
	struct instinct_terms terms;
	struct instinct_user requester;
	struct instinct_device *member[INSTINCT_HIVE_MEMBERS];
	bool called[INSTINCT_HIVE_MEMBERS];
	bool joined[INSTINCT_HIVE_MEMBERS];
	unsigned int count;
	bool fatal;
	unsigned int arrived;
	unsigned long deadline;
	enum instinct_hive_state state;
	char why[INSTINCT_REASON_BYTES];
	wait_queue_head_t wait;
};

struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, char *why);
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      const struct instinct_user *requester, char *why);
bool instinct_hive_join(struct instinct_hive *hive, struct instinct_device *dev);
int instinct_hive_sync(struct instinct_hive *hive, bool *fatal, char *why);
void instinct_hive_end(struct instinct_hive *hive, const char *why);

#endif /* _INSTINCT_HIVE_H */
