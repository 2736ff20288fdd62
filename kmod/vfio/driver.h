/* SPDX-License-Identifier: GPL-2.0-only */
/* The VFIO variant driver wraps vfio-pci-core, and connects it to the reset engine. */
#ifndef _INSTINCT_DRIVER_H
#define _INSTINCT_DRIVER_H

#include <linux/vfio_pci_core.h>

#include "compat/vfio.h"

struct instinct_device;

/**
 * struct instinct_flr_filter - keeps the PCI core's FLR from one GPU during a reset by sysfs
 * @node: links all filters, from bind to unbind
 * @dev: the GPU's device
 * @below: accessors of the GPU's bus, which the filter calls while it is on
 * @ops: the filter's own accessors
 * @on: the bus has the filter's accessors
 */
struct instinct_flr_filter {
	struct list_head node;
	struct instinct_device *dev;
	struct pci_ops *below;
	struct pci_ops ops;
	bool on;
};

/**
 * struct instinct_variant - a GPU as VFIO sees it
 * @core: vfio-pci-core's part, which has to be first, since VFIO allocates by it
 * @dev: the managed GPU
 * @mmap_ops: vfio-pci-core's operations for mappings of BARs
 * @flags: the function's PCI_DEV_FLAGS_* before this driver took it
 * @methods: its list of reset methods, "reset_method" in sysfs, at that time
 * @imm_ready: during a reset, whether the function claims Immediate Readiness itself
 * @gated: a reset by sysfs holds vfio-pci-core's igate
 * @leaving: the driver is being unbound, and waits for the GPU's user under the device lock
 * @opens: during a reset, whether vfio-pci-core asks for it to open the GPU
 * @filter: filter for a reset by sysfs
 */
struct instinct_variant {
	struct vfio_pci_core_device core;
	struct instinct_device *dev;
	const struct vm_operations_struct *mmap_ops;
	pci_dev_flags_t flags;
	u8 methods[PCI_NUM_RESET_METHODS];
	bool imm_ready;
	bool gated;
	bool leaving;
	bool opens;
	struct instinct_flr_filter filter;
};

/**
 * instinct_variant_of() - find this driver's object of a VFIO device
 * @vdev: the GPU's VFIO device
 *
 * Return: the object around @vdev.
 */
static inline struct instinct_variant *instinct_variant_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct instinct_variant, core.vdev);
}

extern const struct vfio_device_ops instinct_user_ops;

int instinct_driver_init(void);
void instinct_driver_exit(void);

#endif /* _INSTINCT_DRIVER_H */
