// SPDX-License-Identifier: GPL-2.0-only
#include "device/scrub.h"

/* An open device was reset for its current user, so its contents are that user's. */
static bool ask_is_held(const struct instinct_scrub_ask *ask)
{
	return ask->open && ask->cause != INSTINCT_VFIO_CAUSE_OPEN;
}

/* Does this reset have to scrub data of another user? */
static bool is_due(const struct instinct_scrub *scrub, const struct instinct_scrub_ask *ask)
{
	return scrub->needs_scrub && !scrub->waived && !ask_is_held(ask) &&
	       ask->tenancy == INSTINCT_VFIO_TENANCY_MULTI;
}

/**
 * instinct_scrub_accepts() - may a device change users that could only be quiesced?
 * @scrub: scrub state of the device
 * @ask: requested reset
 *
 * Return: true if the next user is the same tenant, or an operator answers for the data.
 */
bool instinct_scrub_accepts(const struct instinct_scrub *scrub,
			    const struct instinct_scrub_ask *ask)
{
	bool single = ask->tenancy == INSTINCT_VFIO_TENANCY_SINGLE;

	return ask->state == INSTINCT_VFIO_STATE_READY &&
	       ((ask->cause == INSTINCT_VFIO_CAUSE_OPEN && (scrub->waived || single)) ||
		(ask->cause == INSTINCT_VFIO_CAUSE_CLOSE && single));
}

/**
 * instinct_scrub_spares() - can the module spare a reset, since the device is clean?
 * @scrub: scrub state of the device
 * @ask: requested reset
 *
 * Return: true if the module can spare it.
 */
bool instinct_scrub_spares(const struct instinct_scrub *scrub,
			   const struct instinct_scrub_ask *ask)
{
	unsigned long touched = ask->touched;

	/* A mapping alone changes nothing: the module sees the first access through it. */
	if (ask_is_held(ask))
		touched &= ~BIT(INSTINCT_TOUCHED_MAPPED);
	/*
	 * A user asks for a reset of the GPUs of a hive one by one, and the first request has
	 * reset all of them. Also, firmware may ask for one more reset of the machine right after
	 * QEMU's reset.
	 */
	if (ask_is_held(ask) && scrub->answered)
		touched &= ~BIT(INSTINCT_TOUCHED_REACHED);
	if (ask->forced || is_due(scrub, ask) || touched || ask->state != INSTINCT_VFIO_STATE_READY ||
	    ask->cause == INSTINCT_VFIO_CAUSE_HIVE)
		return false;
	return scrub->fresh || instinct_method_scrubs(scrub->cleaned_by) ||
	       (scrub->cleaned_by != INSTINCT_VFIO_METHOD_AUTO &&
		scrub->cleaned_by == ask->first);
}

/**
 * instinct_scrub_outcome() - decide the state of a device after a reset
 * @scrub: scrub state of the device before the reset
 * @ask: requested reset
 * @done: outcome of the reset
 * @why: set to the reason for the state, "" for READY; NULL if state and reason stay as they were
 *
 * Return: READY, LOST or QUARANTINED.
 */
enum instinct_vfio_state instinct_scrub_outcome(const struct instinct_scrub *scrub,
						const struct instinct_scrub_ask *ask,
						 const struct instinct_scrub_done *done,
						 const char **why)
{
	if (!done->alive) {
		*why = "no sign of life after the reset";
		return INSTINCT_VFIO_STATE_LOST;
	}
	if (done->error && !done->triggered && ask->cause != INSTINCT_VFIO_CAUSE_CLOSE) {
		/* The module refused the reset before it touched the hardware. */
		*why = NULL;
		return ask->state;
	}
	if (done->error) {
		*why = done->triggered && !instinct_method_scrubs(done->method) ?
			"only quiesced, which scrubs nothing (policy: method = quiesce accepts that)" :
			"the reset that policy asks for was not done";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	if (ask->tenancy == INSTINCT_VFIO_TENANCY_MULTI && !instinct_method_scrubs(done->method) &&
	    (ask->cause == INSTINCT_VFIO_CAUSE_CLOSE || is_due(scrub, ask) ||
	     ask->state != INSTINCT_VFIO_STATE_READY)) {
		*why = "quiesced only: the last tenant's data is still there";
		return INSTINCT_VFIO_STATE_QUARANTINED;
	}
	*why = "";
	return INSTINCT_VFIO_STATE_READY;
}

/**
 * instinct_scrub_account() - update the scrub state after a reset
 * @scrub: scrub state of the device
 * @ask: requested reset
 * @done: outcome of the reset
 * @state: state from instinct_scrub_outcome()
 *
 * VFIO holds a user off for the time of a reset, and zaps its mappings. The device still needs a scrub if
 * its user was only quiesced.
 *
 * Return: bits INSTINCT_TOUCHED_* to clear.
 */
unsigned long instinct_scrub_account(struct instinct_scrub *scrub,
				     const struct instinct_scrub_ask *ask,
				      const struct instinct_scrub_done *done,
				      enum instinct_vfio_state state)
{
	bool held = ask_is_held(ask);

	scrub->fresh = false;
	if (!done->error)
		scrub->cleaned_by = done->method;
	/* Only a mode-1 reset is known to write the discovery table anew. */
	if (!done->error && done->method == INSTINCT_VFIO_METHOD_MODE1)
		scrub->used = held;
	scrub->answered = !done->error && held &&
			   (ask->cause == INSTINCT_VFIO_CAUSE_HIVE || !ask->decodes);
	if (!done->error && instinct_method_scrubs(done->method))
		scrub->needs_scrub = false;
	else if (held && ask->touched)
		scrub->needs_scrub = true;
	scrub->waived &= scrub->needs_scrub;

	if (done->error || state != INSTINCT_VFIO_STATE_READY)
		return 0;
	return held ? BIT(INSTINCT_TOUCHED_DIRTY) : BIT(INSTINCT_TOUCHED_BITS) - 1;
}
