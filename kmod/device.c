// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pm_runtime.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "device.h"
#include "errand.h"
#include "identity.h"
#include "name.h"
#include "owner.h"
#include "record.h"
#include "rescan.h"

/*
 * Who may open it may also try that again and again: neither the kernel log nor the
 * ring of events is to hold nothing else.
 */
#define REFUSED_TOLD_INTERVAL	(60 * HZ)
#define REFUSED_TOLD_BURST	5
/* Who only looks at the device holds its reset_lock too, for a moment. */
#define RELEASE_TRIES	50
#define RELEASE_RETRY_MS	20

/*
 * Guards the registry; taken after the records' and isolation's lock, before
 * nothing but a status_lock.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices);
/* On their way in or out: what a record says of them has been read, or is not yet kept. */
static LIST_HEAD(passing);

static atomic_t disturbed = ATOMIC_INIT(0);

/**
 * instinct_device_walk() - walk devices, records or what policy speaks of by an index
 *
 * Return: another number than before, and not 0, if something has come, gone or moved
 * meanwhile, so that one may have been left out.
 */
unsigned int instinct_device_walk(void)
{
	return (unsigned int)atomic_read(&disturbed) << 1 | 1;
}

/**
 * instinct_device_disturb() - something in one of these lists comes, goes or moves
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
	ratelimit_state_init(&dev->refused_told, REFUSED_TOLD_INTERVAL, REFUSED_TOLD_BURST);
	ratelimit_set_flags(&dev->refused_told, RATELIMIT_MSG_ON_RELEASE);
	ratelimit_state_init(&dev->blocked_told, REFUSED_TOLD_INTERVAL, 1);
	ratelimit_set_flags(&dev->blocked_told, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&dev->status_lock);
	mutex_init(&dev->reset_lock);
	init_waitqueue_head(&dev->idle);
	instinct_errand_setup(dev);
	INIT_WORK(&dev->rescan, instinct_rescan_run);
	/* What happened before us nobody knows. */
	__set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	instinct_tenure_owe(&dev->status.tenure);
	dev->pdev = pci_dev_get(pdev);
	dev->profile = profile;
	dev->serial = instinct_identity_serial(pdev);
	instinct_policy_defaults(&dev->status.policy);
	device_list(dev, &passing);
	instinct_record_recall(dev);
	dev->mailbox.regs = &dev->regs;

	ret = instinct_fabric_walk(&dev->fabric, pdev, &dev->reset_lock);
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

/*
 * Runtime PM saves the config space when a function goes to sleep, and writes it back when it
 * wakes. Of a lost function it would save ones, one of which is Initiate FLR, and in Bridge
 * Control of the ports above a bus reset. So none of them sleeps.
 */
static void device_keep_awake(struct instinct_device *dev, bool awake)
{
	if (awake == dev->awake)
		return;
	dev->awake = awake;
	if (awake)
		pm_runtime_get_noresume(&dev->pdev->dev);
	else
		pm_runtime_put(&dev->pdev->dev);
}

static void device_free(struct kref *ref)
{
	struct instinct_device *dev = container_of(ref, struct instinct_device, ref);

	instinct_device_leave(dev);
	device_keep_awake(dev, false);
	instinct_registers_unmap(&dev->regs);
	instinct_fabric_free(&dev->fabric);
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

/* One after the other; what is removed to be enumerated anew is unbound on the way. */
static enum instinct_life device_lives(struct instinct_device *dev, enum instinct_life life)
{
	enum instinct_life before;

	spin_lock(&dev->status_lock);
	before = dev->status.life;
	if (life > before)
		WRITE_ONCE(dev->status.life, life);
	spin_unlock(&dev->status_lock);
	return before;
}

/**
 * instinct_device_leaves() - the driver is being unbound from a device
 * @dev: device
 */
void instinct_device_leaves(struct instinct_device *dev)
{
	device_lives(dev, INSTINCT_LIFE_LEAVING);
}

/**
 * instinct_device_renews() - a device's package is removed to be enumerated anew
 * @dev: device that nobody has, and nobody can open from here on
 *
 * Context: under @dev->status_lock.
 */
void instinct_device_renews(struct instinct_device *dev)
{
	lockdep_assert_held(&dev->status_lock);
	dev->status.rescanned = true;
	WRITE_ONCE(dev->status.life, INSTINCT_LIFE_RENEWING);
}

/**
 * instinct_device_register() - let netlink find a device
 * @dev: device
 *
 * Context: may sleep.
 */
void instinct_device_register(struct instinct_device *dev)
{
	device_list(dev, &devices);
	device_lives(dev, INSTINCT_LIFE_PRESENT);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_ADDED, dev->profile->model);
}

/**
 * instinct_device_unregister() - nobody finds it from now on
 * @dev: device; its life is over
 *
 * Until instinct_device_leave() it is known to be on its way out.
 *
 * Context: may sleep; waits for a reset under way.
 */
void instinct_device_unregister(struct instinct_device *dev)
{
	bool renewing;

	mutex_lock(&dev->reset_lock);
	instinct_device_identify(dev);
	renewing = device_lives(dev, INSTINCT_LIFE_ABSENT) == INSTINCT_LIFE_RENEWING;
	mutex_unlock(&dev->reset_lock);

	/* Its policy, which nobody can set from here on, is known all the time. */
	instinct_record_lock();
	device_list(dev, &passing);
	instinct_record_keep(dev, renewing);
	instinct_record_unlock();
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_REMOVED,
			     renewing ? "its package is being enumerated anew" : "");
}

/**
 * instinct_device_leave() - all that has to be kept of a device is
 * @dev: device, not registered; it may have left before
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
 * instinct_device_lock() - nothing comes or goes meanwhile
 *
 * Context: may sleep.
 */
