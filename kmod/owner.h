/* SPDX-License-Identifier: GPL-2.0-only */
/* Who owns a device: a VFIO user, or, for the time of a reset, a worker or the PCI core. */
#ifndef _INSTINCT_OWNER_H
#define _INSTINCT_OWNER_H

#include "device.h"

/**
 * instinct_owner_is_idle() - is no reset under way or about to begin?
 * @dev: device
 *
 * For every access of a user's, so without the status_lock: an owner that resets the
 * device takes it before it changes the state, and gives it back after that.
 *
 * Return: true if none is, which may have changed by then.
 */
static inline bool instinct_owner_is_idle(const struct instinct_device *dev)
{
	enum instinct_owner owner = READ_ONCE(dev->status.owner);

	return owner != INSTINCT_OWNER_WORKER && owner != INSTINCT_OWNER_CORE &&
	       READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * instinct_owner_session() - how far a VFIO user's time with a device has come
 * @status: of the device
 *
 * Return: NONE, OPENING, USER or CLOSING, whoever resets the device meanwhile.
 */
static inline enum instinct_owner instinct_owner_session(const struct instinct_status *status)
{
	if (status->owner <= INSTINCT_OWNER_CLOSING)
		return status->owner;
	return status->lender[0] <= INSTINCT_OWNER_CLOSING ? status->lender[0] : status->lender[1];
}

bool instinct_owner_needs_policy(void);
int instinct_owner_wait_idle(struct instinct_device *dev);
int instinct_owner_open(struct instinct_device *dev);
int instinct_owner_hand_over(struct instinct_device *dev);
void instinct_owner_fail_open(struct instinct_device *dev);
void instinct_owner_begin_close(struct instinct_device *dev);
void instinct_owner_end_close(struct instinct_device *dev);
int instinct_owner_begin_core(struct instinct_device *dev);
void instinct_owner_end_core(struct instinct_device *dev);
bool instinct_owner_take(struct instinct_device *dev, struct pid *user);
void instinct_owner_give_back(struct instinct_device *dev);
int instinct_owner_hold_config(struct instinct_device *dev);

#endif /* _INSTINCT_OWNER_H */
