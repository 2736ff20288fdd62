// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "attempt.h"
#include "endpoint.h"
#include "errand.h"
#include "hive.h"
#include "isolation.h"
#include "name.h"
#include "owner.h"
#include "plan.h"
#include "rescan.h"
#include "reset.h"
#include "tenure.h"

#define ALIVE_FOR	(1 * NSEC_PER_SEC)

/**
 * struct instinct_run - a reset under way
 * @dev: device
 * @reset: what was asked
 * @began: when, ktime_get_ns()
 * @before: status before it
 * @ask: what that means for whose data the device holds
 * @attempt: the current one
 */
struct instinct_run {
	struct instinct_device *dev;
	struct instinct_reset *reset;
	u64 began;
	struct instinct_status before;
	struct instinct_tenure_ask ask;
	struct instinct_attempt attempt;
};

/**
 * run_tell() - tell of a reset, with what its phases took until now
 * @run: the reset
 * @kind: of the event
 * @error: negative errno, or 0
 * @why: reason, for people; empty if there is none
 *
 * Context: under the device's reset_lock.
 */
static void run_tell(struct instinct_run *run, enum instinct_vfio_event kind,
		     int error, const char *why)
{
	struct instinct_event event = run->attempt.event;

	event.kind = kind;
	event.cause = run->reset->cause;
	event.method = run->attempt.method;
	event.error = -error;
	if (kind == INSTINCT_VFIO_EVENT_RESET_FAILED)
		event.duration = ktime_get_ns() - run->began;
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_device_emit(run->dev, &event);
}

/**
 * find_mailbox() - find out where the mailbox is
 * @dev: device
 * @by_policy: its offset in the registers, in bytes, or 0
 *
 * By policy, or by the table, which is read once.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: NULL if it is known now, or the reason, for people.
 */
static const char *find_mailbox(struct instinct_device *dev, u32 by_policy)
{
	bool known = by_policy || dev->mailbox.discovered;
	const char *why = NULL;
	u16 command;

	lockdep_assert_held(&dev->reset_lock);
	/* The table lies in memory that a user can write to. */
	if (!known && READ_ONCE(dev->status.tenure.used))
		return "its IP discovery table could be its last user's (policy: mailbox)";
	if (!known) {
		command = instinct_registers_open(&dev->regs);
		if (!instinct_registers_alive(&dev->regs))
			why = "the device shows no sign of life";
		else
			instinct_mailbox_find(&dev->mailbox, &why);
		instinct_registers_close(&dev->regs, command);
	}
	if (!why)
		WRITE_ONCE(dev->mailbox.base, by_policy ? by_policy / 4 : dev->mailbox.discovered);
	return why;
}

static enum instinct_vfio_method plan_make(struct instinct_device *dev,
					   const struct instinct_status *status,
					   struct instinct_plan *plan)
{
	struct instinct_plan_facts facts = {
		.wanted = status->policy.method,
		.family = dev->profile->family,
		.lost_by = status->lost_by,
		.mailbox = status->policy.mailbox || READ_ONCE(dev->mailbox.discovered),
		.package = instinct_fabric_has_package(&dev->fabric),
		.flr = dev->pdev->devcap & PCI_EXP_DEVCAP_FLR,
	};

	return instinct_plan_make(&facts, plan);
}

/**
 * instinct_reset_plan() - what a reset would try
 * @dev: device
 * @wanted: method, AUTO for what policy says
 * @plan: set
 *
 * Touches no hardware, and says nothing of the other GPUs of a hive.
 */
void instinct_reset_plan(struct instinct_device *dev, enum instinct_vfio_method wanted,
			 struct instinct_plan *plan)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	status.policy.method = wanted ?: status.policy.method;
	plan_make(dev, &status, plan);
}

/* One rung of the ladder. */
static int try_rung(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_hive *hive = run->reset->hive;
	struct instinct_device *dev = run->dev;
	bool alive;
	int ret;

	if (!hive && instinct_hive_wide(attempt->policy->scope, attempt->method))
		hive = instinct_hive_begin(dev, run->reset, attempt->method, &attempt->why);
	ret = PTR_ERR_OR_ZERO(hive);
	if (!ret)
		ret = instinct_attempt_run(attempt, hive);
	if (!IS_ERR_OR_NULL(hive) && !run->reset->hive)
		instinct_hive_end(hive, attempt->why);
	if (!ret)
		return 0;

	instinct_reconcile_forget(dev);
	alive = !attempt->blocked && instinct_attempt_alive(dev);
	/* The method has taken the device with it. */
	if (!alive && attempt->triggers && instinct_plan_scrubs(attempt->method)) {
		spin_lock(&dev->status_lock);
		dev->status.lost_by |= BIT(attempt->method);
		spin_unlock(&dev->status_lock);
	}
	pci_warn(dev->pdev, "reset by %s for %s failed (%d): %s\n",
		 instinct_name_method(attempt->method), instinct_name_cause(run->reset->cause),
		 ret, attempt->why);
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, attempt->why);
	if (alive)
		instinct_attempt_write_back(attempt);
	return ret;
}

