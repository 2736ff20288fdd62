/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reset room offers resets that a user, the PCI core or an operator asks for, resets in the
 * background, and the recovery of a lost GPU. Every way ends in the engine.
 */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include "device/device.h"

struct instinct_plan;

void instinct_reset_plan(struct instinct_device *dev, enum instinct_vfio_method wanted,
			 struct instinct_plan *plan);
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset);
bool instinct_reset_spare(struct instinct_device *dev, enum instinct_vfio_cause cause);
void instinct_reset_inspect(struct instinct_device *dev);

/**
 * struct instinct_request - a call into the PCI core that ends in the driver's reset_prepare() on
 *	the same task
 * @node: links the device's requests, under its status_lock
 * @task: task that calls
 * @reset: the reset that the engine does in the call; NULL if it has done it before
 * @error: set to the outcome of the reset, 0 if there was none
 * @seen: set once the engine has done the reset
 */
struct instinct_request {
	struct list_head node;
	struct task_struct *task;
	struct instinct_reset *reset;
	int error;
	bool seen;
};

void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    struct instinct_reset *reset);
void instinct_request_end(struct instinct_device *dev, struct instinct_request *request, bool asked);
const struct instinct_request *instinct_request_serve(struct instinct_device *dev);
int instinct_request_reset(struct instinct_device *dev, struct instinct_reset *reset);

void instinct_work_setup(struct instinct_device *dev);
void instinct_work_start(struct instinct_device *dev, const struct instinct_reset *reset);
void instinct_work_flush(struct instinct_device *dev);
void instinct_recovery_start(struct instinct_device *dev, bool erred);

#endif /* _INSTINCT_RESET_H */
