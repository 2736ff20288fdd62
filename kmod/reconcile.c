// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/pm_runtime.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "device.h"
#include "endpoint.h"
#include "reconcile.h"
#include "rescan.h"

/* A register is looked at again after 1, 2, 4 … ms, at most this many. */
#define PAUSE_MAX_MS	20
/* The operator is told of a register that has not come to hold its value by then. */
#define TELL_AFTER	(5 * NSEC_PER_MSEC)
/* From when on each remedy is tried, after the one below it. */
#define BUSES_AFTER	(10 * NSEC_PER_MSEC)
#define RETRAIN_AFTER	(100 * NSEC_PER_MSEC)
/* Retraining stalls the traffic of all below the link, if for microseconds. */
#define RETRAIN_AGAIN	(1 * NSEC_PER_SEC)
#define RETRAINED_MAX	2

static bool is_verified(const struct instinct_device *dev)
{
	return READ_ONCE(dev->status.policy.config_verify) == INSTINCT_VFIO_VERIFY_ON;
}

static const char *remedy_text(enum instinct_vfio_unblock tried)
{
	switch (tried) {
	case INSTINCT_VFIO_UNBLOCK_READ:
		return ", after Vendor ID reads";
	case INSTINCT_VFIO_UNBLOCK_BUSES:
		return ", after the ports' bus numbers were rewritten";
	case INSTINCT_VFIO_UNBLOCK_RETRAIN:
		return ", after the link was retrained";
	default:
		return "";
	}
}

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

	snprintf(event.reason, sizeof(event.reason), "%s (%#x) of %s%s", reconcile->field->name,
		 reconcile->field->where, pci_name(reconcile->config->pdev), more);
	instinct_device_emit(dev, &event);
}

/* The switch's vendor needs to know which switch, and which firmware it may have. */
static void reconcile_name_switch(struct instinct_device *dev)
{
	const struct instinct_reconcile *reconcile = &dev->reconcile;
	struct pci_dev *port = instinct_fabric_link_port(&dev->fabric);

	if (!__ratelimit(&dev->blocked_told))
		return;
	if (!port)
		pci_warn(dev->pdev, "a config write to %s (%#x) of %s was swallowed\n",
			 reconcile->field->name, reconcile->field->where,
			 pci_name(reconcile->config->pdev));
	else
		pci_warn(dev->pdev, "a config write to %s (%#x) of %s was swallowed, maybe by the switch above: port %s [%04x:%04x] rev %02x subsystem %04x:%04x serial %016llx\n",
			 reconcile->field->name, reconcile->field->where,
			 pci_name(reconcile->config->pdev), pci_name(port), port->vendor,
			 port->device, port->revision, port->subsystem_vendor,
			 port->subsystem_device, pci_get_dsn(port));
}

static void reconcile_fail(struct instinct_device *dev, u64 age, u32 timeout)
{
	struct instinct_reconcile *reconcile = &dev->reconcile;

	reconcile->failed = true;
	reconcile->counts.failed++;
	reconcile->counts.longest = max(reconcile->counts.longest, age);
	snprintf(reconcile->why, sizeof(reconcile->why), "%s (%#x) of %s did not hold what was written within %u ms",
		 reconcile->field->name, reconcile->field->where,
		 pci_name(reconcile->config->pdev), timeout);
	reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_FAILED, "");
}

/* What may bring a switch to let config writes through, as far as policy allows. */
static void reconcile_unblock(struct instinct_device *dev, u64 age)
{
	enum instinct_vfio_unblock allowed = READ_ONCE(dev->status.policy.config_unblock);
	enum instinct_vfio_unblock remedy = INSTINCT_VFIO_UNBLOCK_NONE;
	struct instinct_reconcile *reconcile = &dev->reconcile;
	u64 retrain = reconcile->retrained ? RETRAIN_AGAIN : RETRAIN_AFTER;
	u32 ignored;

	if (allowed >= INSTINCT_VFIO_UNBLOCK_READ)
		remedy = INSTINCT_VFIO_UNBLOCK_READ;
	if (allowed >= INSTINCT_VFIO_UNBLOCK_BUSES && age >= BUSES_AFTER &&
	    reconcile->tried >= INSTINCT_VFIO_UNBLOCK_READ)
		remedy = INSTINCT_VFIO_UNBLOCK_BUSES;
	if (allowed >= INSTINCT_VFIO_UNBLOCK_RETRAIN && age >= retrain &&
	    reconcile->tried >= INSTINCT_VFIO_UNBLOCK_BUSES &&
	    reconcile->retrained < RETRAINED_MAX) {
		remedy = INSTINCT_VFIO_UNBLOCK_RETRAIN;
		reconcile->retrained++;
	}
	if (remedy == INSTINCT_VFIO_UNBLOCK_NONE)
		return;
	reconcile->tried = max(reconcile->tried, remedy);
	pci_read_config_dword(reconcile->config->pdev, PCI_VENDOR_ID, &ignored);
	instinct_fabric_unblock(&dev->fabric, reconcile->config->pdev, remedy);
}