/**
 * run_methods() - try the methods of the plan until one has worked
 * @run: the reset; its attempt is the last one tried
 *
 * Context: may sleep, for as long as policy gives each method; under the device's
 * reset_lock, with its config space held.
 *
 * Return: 0, or what the last method failed with; -EOPNOTSUPP if none may be tried.
 */
static int run_methods(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	const char *mailbox_why = find_mailbox(dev, attempt->policy->mailbox);
	int ret = -EOPNOTSUPP;
	struct instinct_plan plan;
	unsigned int i;

	plan_make(dev, &run->before, &plan);
	for (i = 0; i < plan.steps; i++) {
		const struct instinct_plan_step *step = &plan.step[i];

		if (step->refusal) {
			pci_info(dev->pdev, "%s%s%s\n", step->refusal,
				 mailbox_why ? ": " : "", mailbox_why ?: "");
			continue;
		}
		/* What cannot be written back cannot be so without a reset. */
		if (attempt->blocked && !instinct_plan_scrubs(step->method))
			break;
		attempt->method = step->method;
		ret = try_rung(run);
		if (!ret || (ret == -ECANCELED && run->reset->hive))
			break;
	}
	if (attempt->method == INSTINCT_VFIO_METHOD_AUTO) {
		attempt->why = plan.step[0].refusal;
		run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, attempt->why);
	}
	return ret;
}

/* After an error the device may have just been reset, and takes its time. */
static bool run_reach(struct instinct_run *run)
{
	const struct instinct_policy *policy = run->attempt.policy;
	u64 ready = (u64)policy->ready_timeout * NSEC_PER_MSEC;
	u64 land = (u64)policy->config_timeout * NSEC_PER_MSEC;

	if (run->reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_attempt_await(&run->attempt, ready);
	if (instinct_attempt_reach(run->dev))
		return true;
	/* A switch may answer for ports that have lost their bus numbers. */
	instinct_fabric_restore(&run->dev->fabric);
	return instinct_attempt_reach_in_time(run->dev, max(ready, land));
}

/* What is to be written back: without bus mastering, if nobody has the device. */
static struct pci_saved_state *run_keep(struct instinct_run *run)
{
	bool held = instinct_owner_session(&run->before) == INSTINCT_OWNER_USER;
	struct instinct_device *dev = run->dev;
	struct pci_saved_state *state;

	if (!held)
		pci_clear_master(dev->pdev);
	state = instinct_config_keep(&dev->config);
	if (!held)
		*instinct_config_command(&dev->config) &= ~PCI_COMMAND_MASTER;
	return state;
}

static int run_reset(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	int ret;

	attempt->keep = dev->config.baseline;
	instinct_reconcile_forget(dev);
	if (!run_reach(run)) {
		attempt->blocked = dev->reconcile.failed;
		attempt->why = dev->reconcile.failed ? dev->reconcile.why :
			instinct_fabric_intact(&dev->fabric) ?
			"the device does not answer config reads, though the path to it is restored" :
			"the device does not answer config reads, and the path to it cannot be restored";
		run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, -EIO, attempt->why);
		pci_err(dev->pdev, "cannot be reset: %s\n", attempt->why);
		return -EIO;
	}
	/* Out of reach until now, see instinct_power_wake(). */
	instinct_power_restore(dev->pdev);
	/* The config state of now is worth keeping, but for a loss or a reset that was not ours. */
	if (run->before.state == INSTINCT_VFIO_STATE_READY &&
	    run->reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY &&
	    instinct_config_intact(&dev->config)) {
		attempt->keep = run_keep(run) ?: dev->config.baseline;
	} else {
		instinct_config_use_base(&dev->config);
		/* The registers of a lost one may be behind empty BARs, or it may live. */
		instinct_attempt_await(attempt, ALIVE_FOR);
	}
	ret = run_methods(run);
	if (ret)
		return ret;
	if (instinct_reconcile_wait(dev, true)) {
		attempt->why = dev->reconcile.failed ? dev->reconcile.why :
						       "the device stopped answering after its reset";
		attempt->blocked = true;
		return -ETIMEDOUT;
	}
	if (!dev->config.baseline)
		instinct_config_set_base(&dev->config);
	/* A reset that scrubs nothing is no reset, unless it was asked for by its name. */
	if (instinct_plan_scrubs(attempt->method) ||
	    attempt->policy->method == INSTINCT_VFIO_METHOD_QUIESCE)
		return 0;
	attempt->why = "it could only be quiesced, which scrubs nothing (policy: method = quiesce accepts that)";
	pci_err(dev->pdev, "not reset for %s: %s\n",
		instinct_name_cause(run->reset->cause), attempt->why);
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, -EOPNOTSUPP, attempt->why);
	return -EOPNOTSUPP;
}

