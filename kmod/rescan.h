/* SPDX-License-Identifier: GPL-2.0-only */
/* The last resort for a lost GPU: its package is removed and enumerated anew. */
#ifndef _INSTINCT_RESCAN_H
#define _INSTINCT_RESCAN_H

struct instinct_device;

void instinct_rescan_start(struct instinct_device *dev);
int instinct_rescan_init(void);
void instinct_rescan_exit(void);

#endif /* _INSTINCT_RESCAN_H */
