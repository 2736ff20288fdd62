/* SPDX-License-Identifier: GPL-2.0-only */
/* What a VFIO user can do to a GPU. */
#ifndef _INSTINCT_USER_H
#define _INSTINCT_USER_H

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

extern const struct vfio_device_ops instinct_user_ops;

#endif /* _INSTINCT_USER_H */
