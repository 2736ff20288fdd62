// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>

#include "attempt.h"
#include "containment.h"
#include "endpoint.h"
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

/**
 * instinct_attempt_reach() - bring the path back where it is broken
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: false if the function does not answer config reads.
 */
bool instinct_attempt_reach(struct instinct_device *dev)
{
	if (!instinct_fabric_intact(&dev->fabric))
		instinct_fabric_restore(&dev->fabric);
	return instinct_endpoint_answers(dev->pdev);
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

/* Write the config space back, and leave memory decoding on to look for life. */
static void attempt_restore(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	phase_end(attempt, INSTINCT_VFIO_PHASE_READY);
	instinct_endpoint_restore(dev->pdev, attempt->keep);
	attempt->command = instinct_registers_open(&dev->regs);
	phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
}

/* What a device that is not back yet lacks. */
static const char *attempt_missing(struct instinct_attempt *attempt, bool open)
{
	struct instinct_device *dev = attempt->dev;

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
	pci_info(attempt->dev->pdev, "not back %llu ms after %s%s: %s; waiting up to %u ms\n",
		 div_u64(passed, NSEC_PER_MSEC),
		 ours ? "reset by " : "an error",
		 ours ? instinct_name_method(method) : "",
		 attempt_missing(attempt, open), attempt->policy.ready_timeout);
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

/*
 * Until the device has shown life, or the deadline has passed. A device can
 * answer and go into its reset only then, and a switch can hide that: what it
 * may have lost is written back again.
 */
static int attempt_wait(struct instinct_attempt *attempt)
{
	u64 limit = (u64)attempt->policy.ready_timeout * NSEC_PER_MSEC;
	u64 began = ktime_get_ns(), next = PROGRESS_FIRST, passed, restored = 0;
	struct instinct_device *dev = attempt->dev;
	bool open = false, retrained = false;
	int done = 0;

	for (;;) {
		passed = ktime_get_ns() - began;
		if (!instinct_attempt_reach(dev)) {
			open = false;
			attempt_retrain(attempt, passed, &retrained);
		} else {
			if (!open || passed - restored > REWRITE_AFTER) {
				attempt_restore(attempt);
				restored = passed;
				open = true;
			}
			done = instinct_method_done(dev, attempt->method,
						    &attempt->why);
			phase_end(attempt, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		if (done || passed > limit)
			break;
		attempt_progress(attempt, passed, &next, open);
		poll_sleep(passed);
	}
	if (open)
		instinct_registers_close(&dev->regs, attempt->command);
	if (!done) {
		attempt->why = "the device did not come back in time";
		return -ETIMEDOUT;
	}
	if (done > 0)
		dev->alive_at = ktime_get_ns();
	return min(done, 0);
}

/**
 * instinct_attempt_await() - wait for a device that somebody else has reset
 * @attempt: its @keep is to be written back; no method of it was tried yet
 *
 * Context: may sleep, up to policy's ready_timeout; under the device's
 * reset_lock.
 *
 * Return: 0 once it shows life, -ETIMEDOUT with @attempt->why set.
 */
int instinct_attempt_await(struct instinct_attempt *attempt)
{
	attempt->method = INSTINCT_VFIO_METHOD_AUTO;
	attempt->phase_began = ktime_get_ns();
	return attempt_wait(attempt);
}

/* The members of a hive go on together from here, or none of them does. */
static int attempt_prepare(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	int ret;

	instinct_endpoint_quiesce(dev->pdev);
	instinct_fabric_keep(&dev->fabric);
	ret = instinct_method_prepare(dev, attempt->method, &attempt->why);
	if (!ret && attempt->hive)
		ret = instinct_hive_sync(attempt->hive, &attempt->why);
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
	attempt->phase_began = ktime_get_ns();

	ret = attempt_prepare(attempt);
	if (ret)
		return ret;

	instinct_containment_begin(&containment, dev, attempt->method);
	ret = instinct_method_trigger(dev, attempt->method,
				      attempt->policy.bus_port, &attempt->why);
	phase_end(attempt, INSTINCT_VFIO_PHASE_TRIGGER);
	if (!ret) {
		attempt_count(attempt);
		instinct_attempt_reach(dev);
		phase_end(attempt, INSTINCT_VFIO_PHASE_PATH);
		ret = attempt_wait(attempt);
	}
	instinct_containment_end(&containment);
	return ret;
}