/**
 * instinct_reconcile_forget() - a reset begins, which writes everything anew
 * @dev: device
 *
 * Context: under @dev->reset_lock.
 */
void instinct_reconcile_forget(struct instinct_device *dev)
{
	lockdep_assert_held(&dev->reset_lock);
	dev->reconcile.config = NULL;
	dev->reconcile.failed = false;
}

/* @bad: the first register that does not hold its value, or NULL. */
static bool reconcile_settle(struct instinct_device *dev, struct instinct_config *config,
			     const struct instinct_config_field *bad)
{
	struct instinct_reconcile *reconcile = &dev->reconcile;
	u32 timeout = READ_ONCE(dev->status.policy.config_timeout);
	u64 age;

	if (!bad && reconcile->config != config)
		return true;
	if (!reconcile->config) {
		reconcile->config = config;
		reconcile->field = bad;
		reconcile->since = ktime_get_ns();
		reconcile->told = false;
		reconcile->tried = INSTINCT_VFIO_UNBLOCK_NONE;
		reconcile->retrained = 0;
		reconcile->counts.blocked++;
	}
	age = ktime_get_ns() - reconcile->since;
	if (!bad) {
		reconcile->counts.longest = max(reconcile->counts.longest, age);
		reconcile->counts.verified++;
		if (reconcile->told)
			reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_VERIFIED,
				       remedy_text(reconcile->tried));
		reconcile->config = NULL;
		return true;
	}
	if (reconcile->failed)
		return false;
	if (!reconcile->told && age >= TELL_AFTER) {
		reconcile->told = true;
		reconcile_tell(dev, INSTINCT_VFIO_EVENT_CONFIG_BLOCKED, "");
		reconcile_name_switch(dev);
	}
	if (age > (u64)timeout * NSEC_PER_MSEC)
		reconcile_fail(dev, age, timeout);
	else
		reconcile_unblock(dev, age);
	return false;
}

/**
 * instinct_reconcile_step() - bring a function to hold what it is to hold, once
 * @dev: device
 * @config: the device's, or that of a port of its package
 *
 * Nothing is written to a function that does not answer with its own IDs.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: true if the function holds it. If not the caller comes back, unless
 * @dev->reconcile.failed is set now.
 */
bool instinct_reconcile_step(struct instinct_device *dev, struct instinct_config *config)
{
	lockdep_assert_held(&dev->reset_lock);
	if (!is_verified(dev))
		return true;
	if (!instinct_endpoint_answers(config->pdev))
		return dev->reconcile.config && reconcile_settle(dev, config, dev->reconcile.field);
	return reconcile_settle(dev, config, instinct_config_push(config, INSTINCT_CONFIG_ALL));
}

static void reconcile_pause(unsigned int *pause)
{
	usleep_range(*pause * 1000, *pause * 1250);
	*pause = min(2 * *pause, PAUSE_MAX_MS);
}

/* @ports: those of the package too, which nobody but the engine has written. */
static bool reconcile_step_all(struct instinct_device *dev, bool ports)
{
	struct instinct_fabric *fabric = &dev->fabric;

	return (!ports || !fabric->swus || instinct_reconcile_step(dev, &fabric->swus->config)) &&
	       (!ports || !fabric->swds || instinct_reconcile_step(dev, &fabric->swds->config)) &&
	       instinct_reconcile_step(dev, &dev->config);
}

/**
 * instinct_reconcile_wait() - wait until a device's functions hold what they are to hold
 * @dev: device, in D0
 * @ports: those of the package as well, right after a reset
 *
 * Context: may sleep, up to policy's config_timeout; under @dev->reset_lock, with users
 * kept out of the config space.
 *
 * Return: 0, or -EIO with @dev->reconcile.why set, or empty if a function does not answer.
 */
int instinct_reconcile_wait(struct instinct_device *dev, bool ports)
{
	u64 until = ktime_get_ns() + (u64)READ_ONCE(dev->status.policy.config_timeout) *
		    NSEC_PER_MSEC;
	unsigned int pause = 1;

	lockdep_assert_held(&dev->reset_lock);
	while (!reconcile_step_all(dev, ports)) {
		if (dev->reconcile.failed)
			return -EIO;
		if (!dev->reconcile.config && ktime_get_ns() > until) {
			dev->reconcile.why[0] = '\0';
			return -EIO;
		}
		reconcile_pause(&pause);
	}
	return 0;
}

/* The device is lost from here on, with the register named. */
static int reconcile_give_up(struct instinct_device *dev)
{
	const char *why = dev->reconcile.why[0] ? dev->reconcile.why :
						  "it does not answer config reads";

	if (dev->status.state == INSTINCT_VFIO_STATE_LOST || dev->status.life == INSTINCT_LIFE_ABSENT)
		return -EIO;
	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST, why);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_LOST, why);
	return -EIO;
}

