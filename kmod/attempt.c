// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>

#include "attempt.h"
#include "containment.h"
#include "endpoint.h"
#include "hive.h"
#include "mailbox.h"
#include "name.h"
#include "plan.h"

/* PCIe r6.0 sec 6.6.2: no request for 100 ms after an FLR begins. */
#define FLR_SETTLE_MS		100
/* PCIe r6.0 sec 7.5.1.3.13: Secondary Bus Reset held for at least 1 ms. */
#define SBR_HOLD_MS		2
/* PCIe r6.0 sec 6.6.1: link up within 1 s, then 100 ms before a request. */
#define LINK_UP_MS		1000
#define LINK_POLL_US		1000
#define LINK_SETTLE_MS		100
/* amdgpu leaves the device alone as long after the SMU's answer, GIM after the message. */
#define MODE1_REACT_MS		500
#define MODE1_POLL_US		500

#define POLL_MIN_US	1000
#define POLL_MAX_US	20000
/* Poll at a two-hundredth of what has passed: 0.5 % too late at most. */
#define POLL_SHARE	200
#define ANSWERS_WITHIN	(500 * NSEC_PER_MSEC)
#define PROGRESS_FIRST	(1 * NSEC_PER_SEC)
#define PROGRESS_EVERY	(5 * NSEC_PER_SEC)
/* A reset that was asked for, and of which nothing is to be seen. */
#define TRIGGER_AGAIN	(1 * NSEC_PER_SEC)
#define TRIGGERS_MAX	3
#define REWRITE_AFTER	(100 * NSEC_PER_MSEC)
/* PCIe r6.0 sec 6.6.1: a link may take 1 s to come up by itself. */
#define RETRAIN_AFTER	(1 * NSEC_PER_SEC)

/*
 * Left in Cache Line Size, which PCI Express has no use for, but every function holds (PCIe
 * r6.0 sec 7.5.1.1.7); a reset clears it. A switch may delay the write, or swallow it.
 */
#define MARK			0x5a
#define MARK_TRIES		100
#define MARK_PAUSE_US		1000
#define MARK_GONE		2	/* times in a row that it has to read 0 */
/* How long a write to Bridge Control may take, and when it is repeated. */
#define SBR_LAND_MS		2000
#define SBR_AGAIN_MS		50

/*
 * Config space gone or at its defaults, registers blocked, or an error. That the SMU has
 * taken the message is none: it says so before it resets (amdgpu, smu_v13_0_6_ppt.c).
 */
static bool mode1_reacted(struct instinct_device *dev)
{
	u16 command;

	pci_read_config_word(dev->pdev, PCI_COMMAND, &command);
	return command == 0xffff || !(command & PCI_COMMAND_MEMORY) ||
	       instinct_mailbox_reacted(&dev->mailbox);
}

/*
 * Nothing is written to the config space before the SMU has taken the message:
 * it could come between the message and the reset.
 */
static void trigger_mode1(struct instinct_device *dev)
{
	bool reacted;

	instinct_mailbox_mode1(&dev->mailbox);
	read_poll_timeout(mode1_reacted, reacted, reacted, MODE1_POLL_US,
			  MODE1_REACT_MS * USEC_PER_MSEC, false, dev);
}

/* Link Status; all ones if the port has lost its own way with the package. */
static u16 link_status(struct pci_dev *port)
{
	u16 status;

	pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status);
	return status;
}

/* Until it reads back, or the port itself has gone with what it resets. */
static void write_control(struct pci_dev *port, u16 control)
{
	unsigned int ms;
	u16 now;

	for (ms = 0; ms < SBR_LAND_MS; ms++) {
		if (!(ms % SBR_AGAIN_MS))
			pci_write_config_word(port, PCI_BRIDGE_CONTROL, control);
		pci_read_config_word(port, PCI_BRIDGE_CONTROL, &now);
		if (now == 0xffff || !((now ^ control) & PCI_BRIDGE_CTL_BUS_RESET))
			return;
		usleep_range(1000, 1200);
	}
}

/*
 * Not pci_bridge_secondary_bus_reset(): it waits up to a minute for the
 * function below, which cannot answer before the path is restored.
 */
