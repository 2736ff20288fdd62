// SPDX-License-Identifier: GPL-2.0-only
#include "tenure.h"

/**
 * instinct_tenure_begin() - a user has the device from here on
 * @tenure: of the device
 *
 * What it holds may be of his making until a reset has scrubbed it.
 */
void instinct_tenure_begin(struct instinct_tenure *tenure)
{
	tenure->used = true;
	tenure->answered = false;
}

/**
 * instinct_tenure_end() - its user is gone
 * @tenure: of the device
 * @touched: bits INSTINCT_TOUCHED_*
 *
 * It owes a reset not only once that comes: another may be faster, and scrub nothing.
 *
 * Return: true if it is dirty from here on. So it is after a BAR was mapped, too.
 */
bool instinct_tenure_end(struct instinct_tenure *tenure, unsigned long touched)
{
	if (!touched)
		return false;
	tenure->owed = true;
	return true;
}

/**
 * instinct_tenure_owe() - the device may hold what somebody has left
 * @tenure: of the device
 */
void instinct_tenure_owe(struct instinct_tenure *tenure)
{
	tenure->owed = true;
}

/**
 * instinct_tenure_forgive() - an operator answers for what it holds
 * @tenure: of the device
 * @held: a user has it: for what he is still to leave nobody can answer
 */
void instinct_tenure_forgive(struct instinct_tenure *tenure, bool held)
{
	if (!held)
		tenure->owed = false;
}

/**
 * instinct_tenure_merge() - two accounts turn out to be of one device
 * @tenure: one; from here on what either says
 * @other: the other
 */
void instinct_tenure_merge(struct instinct_tenure *tenure, const struct instinct_tenure *other)
{
	tenure->owed |= other->owed;
	tenure->used |= other->used;
}

/* Whoever has it has had it since it was reset for him: what is in it is his own. */
static bool ask_is_held(const struct instinct_tenure_ask *ask)
{
	return ask->open && ask->cause != INSTINCT_VFIO_CAUSE_OPEN;
}

/* Is what somebody else has left to be scrubbed now? */
static bool is_due(const struct instinct_tenure *tenure, const struct instinct_tenure_ask *ask)
{
	return tenure->owed && !ask_is_held(ask) && ask->tenancy == INSTINCT_VFIO_TENANCY_MULTI;
}

/**
 * instinct_tenure_spares() - can a reset be spared, since the device is clean?
 * @tenure: of the device
 * @ask: what is asked
 *
 * Return: true if it can.
 */
bool instinct_tenure_spares(const struct instinct_tenure *tenure,
			    const struct instinct_tenure_ask *ask)
{
	unsigned long touched = ask->touched;

	/* The first access by a mapping is seen. */
	if (ask_is_held(ask))
		touched &= ~BIT(INSTINCT_TOUCHED_MAPPED);
	/*
	 * A user asks for the GPUs of a hive one by one; the first time they were all reset. And
	 * firmware, which QEMU has just reset, may ask for a reset of the machine once more.
	 */
	if (ask_is_held(ask) && tenure->answered)
		touched &= ~BIT(INSTINCT_TOUCHED_REACHED);
	if (ask->forced || is_due(tenure, ask) || touched || ask->state != INSTINCT_VFIO_STATE_READY ||
	    ask->cause == INSTINCT_VFIO_CAUSE_HIVE)
		return false;
	return instinct_plan_scrubs(tenure->cleaned_by) ||
	       (tenure->cleaned_by != INSTINCT_VFIO_METHOD_AUTO &&
		tenure->cleaned_by == ask->first);
}

/**
 * instinct_tenure_outcome() - decide the state after a reset
 * @tenure: of the device, before it
 * @ask: what was asked
 * @done: how it went
 * @why: set to the reason, for people, unless the device is ready
 *
 * Return: READY, LOST or QUARANTINED.
 */
enum instinct_vfio_state instinct_tenure_outcome(const struct instinct_tenure *tenure,
						 const struct instinct_tenure_ask *ask,
						 const struct instinct_tenure_done *done,
						 const char **why)
{
	if (!done->alive) {
		*why = "no sign of life after the reset";
		return INSTINCT_VFIO_STATE_LOST;
	}
	if (done->error && !done->triggered && ask->cause != INSTINCT_VFIO_CAUSE_CLOSE) {
		/* Refused before the hardware was touched: nothing has changed. */
		*why = ask->state == INSTINCT_VFIO_STATE_READY ? "" :
			"as before: no reset method worked";
		return ask->state;
	}
	if (done->error) {
		*why = done->triggered && !instinct_plan_scrubs(done->method) ?
			"only quiesced, which scrubs nothing (policy: method = quiesce accepts that)" :
			"the reset that policy asks for was not done";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	if (ask->tenancy == INSTINCT_VFIO_TENANCY_MULTI && !instinct_plan_scrubs(done->method) &&
	    (ask->cause == INSTINCT_VFIO_CAUSE_CLOSE || is_due(tenure, ask) ||
	     ask->state != INSTINCT_VFIO_STATE_READY)) {
		*why = "quiesced only: what the last tenant left is still there";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	*why = "";
	return INSTINCT_VFIO_STATE_READY;
}

/**
 * instinct_tenure_account() - settle what the device holds after a reset
 * @tenure: of the device
 * @ask: what was asked
 * @done: how it went
 * @state: instinct_tenure_outcome()'s
 *
 * What is owed is remembered of a user, too, who was only quiesced, or who could write on
 * while it was scrubbed, and may have closed it since.
 *
 * Return: bits INSTINCT_TOUCHED_* to be cleared. Of a device that a user has mapped without
 * vfio having zapped that none are: what he writes is not seen.
 */
unsigned long instinct_tenure_account(struct instinct_tenure *tenure,
				      const struct instinct_tenure_ask *ask,
				      const struct instinct_tenure_done *done,
				      enum instinct_vfio_state state)
{
	bool held = ask_is_held(ask);

	if (!done->error)
		tenure->cleaned_by = done->method;
	/* What is known to write the discovery table anew. */
	if (!done->error && done->method == INSTINCT_VFIO_METHOD_MODE1)
		tenure->used = held;
	tenure->answered = !done->error && held && done->zapped &&
			   (ask->cause == INSTINCT_VFIO_CAUSE_HIVE || !ask->decodes);
	if (!done->error && instinct_plan_scrubs(done->method))
		tenure->owed = held && ask->touched && !done->zapped;
	else if (held && ask->touched)
		tenure->owed = true;

	if (done->error || state != INSTINCT_VFIO_STATE_READY || (ask->open && !done->zapped))
		return 0;
	return held ? BIT(INSTINCT_TOUCHED_DIRTY) : BIT(INSTINCT_TOUCHED_BITS) - 1;
}
