/* SPDX-License-Identifier: GPL-2.0-only */
/* What may bring a switch that swallows config writes to let them through. */
#ifndef _INSTINCT_UNBLOCK_H
#define _INSTINCT_UNBLOCK_H

#include "pure.h"

/**
 * struct instinct_unblock - how far the ladder was climbed since a write is kept
 * @rung: highest that was tried, NONE at first
 * @retrained: how often the link was
 */
struct instinct_unblock {
	enum instinct_vfio_unblock rung;
	unsigned int retrained;
};

enum instinct_vfio_unblock
instinct_unblock_due(struct instinct_unblock *unblock,
		     enum instinct_vfio_unblock allowed, u64 age);

#endif /* _INSTINCT_UNBLOCK_H */
