/* SPDX-License-Identifier: GPL-2.0-only */
/* A user's time with a GPU: it begins with a reset, and ends with one. */
#ifndef _INSTINCT_SESSION_H
#define _INSTINCT_SESSION_H

struct vfio_device;

int instinct_session_open(struct vfio_device *vdev);
void instinct_session_close(struct vfio_device *vdev);

#endif /* _INSTINCT_SESSION_H */
