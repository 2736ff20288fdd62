/* SPDX-License-Identifier: GPL-2.0-only */
/* A device in D0 for as long as somebody sees to it. */
#ifndef _INSTINCT_POWER_H
#define _INSTINCT_POWER_H

#include "device.h"

void instinct_power_get(struct instinct_device *dev);
void instinct_power_wake(struct instinct_device *dev);
void instinct_power_restore(struct pci_dev *pdev);

#endif /* _INSTINCT_POWER_H */
