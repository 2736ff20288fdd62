// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "device/owner.h"
#include "device/scrub.h"
#include "isolation/isolation.h"
#include "reset/attempt.h"
#include "reset/hive.h"
#include "reset/plan.h"
#include "reset/reset.h"

#define ALIVE_FOR	(1 * NSEC_PER_SEC)

/**
 * struct reset_context - a reset under way
 * @dev: device
 * @reset: the reset as asked for, and its outcome
 * @began: time when the reset began, ktime_get_ns()
 * @before: status of the device before the reset, with the terms applied to its policy
 * @ask: the same as the input of the scrub rules
 * @attempt: the current attempt
 */
struct reset_context {
	struct instinct_device *dev;
	struct instinct_reset *reset;
	u64 began;
	struct instinct_status before;
	struct instinct_scrub_ask ask;
	struct instinct_attempt attempt;
};

/**
 * reset_tell() - emit an event about a reset, with the times of its phases so far
 * @ctx: the reset
 * @kind: kind of the event
 * @error: negative errno, or 0
 * @why: reason, for the user, or empty
 *
 * Context: under the device's reset_lock.
 */
static void reset_tell(struct reset_context *ctx, enum instinct_vfio_event kind,
		       int error, const char *why)
{
	struct instinct_event event = ctx->attempt.event;

	lockdep_assert_held(&ctx->dev->reset_lock);
	event.kind = kind;
	event.cause = ctx->reset->cause;
	event.method = ctx->attempt.method;
	event.error = -error;
	if (kind == INSTINCT_VFIO_EVENT_RESET_FAILED)
		event.duration = ktime_get_ns() - ctx->began;
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_device_emit(ctx->dev, &event);
}

static enum instinct_vfio_method plan_make(struct instinct_device *dev,
					   const struct instinct_status *status,
					   struct instinct_plan *plan)
{
	struct instinct_plan_facts facts = {
		.wanted = status->policy.method,
		.family = dev->profile->family,
		.lost_by = status->lost_by,
		.mailbox = (status->policy.mailbox || READ_ONCE(dev->mailbox.table.mp1)) &&
			   !READ_ONCE(dev->mailbox.denied),
		.package = instinct_path_has_package(&dev->path),
		.flr = dev->pdev->devcap & PCI_EXP_DEVCAP_FLR,
	};

	return instinct_plan_make(&facts, plan);
}

/**
 * instinct_reset_plan() - make the plan that a reset would follow
 * @dev: device
 * @wanted: method, AUTO for policy's method
 * @plan: set to the plan
 *
 * The function touches no hardware, and does not consider the other GPUs of a hive.
 */
void instinct_reset_plan(struct instinct_device *dev, enum instinct_vfio_method wanted,
			 struct instinct_plan *plan)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	status.policy.method = wanted ?: status.policy.method;
	plan_make(dev, &status, plan);
}

/* Tries one step of the method list, together with the hive if the method concerns it. */
static int reset_step(struct reset_context *ctx)
{
	struct instinct_attempt *attempt = &ctx->attempt;
	struct instinct_hive *hive = ctx->reset->hive;
	struct instinct_device *dev = ctx->dev;
	bool alive;
	int ret;

	if (!hive && instinct_hive_wide(attempt->policy->scope, attempt->method))
		hive = instinct_hive_begin(dev, ctx->reset, attempt->method, dev->attempt_why);
	ret = PTR_ERR_OR_ZERO(hive);
	if (!ret)
		ret = instinct_attempt_run(attempt, hive);
	else
		attempt->why = dev->attempt_why;
	if (!IS_ERR_OR_NULL(hive) && !ctx->reset->hive)
		instinct_hive_end(hive, attempt->why);
	if (!ret)
		return 0;

	instinct_reconcile_forget(dev);
	alive = !attempt->blocked && instinct_attempt_alive(dev);
	/* The method was triggered, and the device is lost since. */
	if (!alive && attempt->triggers && instinct_method_scrubs(attempt->method)) {
		spin_lock(&dev->status_lock);
		dev->status.lost_by |= BIT(attempt->method);
		spin_unlock(&dev->status_lock);
	}
	pci_warn(dev->pdev, "reset by %s for %s failed (%d): %s\n",
		 instinct_name_method(attempt->method), instinct_name_cause(ctx->reset->cause),
		 ret, attempt->why);
	reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, attempt->why);
	if (alive)
		instinct_attempt_write_back(attempt);
	return ret;
}

