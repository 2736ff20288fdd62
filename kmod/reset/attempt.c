// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>

#include "compat/iommu.h"
#include "core/name.h"
#include "hardware/endpoint.h"
#include "hardware/mailbox.h"
#include "reset/attempt.h"
#include "reset/hive.h"

#define POLL_MIN_US	1000
#define POLL_MAX_US	20000
/* Polls after a two-hundredth of the time that has passed notice an event at most 0.5 % late. */
#define POLL_SHARE	200
#define ANSWERS_WITHIN	(500 * NSEC_PER_MSEC)
#define PROGRESS_FIRST	(1500 * NSEC_PER_MSEC)
#define PROGRESS_EVERY	(5 * NSEC_PER_SEC)
/* A reset that shows no effect after this time is triggered again. */
#define TRIGGER_AGAIN	(1 * NSEC_PER_SEC)
#define TRIGGERS_MAX	3
#define REWRITE_AFTER	(100 * NSEC_PER_MSEC)
/* PCIe r6.0 sec 6.6.1: a link may take 1 s to come up by itself. */
#define RETRAIN_AFTER	(1 * NSEC_PER_SEC)
#define LINK_GONE	(10ull * NSEC_PER_SEC)

/*
 * An attempt leaves this mark in Cache Line Size. PCI Express gives that register no effect, but
 * every function implements it (PCIe r6.0 sec 7.5.1.1.7), and a reset clears it. A switch may
 * delay or swallow the write.
 */
#define MARK			0x5a
#define MARK_TRIES		100
#define MARK_PAUSE_US		1000
#define MARK_GONE		2	/* consecutive reads of 0 that prove a reset */

static void phase_end(struct instinct_attempt *attempt, enum instinct_vfio_phase phase)
{
	u64 now = ktime_get_ns();

	attempt->event.phase[phase] += now - attempt->phase_began;
	attempt->event.phases_passed |= BIT(phase);
	attempt->phase_began = now;
}

static void poll_sleep(u64 passed_ns)
{
	u64 us = div_u64(passed_ns, POLL_SHARE * NSEC_PER_USEC);

	us = clamp_t(u64, us, POLL_MIN_US, POLL_MAX_US);
	usleep_range(us, us + us / 4);
}

/* Restores a port of the package if it has to; true once the port holds its values. */
static bool reach_port(struct instinct_device *dev, struct instinct_port *port)
{
	if (!port)
		return true;
	if (!instinct_endpoint_answers(port->pdev))
		return false;
	if (!port->restored) {
		if (instinct_port_intact(port))
			return true;
		instinct_port_restore(port);
	}
	if (port->restored && instinct_reconcile_step(dev, &port->config, INSTINCT_CONFIG_ALL))
		port->restored = false;
	return !port->restored && instinct_port_intact(port);
}

/**
 * instinct_attempt_reach() - take a step to restore the path to a device
 * @dev: device
 *
 * The function stops at a port that does not hold its values yet, since functions below it would
 * read as all ones.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach(struct instinct_device *dev)
{
	lockdep_assert_held(&dev->reset_lock);
	return reach_port(dev, dev->path.swus) && reach_port(dev, dev->path.swds) &&
	       instinct_endpoint_answers(dev->pdev);
}

/*
 * Is it useless to wait for a device? It was pulled, or its link stays down: an operator's remove waits
 * for this reset, and all hot-plug of the host waits for that. Or the host goes down, and waits for the
 * lock of the device, which the requester of the reset may hold.
 */
static bool attempt_useless(struct instinct_device *dev, bool answers)
{
	u64 now = ktime_get_ns();

	if (answers || instinct_path_link_up(&dev->path))
		dev->link_up_at = now;
	return (!answers && READ_ONCE(dev->pdev->error_state) == pci_channel_io_perm_failure) ||
	       now - dev->link_up_at > LINK_GONE || system_state > SYSTEM_RUNNING;
}

/**
 * instinct_attempt_reach_in_time() - restore the path to a device, and wait until it answers
 * @dev: device
 * @limit: longest wait, ns
 *
 * Context: may sleep, up to @limit; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach_in_time(struct instinct_device *dev, u64 limit)
{
	u64 began = ktime_get_ns(), broken = 0, passed;

	lockdep_assert_held(&dev->reset_lock);
	while (!instinct_attempt_reach(dev)) {
		passed = ktime_get_ns() - began;
		/* A device answers soon after its path has become intact, or not at all. */
		if (dev->reconcile.config || !instinct_path_intact(&dev->path))
			broken = passed;
		if (dev->reconcile.failed || passed > limit || passed - broken > ANSWERS_WITHIN ||
		    attempt_useless(dev, false))
			return false;
		poll_sleep(passed);
	}
	return true;
}

