// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "device/owner.h"
#include "device/record.h"
#include "device/scrub.h"
#include "isolation/isolation.h"
#include "reset/reset.h"

#define ALIVE_FOR	(1 * NSEC_PER_SEC)
/* amdgpu waits so long for each of the bootloader's registers. */
#define READY_MS	300000
#define BOOT_LOOK_MS	100
#define D0_MS	10	/* from D3hot: PCIe r6.0 sec 5.9 */
/* Converts an enum instinct_vfio_partition to the number in NPS1 to NPS8; 0 if it is unknown. */
#define NPS(_partition)	((1u << (_partition)) >> 1)

/*
 * Brings a device to D0 that answers. It writes the register itself: the PCI core would take pci_bus_sem,
 * which a task that recovers from an error holds already, and which nobody may take under reset_lock. The
 * device may sleep by its user's will, or since before it was lost. Or its slot was reset, which puts it
 * into D0 while the PCI core believes otherwise.
 */
static void power_restore(struct instinct_device *dev)
{
	struct pci_dev *pdev = dev->pdev;
	int at = pdev->pm_cap + PCI_PM_CTRL;
	u16 control;

	lockdep_assert_held(&dev->reset_lock);
	if (pdev->current_state == PCI_D0 || !pdev->pm_cap || !instinct_path_intact(&dev->path) ||
	    !instinct_endpoint_answers(pdev))
		return;
	pci_read_config_word(pdev, at, &control);
	if (control & PCI_PM_CTRL_STATE_MASK) {
		pci_write_config_word(pdev, at, control & ~PCI_PM_CTRL_STATE_MASK);
		msleep(D0_MS);
		pci_read_config_word(pdev, at, &control);
	}
	if (control & PCI_PM_CTRL_STATE_MASK)
		return;
	pdev->current_state = PCI_D0;
	/* The device may have lost its config space on the way to D0. */
	if (!(control & PCI_PM_CTRL_NO_SOFT_RESET) && dev->config.baseline) {
		instinct_config_restore(&dev->config, dev->config.baseline, true);
		instinct_config_push(&dev->config, INSTINCT_CONFIG_ALL,
				     &dev->reconcile.counts.retried);
	}
}

/**
 * reset_tell() - emit an event about a reset, with the times of its phases so far
 * @attempt: the reset
 * @kind: kind of the event
 * @error: negative errno, or 0
 * @why: reason, for the user, or empty
 *
 * Context: under the device's reset_lock.
 */
static void reset_tell(struct instinct_attempt *attempt, enum instinct_vfio_event kind,
		       int error, const char *why)
{
	struct instinct_event event = attempt->event;

	lockdep_assert_held(&attempt->dev->reset_lock);
	event.kind = kind;
	event.cause = attempt->reset->cause;
	event.method = attempt->method;
	event.error = -error;
	if (kind == INSTINCT_VFIO_EVENT_RESET_FAILED)
		event.duration = ktime_get_ns() - attempt->began;
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_device_emit(attempt->dev, &event);
}

static int reset_fail(struct instinct_attempt *attempt, int error, const char *why)
{
	attempt->why = why;
	reset_tell(attempt, INSTINCT_VFIO_EVENT_RESET_FAILED, error, why);
	return error;
}

/*
 * Has the device, which answers, reported a fatal error? Fatal Error Detected is set then, unless software
 * has cleared it since.
 */
static bool reset_erred(struct pci_dev *pdev)
{
	u16 status;

	pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &status);
	return status != U16_MAX && status & PCI_EXP_DEVSTA_FED;
}

/**
 * instinct_reset_plan() - make the plan that a reset would follow
 * @dev: device
 * @status: its status; the policy's method is the one wanted
 * @plan: set to the plan
 *
 * The function touches no hardware, and does not consider the other GPUs of a hive.
 *
 * Return: the first method that can be tried, AUTO if there is none.
 */
enum instinct_vfio_method instinct_reset_plan(struct instinct_device *dev,
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
	};

	return instinct_plan_make(&facts, plan);
}

/*
 * Tries the methods of the plan until one works. The attempt is set to the last method tried. Returns 0,
 * or the errno of the last method; -EOPNOTSUPP if the plan refuses all methods.
 */
