// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>

#include "attempt.h"
#include "containment.h"
#include "endpoint.h"
#include "guards.h"
#include "hive.h"
#include "method.h"
#include "name.h"
#include "plan.h"

#define POLL_MIN_US	1000
#define POLL_MAX_US	20000
/* Poll at a two-hundredth of what has passed: 0.5 % too late at most. */
#define POLL_SHARE	200
#define PROGRESS_FIRST	(1 * NSEC_PER_SEC)
#define PROGRESS_EVERY	(5 * NSEC_PER_SEC)
/* A reset that was asked for, and of which nothing is to be seen. */
#define TRIGGER_AGAIN	(1 * NSEC_PER_SEC)
#define TRIGGERS_MAX	3
#define REWRITE_AFTER	(100 * NSEC_PER_MSEC)
/* PCIe r6.0 sec 6.6.1: a link may take 1 s to come up by itself. */
#define RETRAIN_AFTER	(1 * NSEC_PER_SEC)

static void phase_end(struct instinct_attempt *attempt,
		      enum instinct_vfio_phase phase)
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

/* A port of the package, written back if it has to be; true once that landed. */
static bool reach_port(struct instinct_port *port)
{
	if (!port)
		return true;
	if (port->guard && instinct_guard_why(port->guard, NULL))
		return false;
	if (!instinct_port_intact(port)) {
		if (port->guard)
			instinct_guard_resume(port->guard);
		instinct_port_restore(port);
	} else if (port->guard) {
		instinct_guard_ready(port->guard);
	}
	return !port->guard ||
	       instinct_guard_push(port->guard) == INSTINCT_KEEPER_DONE;
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
	return reach_port(dev->fabric.swus) && reach_port(dev->fabric.swds) &&
	       instinct_endpoint_answers(dev->pdev);
}

/**
 * instinct_attempt_reach_in_time() - the same, and wait for what is kept
 * @dev: device
 * @limit: how long, ns; a port that is not there keeps what is written to it for ever,
 *	since all of it is written anew each time
 *
 * Context: may sleep, up to @limit; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach_in_time(struct instinct_device *dev, u64 limit)
{
	u64 began = ktime_get_ns(), passed;

	while (!instinct_attempt_reach(dev)) {
		passed = ktime_get_ns() - began;
		if (instinct_guards_why(dev, NULL) || instinct_guards_land(dev) ||
		    passed > limit)
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
	bool force = policy->guard == INSTINCT_VFIO_GUARD_ON &&
		     policy->guard_force == INSTINCT_VFIO_GUARD_ON;

	instinct_guard_forced(dev->guard,
			      instinct_endpoint_restore(dev->pdev, attempt->keep,
							force));
}

/* Write the config space back, and leave memory decoding on to look for life. */
static void attempt_restore(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	phase_end(attempt, INSTINCT_VFIO_PHASE_READY);
	instinct_guard_resume(dev->guard);
	instinct_attempt_write_back(attempt);
	attempt->command = instinct_registers_open(&dev->regs);
	phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
}

/* What a device that is not back yet lacks. */
static const char *attempt_missing(struct instinct_attempt *attempt, bool open)
{
	struct instinct_device *dev = attempt->dev;

	if (instinct_guard_push(dev->guard) == INSTINCT_KEEPER_KEPT)
		return "its config space does not take what is written to it";
	if (!open)
		return instinct_fabric_intact(&dev->fabric) ?
			"its config space does not answer" :
			"the path to it does not hold";
	return instinct_registers_alive(&dev->regs) ?
		"its SMU has not finished" : "its registers show no life";
}

static void attempt_progress(struct instinct_attempt *attempt, u64 passed,
			     u64 *next, bool open)
{
	enum instinct_vfio_method method = attempt->method;
	bool ours = method != INSTINCT_VFIO_METHOD_AUTO;

	if (passed < *next)
		return;
	pci_info(attempt->dev->pdev, "not back %llu ms after %s%s: %s; waiting up to %llu ms\n",
		 div_u64(passed, NSEC_PER_MSEC),
		 ours ? "reset by " : "an error",
		 ours ? instinct_name_method(method) : "",
		 attempt_missing(attempt, open),
		 div_u64(attempt->limit, NSEC_PER_MSEC));
	*next = passed + PROGRESS_EVERY;
}

/* Once: a link that has not come up by itself. */
static void attempt_retrain(struct instinct_attempt *attempt, u64 passed,
			    bool *retrained)
{
	struct instinct_device *dev = attempt->dev;

	if (*retrained || passed < RETRAIN_AFTER ||
	    instinct_fabric_link_up(&dev->fabric))
		return;
	*retrained = true;
	pci_warn(dev->pdev, "the link above is down, retraining it\n");
	instinct_fabric_retrain(&dev->fabric);
}

/* A config write that could not land ends the attempt: it could not end well. */
static bool attempt_blocked(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	if (!instinct_guards_why(dev, dev->attempt_why))
		return false;
	attempt->why = dev->attempt_why;
	attempt->blocked = true;
	return true;
}

/*
 * Until all has landed that was written: DMA is off, errors are contained,
 * registers can be reached.
 */
static int attempt_land(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	u64 began = ktime_get_ns();

	while (!instinct_guards_land(dev) && !attempt_blocked(attempt))
		poll_sleep(ktime_get_ns() - began);
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	return attempt->blocked ? -ETIMEDOUT : 0;
}

static int attempt_trigger(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	int ret;

	instinct_guards_suspend(dev);
	ret = instinct_method_trigger(dev, attempt->method,
				      attempt->policy->bus_port, &attempt->why);
	phase_end(attempt, INSTINCT_VFIO_PHASE_TRIGGER);
	attempt->triggers++;
	return ret;
}

