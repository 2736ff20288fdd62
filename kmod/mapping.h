/* SPDX-License-Identifier: GPL-2.0-only */
/* A user's mappings of a GPU's BARs: who touches one waits for a reset to end. */
#ifndef _INSTINCT_MAPPING_H
#define _INSTINCT_MAPPING_H

struct vfio_device;
struct vm_area_struct;

int instinct_mapping_make(struct vfio_device *vdev, struct vm_area_struct *vma);

#endif /* _INSTINCT_MAPPING_H */
