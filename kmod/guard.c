// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric.h"
#include "guard_state.h"
#include "interpose.h"

static u32 io_read(void *data, int where, int size)
{
	struct instinct_guard *guard = data;
	u32 val = instinct_config_ones(size);

	instinct_interposer_read(guard->interposer, where, size, &val);
	return val;
}

static void io_write(void *data, int where, int size, u32 val)
{
	struct instinct_guard *guard = data;

	instinct_interposer_write(guard->interposer, where, size, val);
}

static u64 io_now(void *data)
{
	return ktime_get_ns();
}

/**
 * instinct_guard_set_way() - choose the way that writes take from now on
 * @guard: of the function
 *
 * Context: under @guard->lock.
 */
void instinct_guard_set_way(struct instinct_guard *guard)
{
	enum instinct_guard_way way = INSTINCT_GUARD_LOCKED;

	if (guard->mode == INSTINCT_GUARD_SUSPENDED ||
	    (guard->mode == INSTINCT_GUARD_ON && !guard->rules.verify &&
	     !guard->keeper.count && !guard->keeper.failed))
		way = INSTINCT_GUARD_PASS;
	else if (guard->mode == INSTINCT_GUARD_ON && !guard->alert && !guard->looking &&
		 !guard->keeper.count && !guard->keeper.failed)
		way = INSTINCT_GUARD_NOTE;
	WRITE_ONCE(guard->way, way);
}

/**
 * instinct_guard_alarm() - a write was blocked: look at each for a while
 * @guard: of the function
 *
 * Context: under @guard->lock.
 */
void instinct_guard_alarm(struct instinct_guard *guard)
{
	guard->alert = true;
	guard->alert_until = ktime_to_ns(ktime_get_coarse()) + INSTINCT_ALERT_AFTER_BLOCK;
	instinct_guard_set_way(guard);
}

/**
 * instinct_guard_value() - what a register holds, with what is kept for it
 * @guard: of the function
 * @where: offset
 * @size: bytes: 1, 2 or 4
 *
 * Context: under @guard->lock.
 *
 * Return: the value.
 */
u32 instinct_guard_value(struct instinct_guard *guard, int where, int size)
{
	if (guard->mode == INSTINCT_GUARD_ON)
		return instinct_keeper_read(&guard->keeper, &guard->io, where, size);
	return guard->io.read(guard->io.data, where, size);
}

/**
 * instinct_guard_nudge() - write what the function should hold anyway
 * @guard: of the function
 * @where: offset
 * @val: dword
 *
 * For the sake of who sees it on its way. Not if anything is kept: then it would
 * come out of turn.
 *
 * Context: any.
 */
void instinct_guard_nudge(struct instinct_guard *guard, int where, u32 val)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	if (guard->mode != INSTINCT_GUARD_REFUSING && !guard->keeper.count)
		instinct_interposer_write(guard->interposer, where, 4, val);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
}

static void guard_set_mode(struct instinct_guard *guard, enum instinct_guard_mode mode,
			   bool anew)
{
	unsigned long flags;

	mutex_lock(&guard->push_lock);
	raw_spin_lock_irqsave(&guard->lock, flags);
	WRITE_ONCE(guard->mode, mode);
	if (anew) {
		guard->episode_dropped += guard->keeper.count;
		instinct_keeper_forget(&guard->keeper);
		/*
		 * A note that is just taken may be dropped or not. Its part stays marked
		 * until the worker looks, so that none is without.
		 */
		data_race(memset(guard->notes.noted, 0, sizeof(guard->notes.noted)));
		guard->alert = true;
		guard->alert_until = max_t(u64, guard->alert_until,
					   ktime_to_ns(ktime_get_coarse()) +
					   INSTINCT_ALERT_AFTER_RESET);
		guard->why[0] = '\0';
	}
	instinct_guard_set_way(guard);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	if (mode == INSTINCT_GUARD_REFUSING)
		synchronize_rcu();
	if (anew)
		guard->unblock = (struct instinct_unblock) { };
	mutex_unlock(&guard->push_lock);
}

/**
 * instinct_guard_suspend() - the function is about to be reset
 * @guard: of the function
 *
 * All is passed on, nothing is looked at. What was kept is forgotten: the reset
 * undoes it, and the engine writes everything back.
 *
 * Context: may sleep.
 */
void instinct_guard_suspend(struct instinct_guard *guard)
{
	guard_set_mode(guard, INSTINCT_GUARD_SUSPENDED, true);
}

