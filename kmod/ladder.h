/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods of a reset, one after the other, until one has worked. */
#ifndef _INSTINCT_LADDER_H
#define _INSTINCT_LADDER_H

#include "device.h"

struct instinct_plan;
struct instinct_run;

void instinct_ladder_plan(struct instinct_device *dev,
			  enum instinct_vfio_method wanted,
			  struct instinct_plan *plan);
bool instinct_ladder_find_mailbox(struct instinct_device *dev, u32 by_policy,
				  const char **why);
int instinct_ladder_climb(struct instinct_run *run);

#endif /* _INSTINCT_LADDER_H */
