/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is behind a reset that the PCI core prepares, and what he is told. */
#ifndef _INSTINCT_REQUEST_H
#define _INSTINCT_REQUEST_H

#include "device.h"

struct instinct_held;
struct instinct_hive;

/**
 * struct instinct_request - a call into the PCI core that will end in
 *	instinct_reset_prepare() on the same task
 * @node: in the device's requests, under its status_lock
 * @task: whose call
 * @cause: why it is made
 * @hive: reset of the hive that the call is part of, or NULL
 * @requester: process that asks; valid until instinct_request_end()
 * @held: completed once the device is held, or NULL; set to NULL then
 * @error: set to the outcome of the reset, 0 if there was none
 * @settled: the reset was done before the call: there is nothing to do in it
 * @seen: the reset was done
 */
struct instinct_request {
	struct list_head node;
	struct task_struct *task;
	enum instinct_vfio_cause cause;
	struct instinct_hive *hive;
	struct pid *requester;
	struct instinct_held *held;
	int error;
	bool settled;
	bool seen;
};

void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    enum instinct_vfio_cause cause);
void instinct_request_end(struct instinct_device *dev, struct instinct_request *request);
bool instinct_request_serve(struct instinct_device *dev);
bool instinct_request_is_settled(struct instinct_device *dev);
void instinct_request_directly(struct instinct_device *dev, struct instinct_request *request);
int instinct_request_reset(struct instinct_device *dev, struct instinct_request *request);

#endif /* _INSTINCT_REQUEST_H */
