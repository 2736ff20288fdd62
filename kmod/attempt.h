/* SPDX-License-Identifier: GPL-2.0-only */
/* One attempt to reset a device with one method. */
#ifndef _INSTINCT_ATTEMPT_H
#define _INSTINCT_ATTEMPT_H

#include "device.h"

/**
 * struct instinct_attempt - an attempt
 * @dev: device
 * @policy: as it was when the reset began; the caller's copy
 * @method: tried, not AUTO
 * @keep: config state to be written back
 * @event: the time of each phase is added up here
 * @triggers: how often this attempt has told the hardware to reset
 * @triggered: set once any attempt of this reset has
 * @blocked: set if it failed since a config write could not land
 * @limit: how long it may take until the device is back, ns
 * @mark: what was written to the function, by which is seen whether it was reset; or 0
 * @cleared: how often in a row that has read 0
 * @why: set to the reason, for people, on failure
 * @phase_began: start of the current phase, ktime_get_ns()
 */
struct instinct_attempt {
	struct instinct_device *dev;
	const struct instinct_policy *policy;
	enum instinct_vfio_method method;
	struct pci_saved_state *keep;
	struct instinct_event event;
	unsigned int triggers;
	bool triggered;
	bool blocked;
	u64 limit;
	u8 mark;
	u8 cleared;
	const char *why;
	u64 phase_began;
};

bool instinct_attempt_reach(struct instinct_device *dev);
void instinct_attempt_write_back(struct instinct_attempt *attempt);
bool instinct_attempt_alive(struct instinct_device *dev);
bool instinct_attempt_reach_in_time(struct instinct_device *dev, u64 limit);
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit);
int instinct_attempt_run(struct instinct_attempt *attempt, struct instinct_hive *hive);

#endif /* _INSTINCT_ATTEMPT_H */
