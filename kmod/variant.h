/* SPDX-License-Identifier: GPL-2.0-only */
/* The VFIO variant driver: what vfio-pci does, around the reset engine. */
#ifndef _INSTINCT_VARIANT_H
#define _INSTINCT_VARIANT_H

int instinct_variant_init(void);
void instinct_variant_exit(void);

#endif /* _INSTINCT_VARIANT_H */
