/* SPDX-License-Identifier: GPL-2.0-only */
/* The one register read at run time beside a guest: when it may be, and how. */
#ifndef _INSTINCT_THERMOMETER_H
#define _INSTINCT_THERMOMETER_H

#include <linux/types.h>

struct instinct_device;
struct instinct_thermal_register;

/**
 * enum instinct_thermometer - what a read came to
 * @INSTINCT_THERMOMETER_READ: the register was read
 * @INSTINCT_THERMOMETER_RESTING: it was not: nobody uses the device, it is not ready
 *	or does not decode memory, or something else goes on that this does not wait for
 */
enum instinct_thermometer {
	INSTINCT_THERMOMETER_READ,
	INSTINCT_THERMOMETER_RESTING,
};

int instinct_thermometer_map(struct instinct_device *dev,
			     const struct instinct_thermal_register *reg,
			     void __iomem **map, const char **why);
enum instinct_thermometer
instinct_thermometer_read(struct instinct_device *dev,
			  const struct instinct_thermal_register *reg,
			  void __iomem *map, u32 *read);

#endif /* _INSTINCT_THERMOMETER_H */