/*
 * Does the device that answers still have the mark, so that it was not reset
 * yet? What starts a reset is a config write too: a switch may have it still, or
 * have swallowed it.
 */
static bool attempt_pending(struct instinct_attempt *attempt, u64 passed)
{
	struct instinct_device *dev = attempt->dev;

	if (!instinct_method_marked(dev, &attempt->mark))
		return false;
	if (passed > attempt->triggers * TRIGGER_AGAIN &&
	    attempt->triggers < TRIGGERS_MAX)
		attempt_trigger(attempt);
	return true;
}

/*
 * Until the device has shown life, or the deadline has passed. A device can
 * answer and go into its reset only then, and a switch can hide that: what it
 * may have lost is written back again.
 */
static int attempt_wait(struct instinct_attempt *attempt)
{
	u64 began = ktime_get_ns(), limit = attempt->limit, next = PROGRESS_FIRST, passed, restored = 0;
	enum instinct_keeper_result landed = INSTINCT_KEEPER_DONE;
	struct instinct_device *dev = attempt->dev;
	bool open = false, retrained = false;
	int done = 0;

	for (;;) {
		passed = ktime_get_ns() - began;
		if (!instinct_attempt_reach(dev)) {
			open = false;
			attempt->mark.set = false;
			attempt_retrain(attempt, passed, &retrained);
		} else if (!attempt_pending(attempt, passed)) {
			if (!open || (landed == INSTINCT_KEEPER_DONE &&
				      passed - restored > REWRITE_AFTER)) {
				attempt_restore(attempt);
				restored = passed;
				open = true;
			}
			landed = instinct_guard_push(dev->guard);
			phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
			if (landed == INSTINCT_KEEPER_DONE)
				done = instinct_method_done(dev, attempt->method,
							    &attempt->why);
			phase_end(attempt, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		if (attempt_blocked(attempt))
			return -ETIMEDOUT;
		if (done || passed > limit)
			break;
		attempt_progress(attempt, passed, &next, open);
		poll_sleep(passed);
	}
	if (open)
		instinct_registers_close(&dev->regs, attempt->command);
	if (!done) {
		attempt->why = attempt->mark.set ?
			"the device was not reset: it holds what it held before" :
			"the device did not come back in time";
		return -ETIMEDOUT;
	}
	if (done > 0)
		dev->alive_at = ktime_get_ns();
	return min(done, 0);
}

/**
 * instinct_attempt_await() - wait for a device that somebody else has reset
 * @attempt: its @keep is to be written back; no method of it was tried yet
 * @limit: how long, ns
 *
 * Context: may sleep, up to @limit; under the device's reset_lock.
 *
 * Return: 0 once it shows life, -ETIMEDOUT with @attempt->why set.
 */
int instinct_attempt_await(struct instinct_attempt *attempt, u64 limit)
{
	attempt->limit = limit;
	attempt->method = INSTINCT_VFIO_METHOD_AUTO;
	attempt->mark.set = false;
	attempt->blocked = false;
	attempt->phase_began = ktime_get_ns();
	return attempt_wait(attempt);
}

static int attempt_sync(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	int ret = instinct_hive_sync(attempt->hive, dev->attempt_why);

	if (ret)
		attempt->why = dev->attempt_why;
	return ret;
}

static int attempt_prepare(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	int ret;

	instinct_endpoint_quiesce(dev->pdev);
	instinct_fabric_keep(&dev->fabric);
	ret = instinct_method_prepare(dev, attempt->method, &attempt->why);
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	return ret;
}

/*
 * All that may take its time or fail comes before the members of a hive go on together, or
 * none of them does: who is not ready yet keeps the others waiting, and after it there is
 * only the trigger.
 */
static int attempt_arm(struct instinct_attempt *attempt)
{
	int ret;

	instinct_method_arm(attempt->dev, attempt->method, &attempt->mark);
	ret = attempt_land(attempt);
	if (!ret && attempt->hive)
		ret = attempt_sync(attempt);
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	return ret;
}

static void attempt_count(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	attempt->fired = true;
	attempt->triggered = true;
	if (!instinct_plan_scrubs(attempt->method))
		return;
	spin_lock(&dev->status_lock);
	dev->status.resets.hardware++;
	spin_unlock(&dev->status_lock);
}

/**
 * instinct_attempt_run() - try to reset a device with one method
 * @attempt: the attempt
 *
 * Context: may sleep, up to policy's ready_timeout; under the device's
 * reset_lock; nobody else reaches the config space.
 *
 * Return: 0, or a negative errno with @attempt->why set; -ECANCELED if the
 * hive did not come together, and then nothing has happened.
 */
int instinct_attempt_run(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	struct instinct_containment containment;
	int ret;

	memset(attempt->event.phase, 0, sizeof(attempt->event.phase));
	attempt->event.phases_passed = 0;
	attempt->fired = false;
	attempt->blocked = false;
	attempt->triggers = 0;
	attempt->limit = (u64)attempt->policy->ready_timeout * NSEC_PER_MSEC;
	attempt->phase_began = ktime_get_ns();

	ret = attempt_prepare(attempt);
	if (ret)
		return ret;

	instinct_containment_begin(&containment, dev, attempt->method);
	ret = attempt_arm(attempt);
	if (ret)
		goto out;
	ret = attempt_trigger(attempt);
	if (!ret) {
		attempt_count(attempt);
		instinct_attempt_reach(dev);
		phase_end(attempt, INSTINCT_VFIO_PHASE_PATH);
		ret = attempt_wait(attempt);
	}
out:
	instinct_containment_end(&containment);
	return ret;
}