/**
 * instinct_guard_resume() - from here on each write counts, and is looked at
 * @guard: of the function
 *
 * Context: may sleep.
 */
void instinct_guard_resume(struct instinct_guard *guard)
{
	instinct_interpose_check(guard->interposer);
	guard_set_mode(guard, INSTINCT_GUARD_ON, true);
}

/**
 * instinct_guard_check() - see to it that the function's accesses come this way
 * @guard: of the function
 *
 * To be called before anything of which the function has to be guarded: somebody
 * may have taken this driver's accessors off the bus, see
 * instinct_interpose_check().
 *
 * Context: may sleep.
 */
void instinct_guard_check(struct instinct_guard *guard)
{
	instinct_interpose_check(guard->interposer);
}

/**
 * instinct_guard_ready() - the function is in order
 * @guard: of the function; what it keeps it goes on keeping
 *
 * Context: may sleep.
 */
void instinct_guard_ready(struct instinct_guard *guard)
{
	if (READ_ONCE(guard->mode) != INSTINCT_GUARD_ON)
		instinct_guard_resume(guard);
}

/**
 * instinct_guard_refuse() - the device is lost: nothing is to reach it
 * @guard: of the function
 *
 * Context: may sleep.
 */
void instinct_guard_refuse(struct instinct_guard *guard)
{
	guard_set_mode(guard, INSTINCT_GUARD_REFUSING, false);
}

/**
 * instinct_guard_set_rules() - what policy allows
 * @guard: of the function
 * @rules: all of it; what is kept already stays so
 *
 * Context: any.
 */
void instinct_guard_set_rules(struct instinct_guard *guard,
			      const struct instinct_guard_rules *rules)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	guard->rules = *rules;
	if (rules->verify && !guard->keeper.verify)
		instinct_keeper_learn(&guard->keeper, &guard->io);
	guard->keeper.verify = rules->verify;
	guard->keeper.keep = rules->keep;
	instinct_guard_set_way(guard);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
}

/**
 * instinct_guard_survey() - learn what can be learnt of a function in order
 * @guard: of the function, which answers and which nobody uses; suspended, and
 *	resumed by this
 *
 * Context: may sleep.
 */
void instinct_guard_survey(struct instinct_guard *guard)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	instinct_keeper_survey(&guard->keeper, &guard->io);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	instinct_guard_resume(guard);
}

/**
 * instinct_guard_is_settled() - does the function hold what was written to it?
 * @guard: guard of the function
 *
 * While writes are kept, reads of the config space answer what it will hold.
 *
 * Context: any.
 *
 * Return: false while writes are kept, or after one that never landed.
 */
bool instinct_guard_is_settled(const struct instinct_guard *guard)
{
	return !READ_ONCE(guard->keeper.count) && !READ_ONCE(guard->keeper.failed);
}

/**
 * instinct_guard_forced() - writes were repeated though they had read back
 * @guard: of the function
 * @writes: how many
 */
void instinct_guard_forced(struct instinct_guard *guard, unsigned int writes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	guard->keeper.counts.forced += writes;
	raw_spin_unlock_irqrestore(&guard->lock, flags);
}

/**
 * instinct_guard_counts() - what has happened so far
 * @guard: of the function
 * @counts: added to
 */
void instinct_guard_counts(struct instinct_guard *guard,
			   struct instinct_keeper_counts *counts)
{
	const struct instinct_keeper_counts *own = &guard->keeper.counts;
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	counts->blocked += own->blocked;
	counts->retried += own->retried;
	counts->replayed += own->replayed;
	counts->forced += own->forced;
	counts->failed += own->failed;
	counts->longest = max(counts->longest, own->longest);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
}

/**
 * instinct_guard_why() - which write could not land
 * @guard: of the function
 * @why: of INSTINCT_REASON_BYTES, or NULL; set to a text for people, if one could not
 *
 * Context: any.
 *
 * Return: true if one could not.
 */
bool instinct_guard_why(struct instinct_guard *guard, char *why)
{
	unsigned long flags;
	bool failed;

	raw_spin_lock_irqsave(&guard->lock, flags);
	failed = guard->why[0];
	if (failed && why)
		strscpy(why, guard->why, INSTINCT_REASON_BYTES);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	return failed;
}

