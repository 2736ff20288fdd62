// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vfio_pci_core.h>

#include "device/config_reconcile.h"
#include "device/device.h"

/* The module looks at a register again after 1, 2, 4 … ms, and after at most this time. */
#define PAUSE_MAX_MS	20
/* The module reports a register that has not come to hold its value by then. */
#define TELL_AFTER	(5 * NSEC_PER_MSEC)
/* Age of a blocked register from which the module tries each remedy, with the weaker ones. */
#define BUSES_AFTER	(10 * NSEC_PER_MSEC)
#define RETRAIN_AFTER	(100 * NSEC_PER_MSEC)

static bool is_verified(const struct instinct_device *dev)
{
	return READ_ONCE(dev->status.policy.config_verify) == INSTINCT_VFIO_VERIFY_ON;
}

static const char *const remedy_text[] = {
	[INSTINCT_VFIO_UNBLOCK_NONE] = "",
	[INSTINCT_VFIO_UNBLOCK_READ] = ", after Vendor ID reads",
	[INSTINCT_VFIO_UNBLOCK_BUSES] = ", after the ports' bus numbers were rewritten",
	[INSTINCT_VFIO_UNBLOCK_RETRAIN] = ", after the link was retrained",
};

static void reconcile_tell(struct instinct_device *dev, enum instinct_vfio_event kind,
			   const char *more)
{
	const struct instinct_reconcile *reconcile = &dev->reconcile;
	struct instinct_event event = {
		.kind = kind,
		.config_register = reconcile->field->where,
		.duration = ktime_get_ns() - reconcile->since,
		.error = kind == INSTINCT_VFIO_EVENT_CONFIG_FAILED ? EIO : 0,
	};

	snprintf(event.reason, sizeof(event.reason), "%s%s", reconcile->what, more);
	instinct_device_emit(dev, &event);
}

/* Tries the remedies that policy allows to make a switch let config writes through. */
static void reconcile_unblock(struct instinct_device *dev, u64 age)
{
	struct instinct_reconcile *reconcile = &dev->reconcile;
	enum instinct_vfio_unblock remedy = INSTINCT_VFIO_UNBLOCK_READ;
	u32 ignored;

	/* A retrain stalls the traffic of all functions below the link, if only for microseconds. */
	if (age >= RETRAIN_AFTER && reconcile->tried < INSTINCT_VFIO_UNBLOCK_RETRAIN)
		remedy = INSTINCT_VFIO_UNBLOCK_RETRAIN;
	else if (age >= BUSES_AFTER)
		remedy = INSTINCT_VFIO_UNBLOCK_BUSES;
	remedy = min(remedy, READ_ONCE(dev->status.policy.config_unblock));
	if (remedy == INSTINCT_VFIO_UNBLOCK_NONE)
		return;
	reconcile->tried = max(reconcile->tried, remedy);
	pci_read_config_dword(reconcile->config->pdev, PCI_VENDOR_ID, &ignored);
	instinct_path_unblock(&dev->path, reconcile->config->pdev, remedy);
}

static void reconcile_fail(struct instinct_reconcile *reconcile, u64 age)
{
	reconcile->failed = true;
	reconcile->counts.failed++;
	reconcile->counts.longest = max(reconcile->counts.longest, age);
}

/*
 * Has a register not held its value, or has the device not answered, for too long? @since is the time of
 * its last answer, or of the beginning of the wait. While the device does not answer, no register is tried
 * that could fail.
 */
static bool reconcile_fails(struct instinct_device *dev, u64 since)
{
	u64 timeout = (u64)READ_ONCE(dev->status.policy.config_timeout) * NSEC_PER_MSEC;
	struct instinct_reconcile *reconcile = &dev->reconcile;
	u64 silence = ktime_get_ns() - since;

	if (reconcile->failed || reconcile->config || silence <= timeout)
		return reconcile->failed;
	reconcile_fail(reconcile, silence);
	if (!instinct_path_stand_in(&dev->path, dev->pdev, reconcile->why))
		strscpy(reconcile->why, "it does not answer config reads", sizeof(reconcile->why));
	return true;
}

