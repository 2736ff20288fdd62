/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose data a device holds, and what has to be done before another user gets it:
 * which resets can be spared, and what state each leaves it in.
 */
#ifndef _INSTINCT_TENURE_H
#define _INSTINCT_TENURE_H

#include "plan.h"

/* Bits of struct instinct_device's @touched: a reset is needed, once any is set. */
enum {
	INSTINCT_TOUCHED_DIRTY,		/* since the last reset */
	INSTINCT_TOUCHED_MAPPED,	/* a BAR may be accessed by a mapping from now on */
	INSTINCT_TOUCHED_REACHED,	/* one was: until the close DMA may reach it, too */
	INSTINCT_TOUCHED_SHARED,	/* others may reach the device until the close */
	INSTINCT_TOUCHED_BITS,
};

/**
 * struct instinct_tenure - what users have left in a device
 * @cleaned_by: method of the last reset that went well, AUTO if none did
 * @owed: a user is gone, or was quiesced, and no reset has scrubbed what he left
 * @used: since its last mode-1 reset a user has had it
 * @answered: its user's DMA, which a reset does not stop, has not reached a BAR since that:
 *	the BARs do not decode; or the hive was reset, and its user is still to ask for it
 */
struct instinct_tenure {
	enum instinct_vfio_method cleaned_by;
	bool owed;
	bool used;
	bool answered;
};

/**
 * struct instinct_tenure_ask - a reset that is asked for
 * @state: of the device; not RESETTING
 * @cause: who asks
 * @tenancy: policy
 * @open: a user has it, or is about to
 * @touched: bits INSTINCT_TOUCHED_*
 * @decodes: its BARs do, as its user wants it; turning that on is a touch
 * @first: method that would be tried first, AUTO if none
 * @forced: the method was asked for by name
 */
struct instinct_tenure_ask {
	enum instinct_vfio_state state;
	enum instinct_vfio_cause cause;
	enum instinct_vfio_tenancy tenancy;
	bool open;
	unsigned long touched;
	bool decodes;
	enum instinct_vfio_method first;
	bool forced;
};

/**
 * struct instinct_tenure_done - how that reset went
 * @error: 0 or a negative errno
 * @method: the last one tried, AUTO if none was
 * @triggered: the hardware was told to reset by it
 * @alive: the device shows life after all
 * @zapped: the user's mappings were taken away until it was over
 */
struct instinct_tenure_done {
	int error;
	enum instinct_vfio_method method;
	bool triggered;
	bool alive;
	bool zapped;
};

void instinct_tenure_begin(struct instinct_tenure *tenure);
bool instinct_tenure_end(struct instinct_tenure *tenure, unsigned long touched);
void instinct_tenure_owe(struct instinct_tenure *tenure);
void instinct_tenure_forgive(struct instinct_tenure *tenure, bool held);
void instinct_tenure_merge(struct instinct_tenure *tenure, const struct instinct_tenure *other);
bool instinct_tenure_spares(const struct instinct_tenure *tenure,
			    const struct instinct_tenure_ask *ask);
enum instinct_vfio_state instinct_tenure_outcome(const struct instinct_tenure *tenure,
						 const struct instinct_tenure_ask *ask,
						 const struct instinct_tenure_done *done,
						 const char **why);
unsigned long instinct_tenure_account(struct instinct_tenure *tenure,
				      const struct instinct_tenure_ask *ask,
				      const struct instinct_tenure_done *done,
				      enum instinct_vfio_state state);

#endif /* _INSTINCT_TENURE_H */
