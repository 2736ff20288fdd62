// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "endpoint.h"
#include "errand.h"
#include "guards.h"
#include "hive.h"
#include "isolation.h"
#include "ladder.h"
#include "link.h"
#include "name.h"
#include "plan.h"
#include "power.h"
#include "rescan.h"
#include "run.h"

#define ALIVE_FOR	(1 * NSEC_PER_SEC)

static bool run_is_guarded(const struct instinct_run *run)
{
	return run->attempt.policy->guard == INSTINCT_VFIO_GUARD_ON;
}

/*
 * Is the config state of now worth keeping? Not after a loss, nor after a reset
 * that was not ours, nor when the guard is on again, unless a user has it as it is.
 */
static bool run_is_good(struct instinct_run *run)
{
	if (run->dev->unproven && run->dev->baseline && run_is_guarded(run) &&
	    !run->before.open)
		return false;
	return run->before.state == INSTINCT_VFIO_STATE_READY &&
	       run->reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY &&
	       instinct_endpoint_intact(run->dev->pdev);
}

/* Who recovers from an error may find a device that has just been reset. */
static bool run_reach(struct instinct_run *run)
{
	const struct instinct_policy *policy = run->attempt.policy;
	u64 ready = (u64)policy->ready_timeout * NSEC_PER_MSEC;
	u64 land = (u64)policy->guard_timeout * NSEC_PER_MSEC;

	if (run->reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_attempt_await(&run->attempt, ready);
	return instinct_attempt_reach_in_time(run->dev, max(ready, land));
}

/* The registers of a lost one may be behind empty BARs, or it may live. */
static void run_revive(struct instinct_run *run)
{
	instinct_attempt_await(&run->attempt, ALIVE_FOR);
	run->attempt.blocked = false;
	run->attempt.why = "";
}

static int run_reset(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	bool good;
	int ret;

	attempt->keep = dev->baseline;
	if (!run_reach(run)) {
		attempt->why = instinct_fabric_intact(&dev->fabric) ?
			"the device does not answer config reads, though the path to it is restored" :
			"the device does not answer config reads, and the path to it cannot be restored";
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, -EIO,
				  attempt->why);
		pci_err(dev->pdev, "cannot be reset: %s\n", attempt->why);
		return -EIO;
	}
	/* Out of reach until now, see instinct_power_wake(). */
	instinct_power_restore(dev->pdev);
	good = run_is_good(run);
	if (good)
		attempt->keep = instinct_endpoint_keep(dev->pdev) ?: dev->baseline;
	else
		run_revive(run);
	ret = instinct_ladder_climb(run);
	if (!ret && !run_is_guarded(run))
		dev->unproven = true;
	else if (!ret && !run->before.open)
		dev->unproven = false;
	if (!ret && !dev->baseline)
		dev->baseline = instinct_endpoint_keep(dev->pdev);
	return ret;
}

static void run_begin(struct instinct_run *run)
{
	struct instinct_device *dev = run->dev;

	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_RESETTING, "");
	instinct_isolation_hold(dev);
	if (run->before.state == INSTINCT_VFIO_STATE_LOST)
		instinct_guards_suspend(dev);
	run->attempt.method = run->reset->wanted ?: run->attempt.policy->method;
	instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_BEGUN, 0, "");
	run->attempt.method = INSTINCT_VFIO_METHOD_AUTO;
	if (run->reset->held) {
		complete(&run->reset->held->done);
		run->reset->held = NULL;
	}
}

static void run_account(struct instinct_run *run, const struct instinct_tenure_done *done,
			enum instinct_vfio_state state)
{
	struct instinct_device *dev = run->dev;
	unsigned long clean;
	unsigned int bit;

	run->ask.touched = READ_ONCE(dev->touched);
	spin_lock(&dev->status_lock);
	if (done->error || state == INSTINCT_VFIO_STATE_LOST)
		dev->status.resets.failed++;
	else if (!instinct_plan_scrubs(done->method))
		dev->status.resets.quiesced++;
	if (!done->error && state == INSTINCT_VFIO_STATE_READY)
		dev->status.rescanned = false;
	instinct_tenure_account(&dev->status.tenure, &run->ask, done);
	spin_unlock(&dev->status_lock);

	clean = instinct_tenure_untouches(&run->ask, done, state);
	for_each_set_bit(bit, &clean, BITS_PER_LONG)
		clear_bit(bit, &dev->touched);
}

static void run_tell_state(struct instinct_run *run, enum instinct_vfio_state state,
			   int error, const char *why)
{
	enum instinct_vfio_state before = run->before.state;

	if (state == INSTINCT_VFIO_STATE_LOST && before != state)
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_LOST, error, why);
	else if (state == INSTINCT_VFIO_STATE_QUARANTINED && before != state)
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED, error, why);
	else if (state != INSTINCT_VFIO_STATE_LOST &&
		 before == INSTINCT_VFIO_STATE_LOST)
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED, 0, "");
}

