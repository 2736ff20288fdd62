/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From 7.0 on the PCI core moves a function into the IOMMU's blocking domain, with ATS off, for the
 * time of a reset. Later kernels let a driver with resets of its own do the same. The calls nest.
 */
#ifndef _INSTINCT_COMPAT_IOMMU_H
#define _INSTINCT_COMPAT_IOMMU_H

#include <linux/iommu.h>
#include <linux/pci.h>

#ifdef INSTINCT_HAVE_RESET_IOMMU
#define instinct_compat_iommu_block(pdev)	pci_dev_reset_iommu_prepare(pdev)
#define instinct_compat_iommu_unblock(pdev)	pci_dev_reset_iommu_done(pdev)
#else
static inline int instinct_compat_iommu_block(struct pci_dev *pdev)
{
	return 0;
}

static inline void instinct_compat_iommu_unblock(struct pci_dev *pdev)
{
}
#endif

#endif /* _INSTINCT_COMPAT_IOMMU_H */
