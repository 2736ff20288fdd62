// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "endpoint.h"
#include "guard.h"
#include "method.h"
#include "name.h"
#include "outcome.h"
#include "plan.h"
#include "reset.h"

#define POLL_MIN_US	1000
#define POLL_MAX_US	20000
/* Poll at a fiftieth of what has passed: never more than 2 % too late. */
#define POLL_SHARE	50
#define PROGRESS_FIRST	(1 * NSEC_PER_SEC)
#define PROGRESS_EVERY	(5 * NSEC_PER_SEC)
#define REWRITE_AFTER	(100 * NSEC_PER_MSEC)

/**
 * struct run - a reset under way
 * @dev: device
 * @reset: what was asked
 * @policy: as it was when the reset began
 * @before: state before it
 * @keep: config state to be written back
 * @event: what will be told, with the time of each phase
 * @method: being tried
 * @command: Command register to be put back when memory decoding is left on
 * @phase_began: start of the current phase, ktime_get_ns()
 */
struct run {
	struct instinct_device *dev;
	struct instinct_reset *reset;
	struct instinct_policy policy;
	enum instinct_vfio_state before;
	struct pci_saved_state *keep;
	struct instinct_event event;
	enum instinct_vfio_method method;
	u16 command;
	u64 phase_began;
};

static void run_phase_end(struct run *run, enum instinct_vfio_phase phase)
{
	u64 now = ktime_get_ns();

	run->event.phase[phase] += now - run->phase_began;
	run->event.phases_passed |= BIT(phase);
	run->phase_began = now;
}

static void poll_sleep(u64 passed_ns)
{
	u64 us = div_u64(passed_ns, POLL_SHARE * NSEC_PER_USEC);

	us = clamp_t(u64, us, POLL_MIN_US, POLL_MAX_US);
	usleep_range(us, us + us / 4);
}

static bool registers_show_life(struct instinct_device *dev)
{
	u16 command = instinct_registers_open(&dev->regs);
	bool alive = instinct_registers_alive(&dev->regs);

	instinct_registers_close(&dev->regs, command);
	return alive;
}

/* Bring the path back where it is broken; false if nobody answers yet. */
static bool run_reach(struct run *run)
{
	struct instinct_device *dev = run->dev;

	if (!instinct_fabric_intact(&dev->fabric))
		instinct_fabric_restore(&dev->fabric);
	return instinct_endpoint_answers(dev->pdev);
}

/* Write the config space back, and leave memory decoding on to look for life. */
static void run_restore(struct run *run)
{
	struct instinct_device *dev = run->dev;

	run_phase_end(run, INSTINCT_VFIO_PHASE_READY);
	instinct_endpoint_restore(dev->pdev, run->keep);
	run->command = instinct_registers_open(&dev->regs);
	run_phase_end(run, INSTINCT_VFIO_PHASE_RESTORE);
}

static void run_progress(struct run *run, u64 passed, u64 *next)
{
	if (passed < *next)
		return;
	pci_info(run->dev->pdev, "not back %llu ms after reset by %s; waiting up to %u ms\n",
		 div_u64(passed, NSEC_PER_MSEC),
		 instinct_name_method(run->method), run->policy.ready_timeout);
	*next = passed + PROGRESS_EVERY;
}

/*
 * Until the device has shown life, or the deadline has passed. A device can
 * answer and go into its reset only then, and a switch can hide that: what it
 * may have lost is written back again.
 */
