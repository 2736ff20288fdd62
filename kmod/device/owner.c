// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>

#include "compat/iommufd.h"
#include "device/owner.h"

#define CLOSE_ENDS_MS	5000

/* A device needs a policy before a user can get it. */
bool instinct_require_policy = true;
module_param_named(require_policy, instinct_require_policy, bool, 0644);
MODULE_PARM_DESC(require_policy,
		 "do not hand a GPU out until a policy has been applied to it (default: Y)");

/**
 * instinct_owner_wait_idle() - wait until no reset is under way
 * @dev: device
 *
 * Context: may sleep until the end of the reset, unless the caller is killed.
 *
 * Return: 0, -EIO if the device is lost, -ERESTARTSYS if the caller is killed.
 */
int instinct_owner_wait_idle(struct instinct_device *dev)
{
	int ret = wait_event_killable(dev->idle, instinct_owner_is_idle(dev));

	if (!ret && READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
		ret = -EIO;
	return ret;
}

/**
 * instinct_owner_withheld() - find out why policy keeps a device from all users
 * @status: status of the device
 *
 * Return: the reason, for the user, or NULL.
 */
const char *instinct_owner_withheld(const struct instinct_status *status)
{
	if (!status->policy_set && READ_ONCE(instinct_require_policy))
		return "no policy has been applied to it since the module was loaded (instinctctl apply)";
	if (status->policy.partition == INSTINCT_VFIO_PARTITION_ANY ||
	    (status->policy.partition == status->seen.partition && !status->seen.partition_next))
		return NULL;
	return "its memory is partitioned otherwise than policy wants (policy: partition)";
}

/**
 * instinct_owner_tell_refusal() - tell that a user does not get a device
 * @dev: device
 * @state: its state, BLOCKED for one that is in order
 * @why: reason, for the user
 *
 * A user may try any number of times, so one limit covers events and the kernel log.
 *
 * Context: may sleep.
 */
void instinct_owner_tell_refusal(struct instinct_device *dev, enum instinct_vfio_state state, const char *why)
{
	if (!__ratelimit(&dev->refused_told))
		return;
	pci_err(dev->pdev, "open refused: %s: %s (see instinctctl status)\n",
		instinct_name_state(state), why);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_OPEN_REFUSED, why);
}

static int owner_refuse(struct instinct_device *dev, const struct instinct_status *status)
{
	bool ready = status->state == INSTINCT_VFIO_STATE_READY;
	const char *why = ready ? instinct_owner_withheld(status) : status->reason;

	instinct_owner_tell_refusal(dev, ready ? INSTINCT_VFIO_STATE_BLOCKED : status->state, why ?: "");
	return status->state == INSTINCT_VFIO_STATE_LOST ? -EIO : -EACCES;
}

/*
 * A VMM may hand its fds to other processes, and open devices through them, so a process tells least
 * of a user.
 */
static bool same_user(const struct instinct_user *a, const struct instinct_user *b)
{
	if (a->kvm && b->kvm)
		return a->kvm == b->kvm;
	if (a->context && b->context)
		return a->context == b->context;
	return a->process == b->process;
}

/* Describes the user that opens the device. Under instinct_devices_lock. */
static void owner_describe(struct instinct_device *dev, struct instinct_user *user)
{
	static u64 last;
	struct iommu_domain *domain = iommu_get_domain_for_dev(&dev->pdev->dev);
	struct instinct_device *other = NULL;
	struct instinct_status status;

	lockdep_assert_held(&instinct_devices_lock);
	*user = (struct instinct_user) {
		.process = task_tgid(current),
		.kvm = dev->vdev->kvm,
		.context = instinct_compat_iommufd(dev->vdev),
	};
	/* VFIO's container attaches its domain before the open. */
	if (!user->context && domain && domain->type == IOMMU_DOMAIN_UNMANAGED)
		user->context = domain;
	while (!user->number && (other = instinct_device_next(other))) {
		instinct_device_status(other, &status);
		if (status.user.number && same_user(user, &status.user))
			user->number = status.user.number;
	}
	if (!user->number)
		user->number = ++last;
}

static bool owner_is_free(const struct instinct_device *dev)
{
	return READ_ONCE(dev->status.owner) == INSTINCT_OWNER_NONE && instinct_owner_is_idle(dev);
}

