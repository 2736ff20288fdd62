/* SPDX-License-Identifier: GPL-2.0-only */
/* The links above a device: as fast and as wide as their ends can do? */
#ifndef _INSTINCT_LINK_H
#define _INSTINCT_LINK_H

struct instinct_device;

void instinct_link_look(struct instinct_device *dev);

#endif /* _INSTINCT_LINK_H */
