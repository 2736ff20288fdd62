// SPDX-License-Identifier: GPL-2.0-only
#include "request.h"
#include "reset.h"

/**
 * instinct_request_begin() - announce a call that will reset the device
 * @dev: device
 * @request: filled in; on the caller's stack until instinct_request_end()
 * @cause: why
 */
void instinct_request_begin(struct instinct_device *dev,
			    struct instinct_request *request,
			    enum instinct_vfio_cause cause)
{
	*request = (struct instinct_request) {
		.task = current,
		.cause = cause,
		.requester = task_tgid(current),
	};
	spin_lock(&dev->status_lock);
	list_add(&request->node, &dev->requests);
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_request_end() - the call is over
 * @dev: device
 * @request: its @error and @seen can be read after this
 */
void instinct_request_end(struct instinct_device *dev,
			  struct instinct_request *request)
{
	spin_lock(&dev->status_lock);
	list_del(&request->node);
	spin_unlock(&dev->status_lock);
}

static struct instinct_request *request_of_current(struct instinct_device *dev)
{
	struct instinct_request *request, *found = NULL;

	spin_lock(&dev->status_lock);
	list_for_each_entry(request, &dev->requests, node)
		if (request->task == current) {
			found = request;
			break;
		}
	spin_unlock(&dev->status_lock);
	return found;
}

/**
 * instinct_request_serve() - do the reset that the PCI core is preparing
 * @dev: device
 *
 * The PCI core believes that its FLR, which the guard holds back, resets the
 * device afterwards; so the outcome goes to the request and not to the core.
 *
 * Context: may sleep; the PCI core holds the device lock and
 * pci_cfg_access_lock().
 */
void instinct_request_serve(struct instinct_device *dev)
{
	struct instinct_request *request = request_of_current(dev);
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_SYSFS };
	int ret;

	if (request && request->settled)
		return;
	if (request) {
		reset.cause = request->cause;
		reset.hive = request->hive;
		reset.requester = request->requester;
		reset.held = request->held;
		reset.zapped = true;
	}
	ret = instinct_reset_run(dev, &reset);
	if (request) {
		request->held = reset.held;
		request->error = ret;
		request->seen = true;
	}
}
