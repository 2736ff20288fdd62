/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is remembered of a GPU while no driver object of it exists: from an
 * unbind to the next bind, and over an enumeration.
 */
#ifndef _INSTINCT_RECORD_H
#define _INSTINCT_RECORD_H

struct instinct_device;

void instinct_record_keep(struct instinct_device *dev);
void instinct_record_recall(struct instinct_device *dev);
void instinct_record_exit(void);

#endif /* _INSTINCT_RECORD_H */
