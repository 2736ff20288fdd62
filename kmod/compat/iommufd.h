/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices whose user attaches an IOMMU domain through iommufd (6.2), or has opened them through their
 * own character device (6.6).
 */
#ifndef _INSTINCT_COMPAT_IOMMUFD_H
#define _INSTINCT_COMPAT_IOMMUFD_H

#include <linux/vfio.h>

#if defined(INSTINCT_HAVE_VFIO_IOMMUFD) && IS_ENABLED(CONFIG_IOMMUFD)
#define INSTINCT_COMPAT_IOMMUFD
#endif

/*
 * Has iommufd yet to attach a domain? Up to 6.5 it attaches one before open_device(), later kernels
 * do so afterwards.
 */
static inline bool instinct_compat_awaits_ioas(struct vfio_device *vdev)
{
#ifdef INSTINCT_COMPAT_IOMMUFD
	return vdev->iommufd_device && !vdev->iommufd_attached;
#else
	return false;
#endif
}

/* The context by which a user has opened a device, or NULL if it came by a container. */
static inline const void *instinct_compat_iommufd(struct vfio_device *vdev)
{
#ifdef INSTINCT_HAVE_VFIO_DEV_ID
	return vfio_iommufd_device_ictx(vdev);
#else
	return NULL;
#endif
}

static inline int instinct_compat_attach_ioas(struct vfio_device *vdev, u32 *id)
{
#ifdef INSTINCT_COMPAT_IOMMUFD
	return vfio_iommufd_physical_attach_ioas(vdev, id);
#else
	return -EOPNOTSUPP;
#endif
}

/* Attaching by PASID came with Linux 6.15. */
static inline int instinct_compat_pasid_attach_ioas(struct vfio_device *vdev, u32 pasid, u32 *id)
{
#if defined(INSTINCT_COMPAT_IOMMUFD) && defined(INSTINCT_HAVE_VFIO_PASID)
	return vfio_iommufd_physical_pasid_attach_ioas(vdev, pasid, id);
#else
	return -EOPNOTSUPP;
#endif
}

static inline void instinct_compat_pasid_detach_ioas(struct vfio_device *vdev, u32 pasid)
{
#if defined(INSTINCT_COMPAT_IOMMUFD) && defined(INSTINCT_HAVE_VFIO_PASID)
	vfio_iommufd_physical_pasid_detach_ioas(vdev, pasid);
#endif
}

/* Up to 6.5 VFIO itself undoes an open if attach_ioas() fails. */
static inline void instinct_compat_detach_ioas(struct vfio_device *vdev)
{
#if defined(INSTINCT_COMPAT_IOMMUFD) && defined(INSTINCT_HAVE_VFIO_DETACH_IOAS)
	vfio_iommufd_physical_detach_ioas(vdev);
#endif
}

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

#endif /* _INSTINCT_COMPAT_IOMMUFD_H */
