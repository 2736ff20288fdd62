/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows the PCI core's recovery from an error (AER, DPC). */
#ifndef _INSTINCT_RECOVERY_H
#define _INSTINCT_RECOVERY_H

struct instinct_device;

void instinct_recovery_setup(struct instinct_device *dev);
void instinct_recovery_begin(struct instinct_device *dev);
void instinct_recovery_again(struct instinct_device *dev);
int instinct_recovery_run(struct instinct_device *dev);

#endif /* _INSTINCT_RECOVERY_H */
