// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "device.h"
#include "errand.h"
#include "guard.h"
#include "name.h"
#include "recovery.h"

/* Guards the registry; taken before nothing. */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices);

static void device_tell_held_flr(struct work_struct *work)
{
	struct instinct_device *dev =
		container_of(work, struct instinct_device, held_flr);

	dev_warn_ratelimited(&dev->pdev->dev,
			     "an FLR written past the reset path was held back: the device was not reset (see instinctctl reset)\n");
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_FLR_HELD,
			     "written past the reset path, not passed on");
}

/**
 * instinct_device_create() - an object for a GPU
 * @pdev: function; its driver's probe holds the device lock
 * @profile: what it is
 *
 * Return: the object with one reference, ERR_PTR(-ENOMEM), ERR_PTR(-E2BIG)
 * for a path too long, ERR_PTR(-ENXIO) without a register BAR.
 */
struct instinct_device *instinct_device_create(struct pci_dev *pdev,
					       const struct instinct_profile *profile)
{
	struct instinct_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	kref_init(&dev->ref);
	INIT_LIST_HEAD(&dev->node);
	INIT_LIST_HEAD(&dev->requests);
	INIT_WORK(&dev->held_flr, device_tell_held_flr);
	spin_lock_init(&dev->status_lock);
	mutex_init(&dev->reset_lock);
	init_waitqueue_head(&dev->idle);
	instinct_errand_setup(dev);
	instinct_recovery_setup(dev);
	/* What happened before us nobody knows. */
	__set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	dev->pdev = pci_dev_get(pdev);
	dev->profile = profile;
	dev->serial = pci_get_dsn(pdev);
	if (dev->serial == U64_MAX)
		dev->serial = 0;
	instinct_policy_defaults(&dev->status.policy);
	dev->mailbox.regs = &dev->regs;

	ret = instinct_fabric_walk(&dev->fabric, pdev);
	if (!ret) {
		instinct_registers_map(&dev->regs, pdev, profile->family);
		if (!dev->regs.map)
			ret = -ENXIO;
	}
	if (ret) {
		instinct_device_put(dev);
		return ERR_PTR(ret);
	}
	return dev;
}

static void device_free(struct kref *ref)
{
	struct instinct_device *dev =
		container_of(ref, struct instinct_device, ref);

	instinct_registers_unmap(&dev->regs);
	instinct_fabric_free(&dev->fabric);
	kfree(dev->baseline);
	pci_dev_put(dev->pdev);
	kfree(dev);
}

/**
 * instinct_device_put() - drop a reference
 * @dev: device
 *
 * Context: may sleep.
 */
void instinct_device_put(struct instinct_device *dev)
{
	kref_put(&dev->ref, device_free);
}

/**
 * instinct_device_register() - let netlink find a device
 * @dev: device
 *
 * Context: may sleep.
 */
void instinct_device_register(struct instinct_device *dev)
{
	mutex_lock(&devices_lock);
	list_add_tail(&dev->node, &devices);
	mutex_unlock(&devices_lock);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_ADDED,
			     dev->profile->model);
}

/**
 * instinct_device_unregister() - nobody finds it from now on
 * @dev: device; who found it before sees @gone
 *
 * Context: may sleep; waits for a reset under way.
 */
void instinct_device_unregister(struct instinct_device *dev)
{
	mutex_lock(&devices_lock);
	list_del_init(&dev->node);
	mutex_unlock(&devices_lock);

	mutex_lock(&dev->reset_lock);
	spin_lock(&dev->status_lock);
	dev->status.gone = true;
	spin_unlock(&dev->status_lock);
	mutex_unlock(&dev->reset_lock);

	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_REMOVED, "");
}

/**
 * instinct_device_find() - look a managed GPU up
 * @bdf: its name, "0000:c1:00.0"
 *
 * Context: may sleep.
 *
 * Return: the device, to be put, or NULL.
 */
struct instinct_device *instinct_device_find(const char *bdf)
{
	struct instinct_device *dev, *found = NULL;

	mutex_lock(&devices_lock);
	list_for_each_entry(dev, &devices, node)
		if (!strcmp(pci_name(dev->pdev), bdf)) {
			kref_get(&dev->ref);
			found = dev;
			break;
		}
	mutex_unlock(&devices_lock);
	return found;
}

/**
 * instinct_device_nth() - walk the managed GPUs
 * @index: from 0
 *
 * Context: may sleep.
 *
 * Return: the device, to be put, or NULL past the last.
 */
struct instinct_device *instinct_device_nth(unsigned int index)
{
	struct instinct_device *dev, *found = NULL;

	mutex_lock(&devices_lock);
	list_for_each_entry(dev, &devices, node)
		if (!index--) {
			kref_get(&dev->ref);
			found = dev;
			break;
		}
	mutex_unlock(&devices_lock);
	return found;
}

/**
 * instinct_device_next() - walk the managed GPUs, whatever else happens
 * @after: device, whose reference is dropped, or NULL to begin
 *
 * Context: may sleep.
 *
 * Return: the device, to be put or handed in again, or NULL past the last. A
 * device unregistered meanwhile ends the walk.
 */
