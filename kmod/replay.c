// SPDX-License-Identifier: GPL-2.0-only
/* Bringing to land what did not at once, and telling of it. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "compat/pm_runtime.h"
#include "compat/workqueue.h"
#include "fabric.h"
#include "guard_state.h"
#include "interpose.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* No write blocked for so long: that was that. */
#define EPISODE_QUIET	(1 * NSEC_PER_SEC)
#define STEP_MIN	(1 * NSEC_PER_MSEC)
#define STEP_MAX	(20 * NSEC_PER_MSEC)
/* Wait for a step as long as a thirty-second of what has passed. */
#define STEP_SHARE	32

/* When the ports above a function sleep it answers nobody: what is to be done waits. */
#define ASLEEP_PAUSE	msecs_to_jiffies(1000)

/*
 * Under @push_lock: look at what there is a note of. Writes are looked at one by
 * one meanwhile; who was taking a note has done so, and has written, when RCU has
 * waited.
 */
static void guard_look(struct instinct_guard *guard)
{
	struct instinct_write write;
	unsigned long flags;
	u64 blocked;

	if (!READ_ONCE(guard->notes.blocks))
		return;
	raw_spin_lock_irqsave(&guard->lock, flags);
	guard->looking = true;
	instinct_guard_set_way(guard);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	synchronize_rcu();

	raw_spin_lock_irqsave(&guard->lock, flags);
	blocked = guard->keeper.counts.blocked;
	while (instinct_notes_next(&guard->notes, &write)) {
		if (guard->mode == INSTINCT_GUARD_ON && guard->rules.verify &&
		    instinct_config_map_any(&guard->keeper.map, write.where,
					    write.size))
			instinct_keeper_recheck(&guard->keeper, &guard->io, &write);
		/* Each access may take until the completion timeout, and others wait. */
		raw_spin_unlock_irqrestore(&guard->lock, flags);
		raw_spin_lock_irqsave(&guard->lock, flags);
	}
	if (guard->keeper.counts.blocked != blocked || guard->keeper.count)
		instinct_guard_alarm(guard);
	guard->looking = false;
	instinct_guard_set_way(guard);
	WRITE_ONCE(guard->looked_at, jiffies);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
}

/* Under @push_lock: have the first kept writes landed? Not all in one go. */
static enum instinct_keeper_result guard_step(struct instinct_guard *guard,
					      bool again, u64 *age)
{
	struct instinct_keeper *keeper = &guard->keeper;
	enum instinct_keeper_result result;
	struct instinct_write write;
	unsigned long flags;

	do {
		result = INSTINCT_KEEPER_DONE;
		raw_spin_lock_irqsave(&guard->lock, flags);
		if (guard->mode == INSTINCT_GUARD_ON) {
			write = keeper->kept[keeper->first];
			result = instinct_keeper_step(keeper, &guard->io,
						      guard->rules.timeout,
						      again);
			*age = keeper->count ?
				ktime_get_ns() - keeper->first_since : 0;
			if (keeper->count)
				instinct_guard_alarm(guard);
			else
				instinct_guard_set_way(guard);
		}
		raw_spin_unlock_irqrestore(&guard->lock, flags);
		if (result == INSTINCT_KEEPER_MORE)
			trace_config_write_replayed(pci_name(guard->pdev), &write);
	} while (result == INSTINCT_KEEPER_MORE);
	return result;
}

static void guard_climb(struct instinct_guard *guard,
			enum instinct_vfio_unblock rung)
{
	u32 ignored;

	instinct_interposer_read(guard->interposer, PCI_VENDOR_ID, 4, &ignored);
	instinct_fabric_unblock(guard->fabric, guard->pdev, rung);
}

/* How far policy lets climb. */
static enum instinct_vfio_unblock guard_allowed(struct instinct_guard *guard)
{
	enum instinct_vfio_unblock allowed;
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	allowed = guard->rules.unblock;
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	return allowed;
}