static int reset_methods(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	bool whole = attempt->before.state != INSTINCT_VFIO_STATE_LOST && !attempt->reset->terms.fatal &&
		     attempt->reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY &&
		     !reset_erred(dev->pdev);
	const char *mailbox_why = instinct_mailbox_inspect(&dev->mailbox, attempt->before.policy.mailbox,
							   attempt->before.scrub.used, whole);
	int ret = -EOPNOTSUPP;
	struct instinct_plan plan;
	unsigned int i;

	instinct_reset_plan(dev, &attempt->before, &plan);
	for (i = 0; i < plan.steps; i++) {
		const struct instinct_plan_step *step = &plan.step[i];

		if (step->refusal) {
			pci_info(dev->pdev, "%s%s%s\n", step->refusal,
				 mailbox_why ? ": " : "", mailbox_why ?: "");
			continue;
		}
		/* Without a hardware reset the blocked register would stay blocked. */
		if (dev->reconcile.failed && !instinct_method_scrubs(step->method))
			break;
		attempt->method = step->method;
		ret = instinct_attempt_run(attempt);
		if (!ret)
			return 0;
		pci_warn(dev->pdev, "reset by %s for %s failed (%d): %s\n",
			 instinct_name_method(attempt->method),
			 instinct_name_cause(attempt->reset->cause), ret, attempt->why);
		reset_fail(attempt, ret, attempt->why);
		if (ret == -ECANCELED && attempt->reset->hive)
			break;
	}
	return attempt->method != INSTINCT_VFIO_METHOD_AUTO ? ret :
	       reset_fail(attempt, ret, plan.step[0].refusal);
}

static int reset_device(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	bool held = attempt->before.owner == INSTINCT_OWNER_USER;
	int ret;

	dev->link_up_at = ktime_get_ns();
	attempt->keep = dev->config.baseline;
	instinct_reconcile_forget(&dev->reconcile);
	if (!instinct_attempt_reach(attempt, attempt->reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)) {
		pci_err(dev->pdev, "cannot be reset: %s\n", attempt->why);
		return reset_fail(attempt, -EIO, attempt->why);
	}
	power_restore(dev);
	/* After a loss or a foreign reset, the current config state is not worth keeping. */
	if (attempt->before.state == INSTINCT_VFIO_STATE_READY &&
	    attempt->reset->cause != INSTINCT_VFIO_CAUSE_RECOVERY &&
	    instinct_config_intact(&dev->config)) {
		/* Without a user, the engine writes the state back with bus mastering off. */
		if (!held)
			pci_clear_master(dev->pdev);
		attempt->keep = instinct_config_keep(&dev->config) ?: dev->config.baseline;
		if (!held)
			*instinct_config_command(&dev->config) &= ~PCI_COMMAND_MASTER;
	} else {
		memcpy(dev->config.want, dev->config.base, sizeof(dev->config.want));
		/* vfio-pci-core lets a user at the BARs that had decoding on before. */
		if (held)
			*instinct_config_command(&dev->config) |= instinct_reconcile_decodes(dev);
		/* The device may be alive behind BARs that have lost their addresses. */
		instinct_attempt_await(attempt, ALIVE_FOR);
	}
	ret = reset_methods(attempt);
	if (ret)
		return ret;
	if (instinct_reconcile_wait(dev, true)) {
		attempt->why = dev->reconcile.why;
		return -ETIMEDOUT;
	}
	if (!dev->config.baseline)
		instinct_config_set_base(&dev->config);
	/* A quiesced GPU is not scrubbed, which counts as success only if policy or an operator says so. */
	if (instinct_method_scrubs(attempt->method) ||
	    attempt->before.policy.method == INSTINCT_VFIO_METHOD_QUIESCE ||
	    instinct_scrub_accepts(&attempt->before.scrub, &attempt->ask))
		return 0;
	ret = reset_fail(attempt, -EOPNOTSUPP, "it could only be quiesced, which scrubs nothing (policy: method = quiesce accepts that)");
	pci_err(dev->pdev, "not reset for %s: %s\n",
		instinct_name_cause(attempt->reset->cause), attempt->why);
	return ret;
}

/*
 * Remembers the contents of a GPU's registers. A tenant can change partitions and firmware, and no reset
 * undoes that, so an event reports such a change. Between a reset and a driver some registers may be
 * empty; their earlier values count.
 */