struct instinct_device *instinct_device_next(struct instinct_device *after)
{
	struct instinct_device *next = NULL;

	mutex_lock(&devices_lock);
	if (!after)
		next = list_first_entry_or_null(&devices,
						struct instinct_device, node);
	else if (!list_empty(&after->node) &&
		 !list_is_last(&after->node, &devices))
		next = list_next_entry(after, node);
	if (next)
		kref_get(&next->ref);
	mutex_unlock(&devices_lock);
	if (after)
		instinct_device_put(after);
	return next;
}

/**
 * instinct_device_status() - how a device is
 * @dev: device
 * @status: set
 */
void instinct_device_status(struct instinct_device *dev,
			    struct instinct_status *status)
{
	spin_lock(&dev->status_lock);
	*status = dev->status;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_device_set_state() - change the state
 * @dev: device, with its reset_lock held
 * @state: new state
 * @reason: why it is not ready, or ""
 */
void instinct_device_set_state(struct instinct_device *dev,
			       enum instinct_vfio_state state,
			       const char *reason)
{
	spin_lock(&dev->status_lock);
	dev->status.state = state;
	strscpy(dev->status.reason, reason, sizeof(dev->status.reason));
	spin_unlock(&dev->status_lock);

	if (state == INSTINCT_VFIO_STATE_RESETTING)
		return;
	wake_up_all(&dev->idle);
	if (state != INSTINCT_VFIO_STATE_READY)
		pci_err(dev->pdev, "%s: %s\n", instinct_name_state(state), reason);
}

/**
 * instinct_device_emit() - emit an event of a device
 * @dev: device
 * @event: all but what says which device it is and how it is now
 *
 * Context: may sleep.
 */
void instinct_device_emit(struct instinct_device *dev,
			  struct instinct_event *event)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	event->state = status.state;
	event->serial = dev->serial;
	strscpy(event->bdf, pci_name(dev->pdev), sizeof(event->bdf));
	instinct_event_emit(event);
}

/**
 * instinct_device_tell() - emit an event that has no more to say
 * @dev: device
 * @kind: what happened
 * @reason: for people, or ""
 *
 * Context: may sleep.
 */
void instinct_device_tell(struct instinct_device *dev,
			  enum instinct_vfio_event kind, const char *reason)
{
	struct instinct_event event = { .kind = kind };

	strscpy(event.reason, reason, sizeof(event.reason));
	instinct_device_emit(dev, &event);
}

/**
 * instinct_device_touch() - somebody could have changed the device
 * @dev: device
 * @how: INSTINCT_TOUCHED_*
 *
 * Context: any.
 */
void instinct_device_touch(struct instinct_device *dev, unsigned int how)
{
	set_bit(how, &dev->touched);
}