/* Under @push_lock: which write could not land; false if that is known already. */
static bool guard_explain(struct instinct_guard *guard)
{
	const struct instinct_keeper *keeper = &guard->keeper;
	const char *name, *bdf = pci_name(guard->pdev);
	unsigned long flags;
	bool first;

	raw_spin_lock_irqsave(&guard->lock, flags);
	name = instinct_config_map_name(&keeper->map, keeper->last.where);
	first = !guard->why[0];
	if (first && keeper->crowded)
		snprintf(guard->why, sizeof(guard->why),
			 "a write to %s (%#x) of %s has not landed, nor %u more",
			 name, keeper->last.where, bdf, INSTINCT_KEPT_MAX - 1);
	else if (first)
		snprintf(guard->why, sizeof(guard->why),
			 "a write to %s (%#x) of %s did not land within %llu ms", name,
			 keeper->last.where, bdf,
			 div_u64(guard->rules.timeout, NSEC_PER_MSEC));
	if (first)
		guard->failed = keeper->last;
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	return first;
}

/**
 * instinct_guard_push() - go about what is kept
 * @guard: of the function
 *
 * Context: may sleep, some milliseconds if a link is retrained.
 *
 * Return: DONE if all has landed, KEPT if not yet, FAILED if it could not, and
 * instinct_guard_why() tells which.
 */
enum instinct_keeper_result instinct_guard_push(struct instinct_guard *guard)
{
	enum instinct_keeper_result result;
	enum instinct_vfio_unblock rung;
	u64 age = 0;

	mutex_lock(&guard->push_lock);
	result = guard_step(guard, false, &age);
	if (result == INSTINCT_KEEPER_KEPT) {
		rung = instinct_unblock_due(&guard->unblock,
					    guard_allowed(guard), age);
		if (rung) {
			guard->episode_rung = max(guard->episode_rung, rung);
			guard_climb(guard, rung);
			result = guard_step(guard, true, &age);
		}
	}
	/* What is kept next begins with the gentlest again. */
	if (result == INSTINCT_KEEPER_DONE)
		guard->unblock.rung = INSTINCT_VFIO_UNBLOCK_NONE;
	if (result == INSTINCT_KEEPER_FAILED && guard_explain(guard)) {
		guard->failure_untold = true;
		trace_config_write_failed(pci_name(guard->pdev), &guard->failed);
		mod_delayed_work(system_dfl_wq, &guard->work, 1);
	}
	mutex_unlock(&guard->push_lock);
	return result;
}

/* Under @push_lock: an episode as it is now. */
static void guard_describe(struct instinct_guard *guard,
			   enum instinct_keeper_result result,
			   const struct instinct_write *first,
			   struct instinct_guard_episode *episode)
{
	*episode = (struct instinct_guard_episode) {
		.pdev = guard->pdev,
		.result = result,
		.first = *first,
		.name = instinct_config_map_name(&guard->keeper.map, first->where),
		.count = guard->seen_blocked - guard->episode_blocked,
		.lasted = guard->quiet_since - guard->episode_began,
		.rung = guard->episode_rung,
	};
}

/* Under @push_lock. Not when one begins: a push may have climbed for it already. */
static void guard_end_episode(struct instinct_guard *guard)
{
	guard->episode_open = false;
	guard->episode_rung = INSTINCT_VFIO_UNBLOCK_NONE;
	guard->unblock = (struct instinct_unblock) { };
}

/* Under @push_lock: is there something to tell? */
static bool guard_news(struct instinct_guard *guard,
		       enum instinct_keeper_result result,
		       struct instinct_guard_episode *episode)
{
	u64 now = ktime_get_ns(), blocked;
	struct instinct_write last;
	unsigned long flags;
	bool more;

	raw_spin_lock_irqsave(&guard->lock, flags);
	blocked = guard->keeper.counts.blocked;
	last = guard->keeper.blocked;
	raw_spin_unlock_irqrestore(&guard->lock, flags);

