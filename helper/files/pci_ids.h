/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of PCI devices, from the list that this machine has: pci.ids, or systemd's hwdb. */
#ifndef PCI_IDS_H
#define PCI_IDS_H

#include <stddef.h>
#include <stdint.h>

#define PCI_IDS_NAME	40	/* bytes of a name that callers have room for */

void pci_ids_name(uint16_t vendor, uint16_t device, char *text, size_t size);

#endif /* PCI_IDS_H */