/*
 * Accounts for one look at a function, and tries remedies. @bad is the first register that does not
 * hold its value, or NULL. Returns true if no register is blocked.
 */
static bool reconcile_settle(struct instinct_device *dev, struct instinct_config *config,
			     const struct instinct_config_field *bad)
{
	struct instinct_reconcile *reconcile = &dev->reconcile;
	u32 timeout = READ_ONCE(dev->status.policy.config_timeout);
	struct pci_dev *port = dev->path.link;
	u64 age;

	if (!bad && reconcile->config != config)
		return true;
	if (bad && !reconcile->config) {
		reconcile->config = config;
		reconcile->field = bad;
		snprintf(reconcile->what, sizeof(reconcile->what), "%s (%#x) of %s", bad->name,
			 bad->where, pci_name(config->pdev));
		reconcile->since = ktime_get_ns();
		reconcile->told = false;
		reconcile->tried = INSTINCT_VFIO_UNBLOCK_NONE;
		reconcile->counts.blocked++;
	}
	age = ktime_get_ns() - reconcile->since;
	if (!bad) {
		reconcile->counts.longest = max(reconcile->counts.longest, age);
		reconcile->counts.verified++;
		if (reconcile->told)
			reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_VERIFIED,
				       remedy_text[reconcile->tried]);
		reconcile->config = NULL;
		return true;
	}
	if (reconcile->failed)
		return false;
	if (!reconcile->told && age >= TELL_AFTER) {
		reconcile->told = true;
		reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_BLOCKED, "");
		/* The vendor of the switch needs its identity, and hints at its firmware. */
		if (port)
			dev_warn_ratelimited(&dev->pdev->dev,
					     "a config write to %s was swallowed, maybe by the switch above: port %s [%04x:%04x] rev %02x subsystem %04x:%04x serial %016llx\n",
					     reconcile->what, pci_name(port), port->vendor, port->device,
					     port->revision, port->subsystem_vendor,
					     port->subsystem_device, pci_get_dsn(port));
	}
	if (age <= (u64)timeout * NSEC_PER_MSEC) {
		reconcile_unblock(dev, age);
		return false;
	}
	reconcile_fail(reconcile, age);
	scnprintf(reconcile->why, sizeof(reconcile->why), "%s did not hold what was written within %u ms",
		  reconcile->what, timeout);
	reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_FAILED, "");
	return false;
}

static struct vfio_pci_core_device *core_of(const struct instinct_device *dev)
{
	return container_of(dev->vdev, struct vfio_pci_core_device, vdev);
}

/**
 * instinct_reconcile_decodes() - does a device's user have its BARs, as vfio-pci-core believes?
 * @dev: device that its user has open
 *
 * Return: PCI_COMMAND_MEMORY or 0, as vfio-pci-core has accepted it from the user.
 */
u16 instinct_reconcile_decodes(const struct instinct_device *dev)
{
	return le16_to_cpu(READ_ONCE(*(__le16 *)&core_of(dev)->vconfig[PCI_COMMAND])) & PCI_COMMAND_MEMORY;
}

/**
 * instinct_reconcile_step() - try once to bring a function to its wanted state
 * @dev: device
 * @config: wanted state of the device, or of a port of its package
 * @sources: BIT() of the sources of wanted values to look at
 *
 * The module writes nothing to a function that does not answer with its own IDs.
 *
 * Context: may sleep; under @dev->reset_lock. With INSTINCT_CONFIG_IRQS in @sources no user may change
 * interrupts meanwhile: vfio-pci-core holds its memory_lock, the driver holds igate, or there is no user.
 *
 * Return: true if the function is in its wanted state. Otherwise the caller calls again, unless
 * @dev->reconcile.failed is set now.
 */
