/* SPDX-License-Identifier: GPL-2.0-only */
/* One attempt to reset a device with one method. */
#ifndef _INSTINCT_ATTEMPT_H
#define _INSTINCT_ATTEMPT_H

#include "device.h"

/**
 * struct instinct_mark - by which is seen whether a function was reset
 * @set: it holds @val
 * @val: what was written
 */
struct instinct_mark {
	bool set;
	u8 val;
};

/**
 * struct instinct_attempt - an attempt
 * @dev: device
 * @policy: as it was when the reset began; the caller's copy
 * @method: tried, not AUTO
 * @hive: reset of the hive that this is part of, or NULL
 * @keep: config state to be written back
 * @event: the time of each phase is added up here
 * @fired: set once this attempt has told the hardware to reset
 * @triggered: the same of any attempt of this reset
 * @limit: how long it may take until the device is back, ns
 * @triggers: how often the hardware was told to reset
 * @mark: by which is seen whether it has
 * @blocked: set if it failed since a config write could not land
 * @why: set to the reason, for people, on failure
 * @command: wanted value of Command, while memory decoding is on to look for life
 * @phase_began: start of the current phase, ktime_get_ns()
 */
struct instinct_attempt {
	struct instinct_device *dev;
	const struct instinct_policy *policy;
	enum instinct_vfio_method method;
	struct instinct_hive *hive;
	struct pci_saved_state *keep;
	struct instinct_event event;
	bool fired;
	bool triggered;
	bool blocked;
	u64 limit;
	unsigned int triggers;
	struct instinct_mark mark;
	const char *why;
	u32 command;
	u64 phase_began;
};

bool instinct_attempt_reach(struct instinct_device *dev);
void instinct_attempt_write_back(struct instinct_attempt *attempt);
bool instinct_attempt_alive(struct instinct_device *dev);
bool instinct_attempt_reach_in_time(struct instinct_device *dev, u64 limit);
int instinct_attempt_await(struct instinct_attempt *attempt, u64 limit);
int instinct_attempt_run(struct instinct_attempt *attempt);

#endif /* _INSTINCT_ATTEMPT_H */
