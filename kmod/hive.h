/* SPDX-License-Identifier: GPL-2.0-only */
/* Resets that the GPUs of an XGMI hive enter together. */
#ifndef _INSTINCT_HIVE_H
#define _INSTINCT_HIVE_H

#include "hive_rule.h"
#include "reset.h"

/* More than there are in any. */
#define INSTINCT_HIVE_MEMBERS	64

enum instinct_hive_state {
	INSTINCT_HIVE_GATHERING,
	INSTINCT_HIVE_GATHERED,
	INSTINCT_HIVE_BROKEN,
};

/**
 * struct instinct_hive - a reset of a hive under way
 * @ref: one per participant, and one per errand that is to become one
 * @node: in the list of all of them
 * @terms: on which each member is reset
 * @requester: process that asked and has other members open, referenced, or NULL
 * @member: all of them, referenced
 * @called: an errand was sent to the member, or it came by itself
 * @count: how many
 * @arrived: how many have reached instinct_hive_sync()
 * @deadline: in jiffies, for them to do so
 * @state: GATHERING, and then one of the others for good
 * @why: reason, for people, when it is BROKEN; of its own, for a member may go before
 * @wait: woken when @state changes
 */
struct instinct_hive {
	struct kref ref;
	struct list_head node;
	struct instinct_terms terms;
	struct pid *requester;
	struct instinct_device *member[INSTINCT_HIVE_MEMBERS];
	bool called[INSTINCT_HIVE_MEMBERS];
	unsigned int count;
	unsigned int arrived;
	unsigned long deadline;
	enum instinct_hive_state state;
	char why[INSTINCT_REASON_BYTES];
	wait_queue_head_t wait;
};

struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, const char **why);
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      struct pid *requester, const char **why);
int instinct_hive_sync(struct instinct_hive *hive, char *why);
void instinct_hive_end(struct instinct_hive *hive, const char *why);

#endif /* _INSTINCT_HIVE_H */
