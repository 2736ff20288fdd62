/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: the lock that one holds, and whether huge pages are told of by their order. */
#ifndef _INSTINCT_COMPAT_FAULT_H
#define _INSTINCT_COMPAT_FAULT_H

#include <linux/mm.h>

/*
 * The mmap_lock, or only the VMA's. Kernels that have the latter without
 * release_fault_lock() (6.4, 6.5, RHEL 9.5) take it for anonymous memory only.
 */
static inline void instinct_compat_release_fault_lock(struct vm_fault *vmf)
{
#ifdef INSTINCT_HAVE_RELEASE_FAULT_LOCK
	release_fault_lock(vmf);
#else
	mmap_read_unlock(vmf->vma->vm_mm);
#endif
}

/* Kernels before that (6.6) have vfio-pci-core map BARs by small pages only. */
#ifdef INSTINCT_HAVE_HUGE_FAULT
#define INSTINCT_COMPAT_HUGE_FAULT(handler)	.huge_fault = (handler),

static inline bool instinct_compat_has_huge_fault(const struct vm_operations_struct *ops)
{
	return ops->huge_fault;
}

static inline vm_fault_t instinct_compat_huge_fault(const struct vm_operations_struct *ops,
						    struct vm_fault *vmf, unsigned int order)
{
	return ops->huge_fault(vmf, order);
}
#else
#define INSTINCT_COMPAT_HUGE_FAULT(handler)

static inline bool instinct_compat_has_huge_fault(const struct vm_operations_struct *ops)
{
	return false;
}

static inline vm_fault_t instinct_compat_huge_fault(const struct vm_operations_struct *ops,
						    struct vm_fault *vmf, unsigned int order)
{
	return VM_FAULT_FALLBACK;
}
#endif

#endif /* _INSTINCT_COMPAT_FAULT_H */