bool instinct_reconcile_step(struct instinct_device *dev, struct instinct_config *config,
			     unsigned long sources)
{
	const struct instinct_config_field *bad;

	lockdep_assert_held(&dev->reset_lock);
	if (!is_verified(dev))
		return true;
	if (!instinct_endpoint_answers(config->pdev))
		return dev->reconcile.config && reconcile_settle(dev, config, dev->reconcile.field);
	bad = instinct_config_push(config, sources, &dev->reconcile.counts.retried);
	/* Another task waits for a register at which this one does not look. */
	if (!bad && dev->reconcile.config == config &&
	    !(sources & BIT(dev->reconcile.field->source)))
		return true;
	return reconcile_settle(dev, config, bad);
}

static void reconcile_pause(unsigned int *pause)
{
	usleep_range(*pause * 1000, *pause * 1250);
	*pause = min(2 * *pause, PAUSE_MAX_MS);
}

/* Only the reset engine writes the ports of the package. Outside a reset a user changes interrupts. */
static bool reconcile_step_all(struct instinct_device *dev, bool resets)
{
	struct instinct_path *path = &dev->path;

	if (!resets)
		return instinct_reconcile_step(dev, &dev->config, ~INSTINCT_CONFIG_IRQS);
	return (!path->swus || instinct_reconcile_step(dev, &path->swus->config, INSTINCT_CONFIG_ALL)) &&
	       (!path->swds || instinct_reconcile_step(dev, &path->swds->config, INSTINCT_CONFIG_ALL)) &&
	       instinct_reconcile_step(dev, &dev->config, INSTINCT_CONFIG_ALL);
}

/**
 * instinct_reconcile_wait() - wait until a device's functions are in their wanted state
 * @dev: device in D0
 * @resets: right after a reset, which includes the ports of the package, and interrupts
 *
 * Context: may sleep, up to policy's config_timeout; under @dev->reset_lock, with users kept out of
 * the config space.
 *
 * Return: 0, or -EIO, with the reason in @dev->reconcile.why.
 */
int instinct_reconcile_wait(struct instinct_device *dev, bool resets)
{
	u64 began = ktime_get_ns();
	unsigned int pause = 1;

	lockdep_assert_held(&dev->reset_lock);
	while (!reconcile_step_all(dev, resets)) {
		if (reconcile_fails(dev, began))
			return -EIO;
		reconcile_pause(&pause);
	}
	return 0;
}

/* Makes the device lost, and names the blocked register. */
static int reconcile_give_up(struct instinct_device *dev)
{
	if (dev->status.owner == INSTINCT_OWNER_GONE)
		return -EIO;
	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST, dev->reconcile.why);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_LOST, dev->reconcile.why);
	return -EIO;
}

/**
 * instinct_reconcile_all() - verify Linux's config writes to a device, and repeat lost ones
 * @dev: device in D0, with users kept out of its config space
 *
 * The function does nothing for a lost device.
 *
 * Context: may sleep, up to policy's config_timeout. Takes @dev->reset_lock.
 *
 * Return: 0, or -EIO if the device became lost.
 */
int instinct_reconcile_all(struct instinct_device *dev)
{
	int ret = 0;

	mutex_lock(&dev->reset_lock);
	if (READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_LOST &&
	    instinct_reconcile_wait(dev, false))
		ret = reconcile_give_up(dev);
	mutex_unlock(&dev->reset_lock);
	return ret;
}

/*
 * Returns 1 if the device holds the write, 0 if not yet; -EIO if it is lost, or has kept the write waiting
 * for too long; -EINTR if the caller is killed. A reset in between writes all anew.
 */