/* Lets a user in if the device may be handed out. Returns true if nobody has the device. */
static bool owner_try_open(struct instinct_device *dev, struct instinct_status *status)
{
	struct instinct_user user;
	bool settled;

	mutex_lock(&instinct_devices_lock);
	owner_describe(dev, &user);
	spin_lock(&dev->status_lock);
	settled = owner_is_free(dev);
	if (settled && dev->status.state == INSTINCT_VFIO_STATE_READY && !instinct_owner_withheld(&dev->status)) {
		WRITE_ONCE(dev->status.owner, INSTINCT_OWNER_OPENING);
		dev->status.user = user;
		get_pid(user.process);
	}
	*status = dev->status;
	spin_unlock(&dev->status_lock);
	mutex_unlock(&instinct_devices_lock);
	return settled;
}

/**
 * instinct_owner_open() - let a user in if it may open the device
 * @dev: device
 *
 * The function waits for a reset under way. A change of require_policy does not affect a user that
 * has the device.
 *
 * Context: may sleep.
 *
 * Return: 0, and the caller then calls instinct_owner_hand_over() or instinct_owner_leave();
 * -EIO if the device is lost; -EACCES if it is quarantined, if it needs a
 * policy and has none, or if its memory is partitioned otherwise than policy wants; -ERESTARTSYS if
 * the caller is killed.
 */
int instinct_owner_open(struct instinct_device *dev)
{
	struct instinct_status status;
	int ret;

	do {
		ret = wait_event_killable(dev->idle, owner_is_free(dev));
		if (ret)
			return ret;
	} while (!owner_try_open(dev, &status));
	return status.owner == INSTINCT_OWNER_OPENING ? 0 : owner_refuse(dev, &status);
}

/*
 * Waits until @_condition holds, and evaluates it under the status_lock: the caller takes that lock
 * before, and still has it afterwards.
 */
#define owner_wait(_dev, _condition)							\
	(void)___wait_event((_dev)->idle, _condition, TASK_IDLE, 0, 0,			\
			    spin_unlock(&(_dev)->status_lock); schedule();		\
			    spin_lock(&(_dev)->status_lock))

/**
 * instinct_owner_hand_over() - give the device to the user that was let in
 * @dev: device that was reset for its user
 *
 * Context: may sleep until the end of a reset by the PCI core.
 *
 * Return: 0; -EIO or -EACCES if the device may no longer be handed out, for a reason that the
 * kernel log gives. The user does not get the device then.
 */
int instinct_owner_hand_over(struct instinct_device *dev)
{
	struct instinct_status status;

	spin_lock(&dev->status_lock);
	owner_wait(dev, !dev->status.borrowed);
	/* The reset for this open may have shown another partition of the memory. */
	if (dev->status.state != INSTINCT_VFIO_STATE_LOST &&
	    dev->status.state != INSTINCT_VFIO_STATE_QUARANTINED &&
	    !instinct_owner_withheld(&dev->status)) {
		WRITE_ONCE(dev->status.owner, INSTINCT_OWNER_USER);
		instinct_scrub_begin(&dev->status.scrub);
	}
	status = dev->status;
	spin_unlock(&dev->status_lock);
	return status.owner == INSTINCT_OWNER_USER ? 0 : owner_refuse(dev, &status);
}

/**
 * instinct_owner_leave() - end the failed open of a user that was let in, or a user's close
 * @dev: device; after a close a worker has it at once, and calls instinct_owner_give_back() later
 *
 * Context: may sleep until the end of a reset by the PCI core.
 */
void instinct_owner_leave(struct instinct_device *dev)
{
	struct instinct_status *status = &dev->status;
	struct pid *user;

	spin_lock(&dev->status_lock);
	owner_wait(dev, !status->borrowed);
	if (status->owner == INSTINCT_OWNER_CLOSING) {
		WRITE_ONCE(status->borrowed, INSTINCT_BORROWED_WORKER);
		if (instinct_scrub_end(&status->scrub, READ_ONCE(dev->touched)))
			set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	}
	WRITE_ONCE(status->owner, INSTINCT_OWNER_NONE);
	user = status->user.process;
	status->user = (struct instinct_user) { };
	spin_unlock(&dev->status_lock);
	put_pid(user);
	wake_up_all(&dev->idle);
}

/**
 * instinct_owner_begin_close() - begin the user's close
 * @dev: device
 *
 * The function waits for a reset under way or about to begin. From here on no worker takes the
 * device, and the PCI core waits in instinct_owner_begin_core().
 *
 * Context: may sleep until the end of a reset, for which policy may allow minutes.
 */
