// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accessors of a guarded function's config space. They are in the way of each
 * access: no call and no branch that can be spared.
 */
#include <linux/pm_runtime.h>

#include "compat/workqueue.h"
#include "guard_rule.h"
#include "guard_state.h"
#include "interpose.h"
#include "trace.h"

/* When what was passed on without a look is looked at, but not all the time. */
#define LOOK_AFTER	msecs_to_jiffies(20)
#define LOOK_EVERY	msecs_to_jiffies(1000)

/* What of a write may reach the function. */
static u32 guard_filter(struct instinct_guard *guard, int where, int size,
			u32 val)
{
	if (!READ_ONCE(guard->pass_flr) &&
	    instinct_guard_rule_is_flr(guard->devctl, where, size, val)) {
		val = instinct_guard_rule_without_flr(guard->devctl, where, val);
		guard->watch->flr_held(guard->data);
	}
	if (atomic_read(&guard->hold_d3))
		val = instinct_guard_rule_without_d3(guard->touch.pmcsr, where,
						     size, val);
	return val;
}

/* Before the write, so that who clears the mark afterwards misses nothing. */
static void guard_watch(struct instinct_guard *guard, int where, int size,
			u32 val)
{
	if (!test_bit(INSTINCT_TOUCHED_DIRTY, guard->touched) &&
	    !atomic_read(&guard->own) &&
	    instinct_touch_config(&guard->touch, READ_ONCE(guard->command),
				  where, size, val))
		set_bit(INSTINCT_TOUCHED_DIRTY, guard->touched);
	if (where <= PCI_COMMAND && where + size > PCI_COMMAND)
		WRITE_ONCE(guard->command, val >> (8 * (PCI_COMMAND - where)));
}

/* Under @lock: quiet again, after a while without trouble. */
static void guard_calm_down(struct instinct_guard *guard)
{
	if (guard->keeper.count ||
	    ktime_to_ns(ktime_get_coarse()) <= guard->alert_until)
		return;
	guard->alert = false;
	instinct_guard_set_way(guard);
}

/* The first of its part: the worker has to look. */
static noinline void guard_note_first(struct instinct_guard *guard, int where)
{
	/* It waits for RCU before it looks: it sees all of a note or none. */
	set_bit(instinct_notes_block(where), &guard->notes.blocks);
	queue_delayed_work(system_dfl_wq, &guard->work,
			   time_before(jiffies, READ_ONCE(guard->looked_at) + LOOK_EVERY) ?
			   LOOK_EVERY : LOOK_AFTER);
}

static __always_inline void guard_note(struct instinct_guard *guard, int where,
				       int size, u32 val)
{
	instinct_notes_take(&guard->notes, where, size, val);
	if (unlikely(!(READ_ONCE(guard->notes.blocks) &
		       BIT(instinct_notes_block(where)))))
		guard_note_first(guard, where);
}

/* Of a write to the power state. */
static bool leaves_d0(const struct instinct_guard *guard, const struct instinct_write *write)
{
	u16 at = guard->keeper.map.pmcsr;

	return (write->val >> (8 * (at - write->where)) & PCI_PM_CTRL_STATE_MASK) !=
	       (__force u32)PCI_D0;
}

/*
 * Under @lock, and nothing is kept: is a write passed on, to be looked at later? Changes of
 * the power state are, which take their time; but not once a function leaves D0, since then
 * the ports above may go to sleep at once. So is all that is written below a port that
 * sleeps, as by an IOMMU driver: nobody could tell whether it lands, and the PCI core
 * repeats it when the function wakes.
 */
static bool guard_pass_on(struct instinct_guard *guard, const struct instinct_write *write)
{
	bool power = instinct_keeper_power(&guard->keeper, write->where, write->size);

	if (!power && pm_runtime_active(guard->pdev->dev.parent))
		return false;
	if (power && leaves_d0(guard, write))
		instinct_notes_drop(&guard->notes, write);
	else
		guard_note(guard, write->where, write->size, write->val);
	instinct_keeper_told(&guard->keeper, write);
	guard->io.write(guard->io.data, write->where, write->size, write->val);
	return true;
}

