/* SPDX-License-Identifier: GPL-2.0-only */
/* The VFIO variant driver wraps vfio-pci-core, and connects it to the reset engine. */
#ifndef _INSTINCT_DRIVER_H
#define _INSTINCT_DRIVER_H

#include <linux/vfio_pci_core.h>

#include "compat/vfio_ops.h"

struct instinct_device;
struct instinct_reset;

/* An element of pdev->reset_methods: device_specific, which answers -ENOTTY for these GPUs. */
#define INSTINCT_METHOD_REFUSES	1
/* With these flags the PCI core's own methods answer -ENOTTY before they touch the hardware. */
#define INSTINCT_NO_RESETS	(PCI_DEV_FLAGS_NO_FLR_RESET | PCI_DEV_FLAGS_NO_PM_RESET | \
				 PCI_DEV_FLAGS_NO_BUS_RESET)

/**
 * struct instinct_variant - a GPU as VFIO sees it
 * @core: vfio-pci-core's part, which has to be first, since VFIO allocates by it
 * @dev: the managed GPU
 * @mmap_ops: vfio-pci-core's operations for mappings of BARs
 * @leaving: the driver is being unbound, and waits for the GPU's user under the device lock
 * @node: links all GPUs that the driver has, for the filter that keeps the PCI core's FLR from a GPU
 *	during a reset by sysfs
 * @below: accessors of the GPU's bus, which the filter calls
 * @filter: the filter's own accessors
 */
struct instinct_variant {
	struct vfio_pci_core_device core;
	struct instinct_device *dev;
	const struct vm_operations_struct *mmap_ops;
	bool leaving;
	struct list_head node;
	struct pci_ops *below;
	struct pci_ops filter;
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

/**
 * struct instinct_request - a call into the PCI core that ends in the driver's reset_prepare() on
 *	the same task
 * @node: links the device's requests, under its status_lock
 * @task: task that calls
 * @reset: the reset that the engine does in the call
 * @outcome: 1; 0 or a negative errno once the engine has done the reset
 */
struct instinct_request {
	struct list_head node;
	struct task_struct *task;
	struct instinct_reset *reset;
	int outcome;
};

extern const struct vfio_device_ops instinct_user_ops;
extern struct pci_driver instinct_pci_driver;

int instinct_request_reset(struct instinct_device *dev, struct instinct_reset *reset);
int instinct_guard_init(void);
void instinct_guard_exit(void);

#endif /* _INSTINCT_DRIVER_H */
