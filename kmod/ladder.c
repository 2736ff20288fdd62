// SPDX-License-Identifier: GPL-2.0-only
#include "guards.h"
#include "hive.h"
#include "ladder.h"
#include "name.h"
#include "plan.h"
#include "run.h"

/* A method failed: remember it if it took the device with it. */
static void rung_failed(struct instinct_run *run, int error, bool alive)
{
	struct instinct_device *dev = run->dev;

	if (!alive && run->attempt.fired &&
	    instinct_plan_scrubs(run->attempt.method)) {
		spin_lock(&dev->status_lock);
		dev->status.lost_by |= BIT(run->attempt.method);
		spin_unlock(&dev->status_lock);
	}
	pci_warn(dev->pdev, "reset by %s for %s failed (%d): %s\n",
		 instinct_name_method(run->attempt.method),
		 instinct_name_cause(run->reset->cause), error,
		 run->attempt.why);
	instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, error,
			  run->attempt.why);
}

/* The table lies in memory that a user can write to. */
static bool discover_mailbox(struct instinct_device *dev, const char **why)
{
	u16 command;
	bool found = false;

	if (READ_ONCE(dev->status.tenure.used)) {
		*why = "its IP discovery table could be its last user's (policy: mailbox)";
		return false;
	}
	command = instinct_registers_open(&dev->regs);
	if (!instinct_registers_alive(&dev->regs))
		*why = "the device shows no sign of life";
	else
		found = !instinct_mailbox_find(&dev->mailbox, why);
	instinct_registers_close(&dev->regs, command);
	return found;
}

/**
 * instinct_ladder_find_mailbox() - find out where the mailbox is
 * @dev: device
 * @by_policy: its offset in the registers, in bytes, or 0
 * @why: set if it is not found
 *
 * By policy, or by the table, which is read once.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: true if it is known now.
 */
bool instinct_ladder_find_mailbox(struct instinct_device *dev, u32 by_policy,
				  const char **why)
{
	if (!by_policy && !dev->mailbox.discovered &&
	    !discover_mailbox(dev, why))
		return false;
	WRITE_ONCE(dev->mailbox.base, by_policy ? by_policy / 4 : dev->mailbox.discovered);
	return true;
}

static void plan_make(struct instinct_device *dev,
		      const struct instinct_status *status,
		      enum instinct_vfio_method wanted, bool mailbox,
		      struct instinct_plan *plan)
{
	struct instinct_plan_facts facts = {
		.wanted = wanted ?: status->policy.method,
		.family = dev->profile->family,
		.lost_by = status->lost_by,
		.mailbox = mailbox,
		.package = instinct_fabric_has_package(&dev->fabric),
		.flr = dev->pdev->devcap & PCI_EXP_DEVCAP_FLR,
	};

	instinct_plan_make(&facts, plan);
}

/**
 * instinct_ladder_plan() - what a reset would try
 * @dev: device
 * @wanted: method, AUTO for what policy says
 * @plan: set
 *
 * Touches no hardware, and says nothing of the other GPUs of a hive.
 */
void instinct_ladder_plan(struct instinct_device *dev,
			  enum instinct_vfio_method wanted,
			  struct instinct_plan *plan)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	plan_make(dev, &status, wanted,
		  status.policy.mailbox || READ_ONCE(dev->mailbox.discovered),
		  plan);
}

/*
 * The hive that the method concerns, if it does. Return: 0, or -EOPNOTSUPP with
 * the attempt's why set.
 */
static int enter_hive(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	enum instinct_hive_verdict verdict;

	attempt->hive = run->reset->hive;
	if (attempt->hive ||
	    !instinct_hive_wide(attempt->policy->scope, attempt->method))
		return 0;
	attempt->hive = instinct_hive_begin(run->dev, run->reset, attempt->method,
					    &verdict, &attempt->why);
	return verdict == INSTINCT_HIVE_NEVER ||
	       verdict == INSTINCT_HIVE_LATER ? -EOPNOTSUPP : 0;
}

static void leave_hive(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;

	if (attempt->hive && attempt->hive != run->reset->hive)
		instinct_hive_end(attempt->hive, attempt->why);
	attempt->hive = NULL;
}

/* One rung of the ladder. */
static int try_rung(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	bool alive;
	int ret;

	ret = enter_hive(run);
	if (!ret)
		ret = instinct_attempt_run(attempt);
	leave_hive(run);
	if (!ret)
		return 0;

	instinct_guards_suspend(dev);
	alive = !attempt->blocked && instinct_attempt_alive(dev);
	rung_failed(run, ret, alive);
	if (alive) {
		instinct_guard_resume(dev->guard);
		instinct_attempt_write_back(attempt);
	}
	return ret;
}

/**
 * instinct_ladder_climb() - try the methods of the plan until one has worked
 * @run: the reset; its attempt is the last one tried
 *
 * Context: may sleep, for as long as policy gives each method; under the device's
 * reset_lock, with its config space held.
 *
 * Return: 0, or what the last method failed with; -EOPNOTSUPP if none may be tried.
 */
int instinct_ladder_climb(struct instinct_run *run)
{
	struct instinct_attempt *attempt = &run->attempt;
	struct instinct_device *dev = run->dev;
	const char *mailbox_why = NULL;
	struct instinct_plan plan;
	unsigned int i;
	bool mailbox;
	int ret;

	mailbox = instinct_ladder_find_mailbox(dev, attempt->policy->mailbox, &mailbox_why);
	plan_make(dev, &run->before, run->reset->wanted, mailbox, &plan);
	if (plan.skipped)
		pci_info(dev->pdev, "%s%s%s\n", plan.skipped,
			 mailbox_why ? ": " : "", mailbox_why ?: "");

	ret = -EOPNOTSUPP;
	if (!plan.ladder.count) {
		attempt->why = plan.skipped;
		instinct_run_tell(run, INSTINCT_VFIO_EVENT_RESET_FAILED, ret, plan.skipped);
	}
	for (i = 0; i < plan.ladder.count; i++) {
		attempt->method = plan.ladder.method[i];
		ret = try_rung(run);
		if (!ret || (ret == -ECANCELED && run->reset->hive))
			break;
		/* What cannot be written back cannot be so without a reset. */
		if (attempt->blocked && i + 1 < plan.ladder.count &&
		    !instinct_plan_scrubs(plan.ladder.method[i + 1]))
			break;
	}
	return ret;
}

