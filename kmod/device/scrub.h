/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scrub state of a device tells whether the device may hold a user's data. This code decides
 * which resets the module can spare, and the state in which each reset leaves the device.
 */
#ifndef _INSTINCT_SCRUB_H
#define _INSTINCT_SCRUB_H

#include "core/pure.h"

/* Bits of struct instinct_device's @touched. The device needs a reset once any bit is set. */
enum {
	INSTINCT_TOUCHED_DIRTY,		/* changed since the last reset */
	INSTINCT_TOUCHED_MAPPED,	/* a user has mapped a BAR, and may access it */
	INSTINCT_TOUCHED_REACHED,	/* the user has, and until the close its DMA may, too */
	INSTINCT_TOUCHED_SHARED,	/* others may reach the device until the close */
	INSTINCT_TOUCHED_BITS,
};

/**
 * struct instinct_scrub - scrub state of a device
 * @cleaned_by: method of the last reset that went well, AUTO if none did
 * @needs_scrub: a user is gone, or was quiesced, and no reset has scrubbed that user's data
 * @used: a user has had the device since its last mode-1 reset
 * @fresh: nobody is known to have used the device since it has booted, and its registers show none;
 *	until a reset or a user
 * @waived: an operator answers for the data until the next user has the device
 * @answered: the DMA of the user, which a reset does not stop, has not reached a BAR since the
 *	last reset: the BARs do not decode, or the hive was reset and the user has not asked yet
 */
struct instinct_scrub {
	enum instinct_vfio_method cleaned_by;
	bool needs_scrub;
	bool used;
	bool fresh;
	bool waived;
	bool answered;
};

/**
 * struct instinct_scrub_ask - a requested reset
 * @state: state of the device; not RESETTING
 * @cause: reason for the reset
 * @tenancy: tenancy by policy
 * @open: a user has the device, or is about to get it
 * @touched: bits INSTINCT_TOUCHED_*
 * @decodes: its BARs decode, as its user wants; turning decoding on touches the device
 * @first: method that the module would try first, AUTO if none
 * @forced: the requester has named the method
 */
struct instinct_scrub_ask {
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
 * struct instinct_scrub_done - outcome of that reset
 * @error: 0 or a negative errno
 * @method: the last method that the module tried, AUTO if it tried none
 * @triggered: the module has triggered @method on the hardware
 * @alive: the device shows life after the reset
 */
struct instinct_scrub_done {
	int error;
	enum instinct_vfio_method method;
	bool triggered;
	bool alive;
};

/**
 * instinct_method_scrubs() - does a method reset the hardware?
 * @method: any but AUTO
 *
 * Return: true if the last tenant's data is gone from the device after the method.
 */
static inline bool instinct_method_scrubs(enum instinct_vfio_method method)
{
	return method != INSTINCT_VFIO_METHOD_QUIESCE && method != INSTINCT_VFIO_METHOD_AUTO;
}

/**
 * instinct_scrub_begin() - note that a user gets the device
 * @scrub: scrub state of the device
 *
 * The device may hold data of that user until a reset has scrubbed it.
 */
static inline void instinct_scrub_begin(struct instinct_scrub *scrub)
{
	scrub->used = true;
	scrub->waived = false;
	scrub->answered = false;
}

/**
 * instinct_scrub_end() - note that the user of a device is gone
 * @scrub: scrub state of the device
 * @touched: bits INSTINCT_TOUCHED_*
 *
 * The device needs a scrub at once, not only when the reset after the close comes: another
 * reset may come first and scrub nothing.
 *
 * Return: true if the device is dirty from here on, also if the user has only mapped a BAR.
 */
static inline bool instinct_scrub_end(struct instinct_scrub *scrub, unsigned long touched)
{
	scrub->needs_scrub |= !!touched;
	return touched;
}

bool instinct_scrub_accepts(const struct instinct_scrub *scrub,
			    const struct instinct_scrub_ask *ask);
bool instinct_scrub_spares(const struct instinct_scrub *scrub,
			   const struct instinct_scrub_ask *ask);
enum instinct_vfio_state instinct_scrub_outcome(const struct instinct_scrub *scrub,
						const struct instinct_scrub_ask *ask,
						 const struct instinct_scrub_done *done,
						 const char **why);
unsigned long instinct_scrub_account(struct instinct_scrub *scrub,
				     const struct instinct_scrub_ask *ask,
				      const struct instinct_scrub_done *done,
				      enum instinct_vfio_state state);

#endif /* _INSTINCT_SCRUB_H */