static bool status_is_idle(const struct instinct_status *status)
{
	return !status->claimed && status->state != INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * instinct_device_is_idle() - is no reset under way or about to begin?
 * @dev: device
 *
 * Return: true if none is, which may have changed by then.
 */
bool instinct_device_is_idle(struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return status_is_idle(&status);
}

/**
 * instinct_device_wait_idle() - wait until no reset is under way
 * @dev: device
 *
 * Context: may sleep, up to the end of the reset, unless killed.
 *
 * Return: 0, -EIO if the device is lost, -ERESTARTSYS if the caller is killed.
 */
int instinct_device_wait_idle(struct instinct_device *dev)
{
	struct instinct_status status;
	int ret = 0;

	instinct_device_status(dev, &status);
	if (!status_is_idle(&status)) {
		ret = wait_event_killable(dev->idle, instinct_device_is_idle(dev));
		instinct_device_status(dev, &status);
	}
	if (!ret && status.state == INSTINCT_VFIO_STATE_LOST)
		ret = -EIO;
	return ret;
}

/**
 * instinct_device_begin_open() - may a user open the device?
 * @dev: device
 *
 * Waits for a reset under way.
 *
 * Context: may sleep.
 *
 * Return: 0, after which instinct_device_end_open() is owed; -EIO if it is
 * lost, -EACCES if it is quarantined, -ERESTARTSYS if the caller is killed.
 */
int instinct_device_begin_open(struct instinct_device *dev)
{
	struct instinct_status status;
	int ret;

	do {
		ret = wait_event_killable(dev->idle, instinct_device_is_idle(dev));
		if (ret)
			return ret;
		spin_lock(&dev->status_lock);
		status = dev->status;
		if (status_is_idle(&status) &&
		    status.state == INSTINCT_VFIO_STATE_READY) {
			dev->status.open++;
			dev->status.owner = get_task_pid(current, PIDTYPE_TGID);
		}
		spin_unlock(&dev->status_lock);
	} while (!status_is_idle(&status));

	if (status.state == INSTINCT_VFIO_STATE_READY)
		return 0;
	pci_err(dev->pdev, "open refused: %s: %s (see instinctctl status)\n",
		instinct_name_state(status.state), status.reason);
	return status.state == INSTINCT_VFIO_STATE_LOST ? -EIO : -EACCES;
}

static bool device_begin_close(struct instinct_device *dev)
{
	bool free;

	spin_lock(&dev->status_lock);
	free = !dev->status.claimed;
	if (free)
		dev->status.closing = true;
	spin_unlock(&dev->status_lock);
	return free;
}

/**
 * instinct_device_begin_close() - the last user lets go
 * @dev: device
 *
 * Waits for an errand; from here on none can claim the device.
 *
 * Context: may sleep, up to the end of a reset.
 */
void instinct_device_begin_close(struct instinct_device *dev)
{
	wait_event(dev->idle, device_begin_close(dev));
}

/**
 * instinct_device_end_open() - nobody has the device open any more
 * @dev: device
 * @claim: claim it in the same breath, before anybody can open it
 */
void instinct_device_end_open(struct instinct_device *dev, bool claim)
{
	struct pid *owner;

	spin_lock(&dev->status_lock);
	dev->status.open--;
	dev->status.closing = false;
	dev->status.claimed = claim;
	owner = dev->status.owner;
	dev->status.owner = NULL;
	spin_unlock(&dev->status_lock);
	put_pid(owner);
}

static bool device_claim(struct instinct_device *dev, bool held,
			 struct pid *owner)
{
	struct instinct_status *status = &dev->status;
	bool claimed;

	spin_lock(&dev->status_lock);
	claimed = status_is_idle(status) && !status->gone && !status->closing &&
		  !!status->open == held && (!held || status->owner == owner);
	if (claimed)
		status->claimed = true;
	spin_unlock(&dev->status_lock);
	return claimed;
}

/**
 * instinct_device_claim_free() - claim a device that nobody has open
 * @dev: device
 *
 * Return: true if it is claimed; instinct_device_unclaim() is owed then.
 */
bool instinct_device_claim_free(struct instinct_device *dev)
{
	return device_claim(dev, false, NULL);
}

/**
 * instinct_device_claim_held() - claim a device from its user
 * @dev: device
 * @owner: process that must have opened it
 *
 * Its user cannot close it while it is claimed.
 *
 * Return: true if it is claimed; instinct_device_unclaim() is owed then.
 */
bool instinct_device_claim_held(struct instinct_device *dev, struct pid *owner)
{
	return device_claim(dev, true, owner);
}

/**
 * instinct_device_unclaim() - undo a claim
 * @dev: device
 */
void instinct_device_unclaim(struct instinct_device *dev)
{
	spin_lock(&dev->status_lock);
	dev->status.claimed = false;
	spin_unlock(&dev->status_lock);
	wake_up_all(&dev->idle);
}

/**
 * instinct_device_set_policy() - change the policy
 * @dev: device
 * @policy: all of it
 * @why: set to the reason, for people, when it is refused
 *
 * A reset under way goes on with the policy it began with.
 *
 * Context: may sleep.
 *
 * Return: 0, or a negative errno and then nothing has changed.
 */
int instinct_device_set_policy(struct instinct_device *dev,
			       const struct instinct_policy *policy,
			       const char **why)
{
	bool package = instinct_fabric_has_package(&dev->fabric);
	int ret = instinct_policy_check(policy, dev->profile->family, why);

	if (!ret && !package && (policy->method == INSTINCT_VFIO_METHOD_BUS ||
				 policy->method == INSTINCT_VFIO_METHOD_FLR)) {
		*why = "methods bus and flr need the package switch (SWUS, SWDS) above the GPU, and there is none";
		ret = -EOPNOTSUPP;
	}
	if (ret) {
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_REJECTED,
				     *why);
		return ret;
	}
	spin_lock(&dev->status_lock);
	dev->status.policy = *policy;
	spin_unlock(&dev->status_lock);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_APPLIED, "");
	return 0;
}

/**
 * instinct_device_release() - an operator takes responsibility
 * @dev: device
 * @why: set to the reason, for people, when it is refused
 *
 * A quarantined device becomes ready, and methods that lost the device may be
 * tried again.
 *
 * Return: 0, -EBUSY during a reset, -EIO for a lost device.
 */
int instinct_device_release(struct instinct_device *dev, const char **why)
{
	enum instinct_vfio_state state;

	spin_lock(&dev->status_lock);
	state = dev->status.state;
	if (dev->status.claimed)
		state = INSTINCT_VFIO_STATE_RESETTING;
	if (state != INSTINCT_VFIO_STATE_RESETTING)
		dev->status.lost_by = 0;
	if (state == INSTINCT_VFIO_STATE_QUARANTINED) {
		dev->status.state = INSTINCT_VFIO_STATE_READY;
		dev->status.reason[0] = '\0';
	}
	spin_unlock(&dev->status_lock);

	switch (state) {
	case INSTINCT_VFIO_STATE_RESETTING:
		*why = "a reset is under way; try again when it is over";
		return -EBUSY;
	case INSTINCT_VFIO_STATE_LOST:
		*why = "the device is lost: only a reset can bring it back; methods that lost it may be tried again now";
		return -EIO;
	default:
		pci_info(dev->pdev, "released by an operator\n");
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_RELEASED, "");
		return 0;
	}
}
