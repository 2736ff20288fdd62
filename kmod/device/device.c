// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "core/name.h"
#include "device/device.h"
#include "device/identity.h"
#include "device/record.h"

/*
 * A user may try to open a refused device again and again. The limit keeps those refusals from
 * filling the kernel log and the ring of events.
 */
#define REFUSED_TOLD_INTERVAL	(60 * HZ)
#define REFUSED_TOLD_BURST	5

/*
 * Guards the registry. The locks of the records and of isolation come before it, and only a
 * status_lock comes after it.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices);
/* Devices on their way in, whose record has been read, or out, whose record is not yet kept. */
static LIST_HEAD(passing);

static atomic_t disturbed = ATOMIC_INIT(0);

/**
 * instinct_device_walk() - check that a walk by index over one of the lists is complete
 *
 * The lists are those of the devices, of the records and of the endpoints with isolation policy.
 *
 * Return: a number that is never 0. If it differs from the number before the walk, an element has
 * come, gone or moved, and the walk may have missed one.
 */
unsigned int instinct_device_walk(void)
{
	return (unsigned int)atomic_read(&disturbed) << 1 | 1;
}

/**
 * instinct_device_disturb() - note that an element of one of these lists comes, goes or moves
 *
 * Context: any; under the lock of the list.
 */
void instinct_device_disturb(void)
{
	atomic_inc(&disturbed);
}

static void device_list(struct instinct_device *dev, struct list_head *list)
{
	mutex_lock(&devices_lock);
	list_move_tail(&dev->node, list);
	instinct_device_disturb();
	mutex_unlock(&devices_lock);
}

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
	INIT_LIST_HEAD(&dev->node);
	INIT_LIST_HEAD(&dev->requests);
	ratelimit_state_init(&dev->refused_told, REFUSED_TOLD_INTERVAL, REFUSED_TOLD_BURST);
	ratelimit_set_flags(&dev->refused_told, RATELIMIT_MSG_ON_RELEASE);
	ratelimit_state_init(&dev->blocked_told, REFUSED_TOLD_INTERVAL, 1);
	ratelimit_set_flags(&dev->blocked_told, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&dev->status_lock);
	mutex_init(&dev->reset_lock);
	init_waitqueue_head(&dev->idle);
	/* The device may hold data of users from before this driver. */
	__set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	instinct_scrub_require(&dev->status.scrub);
	dev->pdev = pci_dev_get(pdev);
	dev->profile = profile;
	dev->serial = instinct_identity_serial(pdev);
	instinct_policy_defaults(&dev->status.policy);
	device_list(dev, &passing);
	instinct_record_recall(dev);
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
 * instinct_device_lives() - advance a device's life, never back
 * @dev: device
 * @life: its life from here on
 */
void instinct_device_lives(struct instinct_device *dev, enum instinct_life life)
{
	spin_lock(&dev->status_lock);
	if (life > dev->status.life)
		WRITE_ONCE(dev->status.life, life);
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_device_register() - add a device to the registry
 * @dev: device
 *
 * Context: may sleep.
 */
void instinct_device_register(struct instinct_device *dev)
{
	device_list(dev, &devices);
	instinct_device_lives(dev, INSTINCT_LIFE_PRESENT);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_ADDED, dev->profile->model);
}

/**
 * instinct_device_unregister() - take a device out of the registry, and keep its record
 * @dev: device; it becomes ABSENT
 *
 * instinct_device_is_passing() stays true for the device until instinct_device_leave().
 *
 * Context: may sleep; waits for a reset under way.
 */
void instinct_device_unregister(struct instinct_device *dev)
{
	mutex_lock(&dev->reset_lock);
	instinct_device_identify(dev);
	instinct_device_lives(dev, INSTINCT_LIFE_ABSENT);
	mutex_unlock(&dev->reset_lock);

	/* Under this lock no reader misses the policy on its way from the device to the record. */
	instinct_record_lock();
	device_list(dev, &passing);
	instinct_record_keep(dev);
	instinct_record_unlock();
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_REMOVED, "");
}

/**
 * instinct_device_leave() - end the time in which a device is on its way in or out
 * @dev: device that is not registered; a second call does nothing
 *
 * Context: may sleep.
 */
void instinct_device_leave(struct instinct_device *dev)
{
	mutex_lock(&devices_lock);
	list_del_init(&dev->node);
	mutex_unlock(&devices_lock);
}

/**
 * instinct_device_lock() - keep the registry as it is until instinct_device_unlock()
 *
 * Context: may sleep.
 */