void instinct_owner_begin_close(struct instinct_device *dev)
{
	spin_lock(&dev->status_lock);
	owner_wait(dev, instinct_owner_is_idle(dev));
	WRITE_ONCE(dev->status.owner, INSTINCT_OWNER_CLOSING);
	spin_unlock(&dev->status_lock);
}

static bool owner_try_core(struct instinct_device *dev)
{
	bool taken;

	spin_lock(&dev->status_lock);
	taken = dev->status.owner != INSTINCT_OWNER_CLOSING;
	if (taken)
		WRITE_ONCE(dev->status.borrowed, dev->status.borrowed | INSTINCT_BORROWED_CORE);
	spin_unlock(&dev->status_lock);
	return taken;
}

/**
 * instinct_owner_begin_core() - lend the device to the PCI core for a reset
 * @dev: device; its user's close does not begin until instinct_owner_give_back()
 *
 * At a close, vfio-pci-core writes to a device without a check for resets. Around a reset, the PCI
 * core saves and restores the config space without a check for users. So either has to wait for
 * the other.
 *
 * Context: may sleep, some seconds; the PCI core holds the device lock, and keeps users out of the
 * config space.
 *
 * Return: 0, or -EBUSY if a close under way does not end.
 */
int instinct_owner_begin_core(struct instinct_device *dev)
{
	if (wait_event_timeout(dev->idle, owner_try_core(dev), msecs_to_jiffies(CLOSE_ENDS_MS)))
		return 0;
	pci_warn(dev->pdev, "not reset: its user's close does not end\n");
	return -EBUSY;
}

/**
 * instinct_owner_asks() - find out for which user the current task asks for a device's reset
 * @dev: device
 *
 * A process that has got the fd asks for the user that opened the device. For devices that the same
 * process has opened, but in another container, only that process itself asks.
 *
 * Return: the user; its number is 0 while nobody has the device open. It has no reference to the
 * process, which is the current task's.
 */
struct instinct_user instinct_owner_asks(struct instinct_device *dev)
{
	struct instinct_user user;

	spin_lock(&dev->status_lock);
	user = dev->status.user;
	spin_unlock(&dev->status_lock);
	if (user.process != task_tgid(current))
		user.process = NULL;
	return user;
}

/**
 * instinct_owner_take() - lend a device to a worker
 * @dev: device
 * @user: the only user that may have the device open, and whose close then waits; number 0 for nobody
 *
 * Return: true if the worker has the device, and calls instinct_owner_give_back() later.
 */
bool instinct_owner_take(struct instinct_device *dev, const struct instinct_user *user)
{
	struct instinct_status *status = &dev->status;
	bool taken;

	spin_lock(&dev->status_lock);
	taken = (status->owner == INSTINCT_OWNER_NONE ||
		 (status->owner == INSTINCT_OWNER_USER && instinct_owner_is(&status->user, user))) &&
		instinct_owner_is_idle(dev);
	if (taken)
		WRITE_ONCE(status->borrowed, INSTINCT_BORROWED_WORKER);
	spin_unlock(&dev->status_lock);
	return taken;
}

/**
 * instinct_owner_give_back() - take a device back from a borrower
 * @dev: device; it stays as it is if instinct_owner_begin_core() has failed
 * @borrower: INSTINCT_BORROWED_WORKER or INSTINCT_BORROWED_CORE
 */
void instinct_owner_give_back(struct instinct_device *dev, unsigned int borrower)
{
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->status.borrowed, dev->status.borrowed & ~borrower);
	spin_unlock(&dev->status_lock);
	wake_up_all(&dev->idle);
}

/**
 * instinct_owner_hold_config() - keep users out of a device's config space for a reset
 * @dev: device
 * @ms: longest wait, in ms: the present holder may be about to join the same hive reset, or may wait
 *	for a lock that the caller holds
 *
 * Context: may sleep, up to @ms.
 *
 * Return: 0, and the caller calls pci_cfg_access_unlock() later; -EBUSY, or -EINTR if the caller is
 * killed.
 */
int instinct_owner_hold_config(struct instinct_device *dev, unsigned int ms)
{
	bool got;

	read_poll_timeout(pci_cfg_access_trylock, got, got || fatal_signal_pending(current),
			  USEC_PER_MSEC, max(ms, 1u) * (u64)USEC_PER_MSEC, false, dev->pdev);
	return got ? 0 : fatal_signal_pending(current) ? -EINTR : -EBUSY;
}
