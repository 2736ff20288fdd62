/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has a device: a user who opens and closes it, or for the time of a reset
 * an errand, which claims it.
 */
#ifndef _INSTINCT_CLAIM_H
#define _INSTINCT_CLAIM_H

#include "device.h"

bool instinct_claim_is_idle(struct instinct_device *dev);
int instinct_claim_wait_idle(struct instinct_device *dev);
int instinct_claim_begin_open(struct instinct_device *dev);
void instinct_claim_begin_close(struct instinct_device *dev);
void instinct_claim_end_open(struct instinct_device *dev, bool claim);
bool instinct_claim_free(struct instinct_device *dev);
bool instinct_claim_held(struct instinct_device *dev, struct pid *owner);
void instinct_claim_end(struct instinct_device *dev);

#endif /* _INSTINCT_CLAIM_H */