/**
 * reset_methods() - try the methods of the plan until one works
 * @ctx: the reset; its attempt is set to the last method tried
 *
 * Context: may sleep, as long as policy allows for each method; under the device's
 * reset_lock, with its config space held.
 *
 * Return: 0, or the errno of the last method; -EOPNOTSUPP if the plan refuses all methods.
 */
static int reset_methods(struct reset_context *ctx)
{
	struct instinct_attempt *attempt = &ctx->attempt;
	struct instinct_device *dev = ctx->dev;
	const char *mailbox_why = instinct_inspect_mailbox(dev, attempt->policy->mailbox, !dev->fatal &&
					       ctx->before.state != INSTINCT_VFIO_STATE_LOST);
	int ret = -EOPNOTSUPP;
	struct instinct_plan plan;
	unsigned int i;

	lockdep_assert_held(&dev->reset_lock);
	plan_make(dev, &ctx->before, &plan);
	for (i = 0; i < plan.steps; i++) {
		const struct instinct_plan_step *step = &plan.step[i];

		if (step->refusal) {
			pci_info(dev->pdev, "%s%s%s\n", step->refusal,
				 mailbox_why ? ": " : "", mailbox_why ?: "");
			continue;
		}
		/* Without a hardware reset the blocked register would stay blocked. */
		if (attempt->blocked && !instinct_method_scrubs(step->method))
			break;
		attempt->method = step->method;
		ret = reset_step(ctx);
		if (!ret || (ret == -ECANCELED && ctx->reset->hive))
			break;
	}
	if (attempt->method == INSTINCT_VFIO_METHOD_AUTO) {
		attempt->why = plan.step[0].refusal;
		reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, attempt->why);
	}
	return ret;
}

/* After an error the PCI core may have just reset the device, which then takes its time. */
static bool reset_reach(struct reset_context *ctx)
{
	const struct instinct_policy *policy = ctx->attempt.policy;
	u64 ready = (u64)policy->ready_timeout * NSEC_PER_MSEC;
	u64 verify = (u64)policy->config_timeout * NSEC_PER_MSEC;

	if (ctx->reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_attempt_await(&ctx->attempt, ready);
	if (instinct_attempt_reach(ctx->dev))
		return true;
	/* Ports may have lost their bus numbers while a switch answers in their place. */
	instinct_path_restore(&ctx->dev->path);
	return instinct_attempt_reach_in_time(ctx->dev, max(ready, verify));
}

static int reset_device(struct reset_context *ctx)
{
	struct instinct_attempt *attempt = &ctx->attempt;
	struct instinct_device *dev = ctx->dev;
	int ret;

	dev->link_up_at = ktime_get_ns();
	attempt->keep = dev->config.baseline;
	attempt->held = ctx->before.owner == INSTINCT_OWNER_USER;
	attempt->attached = attempt->held ||
			    ctx->before.owner == INSTINCT_OWNER_OPENING;
	dev->fatal |= ctx->reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY && !dev->woken;
	dev->woken = false;
	instinct_reconcile_forget(dev);
	if (!reset_reach(ctx)) {
		attempt->blocked = dev->reconcile.failed;
		attempt->why = dev->reconcile.failed ? dev->reconcile.why :
			instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why) ?:
			instinct_path_intact(&dev->path) ?
			"the device does not answer config reads, though the path to it is restored" :
			"the device does not answer config reads, and the path to it cannot be restored";
		reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_FAILED, -EIO, attempt->why);
		pci_err(dev->pdev, "cannot be reset: %s\n", attempt->why);
		return -EIO;
	}
	/* instinct_power_wake() may not have reached the device. */
	instinct_power_restore(dev->pdev);
	/* After a loss or a foreign reset, the current config state is not worth keeping. */
	if (ctx->before.state == INSTINCT_VFIO_STATE_READY &&
	    ctx->reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY &&
	    instinct_config_intact(&dev->config)) {
		/* Without a user, the engine writes the state back with bus mastering off. */
		if (!attempt->held)
			pci_clear_master(dev->pdev);
		attempt->keep = instinct_config_keep(&dev->config) ?: dev->config.baseline;
		if (!attempt->held)
			*instinct_config_command(&dev->config) &= ~PCI_COMMAND_MASTER;
	} else {
		instinct_config_use_base(&dev->config);
		/* vfio-pci-core lets a user at the BARs that had decoding on before. */
		if (attempt->held)
			*instinct_config_command(&dev->config) |= instinct_reconcile_decodes(dev);
		/* The device may be alive behind BARs that have lost their addresses. */
		instinct_attempt_await(attempt, ALIVE_FOR);
	}
	ret = reset_methods(ctx);
	if (ret)
		return ret;
	if (instinct_method_scrubs(attempt->method)) {
		dev->fatal = false;
		/* Fatal Error Detected may survive the reset. */
		pcie_capability_write_word(dev->pdev, PCI_EXP_DEVSTA, PCI_EXP_DEVSTA_FED);
	}
	if (instinct_reconcile_wait(dev, true)) {
		attempt->why = dev->reconcile.failed ? dev->reconcile.why :
						       "the device stopped answering after its reset";
		attempt->blocked = true;
		return -ETIMEDOUT;
	}
	if (!dev->config.baseline)
		instinct_config_set_base(&dev->config);
	/* A quiesced GPU is not scrubbed, which counts as success only if policy says so. */
	if (instinct_method_scrubs(attempt->method) ||
	    attempt->policy->method == INSTINCT_VFIO_METHOD_QUIESCE)
		return 0;
	attempt->why = "it could only be quiesced, which scrubs nothing (policy: method = quiesce accepts that)";
	pci_err(dev->pdev, "not reset for %s: %s\n",
		instinct_name_cause(ctx->reset->cause), attempt->why);
	reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_FAILED, -EOPNOTSUPP, attempt->why);
	return -EOPNOTSUPP;
}