/**
 * instinct_guard_attach() - begin to guard a function
 * @pdev: function, with a PCIe capability
 * @fabric: the path that it is on, or at the end of which it is
 * @touched: bits INSTINCT_TOUCHED_* that it sets; NULL if it is neither to hold
 *	an FLR back nor to look for what touches the function
 * @watch: whom it tells
 * @data: for @watch
 *
 * Everything is passed on until instinct_guard_survey() or
 * instinct_guard_resume().
 *
 * Context: may sleep; the device lock of the GPU is held, which keeps the buses
 * above it.
 *
 * Return: the guard, ERR_PTR(-ENOMEM), or ERR_PTR(-EBUSY) if another function
 * of the same bus is guarded.
 */
struct instinct_guard *
instinct_guard_attach(struct pci_dev *pdev, const struct instinct_fabric *fabric,
		      unsigned long *touched,
		      const struct instinct_guard_watch *watch, void *data)
{
	struct instinct_guard *guard = kvzalloc(sizeof(*guard), GFP_KERNEL);
	int ret;

	if (!guard)
		return ERR_PTR(-ENOMEM);
	guard->pdev = pci_dev_get(pdev);
	guard->fabric = fabric;
	guard->touched = touched;
	guard->watch = watch;
	guard->data = data;
	guard->io = (struct instinct_config_io) {
		.read = io_read,
		.write = io_write,
		.now = io_now,
		.data = guard,
	};
	raw_spin_lock_init(&guard->lock);
	mutex_init(&guard->push_lock);
	INIT_DELAYED_WORK(&guard->work, instinct_replay_work);
	instinct_guard_map(guard);

	ret = instinct_interpose(pdev, guard, &instinct_accessors, &guard->interposer);
	if (!ret)
		return guard;
	pci_dev_put(pdev);
	kvfree(guard);
	return ERR_PTR(ret);
}

/**
 * instinct_guard_detach() - stop guarding a function
 * @guard: to be freed; NULL and error pointers are ignored
 *
 * From here on nobody is told of anything. What is kept is lost, which the kernel log
 * says.
 *
 * Context: may sleep, up to some RCU grace periods; the device lock is held.
 */
void instinct_guard_detach(struct instinct_guard *guard)
{
	unsigned int kept;

	if (IS_ERR_OR_NULL(guard))
		return;
	kept = READ_ONCE(guard->keeper.count);
	if (kept)
		pci_warn(guard->pdev, "let go of with %u config writes that have not landed\n",
			 kept);
	instinct_guard_suspend(guard);
	instinct_interpose_end(guard->interposer);
	cancel_delayed_work_sync(&guard->work);
}

/**
 * instinct_guard_free() - the end of a guard
 * @guard: detached, not to be used after this; NULL and error pointers are ignored
 */
void instinct_guard_free(struct instinct_guard *guard)
{
	if (IS_ERR_OR_NULL(guard))
		return;
	pci_dev_put(guard->pdev);
	kvfree(guard);
}

/**
 * instinct_guard_pass_flr() - let the next FLR through, or no longer
 * @guard: of the function
 * @pass: whether
 *
 * Context: the caller serialises resets.
 */
void instinct_guard_pass_flr(struct instinct_guard *guard, bool pass)
{
	WRITE_ONCE(guard->pass_flr, pass);
}

/**
 * instinct_guard_own_begin() - Linux itself is going to write
 * @guard: of the function
 *
 * Between this and instinct_guard_own_end() no write counts as a touch: either
 * nobody can use the device yet or any more, or all others' writes wait.
 */
void instinct_guard_own_begin(struct instinct_guard *guard)
{
	atomic_inc(&guard->own);
}

/**
 * instinct_guard_own_end() - undo instinct_guard_own_begin()
 * @guard: of the function
 */
void instinct_guard_own_end(struct instinct_guard *guard)
{
	atomic_dec(&guard->own);
}

/**
 * instinct_guard_peek() - read a register as those do who restore it
 * @guard: of the function
 * @where: offset
 * @size: bytes: 1, 2 or 4
 *
 * Context: any.
 *
 * Return: what it holds, with what is kept for it; not what instinct_guard_hold_bridge()
 * has others believe.
 */
u32 instinct_guard_peek(struct instinct_guard *guard, int where, int size)
{
	unsigned long flags;
	u32 val;

	raw_spin_lock_irqsave(&guard->lock, flags);
	val = instinct_guard_value(guard, where, size);
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	return val;
}

/**
 * instinct_guard_hold_d3() - keep the function in D0, or no longer
 * @guard: of the function
 * @hold: whether; as often no longer as to keep
 *
 * Context: any.
 */
void instinct_guard_hold_d3(struct instinct_guard *guard, bool hold)
{
	if (hold)
		atomic_inc(&guard->hold_d3);
	else
		atomic_dec(&guard->hold_d3);
}
