/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock a page fault holds: the mmap_lock, or only the VMA's. Kernels that have the
 * latter without release_fault_lock() (6.4, 6.5, RHEL 9.5) take it for anonymous memory
 * only.
 */
#ifndef _INSTINCT_COMPAT_FAULT_H
#define _INSTINCT_COMPAT_FAULT_H

#include <linux/mm.h>

static inline void instinct_compat_release_fault_lock(struct vm_fault *vmf)
{
#ifdef INSTINCT_HAVE_RELEASE_FAULT_LOCK
	release_fault_lock(vmf);
#else
	mmap_read_unlock(vmf->vma->vm_mm);
#endif
}

#endif /* _INSTINCT_COMPAT_FAULT_H */
