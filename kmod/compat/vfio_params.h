/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module parameters of vfio-pci that vfio-pci-core obeys. Up to 7.2 vfio-pci-core keeps one set of
 * them for all devices; later kernels keep one for each device, from before vfio_pci_core_init_dev().
 */
#ifndef _INSTINCT_COMPAT_VFIO_PARAMS_H
#define _INSTINCT_COMPAT_VFIO_PARAMS_H

#include <linux/vfio_pci_core.h>

#ifdef INSTINCT_HAVE_VFIO_SET_PARAMS
#define instinct_compat_set_params	vfio_pci_core_set_params

static inline void instinct_compat_latch_params(struct vfio_pci_core_device *core, bool nointxmask,
						bool disable_vga, bool disable_idle_d3)
{
}
#else
static inline void instinct_compat_set_params(bool nointxmask, bool disable_vga,
					      bool disable_idle_d3)
{
}

static inline void instinct_compat_latch_params(struct vfio_pci_core_device *core, bool nointxmask,
						bool disable_vga, bool disable_idle_d3)
{
	core->nointxmask = nointxmask;
	core->disable_vga = disable_vga;
	core->disable_idle_d3 = disable_idle_d3;
}
#endif

#endif /* _INSTINCT_COMPAT_VFIO_PARAMS_H */
