/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What touches a device: after a reset it is clean, and need not be reset
 * again, until something here says that somebody could have changed it.
 */
#ifndef _INSTINCT_TOUCH_H
#define _INSTINCT_TOUCH_H

#include "pure.h"

/* Bits of struct instinct_device's @touched. */
enum {
	INSTINCT_TOUCHED_DIRTY,		/* since the last reset */
	INSTINCT_TOUCHED_MAPPED,	/* a BAR was mapped since the open */
	INSTINCT_TOUCHED_SHARED,	/* others can reach it until the close */
};

/**
 * struct instinct_touch_map - where a function has what does not touch it
 * @pmcsr: offset of PM Control/Status, 0 if it has none
 * @msi: offset of the MSI capability, 0 if it has none
 * @msix: offset of the MSI-X capability, 0 if it has none
 * @iommu: offsets of the ATS, PRI and PASID capabilities, 0 for none
 */
struct instinct_touch_map {
	u16 pmcsr;
	u16 msi;
	u16 msix;
	u16 iommu[3];
};

bool instinct_touch_config(const struct instinct_touch_map *map, u16 before,
			   int where, int size, u32 val);
bool instinct_touch_feature(u32 flags);

#endif /* _INSTINCT_TOUCH_H */
