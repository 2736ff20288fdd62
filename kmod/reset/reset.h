/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reset room offers resets that a user, the PCI core or an operator asks for, resets in the
 * background, and the recovery of a lost GPU. Every way ends in the engine.
 */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include <linux/completion.h>

#include "device/device.h"

struct instinct_plan;

/**
 * struct instinct_terms - terms of one reset, which override policy
 * @method: reset method, AUTO for policy's method
 * @ready_timeout: time that each method has, in ms; 0 for policy's timeout
 * @elsewhere: @bus_port overrides policy's
 * @bus_port: with @elsewhere, the port where method "bus" resets
 */
struct instinct_terms {
	enum instinct_vfio_method method;
	u32 ready_timeout;
	bool elsewhere;
	enum instinct_vfio_bus_port bus_port;
};

/**
 * struct instinct_reset - one reset, as asked for, and its outcome
 * @cause: cause of the reset
 * @terms: terms of the reset; with @hive, the engine sets them to the hive's
 * @forced: reset the device even if it is clean
 * @hive: reset of the hive that this reset is part of already, or NULL
 * @requester: user that asks, number 0 for nobody
 * @held: completed, and set to NULL, once the device is held; or NULL
 * @zapped: no user has the device mapped during the reset
 * @method: set to the last method tried, AUTO if none was tried
 * @coalesced: set if the device was clean and the engine did nothing
 * @duration: set to the duration of the reset, in ns
 * @why: set to the reason, for the user, on failure
 */
struct instinct_reset {
	enum instinct_vfio_cause cause;
	struct instinct_terms terms;
	bool forced;
	struct instinct_hive *hive;
	struct instinct_user requester;
	struct instinct_held *held;
	bool zapped;
	enum instinct_vfio_method method;
	bool coalesced;
	u64 duration;
	char why[INSTINCT_REASON_BYTES];
};

void instinct_reset_plan(struct instinct_device *dev, enum instinct_vfio_method wanted,
			 struct instinct_plan *plan);
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset);
bool instinct_reset_spare(struct instinct_device *dev, enum instinct_vfio_cause cause);

/**
 * struct instinct_request - a call into the PCI core that ends in the driver's reset_prepare() on
 *	the same task
 * @node: links the device's requests, under its status_lock
 * @task: task that calls
 * @reset: the reset that the call asks for
 * @error: set to the outcome of the reset, 0 if there was none
 * @settled: the engine has done the reset before the call, and does nothing in it
 * @seen: set once the engine has done the reset
 */
struct instinct_request {
	struct list_head node;
	struct task_struct *task;
	struct instinct_reset reset;
	int error;
	bool settled;
	bool seen;
};

void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    enum instinct_vfio_cause cause);
void instinct_request_end(struct instinct_device *dev, struct instinct_request *request);
struct instinct_request *instinct_request_of_current(struct instinct_device *dev);
bool instinct_request_serve(struct instinct_device *dev);
void instinct_request_directly(struct instinct_device *dev, struct instinct_request *request);
int instinct_request_reset(struct instinct_device *dev, struct instinct_request *request);

/* A recovery that cannot begin is tried again after this time. */
#define INSTINCT_RECOVERY_LATER_MS	3000

/**
 * struct instinct_held - lets the requester wait until reset work holds the device
 * @done: completed once the device is held, or the reset work is over
 * @error: outcome, if the reset work was over before it held the device
 */
struct instinct_held {
	struct completion done;
	int error;
};

void instinct_work_setup(struct instinct_device *dev);
void instinct_work_start(struct instinct_device *dev, enum instinct_vfio_cause cause,
			 struct instinct_hive *hive, const struct instinct_user *requester,
			 struct instinct_held *held);
void instinct_work_flush(struct instinct_device *dev);
void instinct_recovery_start(struct instinct_device *dev, unsigned int ms);
void instinct_recovery_after(struct instinct_device *dev);

void instinct_power_wake(struct instinct_device *dev);
void instinct_power_restore(struct pci_dev *pdev);
const char *instinct_inspect_mailbox(struct instinct_device *dev, u32 by_policy, bool whole);
void instinct_inspect_note(struct instinct_device *dev, struct instinct_seen *seen);
void instinct_inspect_device(struct instinct_device *dev);

void instinct_link_look(struct instinct_device *dev);

#endif /* _INSTINCT_RESET_H */
