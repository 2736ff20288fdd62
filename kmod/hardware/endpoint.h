/* SPDX-License-Identifier: GPL-2.0-only */
/* Config reads that tell whether a function is there, and whether it has erred. */
#ifndef _INSTINCT_ENDPOINT_H
#define _INSTINCT_ENDPOINT_H

#include <linux/types.h>

struct pci_dev;

bool instinct_endpoint_answers(struct pci_dev *pdev);
bool instinct_endpoint_erred(struct pci_dev *pdev);

#endif /* _INSTINCT_ENDPOINT_H */
