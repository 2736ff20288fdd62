/* SPDX-License-Identifier: GPL-2.0-only */
/* The module needs at least the VFIO of Linux 6.1, which RHEL has since 9.3. */
#ifndef _INSTINCT_COMPAT_VFIO_H
#define _INSTINCT_COMPAT_VFIO_H

#include <linux/vfio.h>

#ifndef INSTINCT_HAVE_VFIO_ALLOC_DEVICE
#error "instinct-vfio: the VFIO of this kernel is older than that of Linux 6.1, see docs/kernels.md"
#endif

#endif /* _INSTINCT_COMPAT_VFIO_H */
