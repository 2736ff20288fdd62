/* SPDX-License-Identifier: GPL-2.0-only */
/* Resets that go on without who asked for them. */
#ifndef _INSTINCT_ERRAND_H
#define _INSTINCT_ERRAND_H

#include <linux/completion.h>

#include "device.h"

struct instinct_hive;

/* After an error: by then the PCI core has reset the slot, or given up. */
#define INSTINCT_RECOVERY_LATER_MS	3000

/**
 * struct instinct_held - what who asked waits for
 * @done: completed once the device is held, or the errand is over
 * @error: outcome, if the errand was over by then
 */
struct instinct_held {
	struct completion done;
	int error;
};

void instinct_errand_setup(struct instinct_device *dev);
void instinct_errand_start(struct instinct_device *dev, enum instinct_vfio_cause cause,
			   struct instinct_hive *hive, struct pid *requester,
			   struct instinct_held *held);
void instinct_errand_flush(struct instinct_device *dev);
void instinct_recovery_start(struct instinct_device *dev, unsigned int ms);

#endif /* _INSTINCT_ERRAND_H */
