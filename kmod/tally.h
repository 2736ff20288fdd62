/* SPDX-License-Identifier: GPL-2.0-only */
/* How often things have happened, and how long resets took. */
#ifndef _INSTINCT_TALLY_H
#define _INSTINCT_TALLY_H

#include "event.h"

#define INSTINCT_EVENT_KINDS	__INSTINCT_VFIO_EVENT_MAX
#define INSTINCT_METHODS	__INSTINCT_VFIO_METHOD_MAX
#define INSTINCT_CAUSES		__INSTINCT_VFIO_CAUSE_MAX
#define INSTINCT_RESULTS	__INSTINCT_VFIO_RESULT_MAX
#define INSTINCT_BUCKETS	16

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

/**
 * struct instinct_histogram - how long something took
 * @count: how often it was measured
 * @sum: ns
 * @bucket: how many were as long as its bound at most, and longer than that of the
 *	one before; the last one has no bound
 */
struct instinct_histogram {
	u64 count;
	u64 sum;
	u64 bucket[INSTINCT_BUCKETS];
};

/**
 * struct instinct_durations - of all devices, since the module was loaded
 * @method: resets that ended well, by method
 * @phase: their phases
 */
struct instinct_durations {
	struct instinct_histogram method[INSTINCT_METHODS];
	struct instinct_histogram phase[INSTINCT_PHASES];
};

extern const u64 instinct_bounds[INSTINCT_BUCKETS - 1];

void instinct_tally_count(struct instinct_tally *tally,
			  const struct instinct_event *event);
void instinct_tally_get(const struct instinct_tally *tally,
			struct instinct_tally *copy);
void instinct_durations_get(struct instinct_durations *copy);

#endif /* _INSTINCT_TALLY_H */
