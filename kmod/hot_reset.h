/* SPDX-License-Identifier: GPL-2.0-only */
/* VFIO_DEVICE_PCI_HOT_RESET: what it concerns, and who may ask for it. */
#ifndef _INSTINCT_HOT_RESET_H
#define _INSTINCT_HOT_RESET_H

#include <linux/vfio.h>

int instinct_hot_reset_info(struct vfio_device *vdev, void __user *arg);
int instinct_hot_reset_check(struct vfio_device *vdev, void __user *arg);

#endif /* _INSTINCT_HOT_RESET_H */