static int trigger_bus(struct pci_dev *port, const char **why)
{
	u32 capabilities;
	u16 control, status;

	if (!port) {
		*why = "no port above the GPU's package";
		return -EOPNOTSUPP;
	}
	pci_read_config_word(port, PCI_BRIDGE_CONTROL, &control);
	write_control(port, control | PCI_BRIDGE_CTL_BUS_RESET);
	msleep(SBR_HOLD_MS);
	write_control(port, control & ~PCI_BRIDGE_CTL_BUS_RESET);

	pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities);
	if (capabilities & PCI_EXP_LNKCAP_DLLLARC &&
	    read_poll_timeout(link_status, status, status & PCI_EXP_LNKSTA_DLLLA, LINK_POLL_US,
			      LINK_UP_MS * USEC_PER_MSEC, false, port))
		pci_warn(port, "link still down %u ms after the bus reset\n", LINK_UP_MS);
	msleep(LINK_SETTLE_MS);
	return 0;
}

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

/* A port of the package, written back if it has to be; true once it holds that. */
static bool reach_port(struct instinct_device *dev, struct instinct_port *port)
{
	if (!port)
		return true;
	if (!instinct_endpoint_answers(port->pdev))
		return false;
	if (!instinct_port_intact(port) && !port->restored)
		instinct_port_restore(port);
	if (port->restored && instinct_reconcile_step(dev, &port->config))
		port->restored = false;
	return !port->restored && instinct_port_intact(port);
}

/**
 * instinct_attempt_reach() - bring the path back where it is broken
 * @dev: device
 *
 * A port that does not get what is written to it is not passed: what lies
 * below would answer with ones.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach(struct instinct_device *dev)
{
	lockdep_assert_held(&dev->reset_lock);
	return reach_port(dev, dev->fabric.swus) && reach_port(dev, dev->fabric.swds) &&
	       instinct_endpoint_answers(dev->pdev);
}

/**
 * instinct_attempt_reach_in_time() - the same, and wait for it
 * @dev: device
 * @limit: how long, ns
 *
 * Context: may sleep, up to @limit; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach_in_time(struct instinct_device *dev, u64 limit)
{
	u64 began = ktime_get_ns(), passed;

	lockdep_assert_held(&dev->reset_lock);
	while (!instinct_attempt_reach(dev)) {
		passed = ktime_get_ns() - began;
		/* Once the path holds the device answers soon, or not at all. */
		if (dev->reconcile.failed || passed > limit ||
		    (passed > ANSWERS_WITHIN && !dev->reconcile.config &&
		     instinct_fabric_intact(&dev->fabric)))
			return false;
		poll_sleep(passed);
	}
	return true;
}

/**
 * instinct_attempt_alive() - is the device reached, and does it show life?
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: true if both.
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
 * @attempt: of it; the function answers
 *
 * Context: may sleep; under the device's reset_lock.
 */
void instinct_attempt_write_back(struct instinct_attempt *attempt)
{
	const struct instinct_policy *policy = attempt->policy;
	struct instinct_device *dev = attempt->dev;
	bool force = policy->config_verify == INSTINCT_VFIO_VERIFY_ON;

	dev->reconcile.counts.forced += instinct_config_restore(&dev->config, attempt->keep, force);
}

/* Write the config space back, and turn memory decoding on to look for life. */
static void attempt_restore(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	phase_end(attempt, INSTINCT_VFIO_PHASE_READY);
	instinct_attempt_write_back(attempt);
	instinct_registers_open(&dev->regs);
	*instinct_config_command(&dev->config) |= PCI_COMMAND_MEMORY;
	phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
}

