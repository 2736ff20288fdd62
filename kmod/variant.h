/* SPDX-License-Identifier: GPL-2.0-only */
/* The VFIO variant driver: what vfio-pci does, around the reset engine. */
#ifndef _INSTINCT_VARIANT_H
#define _INSTINCT_VARIANT_H

#include <linux/vfio_pci_core.h>

#include "compat/vfio.h"

struct instinct_device;

/**
 * struct instinct_variant - a GPU as VFIO sees it
 * @core: what vfio-pci-core keeps; first, since vfio allocates by it
 * @dev: the managed GPU
 * @mmap_ops: vfio-pci-core's, for the BARs
 * @no_bus_reset: PCI_DEV_FLAGS_NO_BUS_RESET was set before us
 * @imm_ready: the function claims Immediate Readiness by itself
 * @leaving: it is being unbound, which waits for its user; READ_ONCE()
 */
struct instinct_variant {
	struct vfio_pci_core_device core;
	struct instinct_device *dev;
	const struct vm_operations_struct *mmap_ops;
	bool no_bus_reset;
	bool imm_ready;
	bool leaving;
};

/**
 * instinct_variant_of() - what this driver has beside vfio-pci-core
 * @vdev: the GPU, as VFIO knows it
 *
 * Return: it.
 */
static inline struct instinct_variant *instinct_variant_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct instinct_variant, core.vdev);
}

int instinct_variant_init(void);
void instinct_variant_exit(void);

#endif /* _INSTINCT_VARIANT_H */