/* Settle what the device is now, and tell. */
static enum instinct_vfio_state run_end(struct instinct_run *run, int error, bool alive)
{
	const struct instinct_tenure_done done = {
		.error = error,
		.method = run->attempt.method,
		.triggered = run->attempt.triggered,
		.alive = alive,
		.zapped = run->reset->zapped,
	};
	struct instinct_device *dev = run->dev;
	enum instinct_vfio_state state;
	const char *why;

	run->attempt.event.duration = run->reset->duration;
	state = instinct_tenure_outcome(&run->before.tenure, &run->ask, &done, &why);
	if (state == INSTINCT_VFIO_STATE_LOST && run->attempt.blocked)
		why = run->attempt.why;
	run_account(run, &done, state);

	if (state == INSTINCT_VFIO_STATE_LOST)
		instinct_guards_refuse(dev);
	else
		instinct_guards_ready(dev);
	if (state != INSTINCT_VFIO_STATE_LOST)
		instinct_device_identify(dev);
	instinct_isolation_settle(dev, state == INSTINCT_VFIO_STATE_LOST);
	instinct_device_set_state(dev, state, why);
	if (!error) {
		pci_info(dev->pdev, "reset by %s for %s took %llu ms\n",
			 instinct_name_method(run->attempt.method),
			 instinct_name_cause(run->reset->cause),
			 div_u64(run->reset->duration, NSEC_PER_MSEC));
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_DONE, 0, why);
	}
	run_tell_state(run, state, error, why);
	instinct_rescan_start(dev);
	return state;
}

/* The method that would be tried first, without a look at the hardware. */
static noinline_for_stack enum instinct_vfio_method run_first_method(struct instinct_run *run)
{
	struct instinct_plan plan;

	instinct_ladder_plan(run->dev, run->reset->wanted, &plan);
	return plan.ladder.count ? plan.ladder.method[0] :
				   INSTINCT_VFIO_METHOD_AUTO;
}

/* Turning decoding on to look is not free, nor is life lost from one moment to
 * the next without a trace in the config space.
 */
static bool still_alive(struct instinct_device *dev)
{
	if (ktime_get_ns() - dev->alive_at < ALIVE_FOR)
		return instinct_attempt_reach(dev);
	return instinct_attempt_alive(dev);
}

static void run_set_ask(struct instinct_run *run, enum instinct_vfio_method first)
{
	run->ask = (struct instinct_tenure_ask) {
		.state = run->before.state,
		.cause = run->reset->cause,
		.tenancy = run->attempt.policy->tenancy,
		.open = run->before.open,
		.touched = READ_ONCE(run->dev->touched),
		.first = first,
		.forced = run->reset->forced,
		.unproven = run->dev->unproven && run_is_guarded(run),
	};
}

/* Clean, and alive too? Then nothing needs to be done. */
static bool run_spare(struct instinct_run *run)
{
	struct instinct_device *dev = run->dev;

	if (!instinct_tenure_spares(&run->before.tenure, &run->ask) || !still_alive(dev))
		return false;
	spin_lock(&dev->status_lock);
	dev->status.resets.coalesced++;
	spin_unlock(&dev->status_lock);
	run->reset->coalesced = true;
	run->attempt.method = run->before.tenure.cleaned_by;
	instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_COALESCED, 0,
			  "clean since its last reset");
	return true;
}

/* A close that waits for the rest of the hive to be closed too. */
static bool run_postpone(struct instinct_run *run, enum instinct_vfio_method first)
{
	struct instinct_device *dev = run->dev;
	const char *why;

	if (run->reset->cause != INSTINCT_VFIO_CAUSE_CLOSE ||
	    run->before.state != INSTINCT_VFIO_STATE_READY ||
	    !instinct_hive_wide(run->attempt.policy->scope, first) ||
	    instinct_hive_verdict(dev, run->reset->cause, run->reset->requester,
				  &why) != INSTINCT_HIVE_LATER)
		return false;
	spin_lock(&dev->status_lock);
	instinct_tenure_owe(&dev->status.tenure);
	strscpy(dev->status.reason, why, sizeof(dev->status.reason));
	spin_unlock(&dev->status_lock);
	pci_dbg(dev->pdev, "reset postponed: %s\n", why);
	return true;
}

/* Policy as it is, but for what is asked of this one reset. */
static const struct instinct_policy *run_policy(struct instinct_run *run)
{
	struct instinct_policy *policy = &run->before.policy;
	const struct instinct_reset *reset = run->reset;

	if (reset->ready_timeout)
		policy->ready_timeout = reset->ready_timeout;
	if (reset->elsewhere)
		policy->bus_port = reset->bus_port;
	return policy;
}