/**
 * instinct_attempt_alive() - does a device answer, and do its registers show life?
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: true if both hold.
 */
bool instinct_attempt_alive(struct instinct_device *dev)
{
	bool alive;
	u16 command;

	lockdep_assert_held(&dev->reset_lock);
	if (!instinct_attempt_reach(dev))
		return false;
	command = instinct_registers_open(&dev->regs);
	alive = instinct_registers_alive(&dev->regs);
	instinct_registers_close(&dev->regs, command);
	if (alive)
		dev->alive_at = ktime_get_ns();
	return alive;
}

/**
 * instinct_attempt_write_back() - write the function's config space back
 * @attempt: attempt with the config state; the function answers
 *
 * Context: may sleep; under the device's reset_lock.
 */
void instinct_attempt_write_back(struct instinct_attempt *attempt)
{
	bool force = attempt->policy->config_verify == INSTINCT_VFIO_VERIFY_ON;
	struct instinct_device *dev = attempt->dev;

	lockdep_assert_held(&dev->reset_lock);
	dev->reconcile.counts.forced += instinct_config_restore(&dev->config, attempt->keep, force);
}

/* Says why a device does not count as back yet. */
static const char *attempt_missing(struct instinct_attempt *attempt, bool open)
{
	struct instinct_device *dev = attempt->dev;

	if (!open)
		return instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why) ?:
		       instinct_path_intact(&dev->path) ? "its config space does not answer" :
							      "the path to it does not hold";
	if (dev->reconcile.config)
		return "its config space does not hold the written values";
	return attempt->method == INSTINCT_VFIO_METHOD_MODE1 ?
	       instinct_mailbox_missing(&dev->mailbox, dev->attempt_why) :
	       "its registers show no life";
}

/* Text from the device's own registers or from a switch needs no introduction. */
static const char *attempt_timeout(struct instinct_attempt *attempt, bool open)
{
	const char *missing = attempt_missing(attempt, open);
	char *why = attempt->dev->attempt_why;

	if (missing != why)
		snprintf(why, INSTINCT_REASON_BYTES, "the device did not come back in time: %s",
			 missing);
	return why;
}

static void attempt_progress(struct instinct_attempt *attempt, u64 passed, u64 *next, bool open)
{
	enum instinct_vfio_method method = attempt->method;
	bool ours = method != INSTINCT_VFIO_METHOD_AUTO;

	if (passed < *next)
		return;
	pci_info(attempt->dev->pdev, "not back %llu ms after %s%s: %s; waiting up to %llu ms\n",
		 div_u64(passed, NSEC_PER_MSEC), ours ? "reset by " : "an error",
		 ours ? instinct_name_method(method) : "", attempt_missing(attempt, open),
		 div_u64(attempt->limit, NSEC_PER_MSEC));
	*next = passed + PROGRESS_EVERY;
}

/* A register that does not hold its value ends the attempt, which could not succeed any more. */
static bool attempt_blocked(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	if (!dev->reconcile.failed)
		return false;
	attempt->why = dev->reconcile.why;
	attempt->blocked = true;
	return true;
}

static int attempt_trigger(struct instinct_attempt *attempt)
{
	int ret = instinct_trigger_pull(attempt);

	phase_end(attempt, INSTINCT_VFIO_PHASE_TRIGGER);
	attempt->triggers += !ret;
	return ret;
}

/*
 * May the device, which answers, still hold the mark, and so not have been reset? Only reads of 0
 * prove a reset: neither a time without answers nor any other value does.
 */
static bool attempt_marked(struct instinct_attempt *attempt)
{
	u8 now;

	if (!attempt->mark)
		return false;
	pci_read_config_byte(attempt->dev->pdev, PCI_CACHE_LINE_SIZE, &now);
	attempt->cleared = now ? 0 : attempt->cleared + 1;
	if (attempt->cleared == MARK_GONE)
		attempt->mark = 0;
	return attempt->mark;
}

static int attempt_mark(struct instinct_attempt *attempt)
{
	struct pci_dev *pdev = attempt->dev->pdev;
	unsigned int tries = MARK_TRIES;
	u8 now;

	pci_read_config_byte(pdev, PCI_CACHE_LINE_SIZE, &now);
	attempt->mark = now == MARK ? (u8)~MARK : MARK;
	attempt->cleared = 0;
	while (tries-- && instinct_endpoint_answers(pdev)) {
		pci_write_config_byte(pdev, PCI_CACHE_LINE_SIZE, attempt->mark);
		pci_read_config_byte(pdev, PCI_CACHE_LINE_SIZE, &now);
		if (now == attempt->mark)
			return 0;
		usleep_range(MARK_PAUSE_US, 2 * MARK_PAUSE_US);
	}
	attempt->why = "Cache Line Size does not hold the mark, so nothing could prove a reset";
	return -EIO;
}