/* Under @lock: a write that is looked at before the next, or kept. */
static enum instinct_keeper_result guard_keep(struct instinct_guard *guard,
					      const struct instinct_write *write)
{
	struct instinct_keeper *keeper = &guard->keeper;
	u64 blocked = keeper->counts.blocked;
	enum instinct_keeper_result result;

	if (!keeper->count && !keeper->failed && guard_pass_on(guard, write))
		return INSTINCT_KEEPER_DONE;
	instinct_notes_drop(&guard->notes, write);
	result = instinct_keeper_write(keeper, &guard->io, write);
	if (keeper->counts.blocked != blocked || result != INSTINCT_KEEPER_DONE)
		instinct_guard_alarm(guard);
	else
		guard_calm_down(guard);
	/* One that was repeated at once and has landed so is told of, too. */
	return result == INSTINCT_KEEPER_DONE && keeper->counts.blocked != blocked ?
		INSTINCT_KEEPER_KEPT : result;
}

static noinline int guard_write_locked(struct instinct_guard *guard, int where,
				       int size, u32 val)
{
	enum instinct_keeper_result result = INSTINCT_KEEPER_DONE;
	const struct instinct_write write = {
		.where = where,
		.size = size,
		.val = val,
	};
	int ret = PCIBIOS_SUCCESSFUL;
	unsigned long flags;

	raw_spin_lock_irqsave(&guard->lock, flags);
	if (guard->mode == INSTINCT_GUARD_ON)
		result = guard_keep(guard, &write);
	else if (guard->mode == INSTINCT_GUARD_SUSPENDED)
		guard->io.write(guard->io.data, where, size, val);
	if (guard->mode == INSTINCT_GUARD_REFUSING ||
	    result == INSTINCT_KEEPER_FAILED)
		ret = PCIBIOS_SET_FAILED;
	raw_spin_unlock_irqrestore(&guard->lock, flags);

	if (result != INSTINCT_KEEPER_DONE) {
		trace_config_write_blocked(pci_name(guard->pdev), &write);
		mod_delayed_work(system_dfl_wq, &guard->work, 1);
	}
	return ret;
}

static __always_inline bool guard_is_prompt(const struct instinct_guard *guard,
					    int where)
{
	return test_bit(where / 4, guard->prompt);
}

static __always_inline int guard_write_on(struct instinct_guard *guard, int where,
					  int size, u32 val)
{
	enum instinct_guard_way way = READ_ONCE(guard->way);

	if (unlikely(way == INSTINCT_GUARD_LOCKED ||
		     (way == INSTINCT_GUARD_NOTE && guard_is_prompt(guard, where))))
		return guard_write_locked(guard, where, size, val);
	if (likely(way == INSTINCT_GUARD_NOTE))
		guard_note(guard, where, size, val);
	return instinct_interposer_write(guard->interposer, where, size, val);
}

/*
 * May it start an FLR, change the power state, decoding, interrupts or what is
 * clean? Then it is not passed on like any other.
 */
static noinline int guard_write_special(struct instinct_guard *guard, int where,
					int size, u32 val)
{
	val = guard_filter(guard, where, size, val);
	guard_watch(guard, where, size, val);
	return guard_write_on(guard, where, size, val);
}

/* Atomic context; the config space's own locks may be held. */
static __always_inline int guard_write(struct instinct_guard *guard, int where,
				       int size, u32 val)
{
	if (guard->touched && (guard_is_prompt(guard, where) ||
			       !test_bit(INSTINCT_TOUCHED_DIRTY, guard->touched)))
		return guard_write_special(guard, where, size, val);
	return guard_write_on(guard, where, size, val);
}

