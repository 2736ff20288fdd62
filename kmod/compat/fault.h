/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: the lock that a fault handler holds, and faults of huge pages. */
#ifndef _INSTINCT_COMPAT_FAULT_H
#define _INSTINCT_COMPAT_FAULT_H

#include <linux/mm.h>

/*
 * A fault handler holds the mmap_lock, or only the lock of the VMA. Kernels that have VMA locks but
 * no release_fault_lock() (6.4, 6.5, RHEL 9.5) take them for anonymous memory only.
 */
static inline void instinct_compat_release_fault_lock(struct vm_fault *vmf)
{
#ifdef INSTINCT_HAVE_RELEASE_FAULT_LOCK
	release_fault_lock(vmf);
#else
	mmap_read_unlock(vmf->vma->vm_mm);
#endif
}

/* Before the operation had this form (6.6), vfio-pci-core maps BARs by small pages only. */
#ifdef INSTINCT_HAVE_HUGE_FAULT
#define INSTINCT_COMPAT_HUGE_FAULT(handler)	.huge_fault = (handler),

static inline vm_fault_t instinct_compat_huge_fault(const struct vm_operations_struct *ops,
						    struct vm_fault *vmf, unsigned int order)
{
	return ops->huge_fault ? ops->huge_fault(vmf, order) : VM_FAULT_FALLBACK;
}
#else
#define INSTINCT_COMPAT_HUGE_FAULT(handler)

static inline vm_fault_t instinct_compat_huge_fault(const struct vm_operations_struct *ops,
						    struct vm_fault *vmf, unsigned int order)
{
	return VM_FAULT_FALLBACK;
}
#endif

#endif /* _INSTINCT_COMPAT_FAULT_H */