static void inspect_note(struct instinct_device *dev, struct instinct_seen *seen)
{
	struct instinct_seen was = dev->status.seen;
	char text[INSTINCT_REASON_BYTES];

	pci_read_config_dword(dev->pdev, PCI_SUBSYSTEM_VENDOR_ID, &seen->subsystem);
	if (!instinct_endpoint_answers(dev->pdev))
		seen->subsystem = was.subsystem;
	if (!seen->hive_nodes) {
		seen->hive_nodes = was.hive_nodes;
		seen->hive_node = was.hive_node;
	}
	seen->partition = seen->partition ?: was.partition;
	seen->compute = seen->compute ?: was.compute;
	seen->fingerprint = seen->fingerprint ?: was.fingerprint;
	spin_lock(&dev->status_lock);
	dev->status.seen = *seen;
	spin_unlock(&dev->status_lock);
	if ((!was.partition || seen->partition == was.partition) &&
	    (!was.compute || seen->compute == was.compute) &&
	    (!seen->partition_next || was.partition_next) &&
	    (!was.fingerprint || seen->fingerprint == was.fingerprint) &&
	    (!was.subsystem || seen->subsystem == was.subsystem))
		return;
	scnprintf(text, sizeof(text), "memory NPS%u%s, compute mode %d, IP discovery %08x, subsystem %08x",
		  NPS(seen->partition), seen->partition_next ? " (another requested)" : "",
		  (int)seen->compute - INSTINCT_VFIO_COMPUTE_SPX, seen->fingerprint, seen->subsystem);
	pci_warn(dev->pdev, "not as before: %s; before NPS%u, %u, %08x, %08x\n", text, NPS(was.partition),
		 was.compute - INSTINCT_VFIO_COMPUTE_SPX, was.fingerprint, was.subsystem);
	instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_CHANGED, text);
}

/* Settles the device's state after a reset, and emits the events. */
static enum instinct_vfio_state reset_end(struct instinct_attempt *attempt, int error, bool alive)
{
	const struct instinct_scrub_done done = {
		.error = error,
		.method = attempt->method,
		.triggered = attempt->triggered,
		.alive = alive,
	};
	enum instinct_vfio_state before = attempt->before.state, state;
	struct instinct_device *dev = attempt->dev;
	char stand_in[INSTINCT_REASON_BYTES];
	unsigned long clean;
	const char *why;

	attempt->event.duration = attempt->reset->duration;
	state = instinct_scrub_outcome(&attempt->before.scrub, &attempt->ask, &done, &why);
	if (state == INSTINCT_VFIO_STATE_LOST && dev->reconcile.failed)
		why = dev->reconcile.why;
	else if (state == INSTINCT_VFIO_STATE_LOST)
		why = instinct_path_stand_in(&dev->path, dev->pdev, stand_in) ?: why;
	why = why ?: attempt->before.reason;
	attempt->ask.touched = READ_ONCE(dev->touched);
	spin_lock(&dev->status_lock);
	if (error || state == INSTINCT_VFIO_STATE_LOST)
		dev->status.resets.failed++;
	else if (!instinct_method_scrubs(done.method))
		dev->status.resets.quiesced++;
	clean = instinct_scrub_account(&dev->status.scrub, &attempt->ask, &done, state);
	spin_unlock(&dev->status_lock);
	set_mask_bits(&dev->touched, clean, 0);

	if (state != INSTINCT_VFIO_STATE_LOST)
		instinct_record_identify(dev);
	/* Even a reset that only quiesced the device has read its registers. */
	if (attempt->seen.secure_os)
		inspect_note(dev, &attempt->seen);
	instinct_isolation_settle(dev, state == INSTINCT_VFIO_STATE_LOST);
	instinct_device_set_state(dev, state, why);
	if (!error) {
		pci_info(dev->pdev, "reset by %s for %s took %llu ms\n",
			 instinct_name_method(attempt->method),
			 instinct_name_cause(attempt->reset->cause),
			 div_u64(attempt->reset->duration, NSEC_PER_MSEC));
		reset_tell(attempt, INSTINCT_VFIO_EVENT_RESET_DONE, 0, why);
	}
	if (state == INSTINCT_VFIO_STATE_LOST && before != state)
		reset_tell(attempt, INSTINCT_VFIO_EVENT_DEVICE_LOST, error, why);
	else if (state == INSTINCT_VFIO_STATE_QUARANTINED && before != state)
		reset_tell(attempt, INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED, error, why);
	else if (state != INSTINCT_VFIO_STATE_LOST && before == INSTINCT_VFIO_STATE_LOST)
		reset_tell(attempt, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED, 0, "");
	return state;
}

