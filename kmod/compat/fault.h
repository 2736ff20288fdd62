/* SPDX-License-Identifier: GPL-2.0-only */
/* The lock a page fault holds: the mmap_lock, since 6.4 maybe only the VMA's. */
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
