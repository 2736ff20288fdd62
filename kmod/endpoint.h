/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPU's own function: its config space, kept and written back. */
#ifndef _INSTINCT_ENDPOINT_H
#define _INSTINCT_ENDPOINT_H

#include <linux/types.h>

struct instinct_device;
struct pci_dev;

void instinct_power_wake(struct instinct_device *dev);
void instinct_power_restore(struct pci_dev *pdev);
bool instinct_endpoint_answers(struct pci_dev *pdev);
void instinct_endpoint_thaw(struct pci_dev *pdev);
void instinct_endpoint_quiesce(struct pci_dev *pdev);

#endif /* _INSTINCT_ENDPOINT_H */