void instinct_device_lock(void)
{
	mutex_lock(&devices_lock);
}

/**
 * instinct_device_unlock() - let devices come and go again
 */
void instinct_device_unlock(void)
{
	mutex_unlock(&devices_lock);
}

static struct instinct_device *device_peek(const struct list_head *list, const char *bdf)
{
	struct instinct_device *dev;

	list_for_each_entry(dev, list, node)
		if (!strcmp(pci_name(dev->pdev), bdf))
			return dev;
	return NULL;
}

/**
 * instinct_device_peek() - look up a managed GPU under the lock of the registry
 * @bdf: address of the GPU
 *
 * Context: under instinct_device_lock().
 *
 * Return: the device, not referenced, or NULL.
 */
struct instinct_device *instinct_device_peek(const char *bdf)
{
	lockdep_assert_held(&devices_lock);
	return device_peek(&devices, bdf);
}

/**
 * instinct_device_peek_next() - walk the managed GPUs under the lock of the registry
 * @after: device before the wanted one, or NULL for the first
 *
 * Context: under instinct_device_lock().
 *
 * Return: the device, not referenced, or NULL past the last.
 */
struct instinct_device *instinct_device_peek_next(struct instinct_device *after)
{
	lockdep_assert_held(&devices_lock);
	if (!after)
		return list_first_entry_or_null(&devices, struct instinct_device, node);
	return list_is_last(&after->node, &devices) ? NULL : list_next_entry(after, node);
}

/**
 * instinct_device_is_passing() - is a GPU on its way in or out?
 * @bdf: address of the GPU
 *
 * Context: under instinct_device_lock().
 *
 * Return: true while the driver takes the GPU or lets go of it.
 */
bool instinct_device_is_passing(const char *bdf)
{
	lockdep_assert_held(&devices_lock);
	return device_peek(&passing, bdf);
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

	mutex_lock(&devices_lock);
	found = instinct_device_peek(bdf);
	if (found)
		kref_get(&found->ref);
	mutex_unlock(&devices_lock);
	return found;
}

/**
 * instinct_device_nth() - walk the managed GPUs by index, and take a reference
 * @index: index of the device, from 0
 *
 * Context: may sleep.
 *
 * Return: the device, which the caller puts, or NULL past the last.
 */
struct instinct_device *instinct_device_nth(unsigned int index)
{
	struct instinct_device *dev = NULL;

	mutex_lock(&devices_lock);
	do {
		dev = instinct_device_peek_next(dev);
	} while (dev && index--);
	if (dev)
		kref_get(&dev->ref);
	mutex_unlock(&devices_lock);
	return dev;
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
	if (state == INSTINCT_VFIO_STATE_LOST)
		instinct_scrub_require(&dev->status.scrub);
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
 * instinct_device_set_policy() - put a policy in force
 * @dev: registered device
 * @policy: complete policy, which the caller has checked
 *
 * A reset under way goes on with the policy with which it began.
 *
 * Context: under instinct_device_lock().
 */
void instinct_device_set_policy(struct instinct_device *dev, const struct instinct_policy *policy)
{
	lockdep_assert_held(&devices_lock);
	spin_lock(&dev->status_lock);
	dev->status.policy = *policy;
	dev->status.policy_set = true;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_device_policy() - read the policy in force
 * @dev: device
 * @policy: set to the policy
 *
 * Return: true if the policy counts as set by somebody.
 */
bool instinct_device_policy(struct instinct_device *dev, struct instinct_policy *policy)
{
	bool policy_set;

	spin_lock(&dev->status_lock);
	*policy = dev->status.policy;
	policy_set = dev->status.policy_set;
	spin_unlock(&dev->status_lock);
	return policy_set;
}

/**
 * instinct_device_identify() - read the serial number of a device that had not told it yet
 * @dev: device that answers, as far as known
 *
 * The driver may have taken the device while it did not answer. Until now, its policy was set for a
 * GPU that nobody could tell from another, so the policy no longer counts as set.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_device_identify(struct instinct_device *dev)
{
	u64 serial = dev->serial ?: instinct_identity_serial(dev->pdev);
	bool policy_set;

	lockdep_assert_held(&dev->reset_lock);
	if (serial == dev->serial)
		return;
	/* A policy for the identified GPU is set after this. */
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->serial, serial);
	policy_set = dev->status.policy_set;
	dev->status.policy_set = false;
	spin_unlock(&dev->status_lock);
	if (policy_set)
		pci_warn(dev->pdev, "its policy was set before it answered: whether that is the one for this GPU is not known (see instinctctl apply)\n");
}