/* Something is kept, or the answer is not what was told. */
static noinline int guard_read_locked(struct instinct_guard *guard, int where,
				      int size, u32 *val)
{
	unsigned long flags;
	u32 expected;

	raw_spin_lock_irqsave(&guard->lock, flags);
	*val = instinct_guard_value(guard, where, size);
	expected = instinct_notes_expect(&guard->notes, &guard->keeper.map, where,
					 size, *val);
	if (unlikely(expected != *val) && guard->mode == INSTINCT_GUARD_ON &&
	    !instinct_config_absent(&guard->io)) {
		/* It reads as written, and is looked at now. */
		*val = expected;
		mod_delayed_work(system_dfl_wq, &guard->work, 1);
	}
	raw_spin_unlock_irqrestore(&guard->lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

/* Atomic context; the config space's own locks may be held. */
static __always_inline int guard_read(struct instinct_guard *guard, int where,
				      int size, u32 *val)
{
	int ret;

	if (unlikely(READ_ONCE(guard->answers)) &&
	    instinct_guard_answer(guard, where, size, val))
		return PCIBIOS_SUCCESSFUL;
	/* A reader that comes at the same time as a write may come before it. */
	if (unlikely(READ_ONCE(guard->way) == INSTINCT_GUARD_LOCKED &&
		     READ_ONCE(guard->keeper.count)))
		return guard_read_locked(guard, where, size, val);
	ret = instinct_interposer_read(guard->interposer, where, size, val);
	/* A reset may have begun meanwhile. */
	if (unlikely(READ_ONCE(guard->answers)) &&
	    instinct_guard_answer(guard, where, size, val))
		return PCIBIOS_SUCCESSFUL;
	if (unlikely(READ_ONCE(guard->notes.blocks) &
		     BIT(instinct_notes_block(where))) &&
	    !instinct_notes_agree(&guard->notes, where, size, *val))
		return guard_read_locked(guard, where, size, val);
	return ret;
}

/* What is behind the end of the config space is refused further down. */
static __always_inline bool is_guarded(struct instinct_interposer *interposer,
				       unsigned int devfn, int where, int size)
{
	/* Pairs with instinct_interpose(): then its guard is there. */
	return likely(smp_load_acquire(&interposer->devfn) == devfn) &&
	       likely(instinct_config_within(where, size));
}

static int accessor_read(struct pci_bus *bus, unsigned int devfn, int where,
			 int size, u32 *val)
{
	struct instinct_interposer *interposer;
	struct task_struct *looker;
	int ret = PCIBIOS_DEVICE_NOT_FOUND;
	struct pci_ops *above;

	rcu_read_lock_sched();
	interposer = instinct_interposer_find(bus);
	if (unlikely(!interposer)) {
		above = instinct_interposer_above(bus);
		if (above)
			ret = above->read(bus, devfn, where, size, val);
		goto out;
	}
	looker = READ_ONCE(interposer->looker);
	/* An interrupt in between asks for itself. */
	if (unlikely(looker) && looker == current && in_task()) {
		interposer->seen = true;
		ret = PCIBIOS_SUCCESSFUL;
		*val = ~0u;
	} else if (is_guarded(interposer, devfn, where, size)) {
		ret = guard_read(interposer->guard, where, size, val);
	} else {
		ret = READ_ONCE(interposer->lower)->read(bus, devfn, where, size,
							 val);
	}
out:
	rcu_read_unlock_sched();
	return ret;
}

static int accessor_write(struct pci_bus *bus, unsigned int devfn, int where,
			  int size, u32 val)
{
	struct instinct_interposer *interposer;
	int ret = PCIBIOS_DEVICE_NOT_FOUND;
	struct pci_ops *above;

	rcu_read_lock_sched();
	interposer = instinct_interposer_find(bus);
	if (unlikely(!interposer)) {
		above = instinct_interposer_above(bus);
		if (above)
			ret = above->write(bus, devfn, where, size, val);
		goto out;
	}
	if (is_guarded(interposer, devfn, where, size))
		ret = guard_write(interposer->guard, where, size, val);
	else
		ret = READ_ONCE(interposer->lower)->write(bus, devfn, where,
							  size, val);
out:
	rcu_read_unlock_sched();
	return ret;
}

const struct pci_ops instinct_accessors = {
	.read = accessor_read,
	.write = accessor_write,
};
