// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>

#include "name.h"
#include "owner.h"

#define CLOSE_ENDS_MS	5000
#define CONFIG_RETRY_US	1000
#define CONFIG_WAIT_US	(5 * USEC_PER_SEC)

static bool require_policy = true;
module_param(require_policy, bool, 0644);
MODULE_PARM_DESC(require_policy,
		 "do not hand a GPU out until a policy has been applied to it (default: Y)");

/*
 * Every change of the owner: from the one on the left to those on the right. A worker and
 * the PCI core only borrow the device, and give it back to its lender.
 */
static const u8 owner_next[] = {
	[INSTINCT_OWNER_NONE] = BIT(INSTINCT_OWNER_OPENING) | BIT(INSTINCT_OWNER_WORKER) |
				BIT(INSTINCT_OWNER_CORE),
	[INSTINCT_OWNER_OPENING] = BIT(INSTINCT_OWNER_USER) | BIT(INSTINCT_OWNER_NONE) |
				   BIT(INSTINCT_OWNER_CORE),
	[INSTINCT_OWNER_USER] = BIT(INSTINCT_OWNER_CLOSING) | BIT(INSTINCT_OWNER_WORKER) |
				BIT(INSTINCT_OWNER_CORE),
	[INSTINCT_OWNER_CLOSING] = BIT(INSTINCT_OWNER_WORKER),
	[INSTINCT_OWNER_WORKER] = BIT(INSTINCT_OWNER_CORE),
	[INSTINCT_OWNER_CORE] = 0,
};

static void owner_set(struct instinct_device *dev, enum instinct_owner owner)
{
	lockdep_assert_held(&dev->status_lock);
	WARN_ON_ONCE(!(owner_next[dev->status.owner] & BIT(owner)));
	WRITE_ONCE(dev->status.owner, owner);
}

static void owner_borrow(struct instinct_device *dev, enum instinct_owner owner)
{
	struct instinct_status *status = &dev->status;

	status->lender[1] = status->lender[0];
	status->lender[0] = status->owner;
	owner_set(dev, owner);
}

/* Give the device back, if @borrower has it just now. */
static bool owner_try_return(struct instinct_device *dev, enum instinct_owner borrower)
{
	struct instinct_status *status = &dev->status;
	bool done;

	spin_lock(&dev->status_lock);
	done = status->owner == borrower;
	if (done) {
		WRITE_ONCE(status->owner, status->lender[0]);
		status->lender[0] = status->lender[1];
		status->lender[1] = INSTINCT_OWNER_NONE;
	}
	spin_unlock(&dev->status_lock);
	return done;
}

/**
 * instinct_owner_needs_policy() - must a policy be set before a device is handed out?
 *
 * Return: what the module parameter says now.
 */
bool instinct_owner_needs_policy(void)
{
	return READ_ONCE(require_policy);
}

/**
 * instinct_owner_wait_idle() - wait until no reset is under way
 * @dev: device
 *
 * Context: may sleep, up to the end of the reset, unless killed.
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

static int owner_refuse(struct instinct_device *dev, const struct instinct_status *status)
{
	/* A user may try as often as it likes; an event is told as often as the kernel log. */
	bool told = __ratelimit(&dev->refused_told);

	if (told && status->state != INSTINCT_VFIO_STATE_READY) {
		pci_err(dev->pdev, "open refused: %s: %s (see instinctctl status)\n",
			instinct_name_state(status->state), status->reason);
	} else if (told) {
		pci_err(dev->pdev, "not handed out, for no policy has been applied to it since the module was loaded: run instinctctl apply, or load the module with require_policy=N\n");
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_MISSING,
				     "no policy has been applied to it since the module was loaded");
	}
	return status->state == INSTINCT_VFIO_STATE_LOST ? -EIO : -EACCES;
}

