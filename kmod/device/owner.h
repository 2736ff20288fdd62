/* SPDX-License-Identifier: GPL-2.0-only */
/* The owner of a device, a VFIO user, and its borrowers during a reset: a worker, the PCI core. */
#ifndef _INSTINCT_OWNER_H
#define _INSTINCT_OWNER_H

#include "device/device.h"

/**
 * instinct_owner_is_idle() - is a device free of resets, under way or about to begin?
 * @dev: device
 *
 * Every access of a user asks this, so the function does not take the status_lock. It needs none:
 * a borrower takes the device before it changes the state, and gives the device back afterwards.
 *
 * Return: true if there is no reset; without a lock a reset may begin at any moment.
 */
static inline bool instinct_owner_is_idle(const struct instinct_device *dev)
{
	return !READ_ONCE(dev->status.borrowed) &&
	       READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * instinct_owner_is() - does a user that asks have a device open?
 * @has: user that has the device open
 * @asks: user that asks, as instinct_owner_asks() gives it
 *
 * Return: true if both are of one VM or container, or if a process that has opened both devices asks.
 */
static inline bool instinct_owner_is(const struct instinct_user *has, const struct instinct_user *asks)
{
	return asks->number && (has->number == asks->number ||
				(asks->process && has->process == asks->process));
}

extern bool instinct_require_policy;

int instinct_owner_wait_idle(struct instinct_device *dev);
const char *instinct_owner_withheld(const struct instinct_status *status);
void instinct_owner_tell_refusal(struct instinct_device *dev, enum instinct_vfio_state state, const char *why);
int instinct_owner_open(struct instinct_device *dev);
int instinct_owner_hand_over(struct instinct_device *dev);
void instinct_owner_begin_close(struct instinct_device *dev);
void instinct_owner_leave(struct instinct_device *dev);
int instinct_owner_begin_core(struct instinct_device *dev);
struct instinct_user instinct_owner_asks(struct instinct_device *dev);
bool instinct_owner_take(struct instinct_device *dev, const struct instinct_user *user);
void instinct_owner_give_back(struct instinct_device *dev, unsigned int borrower);
/* A holder of a device's config space, other than a reset, lets go of it within this time. */
#define INSTINCT_OWNER_CONFIG_MS	5000
int instinct_owner_hold_config(struct instinct_device *dev, unsigned int ms);

#endif /* _INSTINCT_OWNER_H */
