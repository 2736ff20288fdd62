// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "device/device.h"
#include "device/owner.h"
#include "device/record.h"

/*
 * A user may try to open a refused device again and again. The limit keeps those refusals from
 * filling the kernel log and the ring of events.
 */
#define REFUSED_TOLD_INTERVAL	(60 * HZ)
#define REFUSED_TOLD_BURST	5

/* Guards the registry and the records. Isolation's locks come before it, a status_lock after it. */
DEFINE_MUTEX(instinct_devices_lock);
/* All devices, from the reading of their record at a bind to the end of the unbind. */
static LIST_HEAD(devices);

/* A reader of the device holds its reset_lock too, for a moment. */
#define RELEASE_RETRY_US	(20 * USEC_PER_MSEC)
#define RELEASE_WAIT_US		USEC_PER_SEC

atomic_t instinct_list_changes = ATOMIC_INIT(0);

/**
 * instinct_device_create() - make the object of a GPU
 * @pdev: function; its driver's probe holds the device lock
 * @profile: profile of the function
 *
 * Return: the object with one reference, ERR_PTR(-ENOMEM), ERR_PTR(-E2BIG) for a path too long,
 * ERR_PTR(-ENXIO) without a register BAR.
 */
struct instinct_device *instinct_device_create(struct pci_dev *pdev,
					       const struct instinct_profile *profile)
{
	struct instinct_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	kref_init(&dev->ref);
	INIT_LIST_HEAD(&dev->requests);
	ratelimit_state_init(&dev->refused_told, REFUSED_TOLD_INTERVAL, REFUSED_TOLD_BURST);
	ratelimit_set_flags(&dev->refused_told, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&dev->status_lock);
	mutex_init(&dev->reset_lock);
	init_waitqueue_head(&dev->idle);
	__set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	dev->pdev = pci_dev_get(pdev);
	dev->profile = profile;
	mutex_lock(&instinct_devices_lock);
	list_add_tail(&dev->node, &devices);
	instinct_record_recall(dev);
	mutex_unlock(&instinct_devices_lock);
	dev->mailbox.regs = &dev->regs;

	ret = instinct_path_walk(&dev->path, pdev, &dev->reset_lock);
	if (!ret) {
		instinct_registers_map(&dev->regs, pdev, profile->family, &dev->reset_lock);
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
	struct instinct_device *dev = container_of(ref, struct instinct_device, ref);

	instinct_device_leave(dev);
	if (dev->regs.map)
		iounmap(dev->regs.map);
	instinct_path_free(&dev->path);
	kfree(dev->config.baseline);
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
 * instinct_device_register() - make a device present: netlink finds it from here on
 * @dev: device
 *
 * Context: may sleep.
 */
void instinct_device_register(struct instinct_device *dev)
{
	mutex_lock(&instinct_devices_lock);
	spin_lock(&dev->status_lock);
	dev->status.present = true;
	spin_unlock(&dev->status_lock);
	instinct_device_disturb();
	mutex_unlock(&instinct_devices_lock);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_ADDED, dev->profile->model);
}

/**
 * instinct_device_unregister() - let go of a device, and keep its record
 * @dev: device that nobody can open any more
 *
 * Context: may sleep; waits for a reset under way.
 */
void instinct_device_unregister(struct instinct_device *dev)
{
	mutex_lock(&dev->reset_lock);
	instinct_record_identify(dev);
	/* Under this lock no reader misses the policy on its way from the device to the record. */
	mutex_lock(&instinct_devices_lock);
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->status.owner, INSTINCT_OWNER_GONE);
	dev->status.present = false;
	spin_unlock(&dev->status_lock);
	instinct_device_disturb();
	instinct_record_keep(dev);
	mutex_unlock(&instinct_devices_lock);
	mutex_unlock(&dev->reset_lock);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_REMOVED, "");
}

/**
 * instinct_device_leave() - take a device out of the registry
 * @dev: device that is not present; a second call does nothing
 *
 * Context: may sleep.
 */
void instinct_device_leave(struct instinct_device *dev)
{
	mutex_lock(&instinct_devices_lock);
	list_del_init(&dev->node);
	mutex_unlock(&instinct_devices_lock);
}

/**
 * instinct_device_peek() - look up a GPU that the driver has, takes or lets go of
 * @bdf: address of the GPU
 *
 * Context: under instinct_devices_lock.
 *
 * Return: the device, not referenced, or NULL.
 */
struct instinct_device *instinct_device_peek(const char *bdf)
{
	struct instinct_device *dev;

	lockdep_assert_held(&instinct_devices_lock);
	list_for_each_entry(dev, &devices, node)
		if (!strcmp(pci_name(dev->pdev), bdf))
			return dev;
	return NULL;
}

/**
 * instinct_device_next() - walk the GPUs that the driver has
 * @dev: device before the wanted one, or NULL for the first
 *
 * Context: under instinct_devices_lock.
 *
 * Return: the device, not referenced, or NULL past the last.
 */
struct instinct_device *instinct_device_next(struct instinct_device *dev)
{
	lockdep_assert_held(&instinct_devices_lock);
	dev = list_prepare_entry(dev, &devices, node);
	list_for_each_entry_continue(dev, &devices, node)
		if (dev->status.present)
			return dev;
	return NULL;
}