/* Return: true once nobody has the device; its user is let in then, if it may be handed out. */
static bool owner_try_open(struct instinct_device *dev, struct instinct_status *status)
{
	bool settled;

	spin_lock(&dev->status_lock);
	settled = dev->status.owner == INSTINCT_OWNER_NONE &&
		  dev->status.state != INSTINCT_VFIO_STATE_RESETTING;
	if (settled && dev->status.life <= INSTINCT_LIFE_LEAVING &&
	    dev->status.state == INSTINCT_VFIO_STATE_READY &&
	    (dev->status.ruled || !instinct_owner_needs_policy())) {
		owner_set(dev, INSTINCT_OWNER_OPENING);
		dev->status.user = get_task_pid(current, PIDTYPE_TGID);
	}
	*status = dev->status;
	spin_unlock(&dev->status_lock);
	return settled;
}

/**
 * instinct_owner_open() - may a user open the device?
 * @dev: device
 *
 * Waits for a reset under way. A user that has been let in stays, whatever is then required.
 *
 * Context: may sleep.
 *
 * Return: 0, after which instinct_owner_hand_over() or instinct_owner_fail_open() is due;
 * -EIO if the device is lost or about to be removed, -EACCES if it is quarantined, or if a
 * policy is required and none has been set, -ERESTARTSYS if the caller is killed.
 */
int instinct_owner_open(struct instinct_device *dev)
{
	struct instinct_status status;
	int ret = wait_event_killable(dev->idle, owner_try_open(dev, &status));

	if (ret || status.owner == INSTINCT_OWNER_OPENING)
		return ret;
	return status.life > INSTINCT_LIFE_LEAVING ? -EIO : owner_refuse(dev, &status);
}

/* The PCI core may be resetting the device just then. */
static bool owner_try_user(struct instinct_device *dev, struct instinct_status *status)
{
	bool done;

	spin_lock(&dev->status_lock);
	done = dev->status.owner == INSTINCT_OWNER_OPENING;
	if (done && dev->status.state != INSTINCT_VFIO_STATE_LOST &&
	    dev->status.state != INSTINCT_VFIO_STATE_QUARANTINED) {
		owner_set(dev, INSTINCT_OWNER_USER);
		instinct_tenure_begin(&dev->status.tenure);
	}
	*status = dev->status;
	spin_unlock(&dev->status_lock);
	return done;
}

/**
 * instinct_owner_hand_over() - the user that was let in has the device from here on
 * @dev: device, reset for its user
 *
 * Context: may sleep, up to the end of a reset by the PCI core.
 *
 * Return: 0; -EIO or -EACCES if the device was lost or quarantined since the user was let
 * in, which the kernel log says, and then the user does not get it.
 */
int instinct_owner_hand_over(struct instinct_device *dev)
{
	struct instinct_status status;

	wait_event_idle(dev->idle, owner_try_user(dev, &status));
	return status.owner == INSTINCT_OWNER_USER ? 0 : owner_refuse(dev, &status);
}

/* @from gives the device up; its user is forgotten. */
static bool owner_try_leave(struct instinct_device *dev, enum instinct_owner from,
			    enum instinct_owner to)
{
	struct pid *user = NULL;
	bool left;

	spin_lock(&dev->status_lock);
	left = dev->status.owner == from;
	if (left) {
		owner_set(dev, to);
		user = dev->status.user;
		dev->status.user = NULL;
	}
	if (left && to == INSTINCT_OWNER_WORKER &&
	    instinct_tenure_end(&dev->status.tenure, READ_ONCE(dev->touched)))
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	spin_unlock(&dev->status_lock);
	put_pid(user);
	return left;
}

/**
 * instinct_owner_fail_open() - the user that was let in does not get the device
 * @dev: device
 *
 * Context: may sleep, up to the end of a reset by the PCI core.
 */
void instinct_owner_fail_open(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, owner_try_leave(dev, INSTINCT_OWNER_OPENING,
						   INSTINCT_OWNER_NONE));
	wake_up_all(&dev->idle);
}

static bool owner_try_close(struct instinct_device *dev)
{
	bool free;

	spin_lock(&dev->status_lock);
	free = dev->status.owner == INSTINCT_OWNER_USER &&
	       dev->status.state != INSTINCT_VFIO_STATE_RESETTING;
	if (free)
		owner_set(dev, INSTINCT_OWNER_CLOSING);
	spin_unlock(&dev->status_lock);
	return free;
}