static int user_step(struct instinct_device *dev, unsigned long sources, u64 *answered)
{
	struct mutex *igate = sources & INSTINCT_CONFIG_IRQS ? &core_of(dev)->igate : NULL;
	int holds = 0;

	/* A holder of igate may wait for another task's config write, so igate comes first. */
	if (igate && mutex_lock_killable(igate))
		return -EINTR;
	if (pci_cfg_access_trylock(dev->pdev)) {
		holds = mutex_lock_killable(&dev->reset_lock);
		if (!holds) {
			if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
				holds = -EIO;
			else if (instinct_reconcile_step(dev, &dev->config, sources))
				holds = 1;
			else if (dev->reconcile.config || instinct_endpoint_answers(dev->pdev))
				*answered = ktime_get_ns();
			if (!holds && reconcile_fails(dev, *answered))
				holds = reconcile_give_up(dev);
			mutex_unlock(&dev->reset_lock);
		}
		pci_cfg_access_unlock(dev->pdev);
	} else {
		*answered = ktime_get_ns();
	}
	if (igate)
		mutex_unlock(igate);
	return holds;
}

/**
 * instinct_reconcile_user() - verify what the PCI core has written to a GPU for its user
 * @dev: device that its user has open
 * @sources: INSTINCT_CONFIG_IRQS after SET_IRQS; all others after a write of D0 that did not bring
 *	the GPU to D0. The PCI core does not notice then that this function does, so the caller
 *	makes it look again
 *
 * Only under igate, which vfio-pci-core holds for all of SET_IRQS, do the PCI core's fields agree with
 * the registers that the core has written.
 *
 * Context: as instinct_reconcile_written(), without a lock of vfio's; with INSTINCT_CONFIG_IRQS
 * takes vfio-pci-core's igate before @dev->reset_lock.
 *
 * Return: as instinct_reconcile_written().
 */
int instinct_reconcile_user(struct instinct_device *dev, unsigned long sources)
{
	u64 answered = ktime_get_ns();
	unsigned int pause = 1;
	int holds;

	if (!is_verified(dev))
		return 0;
	while (!(holds = user_step(dev, sources, &answered))) {
		reconcile_pause(&pause);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return min(holds, 0);
}

/**
 * instinct_reconcile_written() - verify a user's config write, and repeat a lost one
 * @dev: device that its user has open
 * @where: offset of the write
 * @bytes: length of the write
 * @val: written bytes, in the user's memory
 *
 * A write that reaches the hardware, and holds, costs one read; any other costs none. A write that leaves
 * decoding or bus mastering on, in the register or by what is wanted, makes the device dirty.
 *
 * Context: may sleep, up to policy's config_timeout and until the end of a reset; takes
 * @dev->reset_lock.
 *
 * Return: 0, -EIO if the device is lost, -EINTR if the caller is killed, -EFAULT or -ENOMEM if the
 * module cannot read the written bytes.
 */
int instinct_reconcile_written(struct instinct_device *dev, u64 where, u64 bytes,
			       const char __user *val)
{
	const struct instinct_config_table *table = &dev->config.table;
	const struct instinct_config_field *bad = NULL;
	bool holds = true;
	u8 *copy;

	if (!instinct_config_table_passes(table, where, bytes))
		return 0;
	/* The copy comes first: @val may be in a BAR, whose page fault waits for a reset. */
	copy = memdup_user(val, bytes);
	if (IS_ERR(copy) || mutex_lock_killable(&dev->reset_lock)) {
		set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
		if (IS_ERR(copy))
			return PTR_ERR(copy);
		kfree(copy);
		return -EINTR;
	}
	if (READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_LOST) {
		bad = instinct_config_written(&dev->config, where, bytes, copy,
					      instinct_reconcile_decodes(dev), is_verified(dev) ?
					      &dev->reconcile.counts.retried : NULL);
		if (instinct_config_overlaps(&table->field[table->count - 1], where, bytes) &&
		    (bad || *instinct_config_command(&dev->config) &
		     (PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY)))
			set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
		holds = !bad || (instinct_endpoint_answers(dev->pdev) &&
				 reconcile_settle(dev, &dev->config, bad));
	}
	mutex_unlock(&dev->reset_lock);
	kfree(copy);
	return holds ? 0 : instinct_reconcile_user(dev, ~INSTINCT_CONFIG_IRQS);
}
