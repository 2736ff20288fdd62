/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What touches a device: after a reset it is clean, and need not be reset
 * again, until something here says that somebody could have changed it.
 */
#ifndef _INSTINCT_TOUCH_H
#define _INSTINCT_TOUCH_H

#include "plan.h"

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

/**
 * struct instinct_touch_facts - what decides whether a reset can be spared
 * @state: of the device
 * @cause: who asks
 * @touched: bits INSTINCT_TOUCHED_*
 * @cleaned_by: method of the last reset that went well, AUTO if there was none
 * @first: what would be tried first now, AUTO if nothing
 * @forced: the method was asked for by name
 * @due: clean or not, a reset has something to see to
 */
struct instinct_touch_facts {
	enum instinct_vfio_state state;
	enum instinct_vfio_cause cause;
	unsigned long touched;
	enum instinct_vfio_method cleaned_by;
	enum instinct_vfio_method first;
	bool forced;
	bool due;
};

bool instinct_touch_config(const struct instinct_touch_map *map, u16 before,
			   int where, int size, u32 val);
bool instinct_touch_feature(u32 flags);
bool instinct_touch_spares(const struct instinct_touch_facts *facts);

#endif /* _INSTINCT_TOUCH_H */
