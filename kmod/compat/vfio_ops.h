/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of VFIO devices that came after Linux 6.1. The caller passes its own functions for
 * some, vfio-pci-core serves the others. Kbuild finds out which ones this kernel has.
 */
#ifndef _INSTINCT_COMPAT_VFIO_OPS_H
#define _INSTINCT_COMPAT_VFIO_OPS_H

#include <linux/vfio_pci_core.h>

/* The module needs at least the VFIO of Linux 6.1, which RHEL has since 9.3. */
#ifndef INSTINCT_HAVE_VFIO_ALLOC_DEVICE
#error "instinct-vfio: the VFIO of this kernel is older than that of Linux 6.1, see docs/kernels.md"
#endif

#ifdef INSTINCT_HAVE_VFIO_IOMMUFD		/* 6.2 */
#define INSTINCT_OPS_IOMMUFD(attach)				\
	.bind_iommufd = vfio_iommufd_physical_bind,		\
	.unbind_iommufd = vfio_iommufd_physical_unbind,		\
	.attach_ioas = attach,
#else
#define INSTINCT_OPS_IOMMUFD(attach)
#endif

#ifdef INSTINCT_HAVE_VFIO_DETACH_IOAS		/* 6.6 */
#define INSTINCT_OPS_DETACH	.detach_ioas = vfio_iommufd_physical_detach_ioas,
#else
#define INSTINCT_OPS_DETACH
#endif

#ifdef INSTINCT_HAVE_VFIO_PASID			/* 6.15 */
#define INSTINCT_OPS_PASID(attach)						\
	.pasid_attach_ioas = attach,						\
	.pasid_detach_ioas = vfio_iommufd_physical_pasid_detach_ioas,
#else
#define INSTINCT_OPS_PASID(attach)
#endif

#ifdef INSTINCT_HAVE_VFIO_TOKEN_UUID		/* 6.18 */
#define INSTINCT_OPS_TOKEN	.match_token_uuid = vfio_pci_core_match_token_uuid,
#else
#define INSTINCT_OPS_TOKEN
#endif

#ifdef INSTINCT_HAVE_VFIO_REGION_INFO		/* 7.0 */
#define INSTINCT_OPS_REGION	.get_region_info_caps = vfio_pci_ioctl_get_region_info,
#else
#define INSTINCT_OPS_REGION
#endif

#define INSTINCT_COMPAT_VFIO_OPS(attach, pasid_attach)				\
	INSTINCT_OPS_IOMMUFD(attach) INSTINCT_OPS_DETACH			\
	INSTINCT_OPS_PASID(pasid_attach) INSTINCT_OPS_TOKEN INSTINCT_OPS_REGION

#ifdef INSTINCT_HAVE_VFIO_PCI_OPS		/* 6.19 */
static const struct vfio_pci_device_ops instinct_compat_pci_ops = {
	.get_dmabuf_phys = vfio_pci_core_get_dmabuf_phys,
};
#endif

/* Offer the BARs as dma-bufs, which vfio-pci-core revokes while it resets the device. */
static inline void instinct_compat_set_pci_ops(struct vfio_pci_core_device *core)
{
#ifdef INSTINCT_HAVE_VFIO_PCI_OPS
	core->pci_ops = &instinct_compat_pci_ops;
#endif
}

#endif /* _INSTINCT_COMPAT_VFIO_OPS_H */