/* Copies the status, applies the terms to the policy, and prepares the input of the scrub rules. */
static void reset_look(struct instinct_attempt *attempt)
{
	struct instinct_policy *policy = &attempt->before.policy;
	const struct instinct_terms *terms = &attempt->reset->terms;
	struct instinct_plan plan;
	u16 command = 0;

	/* Nothing verifies a write that switches decoding off, so the register counts too. */
	if (instinct_path_intact(&attempt->dev->path))
		pci_read_config_word(attempt->dev->pdev, PCI_COMMAND, &command);
	command |= *instinct_config_command(&attempt->dev->config);
	instinct_device_status(attempt->dev, &attempt->before);
	policy->method = terms->method ?: policy->method;
	policy->ready_timeout = terms->ready_timeout ?: policy->ready_timeout ?: READY_MS;
	if (terms->elsewhere)
		policy->bus_port = terms->bus_port;
	attempt->ask = (struct instinct_scrub_ask) {
		.state = attempt->before.state,
		.cause = attempt->reset->cause,
		.tenancy = policy->tenancy,
		.open = attempt->before.user.number,
		.touched = READ_ONCE(attempt->dev->touched),
		.decodes = command & PCI_COMMAND_MEMORY,
		.first = instinct_reset_plan(attempt->dev, &attempt->before, &plan),
		.forced = attempt->reset->forced,
	};
	attempt->before.scrub.fresh &= policy->first_reset == INSTINCT_VFIO_FIRST_RESET_AUTO;
}

/* Is the reset unnecessary, because the device is clean and alive? */
static bool reset_spare(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	if (!instinct_scrub_spares(&attempt->before.scrub, &attempt->ask) ||
	    !instinct_attempt_alive(dev, ALIVE_FOR))
		return false;
	spin_lock(&dev->status_lock);
	dev->status.resets.coalesced++;
	dev->status.scrub.answered &= !attempt->ask.decodes;
	spin_unlock(&dev->status_lock);
	attempt->reset->coalesced = true;
	attempt->method = attempt->before.scrub.cleaned_by;
	reset_tell(attempt, INSTINCT_VFIO_EVENT_RESET_COALESCED, 0, attempt->before.scrub.fresh ?
		   "nobody has used it since it booted" : "clean since its last reset");
	return true;
}

/* Postpones the reset after a close until the user has closed the rest of the hive too. */
static bool reset_postpone(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	char why[INSTINCT_REASON_BYTES];

	if (attempt->reset->cause != INSTINCT_VFIO_CAUSE_CLOSE ||
	    attempt->before.state != INSTINCT_VFIO_STATE_READY ||
	    !instinct_hive_wide(attempt->before.policy.scope, attempt->ask.first) ||
	    instinct_hive_verdict(dev, attempt->reset->cause, &attempt->reset->requester,
				  NULL, why) != INSTINCT_HIVE_LATER)
		return false;
	spin_lock(&dev->status_lock);
	dev->status.scrub.needs_scrub = true;
	strscpy(dev->status.reason, why, sizeof(dev->status.reason));
	spin_unlock(&dev->status_lock);
	reset_tell(attempt, INSTINCT_VFIO_EVENT_RESET_POSTPONED, 0, why);
	return true;
}

/**
 * instinct_reset_blocks() - does policy, or the rest of the hive, keep a ready device from a user?
 * @dev: device
 * @status: its status
 * @user: user that would open it; number U64_MAX for one that has no other GPU open
 * @why: buffer of INSTINCT_REASON_BYTES; set to the reason, for the user. If policy lets the device be
 *	opened all the same, the reason remains; else it is empty.
 *
 * A user must get the resets which it will need, and must not take them from the user of another GPU
 * of the hive. A clean device needs none now, but its user will.
 *
 * Context: may sleep.
 *
 * Return: true if such a user would not get the device now.
 */