/**
 * instinct_reconcile_all() - see to it that what Linux has written holds
 * @dev: device, in D0, with users kept out of its config space
 *
 * Does nothing for a device that is not in order.
 *
 * Context: may sleep, up to policy's config_timeout. Takes @dev->reset_lock.
 *
 * Return: 0, or -EIO: the device is lost now.
 */
int instinct_reconcile_all(struct instinct_device *dev)
{
	int ret = 0;

	mutex_lock(&dev->reset_lock);
	if (READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_LOST) {
		ret = instinct_reconcile_wait(dev, false);
		if (ret)
			ret = reconcile_give_up(dev);
	}
	mutex_unlock(&dev->reset_lock);
	return ret;
}

/* A reset may have come in between, and has written everything anew then. */
static bool written_step(struct instinct_device *dev)
{
	bool holds;

	if (!pci_cfg_access_trylock(dev->pdev))
		return false;
	mutex_lock(&dev->reset_lock);
	holds = READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST ||
		instinct_reconcile_step(dev, &dev->config);
	mutex_unlock(&dev->reset_lock);
	pci_cfg_access_unlock(dev->pdev);
	return holds;
}

static int written_wait(struct instinct_device *dev)
{
	unsigned int pause = 1;
	bool failed = false;

	while (!failed && !written_step(dev)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		reconcile_pause(&pause);
		mutex_lock(&dev->reset_lock);
		failed = dev->reconcile.failed;
		if (failed)
			reconcile_give_up(dev);
		mutex_unlock(&dev->reset_lock);
	}
	if (failed)
		instinct_rescan_start(dev);
	return READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST ? -EIO : 0;
}

/**
 * instinct_reconcile_written() - see to it that what a user has written holds
 * @dev: device, which its user has open
 * @where: offset of the write
 * @bytes: its length
 * @val: what the user has written, still in the user's memory
 *
 * A write that reaches the hardware, and holds, costs one read. With decoding or bus
 * mastering on the device is dirty after it.
 *
 * Context: may sleep, up to policy's config_timeout and the end of a reset; takes
 * @dev->reset_lock.
 *
 * Return: 0, -EIO if the device is lost, -EINTR if the caller is killed, -EFAULT or -ENOMEM if
 * it cannot be told what was written.
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
	/* Before the lock: the memory may be a BAR, whose page fault waits for a reset to end. */
	copy = memdup_user(val, bytes);
	if (IS_ERR(copy) || mutex_lock_killable(&dev->reset_lock)) {
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
		if (IS_ERR(copy))
			return PTR_ERR(copy);
		kfree(copy);
		return -EINTR;
	}
	if (READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_LOST) {
		bad = instinct_config_written(&dev->config, where, bytes, copy);
		if (instinct_config_overlaps(&table->field[table->count - 1], where, bytes) &&
		    *instinct_config_command(&dev->config) &
		    (PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY))
			instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
		holds = !bad || !is_verified(dev) || reconcile_settle(dev, &dev->config, bad);
	}
	mutex_unlock(&dev->reset_lock);
	kfree(copy);
	return holds ? 0 : written_wait(dev);
}

/**
 * instinct_reconcile_power() - see to it that a GPU is in D0, as its user has asked
 * @dev: device, which its user has open
 *
 * The PCI core has tried once, and found that it is not. It does not know either that the
 * GPU is, after this: the caller has it look again.
 *
 * Context: as instinct_reconcile_written(), without a lock of vfio's.
 *
 * Return: likewise.
 */
int instinct_reconcile_power(struct instinct_device *dev)
{
	return is_verified(dev) ? written_wait(dev) : 0;
}

/**
 * instinct_reconcile_irqs() - see to it that a user's interrupts are switched as asked
 * @dev: device, which its user has open
 *
 * Context: as instinct_reconcile_written().
 *
 * Return: likewise.
 */
int instinct_reconcile_irqs(struct instinct_device *dev)
{
	const struct instinct_config_field *bad;
	bool holds = true;

	if (dev->pdev->msi_enabled || dev->pdev->msix_enabled)
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	if (!is_verified(dev))
		return 0;
	if (mutex_lock_killable(&dev->reset_lock))
		return -EINTR;
	if (READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_LOST) {
		bad = instinct_config_push(&dev->config, INSTINCT_CONFIG_IRQS);
		holds = !bad || reconcile_settle(dev, &dev->config, bad);
	}
	mutex_unlock(&dev->reset_lock);
	return holds ? 0 : written_wait(dev);
}

/**
 * instinct_reconcile_counts() - what became of config writes so far
 * @dev: device
 * @counts: set
 */
void instinct_reconcile_counts(struct instinct_device *dev, struct instinct_config_counts *counts)
{
	struct instinct_fabric *fabric = &dev->fabric;

	/* A reset that is under way may add meanwhile: each number for itself is right. */
	*counts = data_race(dev->reconcile.counts);
	/* The same. */
	counts->retried = data_race(dev->config.retried +
				    (fabric->swds ? fabric->swds->config.retried : 0) +
				    (fabric->swus ? fabric->swus->config.retried : 0));
}
