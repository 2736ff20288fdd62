/* SPDX-License-Identifier: GPL-2.0-only */
/* The guards of one device: on the GPU, and on the ports of its package. */
#ifndef _INSTINCT_GUARDS_H
#define _INSTINCT_GUARDS_H

#include "device.h"
#include "guard.h"

int instinct_guards_attach(struct instinct_device *dev);
void instinct_guards_detach(struct instinct_device *dev);
void instinct_guards_apply(struct instinct_device *dev,
			   const struct instinct_policy *policy);
void instinct_guards_check(struct instinct_device *dev);
void instinct_guards_survey(struct instinct_device *dev);
void instinct_guards_suspend(struct instinct_device *dev);
void instinct_guards_ready(struct instinct_device *dev);
void instinct_guards_refuse(struct instinct_device *dev);
bool instinct_guards_land(struct instinct_device *dev);
bool instinct_guards_why(struct instinct_device *dev, char *why);
void instinct_guards_counts(struct instinct_device *dev,
			    struct instinct_keeper_counts *counts);

#endif /* _INSTINCT_GUARDS_H */