bool instinct_reset_blocks(struct instinct_device *dev, const struct instinct_status *status,
			   const struct instinct_user *user, char *why)
{
	enum instinct_hive_verdict verdict =
		instinct_hive_verdict(dev, INSTINCT_VFIO_CAUSE_OPEN, user, NULL, why);
	const char *withheld = instinct_owner_withheld(status);
	struct instinct_plan plan;
	enum instinct_vfio_method first = instinct_reset_plan(dev, status, &plan);

	if (verdict == INSTINCT_HIVE_TAKEN && status->policy.xgmi == INSTINCT_VFIO_XGMI_PRIVATE)
		withheld = withheld ?: "another user has a GPU of the same hive open (policy: xgmi)";
	if (first == INSTINCT_VFIO_METHOD_AUTO)
		withheld = withheld ?: plan.step[0].refusal;
	if (withheld)
		strscpy(why, withheld, INSTINCT_REASON_BYTES);
	return withheld || (verdict >= INSTINCT_HIVE_NEVER && instinct_hive_wide(status->policy.scope, first));
}

/* Keeps a user out that would not get the device. */
static int reset_admit(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	char *why = dev->attempt_why;

	if (attempt->reset->cause != INSTINCT_VFIO_CAUSE_OPEN)
		return 0;
	if (instinct_reset_blocks(dev, &attempt->before, &attempt->reset->requester, why)) {
		instinct_owner_tell_refusal(dev, INSTINCT_VFIO_STATE_BLOCKED, why);
		attempt->why = why;
		return instinct_owner_withheld(&attempt->before) ? -EACCES : -EBUSY;
	}
	if (*why)
		pci_info(dev->pdev, "opened, since policy lets it be reset alone, though %s\n", why);
	return 0;
}

static int reset_do(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	enum instinct_vfio_state state;
	int ret;

	attempt->began = ktime_get_ns();
	/* Another driver may have it, and nothing may touch it. */
	if (READ_ONCE(dev->status.owner) == INSTINCT_OWNER_GONE) {
		attempt->why = "the driver has let go of the device";
		return -ENODEV;
	}
	if (!attempt->reset->spare_only)
		power_restore(dev);
	reset_look(attempt);
	if (attempt->reset->hive && !instinct_hive_join(attempt->reset->hive, dev)) {
		attempt->reset->coalesced = true;
		return 0;
	}
	ret = reset_admit(attempt);
	if (ret || reset_spare(attempt) || reset_postpone(attempt))
		return ret;
	if (attempt->reset->spare_only)
		return -EAGAIN;

	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_RESETTING, "");
	instinct_isolation_hold(dev);
	attempt->method = attempt->before.policy.method;
	reset_tell(attempt, INSTINCT_VFIO_EVENT_RESET_BEGUN, 0, "");
	attempt->method = INSTINCT_VFIO_METHOD_AUTO;
	if (attempt->reset->held) {
		complete(&attempt->reset->held->done);
		attempt->reset->held = NULL;
	}
	ret = reset_device(attempt);
	attempt->reset->duration = ktime_get_ns() - attempt->began;
	state = reset_end(attempt, ret,
			  !ret || (!dev->reconcile.failed && instinct_attempt_alive(dev, 0)));
	/*
	 * A PCI core that has reset the slot updates this state itself. After it has given up,
	 * pci_channel_offline() would stay true until the function is enumerated anew.
	 */
	if (state != INSTINCT_VFIO_STATE_LOST)
		cmpxchg(&dev->pdev->error_state, pci_channel_io_frozen, pci_channel_io_normal);
	if (attempt->keep != dev->config.baseline)
		kfree(attempt->keep);
	/* The reset itself went well, but the device is not fit for a new user. */
	if (!ret && state != INSTINCT_VFIO_STATE_READY &&
	    attempt->reset->cause == INSTINCT_VFIO_CAUSE_OPEN) {
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
 * Return: 0 if the device was reset and shows life, or was clean; -EAGAIN if it was not, and the reset
 * was only to be spared; -ENODEV, -EOPNOTSUPP, -ETIMEDOUT or another negative errno with @reset->why set.
 */
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset)
{
	struct instinct_attempt attempt = { .dev = dev, .reset = reset, .why = "" };
	int ret;

	mutex_lock(&dev->reset_lock);
	ret = reset_do(&attempt);
	/* The text may be in the device's own buffer, which the next reset overwrites. */
	strscpy(reset->why, attempt.why, sizeof(reset->why));
	mutex_unlock(&dev->reset_lock);
	reset->method = attempt.method;
	return ret;
}

/**
 * instinct_reset_start() - reset a device in the background
 * @dev: device, which the caller has claimed for reset work; the reset work ends the claim
 * @reset: the reset to do, copied; with a reference for its hive, if it has one
 *
 * Context: any but @dev's reset work itself.
 */