static int run_locked(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	enum instinct_vfio_method first;
	enum instinct_vfio_state state;
	int ret;

	run->began = ktime_get_ns();
	instinct_device_status(dev, &run->before);
	if (run->before.gone) {
		attempt->why = "the driver has let go of the device";
		return -ENODEV;
	}
	attempt->policy = run_policy(run);
	first = run_first_method(run);
	run_set_ask(run, first);
	if (run_spare(run)) {
		instinct_link_look(dev);
		return 0;
	}
	if (run_postpone(run, first))
		return 0;

	run_begin(run);
	ret = run_reset(run);
	run->reset->duration = ktime_get_ns() - run->began;
	state = run_end(run, ret, !ret || (!attempt->blocked &&
					   instinct_attempt_alive(dev)));
	if (state != INSTINCT_VFIO_STATE_LOST) {
		instinct_endpoint_thaw(dev->pdev);
		instinct_link_look(dev);
	}
	if (attempt->keep != dev->baseline)
		kfree(attempt->keep);
	/* Reset, but not fit for a new user. */
	if (!ret && state != INSTINCT_VFIO_STATE_READY &&
	    run->reset->cause == INSTINCT_VFIO_CAUSE_OPEN) {
		attempt->why = "it was not scrubbed after its last user";
		ret = -EACCES;
	}
	return ret;
}

/**
 * instinct_reset_run() - reset a device, if it needs to be
 * @dev: device
 * @reset: what is asked; the outcome is set
 *
 * Context: may sleep, up to policy's ready_timeout for each method tried; the
 * caller holds pci_cfg_access_lock(), so no user reaches the config space, and
 * a reference of runtime PM. Takes @dev->reset_lock.
 *
 * Return: 0 if the device was reset and shows life, or was clean; -ENODEV,
 * -EOPNOTSUPP, -ETIMEDOUT or another negative errno with @reset->why set.
 */
int instinct_reset_run(struct instinct_device *dev,
		       struct instinct_reset *reset)
{
	struct instinct_run run = {
		.dev = dev,
		.reset = reset,
		.attempt = { .dev = dev, .why = "" },
	};
	int ret;

	if (reset->hive)
		instinct_hive_adopt(reset->hive, reset);
	instinct_guards_check(dev);
	instinct_guard_own_begin(dev->guard);
	if (reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	ret = run_locked(&run);
	/* It may be the device's own text, which the next reset changes. */
	strscpy(reset->why, run.attempt.why, sizeof(reset->why));
	mutex_unlock(&dev->reset_lock);
	instinct_guard_own_end(dev->guard);
	reset->method = run.attempt.method;
	return ret;
}

/**
 * instinct_reset_spare() - a reset that a clean device does not need
 * @dev: device
 * @cause: who asks
 *
 * The short way for a user who resets what is clean: he and his mappings are
 * not held off, since nothing is done. What he does at the same time counts as
 * done after it.
 *
 * Context: may sleep.
 *
 * Return: true if the reset is spared, and counted; false if it may be needed.
 */
bool instinct_reset_spare(struct instinct_device *dev,
			  enum instinct_vfio_cause cause)
{
	struct instinct_reset reset = { .cause = cause };
	struct instinct_run run = {
		.dev = dev,
		.reset = &reset,
		.attempt = { .dev = dev, .why = "" },
	};
	bool spared;

	if (test_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched) ||
	    !pci_cfg_access_trylock(dev->pdev))
		return false;
	mutex_lock(&dev->reset_lock);
	instinct_guard_own_begin(dev->guard);
	instinct_device_status(dev, &run.before);
	run.attempt.policy = &run.before.policy;
	run_set_ask(&run, run_first_method(&run));
	spared = !run.before.gone && run_spare(&run);
	instinct_guard_own_end(dev->guard);
	mutex_unlock(&dev->reset_lock);
	pci_cfg_access_unlock(dev->pdev);
	return spared;
}

/**
 * instinct_reset_survey() - take stock of a device the driver has just taken
 * @dev: device, not registered yet; its guard is attached
 *
 * Keeps what a reset will need while the device is known good, and finds the
 * mailbox before any tenant could have written to the table that tells where
 * it is. A device that does not answer becomes lost.
 *
 * Context: may sleep; under the device lock.
 */
void instinct_reset_survey(struct instinct_device *dev)
{
	const char *why = NULL;

	instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	if (!instinct_fabric_intact(&dev->fabric) ||
	    !instinct_endpoint_answers(dev->pdev)) {
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it was lost before this driver took it");
		goto out;
	}
	instinct_fabric_keep(&dev->fabric);
	dev->baseline = instinct_endpoint_keep(dev->pdev);

	if (!instinct_attempt_alive(dev))
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it answers config reads, but its registers show no life");
	else if (dev->status.state == INSTINCT_VFIO_STATE_LOST)
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_READY, "");
	if (dev->status.state != INSTINCT_VFIO_STATE_LOST) {
		instinct_device_identify(dev);
		instinct_guards_survey(dev);
		if (!instinct_ladder_find_mailbox(dev, 0, &why))
			pci_warn(dev->pdev, "mode-1 reset not available: %s\n", why);
	}
out:
	if (dev->status.state == INSTINCT_VFIO_STATE_LOST)
		instinct_guards_refuse(dev);
	mutex_unlock(&dev->reset_lock);
}
