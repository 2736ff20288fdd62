/* SPDX-License-Identifier: GPL-2.0-only */
/* The one register read at run time beside a guest: when it may be, and how. */
#ifndef _INSTINCT_THERMOMETER_H
#define _INSTINCT_THERMOMETER_H

#include <linux/types.h>

struct instinct_device;
struct pci_dev;
struct instinct_thermal_register;

int instinct_thermometer_fits(struct pci_dev *pdev,
			      const struct instinct_thermal_register *reg,
			      const char **why);
int instinct_thermometer_map(struct instinct_device *dev,
			     const struct instinct_thermal_register *reg,
			     void __iomem **map, const char **why);
bool instinct_thermometer_read(struct instinct_device *dev,
			       const struct instinct_thermal_register *reg,
			       void __iomem *map, u32 *read);

#endif /* _INSTINCT_THERMOMETER_H */
