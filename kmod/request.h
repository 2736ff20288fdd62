/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is behind a reset that the PCI core prepares, and what he is told. */
#ifndef _INSTINCT_REQUEST_H
#define _INSTINCT_REQUEST_H

#include "reset.h"

/**
 * struct instinct_request - a call into the PCI core that will end in
 *	instinct_reset_prepare() on the same task
 * @node: in the device's requests, under its status_lock
 * @task: whose call
 * @reset: what it asks for; its requester is valid until instinct_request_end()
 * @error: set to the outcome of the reset, 0 if there was none
 * @settled: the reset was done before the call: there is nothing to do in it
 * @seen: the reset was done
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
bool instinct_request_serve(struct instinct_device *dev);
bool instinct_request_is_settled(struct instinct_device *dev);
void instinct_request_directly(struct instinct_device *dev, struct instinct_request *request);
int instinct_request_reset(struct instinct_device *dev, struct instinct_request *request);

#endif /* _INSTINCT_REQUEST_H */