static void run_account(struct instinct_run *run, const struct instinct_tenure_done *done,
			enum instinct_vfio_state state)
{
	struct instinct_device *dev = run->dev;
	unsigned long clean;

	run->ask.touched = READ_ONCE(dev->touched);
	spin_lock(&dev->status_lock);
	if (done->error || state == INSTINCT_VFIO_STATE_LOST)
		dev->status.resets.failed++;
	else if (!instinct_plan_scrubs(done->method))
		dev->status.resets.quiesced++;
	if (!done->error && state == INSTINCT_VFIO_STATE_READY)
		dev->status.rescanned = false;
	clean = instinct_tenure_account(&dev->status.tenure, &run->ask, done, state);
	spin_unlock(&dev->status_lock);
	set_mask_bits(&dev->touched, clean, 0);
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
	enum instinct_vfio_state before = run->before.state, state;
	struct instinct_device *dev = run->dev;
	const char *why;

	run->attempt.event.duration = run->reset->duration;
	state = instinct_tenure_outcome(&run->before.tenure, &run->ask, &done, &why);
	if (state == INSTINCT_VFIO_STATE_LOST && run->attempt.blocked)
		why = run->attempt.why;
	run_account(run, &done, state);

	if (state != INSTINCT_VFIO_STATE_LOST)
		instinct_device_identify(dev);
	instinct_isolation_settle(dev, state == INSTINCT_VFIO_STATE_LOST);
	instinct_device_set_state(dev, state, why);
	if (!error) {
		pci_info(dev->pdev, "reset by %s for %s took %llu ms\n",
			 instinct_name_method(run->attempt.method),
			 instinct_name_cause(run->reset->cause),
			 div_u64(run->reset->duration, NSEC_PER_MSEC));
		run_tell(run, INSTINCT_VFIO_EVENT_RESET_DONE, 0, why);
	}
	if (state == INSTINCT_VFIO_STATE_LOST && before != state)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_LOST, error, why);
	else if (state == INSTINCT_VFIO_STATE_QUARANTINED && before != state)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED, error, why);
	else if (state != INSTINCT_VFIO_STATE_LOST && before == INSTINCT_VFIO_STATE_LOST)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED, 0, "");
	instinct_rescan_start(dev);
	return state;
}

/*
 * Turning decoding on to look is not free, nor is life lost from one moment to the next
 * without a trace in the config space.
 */
static bool still_alive(struct instinct_device *dev)
{
	if (ktime_get_ns() - dev->alive_at < ALIVE_FOR)
		return instinct_attempt_reach(dev);
	return instinct_attempt_alive(dev);
}

/* How the device is, and what a reset on these terms would mean. */
static void run_look(struct instinct_run *run)
{
	struct instinct_policy *policy = &run->before.policy;
	const struct instinct_terms *terms = &run->reset->terms;
	struct instinct_plan plan;
	u16 command;

	/* Nobody has verified a write that switched decoding off. */
	pci_read_config_word(run->dev->pdev, PCI_COMMAND, &command);
	command |= *instinct_config_command(&run->dev->config);
	instinct_device_status(run->dev, &run->before);
	policy->method = terms->method ?: policy->method;
	policy->ready_timeout = terms->ready_timeout ?: policy->ready_timeout;
	if (terms->elsewhere)
		policy->bus_port = terms->bus_port;
	run->ask = (struct instinct_tenure_ask) {
		.state = run->before.state,
		.cause = run->reset->cause,
		.tenancy = policy->tenancy,
		.open = run->before.user,
		.touched = READ_ONCE(run->dev->touched),
		.decodes = command & PCI_COMMAND_MEMORY,
		.first = plan_make(run->dev, &run->before, &plan),
		.forced = run->reset->forced,
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
	dev->status.tenure.answered &= !run->ask.decodes;
	spin_unlock(&dev->status_lock);
	run->reset->coalesced = true;
	run->attempt.method = run->before.tenure.cleaned_by;
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_COALESCED, 0, "clean since its last reset");
	return true;
}

