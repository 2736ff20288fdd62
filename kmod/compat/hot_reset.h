/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices that a user has opened through their own character device, with iommufd (6.6). */
#ifndef _INSTINCT_COMPAT_HOT_RESET_H
#define _INSTINCT_COMPAT_HOT_RESET_H

#include <linux/vfio.h>

static inline bool instinct_compat_cdev_opened(struct vfio_device *vdev)
{
#ifdef INSTINCT_HAVE_VFIO_CDEV
	return vfio_device_cdev_opened(vdev);
#else
	return false;
#endif
}

/* Fill in the entry of @vdev for a user that has opened its device through a character device. */
static inline u32
instinct_compat_dependent_id(struct vfio_device *vdev,
			     struct vfio_pci_dependent_device *info)
{
#ifdef INSTINCT_HAVE_VFIO_DEV_ID
	int id = vfio_iommufd_get_dev_id(vdev, vfio_iommufd_device_ictx(vdev));

	info->devid = id > 0 ? id : VFIO_PCI_DEVID_OWNED;
	return VFIO_PCI_HOT_RESET_FLAG_DEV_ID |
	       VFIO_PCI_HOT_RESET_FLAG_DEV_ID_OWNED;
#else
	return 0;
#endif
}

#endif /* _INSTINCT_COMPAT_HOT_RESET_H */
