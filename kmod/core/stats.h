/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics: counts of resets and events, and durations of resets. */
#ifndef _INSTINCT_STATS_H
#define _INSTINCT_STATS_H

#include "core/event.h"

/* Short form of an attribute's name. */
#define A(name)		INSTINCT_VFIO_A_##name

#define INSTINCT_EVENT_KINDS	__INSTINCT_VFIO_EVENT_MAX
#define INSTINCT_METHODS	__INSTINCT_VFIO_METHOD_MAX
#define INSTINCT_CAUSES		__INSTINCT_VFIO_CAUSE_MAX
#define INSTINCT_RESULTS	__INSTINCT_VFIO_RESULT_MAX

/**
 * struct instinct_stats - counts of one device since the driver took it
 * @event: events, by kind
 * @reset: resets, by method, cause and result
 * @policy_time: time of the last policy that was applied, s since 1970; 0 if none was
 */
struct instinct_stats {
	u64 event[INSTINCT_EVENT_KINDS];
	u64 reset[INSTINCT_METHODS][INSTINCT_CAUSES][INSTINCT_RESULTS];
	u64 policy_time;
};

struct sk_buff;

void instinct_stats_count(struct instinct_stats *stats, const struct instinct_event *event);
int instinct_stats_put(struct sk_buff *skb, const struct instinct_stats *stats);
int instinct_stats_put_durations(struct sk_buff *skb);

#endif /* _INSTINCT_STATS_H */