static int run_wait(struct run *run)
{
	u64 limit = (u64)run->policy.ready_timeout * NSEC_PER_MSEC;
	u64 began = ktime_get_ns(), next = PROGRESS_FIRST, passed, restored = 0;
	bool open = false;
	int done = 0;

	for (;;) {
		passed = ktime_get_ns() - began;
		if (!run_reach(run)) {
			open = false;
		} else {
			if (!open || passed - restored > REWRITE_AFTER) {
				run_restore(run);
				restored = passed;
				open = true;
			}
			done = instinct_method_done(run->dev, run->method,
						    &run->reset->why);
			run_phase_end(run, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		if (done || passed > limit)
			break;
		run_progress(run, passed, &next);
		poll_sleep(passed);
	}
	if (open)
		instinct_registers_close(&run->dev->regs, run->command);
	if (!done) {
		run->reset->why = "the device did not come back in time";
		return -ETIMEDOUT;
	}
	return min(done, 0);
}

/* Try one method. 0, or a negative errno with run->reset->why set. */
static int run_method(struct run *run)
{
	struct instinct_device *dev = run->dev;
	int ret;

	memset(run->event.phase, 0, sizeof(run->event.phase));
	run->event.phases_passed = 0;
	run->phase_began = ktime_get_ns();

	instinct_endpoint_quiesce(dev->pdev);
	instinct_fabric_keep(&dev->fabric);
	run_phase_end(run, INSTINCT_VFIO_PHASE_QUIESCE);

	ret = instinct_method_trigger(dev, run->method, run->policy.bus_port,
				      &run->reset->why);
	run_phase_end(run, INSTINCT_VFIO_PHASE_TRIGGER);
	if (ret)
		return ret;
	if (instinct_plan_scrubs(run->method)) {
		spin_lock(&dev->status_lock);
		dev->status.resets.hardware++;
		spin_unlock(&dev->status_lock);
	}

	run_reach(run);
	run_phase_end(run, INSTINCT_VFIO_PHASE_PATH);
	return run_wait(run);
}

static bool run_alive(struct run *run)
{
	return run_reach(run) && registers_show_life(run->dev);
}

static void run_tell(struct run *run, enum instinct_vfio_event kind,
		     int error, const char *why)
{
	struct instinct_event event = run->event;

	event.kind = kind;
	event.cause = run->reset->cause;
	event.method = run->method;
	event.error = -error;
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_device_emit(run->dev, &event);
}

/* A method failed: remember it if it took the device with it. */
static void run_method_failed(struct run *run, int error, bool alive)
{
	struct instinct_device *dev = run->dev;

	if (!alive && instinct_plan_scrubs(run->method)) {
		spin_lock(&dev->status_lock);
		dev->status.lost_by |= BIT(run->method);
		spin_unlock(&dev->status_lock);
	}
	pci_warn(dev->pdev, "reset by %s for %s failed (%d): %s\n",
		 instinct_name_method(run->method),
		 instinct_name_cause(run->reset->cause), error, run->reset->why);
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, error, run->reset->why);
}

static bool discover_mailbox(struct instinct_device *dev, const char **why)
{
	u16 command = instinct_registers_open(&dev->regs);
	bool found = false;

	if (!instinct_registers_alive(&dev->regs))
		*why = "the device shows no sign of life";
	else
		found = !instinct_mailbox_find(&dev->mailbox, why);
	instinct_registers_close(&dev->regs, command);
	return found;
}

/* Where the mailbox is: by policy, or by the table, which is read once. */
static bool locate_mailbox(struct instinct_device *dev, u32 by_policy,
			   const char **why)
{
	if (!by_policy && !dev->mailbox.discovered &&
	    !discover_mailbox(dev, why))
		return false;
	dev->mailbox.base = by_policy ? by_policy / 4 : dev->mailbox.discovered;
	return true;
}

static int run_ladder(struct run *run)
{
	struct instinct_device *dev = run->dev;
	struct instinct_plan_facts facts = {
		.wanted = run->reset->wanted,
		.family = dev->profile->family,
		.package = instinct_fabric_has_package(&dev->fabric),
		.flr = dev->pdev->devcap & PCI_EXP_DEVCAP_FLR,
	};
	const char *mailbox_why = NULL;
	struct instinct_status status;
	struct instinct_plan plan;
	unsigned int i;
	int ret;

	if (facts.wanted == INSTINCT_VFIO_METHOD_AUTO)
		facts.wanted = run->policy.method;
	facts.mailbox = locate_mailbox(dev, run->policy.mailbox, &mailbox_why);
	instinct_device_status(dev, &status);
	facts.lost_by = status.lost_by;
	instinct_plan_make(&facts, &plan);
	if (plan.skipped)
		pci_info(dev->pdev, "%s%s%s\n", plan.skipped,
			 mailbox_why ? ": " : "", mailbox_why ?: "");

	ret = -EOPNOTSUPP;
	if (!plan.ladder.count) {
		run->reset->why = plan.skipped;
		run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, plan.skipped);
	}
	for (i = 0; i < plan.ladder.count; i++) {
		bool alive;

		run->method = plan.ladder.method[i];
		ret = run_method(run);
		if (!ret)
			break;
		alive = run_alive(run);
		run_method_failed(run, ret, alive);
		if (alive)
			instinct_endpoint_restore(dev->pdev, run->keep);
	}
	return ret;
}

static int run_begin(struct run *run)
{
	struct instinct_device *dev = run->dev;
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (status.gone)
		return -ENODEV;
	run->policy = status.policy;
	run->before = status.state;
	instinct_device_set_state(dev, INSTINCT_VFIO_STATE_RESETTING, "");
	run->method = run->reset->wanted ?: run->policy.method;
	run_tell(run, INSTINCT_VFIO_EVENT_RESET_BEGUN, 0, "");
	run->method = INSTINCT_VFIO_METHOD_AUTO;
	return 0;
}