void instinct_device_lock(void)
{
	mutex_lock(&devices_lock);
}

/**
 * instinct_device_unlock() - the end of that
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
 * instinct_device_peek() - look a managed GPU up
 * @bdf: its name
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
 * instinct_device_peek_next() - walk the managed GPUs
 * @after: device, or NULL to begin
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
 * @bdf: its name
 *
 * Context: under instinct_device_lock().
 *
 * Return: true if the driver is just taking it or letting go of it.
 */
bool instinct_device_is_passing(const char *bdf)
{
	lockdep_assert_held(&devices_lock);
	return device_peek(&passing, bdf);
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
	struct instinct_device *found;

	mutex_lock(&devices_lock);
	found = instinct_device_peek(bdf);
	if (found)
		kref_get(&found->ref);
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
 * instinct_device_status() - how a device is
 * @dev: device
 * @status: set
 */
void instinct_device_status(struct instinct_device *dev, struct instinct_status *status)
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
void instinct_device_set_state(struct instinct_device *dev, enum instinct_vfio_state state,
			       const char *reason)
{
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->status.state, state);
	strscpy(dev->status.reason, reason, sizeof(dev->status.reason));
	/* If it comes back, it holds what it held. */
	if (state == INSTINCT_VFIO_STATE_LOST)
		instinct_tenure_owe(&dev->status.tenure);
	spin_unlock(&dev->status_lock);
	if (state != INSTINCT_VFIO_STATE_RESETTING)
		device_keep_awake(dev, state == INSTINCT_VFIO_STATE_LOST);

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
void instinct_device_emit(struct instinct_device *dev, struct instinct_event *event)
{
	event->state = READ_ONCE(dev->status.state);
	event->serial = READ_ONCE(dev->serial);
	strscpy(event->bdf, pci_name(dev->pdev), sizeof(event->bdf));
	instinct_tally_count(&dev->tally, event);
	instinct_event_emit(event);
}

/**
 * instinct_device_emit_of() - emit an event of an endpoint, whoever has it
 * @bdf: endpoint
 * @event: all but what says which device it is and how it is now
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

/**
 * instinct_device_rule() - a policy takes effect
 * @dev: device, registered
 * @policy: all of it, checked
 *
 * A reset under way goes on with the policy it began with.
 *
 * Context: under instinct_device_lock().
 */
void instinct_device_rule(struct instinct_device *dev, const struct instinct_policy *policy)
{
	lockdep_assert_held(&devices_lock);
	spin_lock(&dev->status_lock);
	dev->status.policy = *policy;
	dev->status.ruled = true;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_device_policy() - read the policy in force
 * @dev: device
 * @policy: set
 *
 * Return: true if somebody has set it.
 */
bool instinct_device_policy(struct instinct_device *dev, struct instinct_policy *policy)
{
	bool ruled;

	spin_lock(&dev->status_lock);
	*policy = dev->status.policy;
	ruled = dev->status.ruled;
	spin_unlock(&dev->status_lock);
	return ruled;
}

/**
 * instinct_device_identify() - find out which GPU it is, if that is not known yet
 * @dev: device, which answers by all that is known
 *
 * It may have been taken while it did not. What it was ruled by until now was set for a
 * GPU that nobody could tell from another.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_device_identify(struct instinct_device *dev)
{
	u64 serial = dev->serial ?: instinct_identity_serial(dev->pdev);
	bool ruled;

	lockdep_assert_held(&dev->reset_lock);
	if (serial == dev->serial)
		return;
	/* Who sets a policy for that one comes after it. */
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->serial, serial);
	ruled = dev->status.ruled;
	dev->status.ruled = false;
	spin_unlock(&dev->status_lock);
	if (ruled)
		pci_warn(dev->pdev, "its policy was set before it answered: whether that is the one for this GPU is not known (see instinctctl apply)\n");
}

/**
 * instinct_device_release() - an operator takes responsibility
 * @dev: device
 * @why: set to the reason, for people, when it is refused
 *
 * A quarantined device becomes ready, and methods that lost the device may be
 * tried again.
 *
 * Context: may sleep, up to a second.
 *
 * Return: 0, -EBUSY during a reset, -EIO for a lost device, -ENODEV for one that the driver
 * is letting go of, whose record is what counts.
 */
int instinct_device_release(struct instinct_device *dev, const char **why)
{
	enum instinct_vfio_state state = INSTINCT_VFIO_STATE_RESETTING;
	unsigned int tries = RELEASE_TRIES;
	bool gone;

	/* A reset decides by how the device was when it began. */
	while (!mutex_trylock(&dev->reset_lock)) {
		if (READ_ONCE(dev->status.state) == state || !tries--)
			goto out;
		msleep(RELEASE_RETRY_MS);
	}
	spin_lock(&dev->status_lock);
	gone = dev->status.life == INSTINCT_LIFE_ABSENT;
	if (instinct_owner_is_idle(dev) && !gone)
		state = dev->status.state;
	if (state != INSTINCT_VFIO_STATE_RESETTING)
		dev->status.lost_by = 0;
	if (state == INSTINCT_VFIO_STATE_QUARANTINED) {
		WRITE_ONCE(dev->status.state, INSTINCT_VFIO_STATE_READY);
		dev->status.reason[0] = '\0';
		instinct_tenure_forgive(&dev->status.tenure, instinct_owner_session(&dev->status) ==
								     INSTINCT_OWNER_USER);
	}
	spin_unlock(&dev->status_lock);
	mutex_unlock(&dev->reset_lock);
	if (gone) {
		*why = "the device has just been unbound";
		return -ENODEV;
	}
out:
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
