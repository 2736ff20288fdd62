/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the ports above a package from reporting, or acting on, what a reset
 * does to their link.
 */
#ifndef _INSTINCT_CONTAINMENT_H
#define _INSTINCT_CONTAINMENT_H

#include "device.h"

/* Ports whose link, or what is below it, a reset can take down. */
#define INSTINCT_CONTAINED_MAX	3

/**
 * struct instinct_contained_port - a port as it was before
 * @pdev: port
 * @aer: offset of its AER capability, 0 if it has none
 * @dpc: offset of its DPC capability, 0 if it has none
 * @reporting: Linux may switch error reporting off
 * @slot: it has a slot that can be hot-plugged
 * @device_control: Device Control
 * @slot_control: Slot Control
 * @slot_status: Slot Status
 * @dpc_control: DPC Control
 * @uncorrectable: AER Uncorrectable Error Status
 * @correctable: AER Correctable Error Status
 * @uncorrectable_mask: AER Uncorrectable Error Mask
 */
struct instinct_contained_port {
	struct pci_dev *pdev;
	u16 aer;
	u16 dpc;
	bool reporting;
	bool slot;
	u16 device_control;
	u16 slot_control;
	u16 slot_status;
	u16 dpc_control;
	u32 uncorrectable;
	u32 correctable;
	u32 uncorrectable_mask;
};

/**
 * struct instinct_containment - all of them
 * @port: ports, that next to the GPU first
 * @count: how many
 */
struct instinct_containment {
	struct instinct_contained_port port[INSTINCT_CONTAINED_MAX];
	unsigned int count;
};

void instinct_containment_begin(struct instinct_containment *containment,
				struct instinct_device *dev, enum instinct_vfio_method method);
void instinct_containment_end(struct instinct_containment *containment);

#endif /* _INSTINCT_CONTAINMENT_H */
