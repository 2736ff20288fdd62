/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Config writes that PCIe switches swallow, delay or answer for: the functions of a
 * GPU's package are brought to hold what they are to hold, in process context.
 */
#ifndef _INSTINCT_RECONCILE_H
#define _INSTINCT_RECONCILE_H

#include "event.h"
#include "config.h"

struct instinct_device;

/**
 * struct instinct_config_counts - what became of config writes so far
 * @blocked: times that a register did not hold what was written
 * @retried: times that one was written again
 * @verified: of @blocked, how often it did hold it later
 * @forced: writes repeated after a reset whatever read back
 * @failed: times that a register did not hold it in time
 * @longest: for how long one did not at most, ns
 */
struct instinct_config_counts {
	u64 blocked;
	u64 retried;
	u64 verified;
	u64 forced;
	u64 failed;
	u64 longest;
};

/**
 * struct instinct_reconcile - a register that does not hold what was written
 * @config: of its function, NULL while there is no such register
 * @field: the first such register
 * @since: when that was first seen, ktime_get_ns()
 * @told: an event has told of it
 * @tried: the strongest remedy that was tried
 * @retrained: how often the link was retrained
 * @failed: it did not come to hold it in time
 * @why: reason, for people, while @failed
 * @counts: of all of them so far
 *
 * The GPU's reset_lock guards all of it.
 */
struct instinct_reconcile {
	struct instinct_config *config;
	const struct instinct_config_field *field;
	u64 since;
	bool told;
	enum instinct_vfio_unblock tried;
	unsigned int retrained;
	bool failed;
	char why[INSTINCT_REASON_BYTES];
	struct instinct_config_counts counts;
};

bool instinct_reconcile_step(struct instinct_device *dev, struct instinct_config *config);
void instinct_reconcile_forget(struct instinct_device *dev);
int instinct_reconcile_wait(struct instinct_device *dev, bool ports);
int instinct_reconcile_all(struct instinct_device *dev);
int instinct_reconcile_written(struct instinct_device *dev, u64 where, u64 bytes,
			       const char __user *val);
int instinct_reconcile_power(struct instinct_device *dev);
int instinct_reconcile_irqs(struct instinct_device *dev);
void instinct_reconcile_counts(struct instinct_device *dev, struct instinct_config_counts *counts);

#endif /* _INSTINCT_RECONCILE_H */