/* What a device that is not back yet lacks. */
static const char *attempt_missing(struct instinct_attempt *attempt, bool open)
{
	struct instinct_device *dev = attempt->dev;

	if (!open)
		return instinct_fabric_intact(&dev->fabric) ? "its config space does not answer" :
							      "the path to it does not hold";
	if (dev->reconcile.config)
		return "its config space does not take what is written to it";
	return instinct_registers_alive(&dev->regs) ? "its SMU has not finished" :
						      "its registers show no life";
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

/* A register that does not hold its value ends the attempt: it could not end well. */
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
	struct instinct_device *dev = attempt->dev;
	int ret = 0;

	instinct_reconcile_forget(dev);
	if (attempt->method == INSTINCT_VFIO_METHOD_MODE1) {
		trigger_mode1(dev);
	} else if (attempt->method == INSTINCT_VFIO_METHOD_FLR) {
		pcie_capability_set_word(dev->pdev, PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
		msleep(FLR_SETTLE_MS);
	} else if (attempt->method == INSTINCT_VFIO_METHOD_BUS) {
		ret = trigger_bus(instinct_fabric_bus_port(&dev->fabric, attempt->policy->bus_port),
				  &attempt->why);
	}
	phase_end(attempt, INSTINCT_VFIO_PHASE_TRIGGER);
	attempt->triggers += !ret;
	return ret;
}

/*
 * May the device, which answers, hold the mark still? It was not reset since, then. That it did
 * not answer meanwhile proves nothing, nor does anything else that a read may be answered with.
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
	while (tries--) {
		pci_write_config_byte(pdev, PCI_CACHE_LINE_SIZE, attempt->mark);
		pci_read_config_byte(pdev, PCI_CACHE_LINE_SIZE, &now);
		if (now == attempt->mark)
			return 0;
		usleep_range(MARK_PAUSE_US, 2 * MARK_PAUSE_US);
	}
	attempt->why = "Cache Line Size does not hold what is written, so nobody could tell whether it was reset";
	return -EIO;
}

/*
 * Until the device has shown life, or the deadline has passed. A device can
 * answer and go into its reset only then, and a switch can hide that: what it
 * may have lost is written back again.
 */
static int attempt_wait(struct instinct_attempt *attempt)
{
	u64 began = ktime_get_ns(), next = PROGRESS_FIRST, passed, restored = 0;
	bool open = false, retrained = false, holds = true;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command;
	int done = 0;

	for (;;) {
		passed = ktime_get_ns() - began;
		if (!instinct_attempt_reach(dev)) {
			open = false;
			if (dev->reconcile.config == &dev->config)
				instinct_reconcile_forget(dev);
			/* Once: a link that has not come up by itself. */
			if (!retrained && passed >= RETRAIN_AFTER &&
			    !instinct_fabric_link_up(&dev->fabric)) {
				retrained = true;
				pci_warn(dev->pdev, "the link above is down, retraining it\n");
				instinct_fabric_retrain(&dev->fabric);
			}
		} else if (attempt_marked(attempt)) {
			/*
			 * What starts a reset is a config write too: a switch may have it
			 * still, or have swallowed it.
			 */
			if (!attempt->cleared && passed > attempt->triggers * TRIGGER_AGAIN &&
			    attempt->triggers < TRIGGERS_MAX)
				attempt_trigger(attempt);
		} else {
			if (!open || (holds && passed - restored > REWRITE_AFTER)) {
				attempt_restore(attempt);
				restored = passed;
				open = true;
			}
			holds = instinct_reconcile_step(dev, &dev->config);
			phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
			if (holds && instinct_registers_alive(&dev->regs))
				done = attempt->method != INSTINCT_VFIO_METHOD_MODE1 ? 1 :
				       instinct_mailbox_mode1_done(&dev->mailbox, &attempt->why);
			phase_end(attempt, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		if (attempt_blocked(attempt) || done || passed > attempt->limit)
			break;
		attempt_progress(attempt, passed, &next, open);
		poll_sleep(passed);
	}
	*command = was;
	if (open)
		instinct_registers_close(&dev->regs, was);
	if (attempt->blocked)
		return -ETIMEDOUT;
	if (!done) {
		attempt->why = attempt->mark && instinct_endpoint_answers(dev->pdev) ?
			"the device was not reset: it holds what it held before" :
			"the device did not come back in time";
		return -ETIMEDOUT;
	}
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
 * instinct_attempt_await() - wait for a device that somebody else has reset
 * @attempt: its @keep is to be written back; no method of it was tried yet
 * @limit: how long, ns
 *
 * It may not come back: who then tries to reset it finds out why.
 *
 * Context: may sleep, up to @limit; under the device's reset_lock.
 */
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit)
{
	attempt_begin(attempt, limit);
	attempt_wait(attempt);
	attempt->blocked = false;
	attempt->why = "";
}

/*
 * Bus mastering is off, and registers can be reached by who needs them, before anything
 * is reset.
 */
static int attempt_set_command(struct instinct_attempt *attempt)
{
	u32 decode = attempt->method == INSTINCT_VFIO_METHOD_MODE1 ? PCI_COMMAND_MEMORY : 0;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command;
	u64 began = ktime_get_ns(), passed = 0;

	if (decode)
		instinct_registers_open(&dev->regs);
	*command = (was & ~PCI_COMMAND_MASTER) | decode;
	while (!instinct_reconcile_step(dev, &dev->config) && !attempt_blocked(attempt) &&
	       passed <= attempt->limit) {
		poll_sleep(passed);
		passed = ktime_get_ns() - began;
	}
	*command = was;
	if (!attempt->blocked && passed <= attempt->limit)
		return 0;
	if (!attempt->blocked)
		attempt->why = "the device stopped answering before it was reset";
	return -ETIMEDOUT;
}

static int attempt_prepare(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	u16 command;
	int ret;

	instinct_endpoint_quiesce(dev->pdev);
	instinct_fabric_keep(&dev->fabric);
	ret = attempt_set_command(attempt);
	if (!ret && attempt->method == INSTINCT_VFIO_METHOD_MODE1) {
		command = instinct_registers_open(&dev->regs);
		ret = instinct_mailbox_test(&dev->mailbox, &attempt->why);
		instinct_registers_close(&dev->regs, command);
	}
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	return ret;
}

/*
 * All that may take its time or fail comes before the members of a hive go on together, or
 * none of them does: who is not ready yet keeps the others waiting, and after it there is
 * only the trigger.
 *
 * An SMU answers whether it has reset the device. An FLR or a secondary bus reset does not,
 * so a mark is left in the function.
 */
static int attempt_arm(struct instinct_attempt *attempt, struct instinct_hive *hive)
{
	struct instinct_device *dev = attempt->dev;
	int ret = 0;

	if (attempt->method == INSTINCT_VFIO_METHOD_FLR ||
	    attempt->method == INSTINCT_VFIO_METHOD_BUS)
		ret = attempt_mark(attempt);
	if (!ret && hive) {
		ret = instinct_hive_sync(hive, dev->attempt_why);
		if (ret)
			attempt->why = dev->attempt_why;
	}
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	return ret;
}

/**
 * instinct_attempt_run() - try to reset a device with one method
 * @attempt: the attempt
 * @hive: reset of the hive that it is part of, or NULL
 *
 * Context: may sleep, up to policy's ready_timeout; under the device's
 * reset_lock; nobody else reaches the config space.
 *
 * Return: 0, or a negative errno with @attempt->why set; -ECANCELED if the
 * hive did not come together, and then nothing has happened.
 */
int instinct_attempt_run(struct instinct_attempt *attempt, struct instinct_hive *hive)
{
	struct instinct_device *dev = attempt->dev;
	struct instinct_containment containment;
	int ret;

	attempt_begin(attempt, (u64)attempt->policy->ready_timeout * NSEC_PER_MSEC);
	ret = attempt_prepare(attempt);
	if (ret)
		return ret;

	instinct_containment_begin(&containment, dev, attempt->method);
	ret = attempt_arm(attempt, hive) ?: attempt_trigger(attempt);
	if (!ret) {
		attempt->triggered = true;
		spin_lock(&dev->status_lock);
		dev->status.resets.hardware += instinct_plan_scrubs(attempt->method);
		spin_unlock(&dev->status_lock);
		instinct_attempt_reach(dev);
		phase_end(attempt, INSTINCT_VFIO_PHASE_PATH);
		ret = attempt_wait(attempt);
	}
	instinct_containment_end(&containment);
	return ret;
}