/**
 * instinct_device_find() - look up a managed GPU, and take a reference
 * @bdf: address of the GPU, "0000:c1:00.0"
 *
 * Context: may sleep.
 *
 * Return: the device, which the caller puts, or NULL.
 */
struct instinct_device *instinct_device_find(const char *bdf)
{
	struct instinct_device *found;

	mutex_lock(&instinct_devices_lock);
	found = instinct_device_peek(bdf);
	if (found && found->status.present)
		kref_get(&found->ref);
	else
		found = NULL;
	mutex_unlock(&instinct_devices_lock);
	return found;
}

/**
 * instinct_device_status() - copy the status of a device
 * @dev: device
 * @status: copy, set
 */
void instinct_device_status(struct instinct_device *dev, struct instinct_status *status)
{
	spin_lock(&dev->status_lock);
	*status = dev->status;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_device_set_state() - change the state of a device
 * @dev: device; the caller holds its reset_lock
 * @state: new state
 * @reason: reason why the device is not ready, or ""
 */
void instinct_device_set_state(struct instinct_device *dev, enum instinct_vfio_state state,
			       const char *reason)
{
	lockdep_assert_held(&dev->reset_lock);
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->status.state, state);
	strscpy(dev->status.reason, reason, sizeof(dev->status.reason));
	/* A lost device that comes back may still hold its users' data. */
	if (state == INSTINCT_VFIO_STATE_LOST) {
		dev->status.scrub.needs_scrub = true;
		dev->status.scrub.waived = false;
	}
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
 * @event: the event, without the members that identify the device and give its state
 *
 * Context: may sleep.
 */
void instinct_device_emit(struct instinct_device *dev, struct instinct_event *event)
{
	event->state = READ_ONCE(dev->status.state);
	if (event->kind == INSTINCT_VFIO_EVENT_OPEN_REFUSED && event->state == INSTINCT_VFIO_STATE_READY)
		event->state = INSTINCT_VFIO_STATE_BLOCKED;
	event->secure_os = READ_ONCE(dev->status.seen.secure_os);
	event->serial = READ_ONCE(dev->serial);
	strscpy(event->bdf, pci_name(dev->pdev), sizeof(event->bdf));
	instinct_event_emit(event, &dev->stats);
}

/**
 * instinct_device_emit_of() - emit an event of an endpoint with any driver
 * @bdf: address of the endpoint
 * @event: the event, without the members that identify the device and give its state
 *
 * Context: may sleep.
 */
void instinct_device_emit_of(const char *bdf, struct instinct_event *event)
{
	struct instinct_device *dev = instinct_device_find(bdf);

	if (dev) {
		instinct_device_emit(dev, event);
		instinct_device_put(dev);
		return;
	}
	strscpy(event->bdf, bdf, sizeof(event->bdf));
	instinct_event_emit(event, NULL);
}

/**
 * instinct_device_tell() - emit an event with only a kind and a reason
 * @dev: device
 * @kind: kind of the event
 * @reason: reason as text, or ""
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
 * instinct_device_release() - let a quarantined device be handed out again, or forgive methods
 * @dev: device
 * @methods: BIT(method) of the methods that may be tried again though they have lost the device; 0 to
 *	let a quarantined device be handed out once, and then the operator answers for the data in it
 * @why: set to an error text on failure
 *
 * Context: may sleep, up to a second.
 *
 * Return: 0, -EBUSY during a reset, -EINVAL if there is nothing to release or to forgive, -ENODEV for a
 * device of which the driver is letting go, so that its record counts.
 */
int instinct_device_release(struct instinct_device *dev, u32 methods, const char **why)
{
	struct instinct_status *status = &dev->status;
	int ret = -EBUSY, locked;
	bool held;

	*why = "a reset is under way; try again when it is over";
	/* A reset goes by the state at its beginning, which a release must not change. */
	if (read_poll_timeout(mutex_trylock, locked, locked, RELEASE_RETRY_US, RELEASE_WAIT_US, false,
			      &dev->reset_lock))
		return ret;
	spin_lock(&dev->status_lock);
	held = status->owner == INSTINCT_OWNER_USER || status->owner == INSTINCT_OWNER_CLOSING;
	if (status->owner == INSTINCT_OWNER_GONE) {
		*why = "the device has just been unbound";
		ret = -ENODEV;
	} else if (instinct_owner_is_idle(dev)) {
		*why = methods ? "no method has lost the device: nothing to forgive" :
		       status->state == INSTINCT_VFIO_STATE_LOST ?
		       "the device is lost: only a reset can bring it back" :
		       "the device is not quarantined: nothing to release";
		ret = (methods ? status->lost_by & methods :
				 status->state == INSTINCT_VFIO_STATE_QUARANTINED) ? 0 : -EINVAL;
		status->lost_by &= ~methods;
	}
	if (!ret && !methods) {
		WRITE_ONCE(status->state, INSTINCT_VFIO_STATE_READY);
		status->reason[0] = '\0';
		/* Nobody can answer for data that a user is still to leave. */
		status->scrub.waived = !held;
	}
	spin_unlock(&dev->status_lock);
	mutex_unlock(&dev->reset_lock);
	if (ret)
		return ret;
	*why = methods ? "methods that lost it may be tried again" :
	       held ? "its user goes on" : "the next user gets it as it is";
	pci_info(dev->pdev, "released by an operator: %s\n", *why);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_RELEASED, *why);
	return 0;
}
