// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>

#include "claim.h"
#include "name.h"

#define CLOSE_ENDS_MS	5000
#define CONFIG_RETRY_US	1000
#define CONFIG_WAIT_US	(5 * USEC_PER_SEC)

static bool require_policy = true;
module_param(require_policy, bool, 0644);
MODULE_PARM_DESC(require_policy,
		 "do not hand a GPU out until a policy has been applied to it (default: Y)");

/**
 * instinct_claim_needs_policy() - must a policy be set before a device is handed out?
 *
 * Return: what the module parameter says now.
 */
bool instinct_claim_needs_policy(void)
{
	return READ_ONCE(require_policy);
}

/* Without the status_lock too, as instinct_claim_unhindered(). */
static bool status_is_idle(const struct instinct_status *status)
{
	return !READ_ONCE(status->claimed) &&
	       READ_ONCE(status->state) != INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * instinct_claim_is_idle() - is no reset under way or about to begin?
 * @dev: device
 *
 * Return: true if none is, which may have changed by then.
 */
bool instinct_claim_is_idle(struct instinct_device *dev)
{
	return status_is_idle(&dev->status);
}

/**
 * instinct_claim_wait_idle() - wait until no reset is under way
 * @dev: device
 *
 * Context: may sleep, up to the end of the reset, unless killed.
 *
 * Return: 0, -EIO if the device is lost, -ERESTARTSYS if the caller is killed.
 */
int instinct_claim_wait_idle(struct instinct_device *dev)
{
	int ret = 0;

	if (unlikely(!instinct_claim_is_idle(dev)))
		ret = wait_event_killable(dev->idle, instinct_claim_is_idle(dev));
	if (!ret && READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
		ret = -EIO;
	return ret;
}

/* As often as the kernel log does, an event says so. */
static void claim_tell_unruled(struct instinct_device *dev)
{
	if (!__ratelimit(&dev->refused_told))
		return;
	pci_err(dev->pdev, "not handed out, for no policy has been applied to it since the module was loaded: run instinctctl apply, or load the module with require_policy=N\n");
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_MISSING,
			     "no policy has been applied to it since the module was loaded");
}

static void claim_tell_refused(struct instinct_device *dev, const struct instinct_status *status)
{
	/* Who may open it can try as often as he likes. */
	if (__ratelimit(&dev->refused_told))
		pci_err(dev->pdev, "open refused: %s: %s (see instinctctl status)\n",
			instinct_name_state(status->state), status->reason);
}

static int claim_refusal(enum instinct_vfio_state state)
{
	return state == INSTINCT_VFIO_STATE_LOST ? -EIO : -EACCES;
}

/**
 * instinct_claim_begin_open() - may a user open the device?
 * @dev: device
 *
 * Waits for a reset under way. Who has been let in stays, whatever is then required.
 *
 * Context: may sleep.
 *
 * Return: 0, after which instinct_claim_end_open() is owed; -EIO if it is
 * lost or about to be removed, -EACCES if it is quarantined, or if a policy is required and
 * none has been set, -ERESTARTSYS if the caller is killed.
 */
int instinct_claim_begin_open(struct instinct_device *dev)
{
	struct instinct_status status;
	bool unruled;
	int ret;

	do {
		ret = wait_event_killable(dev->idle, instinct_claim_is_idle(dev));
		if (ret)
			return ret;
		spin_lock(&dev->status_lock);
		status = dev->status;
		unruled = instinct_claim_needs_policy() && !status.ruled;
		if (status_is_idle(&status) && !status.leaving && !unruled &&
		    status.state == INSTINCT_VFIO_STATE_READY) {
			dev->status.open++;
			dev->status.owner = get_task_pid(current, PIDTYPE_TGID);
		}
		spin_unlock(&dev->status_lock);
	} while (!status_is_idle(&status));

	if (status.leaving)
		return -EIO;
	if (status.state == INSTINCT_VFIO_STATE_READY) {
		if (!unruled)
			return 0;
		claim_tell_unruled(dev);
		return -EACCES;
	}
	claim_tell_refused(dev, &status);
	return claim_refusal(status.state);
}

/**
 * instinct_claim_hand_over() - the user who was let in has the device from here on
 * @dev: device, reset for him
 *
 * Return: 0; -EIO or -EACCES if it was lost or quarantined since he was let in, which the
 * kernel log says, and then he does not get it.
 */
int instinct_claim_hand_over(struct instinct_device *dev)
{
	struct instinct_status status;
	bool refused;

	spin_lock(&dev->status_lock);
	status = dev->status;
	refused = status.state == INSTINCT_VFIO_STATE_LOST ||
		  status.state == INSTINCT_VFIO_STATE_QUARANTINED;
	if (!refused) {
		dev->status.handed = true;
		instinct_tenure_begin(&dev->status.tenure);
	}
	spin_unlock(&dev->status_lock);
	if (!refused)
		return 0;
	claim_tell_refused(dev, &status);
	return claim_refusal(status.state);
}

static bool claim_begin_close(struct instinct_device *dev)
{
	bool free;

	spin_lock(&dev->status_lock);
	free = status_is_idle(&dev->status) && !dev->status.core_reset;
	if (free)
		dev->status.closer = current;
	spin_unlock(&dev->status_lock);
	return free;
}

/**
 * instinct_claim_begin_close() - the last user lets go
 * @dev: device
 *
 * Waits for a reset under way or about to begin; from here on none can claim the device,
 * and one that needs no claim waits in instinct_claim_begin_core().
 *
 * Context: may sleep, up to the end of a reset, which may take minutes by policy.
 */
void instinct_claim_begin_close(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, claim_begin_close(dev));
}