static void reset_account(struct reset_context *ctx, const struct instinct_scrub_done *done,
			  enum instinct_vfio_state state)
{
	struct instinct_device *dev = ctx->dev;
	unsigned long clean;

	ctx->ask.touched = READ_ONCE(dev->touched);
	spin_lock(&dev->status_lock);
	if (done->error || state == INSTINCT_VFIO_STATE_LOST)
		dev->status.resets.failed++;
	else if (!instinct_method_scrubs(done->method))
		dev->status.resets.quiesced++;
	clean = instinct_scrub_account(&dev->status.scrub, &ctx->ask, done, state);
	spin_unlock(&dev->status_lock);
	set_mask_bits(&dev->touched, clean, 0);
}

/* Settles the device's state after a reset, and emits the events. */
static enum instinct_vfio_state reset_end(struct reset_context *ctx, int error, bool alive)
{
	const struct instinct_scrub_done done = {
		.error = error,
		.method = ctx->attempt.method,
		.triggered = ctx->attempt.triggered,
		.alive = alive,
		.zapped = ctx->reset->zapped,
	};
	enum instinct_vfio_state before = ctx->before.state, state;
	struct instinct_device *dev = ctx->dev;
	char stand_in[INSTINCT_REASON_BYTES];
	const char *why;

	ctx->attempt.event.duration = ctx->reset->duration;
	state = instinct_scrub_outcome(&ctx->before.scrub, &ctx->ask, &done, &why);
	if (state == INSTINCT_VFIO_STATE_LOST && ctx->attempt.blocked)
		why = ctx->attempt.why;
	else if (state == INSTINCT_VFIO_STATE_LOST)
		why = instinct_path_stand_in(&dev->path, dev->pdev, stand_in) ?: why;
	reset_account(ctx, &done, state);

	if (state != INSTINCT_VFIO_STATE_LOST)
		instinct_device_identify(dev);
	/* Even a reset that only quiesced the device has read its registers. */
	if (ctx->attempt.seen.secure_os)
		instinct_inspect_note(dev, &ctx->attempt.seen);
	instinct_isolation_settle(dev, state == INSTINCT_VFIO_STATE_LOST);
	instinct_device_set_state(dev, state, why);
	if (!error) {
		pci_info(dev->pdev, "reset by %s for %s took %llu ms\n",
			 instinct_name_method(ctx->attempt.method),
			 instinct_name_cause(ctx->reset->cause),
			 div_u64(ctx->reset->duration, NSEC_PER_MSEC));
		reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_DONE, 0, why);
	}
	if (ctx->attempt.method == INSTINCT_VFIO_METHOD_QUIESCE &&
	    ctx->attempt.seen.hive_nodes > 1 &&
	    ctx->attempt.seen.secure_os == INSTINCT_VFIO_SECURE_OS_RUNNING)
		pci_info(dev->pdev, "its secure OS still runs, so a guest that gets this GPU without the rest of its hive stays in minimal init\n");
	if (state == INSTINCT_VFIO_STATE_LOST && before != state)
		reset_tell(ctx, INSTINCT_VFIO_EVENT_DEVICE_LOST, error, why);
	else if (state == INSTINCT_VFIO_STATE_QUARANTINED && before != state)
		reset_tell(ctx, INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED, error, why);
	else if (state != INSTINCT_VFIO_STATE_LOST && before == INSTINCT_VFIO_STATE_LOST)
		reset_tell(ctx, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED, 0, "");
	return state;
}

