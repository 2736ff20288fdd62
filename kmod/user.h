/* SPDX-License-Identifier: GPL-2.0-only */
/* What a VFIO user can do to a GPU. */
#ifndef _INSTINCT_USER_H
#define _INSTINCT_USER_H

struct vfio_device_ops;

extern const struct vfio_device_ops instinct_user_ops;

#endif /* _INSTINCT_USER_H */