/**
 * instinct_owner_begin_close() - the user lets go of the device
 * @dev: device
 *
 * Waits for a reset under way or about to begin; from here on no worker takes the device,
 * and the PCI core waits in instinct_owner_begin_core().
 *
 * Context: may sleep, up to the end of a reset, which may take minutes by policy.
 */
void instinct_owner_begin_close(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, owner_try_close(dev));
}

/**
 * instinct_owner_end_close() - the user has let go, and a worker has the device at once
 * @dev: device; instinct_owner_give_back() is due
 */
void instinct_owner_end_close(struct instinct_device *dev)
{
	owner_try_leave(dev, INSTINCT_OWNER_CLOSING, INSTINCT_OWNER_WORKER);
	wake_up_all(&dev->idle);
}

static bool owner_try_core(struct instinct_device *dev)
{
	bool taken;

	spin_lock(&dev->status_lock);
	taken = dev->status.owner != INSTINCT_OWNER_CLOSING;
	if (taken)
		owner_borrow(dev, INSTINCT_OWNER_CORE);
	spin_unlock(&dev->status_lock);
	return taken;
}

/**
 * instinct_owner_begin_core() - the PCI core begins to reset the device
 * @dev: device; until instinct_owner_end_core() its user's close does not begin
 *
 * vfio-pci-core writes to a device at its user's close without asking whether it is in
 * reset, and the PCI core saves and restores around one without asking who uses it: so
 * either waits for the other.
 *
 * Context: may sleep, some seconds; the PCI core holds the device lock, and keeps users out
 * of the config space.
 *
 * Return: 0, or -EBUSY if a close that is under way does not end.
 */
int instinct_owner_begin_core(struct instinct_device *dev)
{
	if (wait_event_timeout(dev->idle, owner_try_core(dev), msecs_to_jiffies(CLOSE_ENDS_MS)))
		return 0;
	pci_warn(dev->pdev, "not reset: its user's close does not end\n");
	return -EBUSY;
}

/**
 * instinct_owner_end_core() - the PCI core has ended its reset
 * @dev: device, for which instinct_owner_begin_core() may have failed
 */
void instinct_owner_end_core(struct instinct_device *dev)
{
	owner_try_return(dev, INSTINCT_OWNER_CORE);
	wake_up_all(&dev->idle);
}

/**
 * instinct_owner_take() - a worker takes a device
 * @dev: device
 * @user: process that must have opened it, and cannot close it meanwhile; NULL if nobody
 *	must have it open
 *
 * Return: true if the worker has it; instinct_owner_give_back() is due then.
 */
bool instinct_owner_take(struct instinct_device *dev, struct pid *user)
{
	enum instinct_owner from = user ? INSTINCT_OWNER_USER : INSTINCT_OWNER_NONE;
	struct instinct_status *status = &dev->status;
	bool taken;

	spin_lock(&dev->status_lock);
	taken = status->owner == from && status->user == user &&
		status->life <= INSTINCT_LIFE_LEAVING &&
		status->state != INSTINCT_VFIO_STATE_RESETTING;
	if (taken)
		owner_borrow(dev, INSTINCT_OWNER_WORKER);
	spin_unlock(&dev->status_lock);
	return taken;
}

/**
 * instinct_owner_give_back() - a worker has done with a device
 * @dev: device
 *
 * Context: may sleep, up to the end of a reset by the PCI core.
 */
void instinct_owner_give_back(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, owner_try_return(dev, INSTINCT_OWNER_WORKER));
	wake_up_all(&dev->idle);
}

/**
 * instinct_owner_hold_config() - keep users out of a device's config space, for a reset
 * @dev: device
 *
 * Not without limit: its holder may be on its way into the same hive, or wait for what the
 * caller holds.
 *
 * Context: may sleep, up to 5 s.
 *
 * Return: 0, and the caller ends it by pci_cfg_access_unlock(), or -EBUSY.
 */
int instinct_owner_hold_config(struct instinct_device *dev)
{
	bool got;

	return read_poll_timeout(pci_cfg_access_trylock, got, got, CONFIG_RETRY_US,
				 CONFIG_WAIT_US, false, dev->pdev) ? -EBUSY : 0;
}