/* Copies the status, applies the terms to the policy, and prepares the input of the scrub rules. */
static void reset_look(struct reset_context *ctx)
{
	struct instinct_policy *policy = &ctx->before.policy;
	const struct instinct_terms *terms = &ctx->reset->terms;
	struct instinct_plan plan;
	u16 command;

	/* Nothing verifies a write that switches decoding off, so the register counts too. */
	pci_read_config_word(ctx->dev->pdev, PCI_COMMAND, &command);
	command |= *instinct_config_command(&ctx->dev->config);
	instinct_device_status(ctx->dev, &ctx->before);
	policy->method = terms->method ?: policy->method;
	policy->ready_timeout = terms->ready_timeout ?: policy->ready_timeout ?:
				ctx->dev->profile->family->ready_timeout;
	if (terms->elsewhere)
		policy->bus_port = terms->bus_port;
	ctx->ask = (struct instinct_scrub_ask) {
		.state = ctx->before.state,
		.cause = ctx->reset->cause,
		.tenancy = policy->tenancy,
		.open = ctx->before.user.number,
		.touched = READ_ONCE(ctx->dev->touched),
		.decodes = command & PCI_COMMAND_MEMORY,
		.first = plan_make(ctx->dev, &ctx->before, &plan),
		.forced = ctx->reset->forced,
	};
}

/* Is the reset unnecessary, because the device is clean and alive? */
static bool reset_spare(struct reset_context *ctx)
{
	struct instinct_device *dev = ctx->dev;

	if (!instinct_scrub_spares(&ctx->before.scrub, &ctx->ask))
		return false;
	/*
	 * A look at the registers costs switching memory decoding on. A GPU that was alive a moment
	 * ago and still answers config reads is taken to be alive.
	 */
	if (!(ktime_get_ns() - dev->alive_at < ALIVE_FOR ? instinct_attempt_reach(dev) :
							   instinct_attempt_alive(dev)))
		return false;
	spin_lock(&dev->status_lock);
	dev->status.resets.coalesced++;
	dev->status.scrub.answered &= !ctx->ask.decodes;
	spin_unlock(&dev->status_lock);
	ctx->reset->coalesced = true;
	ctx->attempt.method = ctx->before.scrub.cleaned_by;
	reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_COALESCED, 0, "clean since its last reset");
	return true;
}

/* Postpones the reset after a close until the user has closed the rest of the hive too. */
static bool reset_postpone(struct reset_context *ctx)
{
	struct instinct_device *dev = ctx->dev;
	char why[INSTINCT_REASON_BYTES];

	if (ctx->reset->cause != INSTINCT_VFIO_CAUSE_CLOSE ||
	    ctx->before.state != INSTINCT_VFIO_STATE_READY ||
	    !instinct_hive_wide(ctx->attempt.policy->scope, ctx->ask.first) ||
	    instinct_hive_verdict(dev, ctx->reset->cause, &ctx->reset->requester,
				  why) != INSTINCT_HIVE_LATER)
		return false;
	spin_lock(&dev->status_lock);
	dev->status.scrub.needs_scrub = true;
	strscpy(dev->status.reason, why, sizeof(dev->status.reason));
	spin_unlock(&dev->status_lock);
	pci_dbg(dev->pdev, "reset postponed: %s\n", why);
	return true;
}

/*
 * Keeps a user out that could not have the resets which it will need, or that would take them from
 * the user of another GPU of the hive. A clean device needs none now, but its user will.
 */
static int reset_admit(struct reset_context *ctx)
{
	struct instinct_device *dev = ctx->dev;
	char *why = dev->attempt_why;

	if (ctx->reset->cause != INSTINCT_VFIO_CAUSE_OPEN ||
	    instinct_hive_verdict(dev, ctx->reset->cause, &ctx->reset->requester,
				  why) != INSTINCT_HIVE_NEVER)
		return 0;
	if (!instinct_hive_wide(ctx->attempt.policy->scope, ctx->ask.first)) {
		pci_info(dev->pdev, "opened, since policy lets it be reset alone, though %s\n", why);
		return 0;
	}
	if (__ratelimit(&dev->refused_told))
		pci_err(dev->pdev, "open refused: %s\n", why);
	ctx->attempt.why = why;
	return -EBUSY;
}