	more = blocked != guard->seen_blocked;
	if (more || result == INSTINCT_KEEPER_KEPT)
		guard->quiet_since = now;
	if (more && !guard->episode_open) {
		guard->episode_open = true;
		guard->episode_began = now;
		guard->episode_blocked = guard->seen_blocked;
		guard->episode_first = last;
		guard->seen_blocked = blocked;
		guard_describe(guard, INSTINCT_KEEPER_KEPT, &last, episode);
		return true;
	}
	guard->seen_blocked = blocked;
	if (guard->failure_untold) {
		guard->failure_untold = false;
		guard->episode_dropped = 0;
		guard_describe(guard, INSTINCT_KEEPER_FAILED, &guard->failed,
			       episode);
		guard_end_episode(guard);
		return true;
	}
	if (!guard->episode_open && result == INSTINCT_KEEPER_DONE)
		guard_end_episode(guard);
	if (!guard->episode_open || result == INSTINCT_KEEPER_KEPT ||
	    now - guard->quiet_since < EPISODE_QUIET)
		return false;
	guard_describe(guard, INSTINCT_KEEPER_DONE, &guard->episode_first, episode);
	episode->dropped = guard->episode_dropped;
	guard->episode_dropped = 0;
	guard_end_episode(guard);
	return true;
}

static unsigned long guard_pause(struct instinct_guard *guard,
				 enum instinct_keeper_result result)
{
	u64 age = ktime_get_ns() - guard->episode_began;

	if (result != INSTINCT_KEEPER_KEPT)
		return nsecs_to_jiffies(EPISODE_QUIET) + 1;
	return nsecs_to_jiffies(clamp_t(u64, age / STEP_SHARE, STEP_MIN,
					STEP_MAX)) ?: 1;
}

/**
 * instinct_replay_work() - look at what was passed on, go about what is kept, tell
 * @work: of a guard
 *
 * Context: process; @push_lock is not held.
 */
void instinct_replay_work(struct work_struct *work)
{
	struct instinct_guard *guard = container_of(to_delayed_work(work),
						    struct instinct_guard, work);
	struct instinct_guard_episode episode;
	enum instinct_keeper_result result;
	struct device *above = guard->pdev->dev.parent;
	/* Without runtime PM it is awake, and an error is returned. */
	int awake = instinct_compat_get_if_active(above);
	bool again, news;

	if (!awake) {
		queue_delayed_work(system_dfl_wq, &guard->work, ASLEEP_PAUSE);
		return;
	}
	mutex_lock(&guard->push_lock);
	/* Who is suspended may be on his way off the bus. */
	if (READ_ONCE(guard->mode) == INSTINCT_GUARD_ON)
		instinct_interpose_check(guard->interposer);
	guard_look(guard);
	mutex_unlock(&guard->push_lock);
	result = instinct_guard_push(guard);
	do {
		mutex_lock(&guard->push_lock);
		news = guard_news(guard, result, &episode);
		again = guard->episode_open || result == INSTINCT_KEEPER_KEPT;
		mutex_unlock(&guard->push_lock);
		if (news)
			guard->watch->episode(guard->data, &episode);
	} while (news);
	if (awake > 0)
		pm_runtime_put(above);
	if (again)
		queue_delayed_work(system_dfl_wq, &guard->work,
				   guard_pause(guard, result));
}

/**
 * instinct_guard_settle() - wait until what was written has landed
 * @guard: of the function
 *
 * Context: may sleep, up to the policy's guard_timeout; can be killed.
 *
 * Return: 0, -EIO if something could not land, -EINTR.
 */
int instinct_guard_settle(struct instinct_guard *guard)
{
	enum instinct_keeper_result result;
	unsigned long us = USEC_PER_MSEC;

	if (likely(!READ_ONCE(guard->keeper.count) &&
		   !READ_ONCE(guard->keeper.failed)))
		return 0;
	for (;;) {
		result = instinct_guard_push(guard);
		if (result == INSTINCT_KEEPER_FAILED)
			return -EIO;
		/* The worker may have been the one to give up. */
		if (result != INSTINCT_KEEPER_KEPT)
			return READ_ONCE(guard->mode) == INSTINCT_GUARD_REFUSING ? -EIO : 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(us, us + us / 4);
		us = min(us + us / STEP_SHARE + 1,
			 (unsigned long)(STEP_MAX / NSEC_PER_USEC));
	}
}