/*
 * Waits until the device shows life, or until the deadline. A device can answer and go into its
 * reset only then, and a switch can hide that, so the attempt writes config space back repeatedly.
 */
static int attempt_wait(struct instinct_attempt *attempt)
{
	u64 began = ktime_get_ns(), next = PROGRESS_FIRST, passed, restored = 0;
	bool open = false, retrained = false, holds = true;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command;
	const char *stand_in = NULL;
	int done = 0;

	for (;;) {
		passed = ktime_get_ns() - began;
		if (!instinct_attempt_reach(dev)) {
			open = false;
			/* The GPU counts as gone only if it does not answer itself. */
			dev->mailbox.gone |= !instinct_endpoint_answers(dev->pdev);
			if (dev->reconcile.config == &dev->config)
				instinct_reconcile_forget(dev);
			/* The kernel log names a placeholder at once, even if the reset succeeds. */
			if (!stand_in) {
				stand_in = instinct_path_stand_in(&dev->path, dev->pdev,
								  dev->attempt_why);
				next = stand_in ? passed : next;
			}
			/* One retrain may help a link that has not come up by itself. */
			if (!retrained && passed >= RETRAIN_AFTER &&
			    !instinct_path_link_up(&dev->path)) {
				retrained = true;
				pci_warn(dev->pdev, "the link above is down, retraining it\n");
				instinct_path_retrain(&dev->path);
			}
		} else if (attempt_marked(attempt)) {
			/*
			 * A config write triggers this reset too, and a switch may have delayed or
			 * swallowed it.
			 */
			if (!attempt->cleared && passed > attempt->triggers * TRIGGER_AGAIN &&
			    attempt->triggers < TRIGGERS_MAX)
				attempt_trigger(attempt);
		} else {
			if (!open || (holds && passed - restored > REWRITE_AFTER)) {
				phase_end(attempt, INSTINCT_VFIO_PHASE_READY);
				instinct_attempt_write_back(attempt);
				/* The look for life needs memory decoding. */
				instinct_registers_open(&dev->regs);
				*command |= PCI_COMMAND_MEMORY;
				restored = passed;
				open = true;
			}
			holds = instinct_reconcile_step(dev, &dev->config, INSTINCT_CONFIG_ALL);
			phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
			if (holds)
				done = attempt->method != INSTINCT_VFIO_METHOD_MODE1 ?
				       instinct_registers_alive(&dev->regs) :
				       instinct_mailbox_mode1_done(&dev->mailbox, ktime_get_ns() -
								   attempt->posted, &attempt->why);
			phase_end(attempt, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		if (attempt_blocked(attempt) || done || passed > attempt->limit ||
		    attempt_useless(dev, open))
			break;
		attempt_progress(attempt, passed, &next, open);
		poll_sleep(passed);
	}
	if (!done && !attempt->blocked)
		attempt->why = attempt->mark && instinct_endpoint_answers(dev->pdev) ?
			"the device was not reset: it still holds the mark from before" :
			attempt_timeout(attempt, open);
	if (done > 0) {
		/* The firmware has written the table anew, and no user has changed it since. */
		if (attempt->method == INSTINCT_VFIO_METHOD_MODE1 && !attempt->held &&
		    (dev->mailbox.gone || dev->mailbox.blank))
			instinct_mailbox_refresh(&dev->mailbox);
		instinct_mailbox_look(&dev->mailbox, &attempt->seen);
	}
	*command = was;
	if (open)
		instinct_registers_close(&dev->regs, was);
	if (attempt->blocked || !done)
		return -ETIMEDOUT;
	if (done > 0)
		dev->alive_at = ktime_get_ns();
	return min(done, 0);
}

static void attempt_begin(struct instinct_attempt *attempt, u64 limit)
{
	memset(attempt->event.phase, 0, sizeof(attempt->event.phase));
	attempt->event.phases_passed = 0;
	attempt->triggers = 0;
	attempt->blocked = false;
	attempt->mark = 0;
	attempt->limit = limit;
	attempt->phase_began = ktime_get_ns();
}

/**
 * instinct_attempt_await() - wait for a device that the engine has not reset itself
 * @attempt: attempt with the config state to write back, before its first method
 * @limit: longest wait, ns
 *
 * The device may not come back; the reset that the caller tries next then finds the reason.
 *
 * Context: may sleep, up to @limit; under the device's reset_lock.
 */
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit)
{
	lockdep_assert_held(&attempt->dev->reset_lock);
	attempt_begin(attempt, limit);
	attempt_wait(attempt);
	attempt->blocked = false;
	attempt->why = "";
}

/*
 * Before the trigger, switches bus mastering off, and memory decoding on if the method (mode-1)
 * needs the registers.
 */
static int attempt_prepare(struct instinct_attempt *attempt)
{
	u32 decode = attempt->method == INSTINCT_VFIO_METHOD_MODE1 ? PCI_COMMAND_MEMORY : 0;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command;
	u64 began = ktime_get_ns(), passed = 0;

	if (!instinct_endpoint_answers(dev->pdev)) {
		attempt->why = instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why) ?:
			"the device stopped answering before it was reset";
		return -ETIMEDOUT;
	}
	dev->fatal |= instinct_endpoint_erred(dev->pdev);
	/* This takes about a second and a half if transactions do not drain. */
	pci_clear_master(dev->pdev);
	if (!pci_wait_for_pending_transaction(dev->pdev))
		pci_warn(dev->pdev, "transactions still pending, resetting anyway\n");
	instinct_path_keep(&dev->path);
	if (decode)
		instinct_registers_open(&dev->regs);
	*command = (was & ~PCI_COMMAND_MASTER) | decode;
	while ((!instinct_reconcile_step(dev, &dev->config, INSTINCT_CONFIG_ALL) ||
		(decode && instinct_mailbox_blank(&dev->mailbox))) &&
	       !attempt_blocked(attempt) && passed <= attempt->limit) {
		poll_sleep(passed);
		passed = ktime_get_ns() - began;
	}
	*command = was;
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	if (!attempt->blocked && passed <= attempt->limit)
		return 0;
	if (!attempt->blocked)
		attempt->why = "the device stopped answering before it was reset";
	return -ETIMEDOUT;
}

