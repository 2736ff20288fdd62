// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pm_runtime.h>
#include <linux/vfio.h>
#include <linux/vfio_pci_core.h>

#include "request.h"

/**
 * instinct_request_begin() - announce a call that will reset the device
 * @dev: device
 * @request: filled in; on the caller's stack until instinct_request_end()
 * @cause: why
 */
void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    enum instinct_vfio_cause cause)
{
	*request = (struct instinct_request) {
		.task = current,
		.reset = { .cause = cause, .requester = task_tgid(current) },
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
void instinct_request_end(struct instinct_device *dev, struct instinct_request *request)
{
	spin_lock(&dev->status_lock);
	list_del(&request->node);
	spin_unlock(&dev->status_lock);
}

static void request_run(struct instinct_device *dev, struct instinct_request *request, bool zapped)
{
	request->reset.zapped = zapped;
	request->error = instinct_reset_run(dev, &request->reset);
	request->seen = true;
}

/* Of which there is one at most: no call into the PCI core is made inside another. */
static struct instinct_request *request_of_current(struct instinct_device *dev)
{
	struct instinct_request *request, *found = NULL;

	spin_lock(&dev->status_lock);
	list_for_each_entry(request, &dev->requests, node)
		if (request->task == current)
			found = request;
	spin_unlock(&dev->status_lock);
	return found;
}

/**
 * instinct_request_serve() - do the reset that the PCI core is preparing
 * @dev: device
 *
 * The outcome goes to the request, if there is one: the PCI core's own methods refuse.
 *
 * Context: may sleep; the PCI core holds the device lock and
 * pci_cfg_access_lock().
 *
 * Return: true if there is no request, and the device was reset.
 */
bool instinct_request_serve(struct instinct_device *dev)
{
	struct instinct_request *request = request_of_current(dev);
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_SYSFS };

	if (!request)
		return !instinct_reset_run(dev, &reset);
	if (!request->settled)
		request_run(dev, request, true);
	return false;
}

/**
 * instinct_request_is_settled() - was the reset done before the PCI core was called?
 * @dev: device
 *
 * Return: true if the current task's request says so.
 */
bool instinct_request_is_settled(struct instinct_device *dev)
{
	struct instinct_request *request = request_of_current(dev);

	return request && request->settled;
}

/**
 * instinct_request_directly() - do the reset that the PCI core did not come to
 * @dev: device
 * @request: ended, and not @seen; what it asked for
 *
 * The PCI core has no method left when "reset_method" is empty. Nobody takes the user's
 * mappings away meanwhile.
 *
 * Context: may sleep, up to the end of the reset.
 */
void instinct_request_directly(struct instinct_device *dev, struct instinct_request *request)
{
	pm_runtime_get_sync(&dev->pdev->dev);
	pci_cfg_access_lock(dev->pdev);
	request_run(dev, request, false);
	pci_cfg_access_unlock(dev->pdev);
	pm_runtime_put(&dev->pdev->dev);
}

/**
 * instinct_request_reset() - reset a device that is open, as its user's own request would
 * @dev: device
 * @request: begun; it is ended
 *
 * vfio takes the user's mappings away, and holds him off meanwhile.
 *
 * Context: may sleep, up to the end of the reset.
 *
 * Return: 0 or a negative errno.
 */
int instinct_request_reset(struct instinct_device *dev, struct instinct_request *request)
{
	long ret = vfio_pci_core_ioctl(dev->vdev, VFIO_DEVICE_RESET, 0);

	instinct_request_end(dev, request);
	/* With "reset_method" emptied the PCI core prepares nothing. */
	if (ret == -ENOTTY && !request->seen)
		instinct_request_directly(dev, request);
	return request->seen ? request->error : ret;
}