void instinct_reset_start(struct instinct_device *dev, const struct instinct_reset *reset)
{
	dev->reset_work.reset = *reset;
	get_pid(reset->requester.process);
	queue_work(instinct_wq, &dev->reset_work.work);
}

/*
 * Waits for the firmware of a GPU that starts, as amdgpu does at probe: a message before that would
 * disturb it. Returns NULL, or the reason, for the user, why it has not started.
 */
static const char *inspect_boot(struct instinct_device *dev)
{
	u16 command = instinct_registers_open(&dev->regs);
	const char *why = NULL;
	unsigned int ms = 0;

	while (instinct_mailbox_boots(&dev->mailbox)) {
		if (!ms)
			pci_info(dev->pdev, "its firmware starts, waiting up to %u s\n", READY_MS / 1000);
		if (ms >= READY_MS || signal_pending(current) || system_state > SYSTEM_RUNNING ||
		    !instinct_endpoint_answers(dev->pdev)) {
			why = instinct_mailbox_missing(&dev->mailbox, dev->attempt_why);
			break;
		}
		msleep(BOOT_LOOK_MS);
		ms += BOOT_LOOK_MS;
	}
	instinct_registers_close(&dev->regs, command);
	return why;
}

/**
 * instinct_reset_inspect() - inspect a device that the driver has just taken
 * @dev: device, not registered yet
 *
 * The function keeps the config state that a reset will need while the device is known good. It
 * finds the mailbox before any tenant can write to the table with the mailbox's place. A device
 * that does not answer becomes lost.
 *
 * Context: may sleep; under the device lock.
 */
void instinct_reset_inspect(struct instinct_device *dev)
{
	struct instinct_scrub *scrub = &dev->status.scrub;
	const char *why = NULL, *no_mailbox;
	struct instinct_seen seen;
	u16 command;

	mutex_lock(&dev->reset_lock);
	power_restore(dev);
	if (!instinct_path_intact(&dev->path) || !instinct_endpoint_answers(dev->pdev)) {
		why = instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why) ?:
		       "it was lost before this driver took it";
	} else {
		instinct_path_keep(&dev->path);
		/* Before a kexec an earlier kernel may have left the GPU's DMA on. */
		pci_clear_master(dev->pdev);
		/* Without a baseline, a reset writes the values back that Linux believes. */
		if (instinct_config_intact(&dev->config))
			instinct_config_set_base(&dev->config);
		else
			why = "its BARs do not hold the addresses that Linux gave them";
		if (!why && !instinct_attempt_alive(dev, 0))
			why = "it answers config reads, but its registers show no life";
		why = why ?: inspect_boot(dev);
	}
	if (why) {
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST, why);
	} else {
		if (dev->status.state == INSTINCT_VFIO_STATE_LOST)
			instinct_device_set_state(dev, INSTINCT_VFIO_STATE_READY, "");
		instinct_record_identify(dev);
		no_mailbox = instinct_mailbox_inspect(&dev->mailbox, 0, scrub->used,
						      !reset_erred(dev->pdev));
		if (no_mailbox)
			pci_warn(dev->pdev, "mode-1 reset not available: %s\n", no_mailbox);
		command = instinct_registers_open(&dev->regs);
		instinct_mailbox_look(&dev->mailbox, &seen);
		instinct_registers_close(&dev->regs, command);
		/* The GPU may be in another hive by now. */
		dev->status.seen.hive_nodes = 0;
		inspect_note(dev, &seen);
		/* amdgpu does not reset such a GPU at probe, nor does GIM (soc15_need_reset_on_init()). */
		if (seen.secure_os == INSTINCT_VFIO_SECURE_OS_ABSENT && !scrub->used &&
		    seen.ready == INSTINCT_BOOTLOADER_READY && seen.bootloader == seen.ready &&
		    scrub->cleaned_by == INSTINCT_VFIO_METHOD_AUTO &&
		    dev->status.state == INSTINCT_VFIO_STATE_READY) {
			pci_info(dev->pdev, "nobody has used it since it booted, so it is clean (policy: first_reset)\n");
			scrub->fresh = true;
			scrub->needs_scrub = false;
			clear_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
		}
	}
	mutex_unlock(&dev->reset_lock);
}
