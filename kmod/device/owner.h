/* SPDX-License-Identifier: GPL-2.0-only */
/* The owner of a device: a VFIO user, or, during a reset, a worker or the PCI core. */
#ifndef _INSTINCT_OWNER_H
#define _INSTINCT_OWNER_H

#include "device/device.h"

/**
 * instinct_owner_is_idle() - is a device free of resets, under way or about to begin?
 * @dev: device
 *
 * Every access of a user asks this, so the function does not take the status_lock. It needs none:
 * an owner that resets a device takes the device before it changes the state, and gives the device
 * back afterwards.
 *
 * Return: true if there is no reset; without a lock a reset may begin at any moment.
 */
static inline bool instinct_owner_is_idle(const struct instinct_device *dev)
{
	enum instinct_owner owner = READ_ONCE(dev->status.owner);

	return owner != INSTINCT_OWNER_WORKER && owner != INSTINCT_OWNER_CORE &&
	       READ_ONCE(dev->status.state) != INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * instinct_owner_session() - find the owner without regard to borrowers
 * @status: status of the device
 *
 * Return: NONE, OPENING, USER or CLOSING, also while a worker or the PCI core resets the device.
 */
static inline enum instinct_owner instinct_owner_session(const struct instinct_status *status)
{
	if (status->owner <= INSTINCT_OWNER_CLOSING)
		return status->owner;
	return status->lender[0] <= INSTINCT_OWNER_CLOSING ? status->lender[0] : status->lender[1];
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

bool instinct_owner_needs_policy(void);
int instinct_owner_wait_idle(struct instinct_device *dev);
int instinct_owner_open(struct instinct_device *dev);
int instinct_owner_hand_over(struct instinct_device *dev);
void instinct_owner_fail_open(struct instinct_device *dev);
void instinct_owner_begin_close(struct instinct_device *dev);
void instinct_owner_end_close(struct instinct_device *dev);
int instinct_owner_begin_core(struct instinct_device *dev);
void instinct_owner_end_core(struct instinct_device *dev);
struct instinct_user instinct_owner_asks(struct instinct_device *dev);
bool instinct_owner_take(struct instinct_device *dev, const struct instinct_user *user);
void instinct_owner_give_back(struct instinct_device *dev);
/* A holder of a device's config space, other than a reset, lets go of it within this time. */
#define INSTINCT_OWNER_CONFIG_MS	5000
int instinct_owner_hold_config(struct instinct_device *dev, unsigned int ms);
int instinct_device_release(struct instinct_device *dev, const char **why);

#endif /* _INSTINCT_OWNER_H */