/* Settle what the device is now, and tell. */
static void run_end(struct run *run, int error, bool alive)
{
	struct instinct_outcome_facts facts = {
		.before = run->before,
		.cause = run->reset->cause,
		.tenancy = run->policy.tenancy,
		.error = error,
		.method = run->method,
		.alive = alive,
	};
	struct instinct_device *dev = run->dev;
	enum instinct_vfio_state state;
	const char *why;

	run->event.duration = run->reset->duration;
	state = instinct_outcome_state(&facts, &why);

	spin_lock(&dev->status_lock);
	if (error || state == INSTINCT_VFIO_STATE_LOST)
		dev->status.resets.failed++;
	else if (!instinct_plan_scrubs(run->method))
		dev->status.resets.quiesced++;
	spin_unlock(&dev->status_lock);

	instinct_device_set_state(dev, state, why);
	if (!error) {
		pci_info(dev->pdev, "reset by %s for %s took %llu ms\n",
			 instinct_name_method(run->method),
			 instinct_name_cause(run->reset->cause),
			 div_u64(run->reset->duration, NSEC_PER_MSEC));
		run_tell(run, INSTINCT_VFIO_EVENT_RESET_DONE, 0, why);
	}
	if (state == INSTINCT_VFIO_STATE_LOST &&
	    run->before != INSTINCT_VFIO_STATE_LOST)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_LOST, error, why);
	else if (state == INSTINCT_VFIO_STATE_QUARANTINED &&
		 run->before != INSTINCT_VFIO_STATE_QUARANTINED)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED, error, why);
	else if (state != INSTINCT_VFIO_STATE_LOST &&
		 run->before == INSTINCT_VFIO_STATE_LOST)
		run_tell(run, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED, 0, "");
}

/* What will be written back: the state of now, or else the last good one. */
static struct pci_saved_state *run_keep(struct run *run, bool reached)
{
	struct pci_saved_state *state = NULL;

	if (reached && run->before == INSTINCT_VFIO_STATE_READY)
		state = instinct_endpoint_keep(run->dev->pdev);
	return state ?: run->dev->baseline;
}

/**
 * instinct_reset_run() - reset a device
 * @dev: device
 * @reset: what is asked; the outcome is set
 *
 * Context: may sleep, up to policy's ready_timeout for each method tried; the
 * caller holds pci_cfg_access_lock(), so no user reaches the config space, and
 * a reference of runtime PM. Takes @dev->reset_lock.
 *
 * Return: 0 if the device was reset and shows life; -ENODEV, -EOPNOTSUPP,
 * -ETIMEDOUT or another negative errno with @reset->why set.
 */
int instinct_reset_run(struct instinct_device *dev,
		       struct instinct_reset *reset)
{
	struct run run = { .dev = dev, .reset = reset };
	u64 began = ktime_get_ns();
	bool reached;
	int ret;

	reset->why = "";
	mutex_lock(&dev->reset_lock);
	ret = run_begin(&run);
	if (ret) {
		reset->why = "the driver has let go of the device";
		goto out;
	}

	reached = run_reach(&run);
	run.keep = run_keep(&run, reached);
	if (reached) {
		pci_set_power_state(dev->pdev, PCI_D0);
		/* After a loss the registers are behind empty BARs. */
		if (run.before != INSTINCT_VFIO_STATE_READY)
			instinct_endpoint_restore(dev->pdev, run.keep);
		ret = run_ladder(&run);
	} else {
		reset->why = "the device does not answer config reads, though the path to it is restored";
		ret = -EIO;
		run_tell(&run, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, reset->why);
		pci_err(dev->pdev, "cannot be reset: %s\n", reset->why);
	}
	reset->method = run.method;
	reset->duration = ktime_get_ns() - began;
	run_end(&run, ret, !ret || run_alive(&run));

	if (run.keep != dev->baseline)
		kfree(run.keep);
	if (!ret && !dev->baseline)
		dev->baseline = instinct_endpoint_keep(dev->pdev);
out:
	mutex_unlock(&dev->reset_lock);
	return ret;
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

	mutex_lock(&dev->reset_lock);
	if (!instinct_fabric_intact(&dev->fabric) ||
	    !instinct_endpoint_answers(dev->pdev)) {
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it was lost before this driver took it");
		goto out;
	}
	pci_set_power_state(dev->pdev, PCI_D0);
	instinct_fabric_keep(&dev->fabric);
	dev->baseline = instinct_endpoint_keep(dev->pdev);

	if (!registers_show_life(dev))
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it answers config reads, but its registers show no life");
	else if (!locate_mailbox(dev, 0, &why))
		pci_warn(dev->pdev, "mode-1 reset not available: %s\n", why);
out:
	mutex_unlock(&dev->reset_lock);
}