static int reset_locked(struct reset_context *ctx)
{
	struct instinct_attempt *attempt = &ctx->attempt;
	struct instinct_device *dev = ctx->dev;
	enum instinct_vfio_state state;
	int ret;

	ctx->began = ktime_get_ns();
	reset_look(ctx);
	if (ctx->before.life == INSTINCT_LIFE_ABSENT) {
		attempt->why = "the driver has let go of the device";
		return -ENODEV;
	}
	if (ctx->reset->hive && !instinct_hive_join(ctx->reset->hive, dev)) {
		ctx->reset->coalesced = true;
		return 0;
	}
	ret = reset_admit(ctx);
	if (ret || reset_spare(ctx) || reset_postpone(ctx))
		return ret;

	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_RESETTING, "");
	instinct_isolation_hold(dev);
	attempt->method = attempt->policy->method;
	reset_tell(ctx, INSTINCT_VFIO_EVENT_RESET_BEGUN, 0, "");
	attempt->method = INSTINCT_VFIO_METHOD_AUTO;
	if (ctx->reset->held) {
		complete(&ctx->reset->held->done);
		ctx->reset->held = NULL;
	}
	ret = reset_device(ctx);
	ctx->reset->duration = ktime_get_ns() - ctx->began;
	state = reset_end(ctx, ret, !ret || (!attempt->blocked && instinct_attempt_alive(dev)));
	if (state != INSTINCT_VFIO_STATE_LOST) {
		/*
		 * A PCI core that has reset the slot updates this state itself. After it has given
		 * up, pci_channel_offline() would stay true until the function is enumerated anew.
		 */
		cmpxchg(&dev->pdev->error_state, pci_channel_io_frozen, pci_channel_io_normal);
		instinct_link_look(dev);
	}
	if (attempt->keep != dev->config.baseline)
		kfree(attempt->keep);
	/* The reset itself went well, but the device is not fit for a new user. */
	if (!ret && state != INSTINCT_VFIO_STATE_READY &&
	    ctx->reset->cause == INSTINCT_VFIO_CAUSE_OPEN) {
		attempt->why = "it was not scrubbed after its last user";
		ret = -EACCES;
	}
	return ret;
}

/**
 * instinct_reset_run() - reset a device, if it needs to be
 * @dev: device
 * @reset: the reset asked for; the outcome is set
 *
 * Context: may sleep, up to policy's ready_timeout for each method tried; takes @dev->reset_lock.
 * The caller holds pci_cfg_access_lock(), so that no user reaches the config space.
 *
 * Return: 0 if the device was reset and shows life, or was clean; -ENODEV,
 * -EOPNOTSUPP, -ETIMEDOUT or another negative errno with @reset->why set.
 */
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset)
{
	struct reset_context ctx = {
		.dev = dev,
		.reset = reset,
		.attempt = { .dev = dev, .policy = &ctx.before.policy, .why = "" },
	};
	int ret;

	if (reset->hive)
		reset->terms = reset->hive->terms;
	if (reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY)
		instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	ret = reset_locked(&ctx);
	/* The text may be in the device's own buffer, which the next reset overwrites. */
	strscpy(reset->why, ctx.attempt.why, sizeof(reset->why));
	mutex_unlock(&dev->reset_lock);
	reset->method = ctx.attempt.method;
	return ret;
}

/**
 * instinct_reset_spare() - spare a reset if the device is clean
 * @dev: device
 * @cause: cause of the reset
 *
 * This is the fast path for a user that resets a clean device. The module does nothing to the
 * device, so it neither holds the user off nor zaps mappings. An access at the same time counts as
 * an access after the reset.
 *
 * Context: may sleep.
 *
 * Return: true if the module has spared and counted the reset; false if it may be needed.
 */
bool instinct_reset_spare(struct instinct_device *dev, enum instinct_vfio_cause cause)
{
	struct instinct_reset reset = { .cause = cause };
	struct reset_context ctx = {
		.dev = dev,
		.reset = &reset,
		.attempt = { .dev = dev, .policy = &ctx.before.policy, .why = "" },
	};
	bool spared;

	if (test_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched) || !pci_cfg_access_trylock(dev->pdev))
		return false;
	mutex_lock(&dev->reset_lock);
	reset_look(&ctx);
	spared = ctx.before.life != INSTINCT_LIFE_ABSENT && reset_spare(&ctx);
	mutex_unlock(&dev->reset_lock);
	pci_cfg_access_unlock(dev->pdev);
	return spared;
}
