/* SPDX-License-Identifier: GPL-2.0-only */
/* The VFIO variant driver: what vfio-pci does, around the reset engine. */
#ifndef _INSTINCT_VARIANT_H
#define _INSTINCT_VARIANT_H

#include <linux/vfio_pci_core.h>

#include "compat/vfio.h"

struct instinct_device;

/**
 * struct instinct_flr_filter - of one GPU
 * @node: with the others, from bind to unbind
 * @pdev: GPU
 * @below: accessors of its bus, while the filter is above them
 * @ops: the filter's own
 * @on: it is above them
 */
struct instinct_flr_filter {
	struct list_head node;
	struct pci_dev *pdev;
	struct pci_ops *below;
	struct pci_ops ops;
	bool on;
};

/**
 * struct instinct_variant - a GPU as VFIO sees it
 * @core: what vfio-pci-core keeps; first, since vfio allocates by it
 * @dev: the managed GPU
 * @mmap_ops: vfio-pci-core's, for the BARs
 * @flags: the function's PCI_DEV_FLAGS_* before this driver took it
 * @imm_ready: the function claims Immediate Readiness by itself, during a reset
 * @filter: of a reset by sysfs
 */
struct instinct_variant {
	struct vfio_pci_core_device core;
	struct instinct_device *dev;
	const struct vm_operations_struct *mmap_ops;
	pci_dev_flags_t flags;
	bool imm_ready;
	struct instinct_flr_filter filter;
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

extern const struct vfio_device_ops instinct_user_ops;

int instinct_variant_init(void);
void instinct_variant_exit(void);

#endif /* _INSTINCT_VARIANT_H */