/**
 * instinct_claim_end_open() - nobody has the device open any more
 * @dev: device
 * @claim: a user has had it: claim it in the same breath, before anybody can open it
 */
void instinct_claim_end_open(struct instinct_device *dev, bool claim)
{
	struct pid *owner;

	spin_lock(&dev->status_lock);
	dev->status.open--;
	dev->status.closer = NULL;
	dev->status.handed = false;
	/* An open that has failed leaves the claim to who has it. */
	if (claim)
		WRITE_ONCE(dev->status.claimed, true);
	if (claim && instinct_tenure_end(&dev->status.tenure, READ_ONCE(dev->touched)))
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	owner = dev->status.owner;
	dev->status.owner = NULL;
	spin_unlock(&dev->status_lock);
	wake_up_all(&dev->idle);
	put_pid(owner);
}

static bool claim_is_closed(struct instinct_device *dev)
{
	bool closed;

	spin_lock(&dev->status_lock);
	closed = !dev->status.closer || dev->status.closer == current;
	spin_unlock(&dev->status_lock);
	return closed;
}

/**
 * instinct_claim_begin_core() - the PCI core begins to reset the device
 * @dev: device; until instinct_claim_end_core() no close of it begins
 *
 * What vfio-pci-core writes to a device at its user's close asks nobody whether it is in
 * reset, and what the PCI core saves and restores around one asks nobody who uses it: so
 * either waits for the other.
 *
 * Context: may sleep, some seconds; the device lock is held, and what the PCI core holds
 * when it resets a function (users' config accesses, vfio's memory_lock) or recovers from
 * an error (pci_bus_sem).
 *
 * Return: 0, or -EBUSY if a close that is under way does not end.
 */
int instinct_claim_begin_core(struct instinct_device *dev)
{
	spin_lock(&dev->status_lock);
	dev->status.core_reset = true;
	spin_unlock(&dev->status_lock);
	if (wait_event_timeout(dev->idle, claim_is_closed(dev), msecs_to_jiffies(CLOSE_ENDS_MS)))
		return 0;
	pci_warn(dev->pdev, "not reset: its user's close does not end\n");
	return -EBUSY;
}

/**
 * instinct_claim_end_core() - the PCI core has ended its reset
 * @dev: device
 */
void instinct_claim_end_core(struct instinct_device *dev)
{
	spin_lock(&dev->status_lock);
	dev->status.core_reset = false;
	spin_unlock(&dev->status_lock);
	wake_up_all(&dev->idle);
}

static bool claim(struct instinct_device *dev, bool held, struct pid *owner)
{
	struct instinct_status *status = &dev->status;
	bool claimed;

	spin_lock(&dev->status_lock);
	claimed = status_is_idle(status) && !status->gone && !status->closer &&
		  !status->leaving && !!status->open == held &&
		  (!held || (status->handed && status->owner == owner));
	if (claimed)
		WRITE_ONCE(status->claimed, true);
	spin_unlock(&dev->status_lock);
	return claimed;
}

/**
 * instinct_claim_free() - claim a device that nobody has open
 * @dev: device
 *
 * Return: true if it is claimed; instinct_claim_end() is owed then.
 */
bool instinct_claim_free(struct instinct_device *dev)
{
	return claim(dev, false, NULL);
}

/**
 * instinct_claim_held() - claim a device from its user
 * @dev: device
 * @owner: process that must have opened it
 *
 * Its user cannot close it while it is claimed. While it is opened for him it cannot be.
 *
 * Return: true if it is claimed; instinct_claim_end() is owed then.
 */
bool instinct_claim_held(struct instinct_device *dev, struct pid *owner)
{
	return claim(dev, true, owner);
}

/**
 * instinct_claim_config() - hold off who uses a device's config space, for a reset
 * @dev: device
 *
 * Not without limit: who has it may be on his way into the same hive, or wait for what
 * the caller holds.
 *
 * Context: may sleep, up to 5 s.
 *
 * Return: 0, and the caller ends it by pci_cfg_access_unlock(), or -EBUSY.
 */
int instinct_claim_config(struct instinct_device *dev)
{
	bool got;

	return read_poll_timeout(pci_cfg_access_trylock, got, got, CONFIG_RETRY_US,
				 CONFIG_WAIT_US, false, dev->pdev) ? -EBUSY : 0;
}

/**
 * instinct_claim_end() - undo a claim
 * @dev: device
 */
void instinct_claim_end(struct instinct_device *dev)
{
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->status.claimed, false);
	spin_unlock(&dev->status_lock);
	wake_up_all(&dev->idle);
}