/**
 * instinct_attempt_run() - try to reset a device with one method
 * @attempt: the attempt
 * @hive: reset of the hive that the attempt is part of, or NULL
 *
 * Context: may sleep, up to policy's ready_timeout; under the device's reset_lock; the caller keeps
 * users out of the config space.
 *
 * Return: 0, or a negative errno with @attempt->why set; -ECANCELED if the hive did not come
 * together, and then the attempt has triggered no reset.
 */
int instinct_attempt_run(struct instinct_attempt *attempt, struct instinct_hive *hive)
{
	struct instinct_device *dev = attempt->dev;
	struct instinct_containment containment;
	int ret;

	lockdep_assert_held(&dev->reset_lock);
	attempt_begin(attempt, (u64)attempt->policy->ready_timeout * NSEC_PER_MSEC);
	ret = attempt_prepare(attempt);
	if (ret)
		return ret;

	/*
	 * The IOMMU driver switches the user's translations and ATS off for the reset (PCIe r6.0
	 * sec 10.3.1), and on again before the module verifies registers. A user that opens a group
	 * has attached its domain before, and another thread of it may unmap. Without a user nobody
	 * invalidates translations, and VFIO could not attach the next user's domain meanwhile.
	 */
	ret = attempt->attached ? instinct_compat_iommu_block(dev->pdev) : 0;
	if (ret) {
		attempt->why = "the IOMMU driver does not block the device's DMA";
		return ret;
	}
	instinct_containment_begin(&containment, dev, attempt->method);
	/*
	 * An SMU reports whether it has reset the device. An FLR or a secondary bus reset reports
	 * nothing, so the attempt leaves a mark in the function.
	 */
	if (attempt->method == INSTINCT_VFIO_METHOD_FLR ||
	    attempt->method == INSTINCT_VFIO_METHOD_BUS)
		ret = attempt_mark(attempt);
	/*
	 * The members of a hive go on together, or none of them does. Each member does everything
	 * slow or fallible before it meets the others, since only the trigger follows.
	 */
	if (!ret && hive) {
		ret = instinct_hive_sync(hive, &dev->fatal, dev->attempt_why);
		attempt->why = ret ? dev->attempt_why : attempt->why;
	}
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	if (!ret) {
		/* The other members reset themselves even if this trigger fails. */
		attempt->triggered |= !!hive;
		ret = attempt_trigger(attempt);
	}
	if (!ret) {
		attempt->triggered = true;
		spin_lock(&dev->status_lock);
		dev->status.resets.hardware += instinct_method_scrubs(attempt->method);
		spin_unlock(&dev->status_lock);
		instinct_attempt_reach(dev);
		phase_end(attempt, INSTINCT_VFIO_PHASE_PATH);
		ret = attempt_wait(attempt);
	}
	instinct_containment_end(&containment);
	if (attempt->attached)
		instinct_compat_iommu_unblock(dev->pdev);
	return ret;
}
