/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine resets a device. Every way in ends here: resets that a user, the PCI core or an operator
 * asks for, resets in the background, and the recovery of a lost GPU. An attempt tries one method: it
 * contains the ports above the device, triggers the reset, and waits for proof that the device was reset
 * and is back.
 */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include "device/device.h"
#include "reset/plan.h"

enum instinct_vfio_method instinct_reset_plan(struct instinct_device *dev,
					      const struct instinct_status *status,
					      struct instinct_plan *plan);
bool instinct_reset_blocks(struct instinct_device *dev, const struct instinct_status *status,
			   const struct instinct_user *user, char *why);
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset);
void instinct_reset_start(struct instinct_device *dev, const struct instinct_reset *reset);
void instinct_reset_inspect(struct instinct_device *dev);

/**
 * struct instinct_attempt - a reset under way
 * @dev: device
 * @reset: the reset as asked for, and its outcome
 * @began: time when the reset began, ktime_get_ns()
 * @before: status of the device before the reset, with the terms applied to its policy
 * @ask: the same as the input of the scrub rules
 * @method: method that is tried; AUTO while the attempt only waits
 * @keep: config state that the attempt writes back
 * @event: sums up the time of each phase
 * @triggered: set once any attempt of this reset has triggered the hardware
 * @posted: time of the message that tells the SMU to reset, ktime_get_ns()
 * @seen: contents of the GPU's registers once it was back
 * @limit: time within which the device has to be back, ns
 * @why: set to the reason, for the user, on failure
 * @phase_began: start of the current phase, ktime_get_ns()
 */
struct instinct_attempt {
	struct instinct_device *dev;
	struct instinct_reset *reset;
	u64 began;
	struct instinct_status before;
	struct instinct_scrub_ask ask;
	enum instinct_vfio_method method;
	struct pci_saved_state *keep;
	struct instinct_event event;
	bool triggered;
	u64 posted;
	struct instinct_seen seen;
	u64 limit;
	const char *why;
	u64 phase_began;
};

bool instinct_attempt_alive(struct instinct_device *dev, u64 lately);
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit);
bool instinct_attempt_reach(struct instinct_attempt *attempt, bool recovers);
int instinct_attempt_run(struct instinct_attempt *attempt);

/* The GPUs of an XGMI hive enter some resets together; these functions are their meeting point. */
struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, char *why);
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      const struct instinct_user *requester, struct instinct_hive *hive, char *why);
bool instinct_hive_join(struct instinct_hive *hive, struct instinct_device *dev);
int instinct_hive_sync(struct instinct_hive *hive, char *why);
void instinct_hive_end(struct instinct_hive *hive, const char *why);

#endif /* _INSTINCT_RESET_H */
