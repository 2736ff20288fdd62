/* SPDX-License-Identifier: GPL-2.0-only */
/* The last resort for a lost GPU: its package is removed and enumerated anew. */
#ifndef _INSTINCT_RESCAN_H
#define _INSTINCT_RESCAN_H

struct instinct_device;
struct work_struct;

void instinct_rescan_run(struct work_struct *work);
void instinct_rescan_start(struct instinct_device *dev);

#endif /* _INSTINCT_RESCAN_H */
