// SPDX-License-Identifier: GPL-2.0-only
#include <linux/vfio_pci_core.h>

#include "device/owner.h"
#include "reset/reset.h"

/**
 * instinct_request_begin() - announce a call into the PCI core that will reset a device
 * @dev: device
 * @request: initialized; stays on the caller's stack until instinct_request_end()
 * @cause: cause of the reset
 */
void instinct_request_begin(struct instinct_device *dev, struct instinct_request *request,
			    enum instinct_vfio_cause cause)
{
	*request = (struct instinct_request) {
		.task = current,
		.reset = { .cause = cause, .requester = instinct_owner_asks(dev) },
	};
	spin_lock(&dev->status_lock);
	list_add(&request->node, &dev->requests);
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_request_end() - withdraw a request after the call
 * @dev: device
 * @request: request, whose @error and @seen the caller can read afterwards
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

/**
 * instinct_request_of_current() - find the request with which the current task has called the PCI core
 * @dev: device
 *
 * A task has at most one request, since no call into the PCI core is made inside another.
 *
 * Return: the request; NULL if somebody else than this driver has called the PCI core, as sysfs does.
 */
struct instinct_request *instinct_request_of_current(struct instinct_device *dev)
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
 * If the current task has a request, the function leaves the outcome in it; the PCI core's own
 * methods then refuse.
 *
 * Context: may sleep; the PCI core holds the device lock and pci_cfg_access_lock().
 *
 * Return: true if there is no request and the device was reset.
 */
bool instinct_request_serve(struct instinct_device *dev)
{
	struct instinct_request *request = instinct_request_of_current(dev);
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_SYSFS };

	if (!request)
		return !instinct_reset_run(dev, &reset);
	if (!request->settled)
		request_run(dev, request, true);
	return false;
}

/**
 * instinct_request_directly() - do a reset that the PCI core has not prepared
 * @dev: device
 * @request: request that has ended, and is not @seen
 *
 * With an empty "reset_method" the PCI core has no method, and so never calls reset_prepare().
 * The user's mappings stay in place during this reset. memory_lock keeps the user's interrupts as they
 * are, as it does in a reset by vfio-pci-core, which takes it before the config space too.
 *
 * Context: may sleep, up to the end of the reset.
 */
void instinct_request_directly(struct instinct_device *dev, struct instinct_request *request)
{
	struct vfio_pci_core_device *core = container_of(dev->vdev, struct vfio_pci_core_device, vdev);

	request->seen = true;
	request->error = down_write_killable(&core->memory_lock);
	if (request->error)
		return;
	request->error = instinct_owner_hold_config(dev, INSTINCT_VFIO_READY_TIMEOUT_MAX);
	if (!request->error) {
		request_run(dev, request, false);
		pci_cfg_access_unlock(dev->pdev);
	}
	up_write(&core->memory_lock);
}

/**
 * instinct_request_reset() - reset an open device in the same way as its user's own request
 * @dev: device
 * @request: request, which the caller has begun; the function ends it
 *
 * VFIO zaps the user's mappings, and holds the user off during the reset.
 *
 * Context: may sleep, up to the end of the reset.
 *
 * Return: 0 or a negative errno.
 */
int instinct_request_reset(struct instinct_device *dev, struct instinct_request *request)
{
	long ret = vfio_pci_core_ioctl(dev->vdev, VFIO_DEVICE_RESET, 0);

	instinct_request_end(dev, request);
	/* With an empty "reset_method" the PCI core has not called reset_prepare(). */
	if (ret == -ENOTTY && !request->seen)
		instinct_request_directly(dev, request);
	return request->seen ? request->error : ret;
}
