/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PCIe switches may swallow or delay config writes, or answer reads in place of a function. This
 * code brings the functions of a GPU's package to their wanted state, in process context.
 */
#ifndef _INSTINCT_CONFIG_RECONCILE_H
#define _INSTINCT_CONFIG_RECONCILE_H

#include "core/event.h"
#include "hardware/config.h"

struct instinct_device;

/**
 * struct instinct_config_counts - counts of config writes
 * @blocked: times that a register did not hold the written value
 * @retried: times that the module wrote a register again
 * @verified: times that a blocked register came to hold the value
 * @failed: times that a blocked register did not come to hold the value in time
 * @longest: longest time for which a register was blocked, ns
 */
struct instinct_config_counts {
	u64 blocked;
	u64 retried;
	u64 verified;
	u64 failed;
	u64 longest;
};

/**
 * struct instinct_reconcile - the blocked register, which does not hold the written value
 * @config: wanted state of the function with the register, NULL while no register is blocked
 * @field: the first blocked register of the function
 * @what: that register, and its function, as text
 * @since: time at which the module first saw the register blocked, ktime_get_ns()
 * @told: an event has reported the register
 * @tried: strongest remedy that the module has tried
 * @failed: the register did not come to hold the value in time, or the GPU did not answer
 * @why: error text while @failed
 * @counts: counts of all config writes, which readers read at any time
 *
 * The GPU's reset_lock guards all members.
 */
struct instinct_reconcile {
	struct instinct_config *config;
	const struct instinct_config_field *field;
	char what[INSTINCT_REASON_BYTES];
	u64 since;
	bool told;
	enum instinct_vfio_unblock tried;
	bool failed;
	char why[INSTINCT_REASON_BYTES];
	struct instinct_config_counts counts;
};

/**
 * instinct_reconcile_forget() - forget the blocked register, since a reset writes everything anew
 * @reconcile: blocked register
 *
 * Context: under the GPU's reset_lock.
 */
static inline void instinct_reconcile_forget(struct instinct_reconcile *reconcile)
{
	reconcile->config = NULL;
	reconcile->failed = false;
}

bool instinct_reconcile_step(struct instinct_device *dev, struct instinct_config *config,
			     unsigned long sources);
int instinct_reconcile_wait(struct instinct_device *dev, bool resets);
int instinct_reconcile_all(struct instinct_device *dev);
int instinct_reconcile_written(struct instinct_device *dev, u64 where, u64 bytes,
			       const char __user *val);
u16 instinct_reconcile_decodes(const struct instinct_device *dev);
int instinct_reconcile_user(struct instinct_device *dev, unsigned long sources);

#endif /* _INSTINCT_CONFIG_RECONCILE_H */