/* A close that waits for the rest of the hive to be closed too. */
static bool run_postpone(struct instinct_run *run)
{
	struct instinct_device *dev = run->dev;
	const char *why;

	if (run->reset->cause != INSTINCT_VFIO_CAUSE_CLOSE ||
	    run->before.state != INSTINCT_VFIO_STATE_READY ||
	    !instinct_hive_wide(run->attempt.policy->scope, run->ask.first) ||
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

static int run_locked(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	enum instinct_vfio_state state;
	int ret;

	run->began = ktime_get_ns();
	run_look(run);
	if (run->before.life == INSTINCT_LIFE_ABSENT) {
		attempt->why = "the driver has let go of the device";
		return -ENODEV;
	}
	if (run_spare(run)) {
		instinct_link_look(dev);
		return 0;
	}
	if (run_postpone(run))
		return 0;

	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_RESETTING, "");
	instinct_isolation_hold(dev);
	attempt->method = attempt->policy->method;
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_BEGUN, 0, "");
	attempt->method = INSTINCT_VFIO_METHOD_AUTO;
	if (run->reset->held) {
		complete(&run->reset->held->done);
		run->reset->held = NULL;
	}
	ret = run_reset(run);
	run->reset->duration = ktime_get_ns() - run->began;
	state = run_end(run, ret, !ret || (!attempt->blocked && instinct_attempt_alive(dev)));
	if (state != INSTINCT_VFIO_STATE_LOST) {
		instinct_endpoint_thaw(dev->pdev);
		instinct_link_look(dev);
	}
	if (attempt->keep != dev->config.baseline)
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
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset)
{
	struct instinct_run run = {
		.dev = dev,
		.reset = reset,
		.attempt = { .dev = dev, .policy = &run.before.policy, .why = "" },
	};
	int ret;

	if (reset->hive)
		reset->terms = reset->hive->terms;
	if (reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	ret = run_locked(&run);
	/* It may be the device's own text, which the next reset changes. */
	strscpy(reset->why, run.attempt.why, sizeof(reset->why));
	mutex_unlock(&dev->reset_lock);
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
bool instinct_reset_spare(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_reset reset = { .cause = cause };
	struct instinct_run run = {
		.dev = dev,
		.reset = &reset,
		.attempt = { .dev = dev, .policy = &run.before.policy, .why = "" },
	};
	bool spared;

	if (test_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched) || !pci_cfg_access_trylock(dev->pdev))
		return false;
	mutex_lock(&dev->reset_lock);
	run_look(&run);
	spared = run.before.life != INSTINCT_LIFE_ABSENT && run_spare(&run);
	mutex_unlock(&dev->reset_lock);
	pci_cfg_access_unlock(dev->pdev);
	return spared;
}

/**
 * instinct_reset_survey() - take stock of a device the driver has just taken
 * @dev: device, not registered yet
 *
 * Keeps what a reset will need while the device is known good, and finds the
 * mailbox before any tenant could have written to the table that tells where
 * it is. A device that does not answer becomes lost.
 *
 * Context: may sleep; under the device lock.
 */
void instinct_reset_survey(struct instinct_device *dev)
{
	const char *why;

	instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	if (!instinct_fabric_intact(&dev->fabric) || !instinct_endpoint_answers(dev->pdev)) {
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it was lost before this driver took it");
		goto out;
	}
	instinct_fabric_keep(&dev->fabric);
	instinct_config_set_base(&dev->config);

	if (!instinct_attempt_alive(dev))
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it answers config reads, but its registers show no life");
	else if (dev->status.state == INSTINCT_VFIO_STATE_LOST)
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_READY, "");
	if (dev->status.state != INSTINCT_VFIO_STATE_LOST) {
		instinct_device_identify(dev);
		why = find_mailbox(dev, 0);
		if (why)
			pci_warn(dev->pdev, "mode-1 reset not available: %s\n", why);
	}
out:
	mutex_unlock(&dev->reset_lock);
}
