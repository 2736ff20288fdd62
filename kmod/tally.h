/* SPDX-License-Identifier: GPL-2.0-only */
/* How often things have happened, and how long resets took. */
#ifndef _INSTINCT_TALLY_H
#define _INSTINCT_TALLY_H

#include "event.h"

#define INSTINCT_EVENT_KINDS	__INSTINCT_VFIO_EVENT_MAX
#define INSTINCT_METHODS	__INSTINCT_VFIO_METHOD_MAX
#define INSTINCT_CAUSES		__INSTINCT_VFIO_CAUSE_MAX
#define INSTINCT_RESULTS	__INSTINCT_VFIO_RESULT_MAX

/**
 * struct instinct_tally - of one device, since the driver took it
 * @event: by kind
 * @reset: by method, cause and result
 * @policy_time: when a policy was applied last, s since 1970; 0: never
 */
struct instinct_tally {
	u64 event[INSTINCT_EVENT_KINDS];
	u64 reset[INSTINCT_METHODS][INSTINCT_CAUSES][INSTINCT_RESULTS];
	u64 policy_time;
};

struct sk_buff;

void instinct_tally_count(struct instinct_tally *tally, const struct instinct_event *event);
int instinct_tally_put(struct sk_buff *skb, const struct instinct_tally *tally);
int instinct_tally_put_durations(struct sk_buff *skb);

#endif /* _INSTINCT_TALLY_H */
