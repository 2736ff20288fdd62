/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has a device: a user who opens and closes it, or for the time of a reset
 * an errand, which claims it.
 */
#ifndef _INSTINCT_CLAIM_H
#define _INSTINCT_CLAIM_H

#include "device.h"

/**
 * instinct_claim_unhindered() - can a user's access go on at once?
 * @dev: device
 *
 * For every access of a user's, so without the status_lock: an errand claims the
 * device before it changes the state, and lets go after that.
 *
 * Return: false if a reset is under way or about to begin, or the device is lost.
 */
static inline bool instinct_claim_unhindered(const struct instinct_device *dev)
{
	enum instinct_vfio_state state = READ_ONCE(dev->status.state);

	return !READ_ONCE(dev->status.claimed) &&
	       state != INSTINCT_VFIO_STATE_RESETTING &&
	       state != INSTINCT_VFIO_STATE_LOST;
}

bool instinct_claim_needs_policy(void);
bool instinct_claim_is_idle(struct instinct_device *dev);
int instinct_claim_wait_idle(struct instinct_device *dev);
int instinct_claim_begin_open(struct instinct_device *dev);
int instinct_claim_hand_over(struct instinct_device *dev);
void instinct_claim_begin_close(struct instinct_device *dev);
void instinct_claim_end_open(struct instinct_device *dev, bool claim);
int instinct_claim_begin_core(struct instinct_device *dev);
void instinct_claim_end_core(struct instinct_device *dev);
bool instinct_claim_free(struct instinct_device *dev);
bool instinct_claim_held(struct instinct_device *dev, struct pid *owner);
int instinct_claim_config(struct instinct_device *dev);
void instinct_claim_end(struct instinct_device *dev);

#endif /* _INSTINCT_CLAIM_H */
