/* SPDX-License-Identifier: GPL-2.0-only */
/* The reset engine: one for every way in which a reset can be asked for. */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include "device.h"

struct instinct_held;
struct instinct_hive;
struct instinct_plan;

/**
 * struct instinct_terms - how a device is to be reset this once
 * @method: with which method, AUTO for what policy says
 * @ready_timeout: how long a method has, in ms; 0: as policy says
 * @elsewhere: @bus_port counts, not policy's
 * @bus_port: where method "bus" resets then
 */
struct instinct_terms {
	enum instinct_vfio_method method;
	u32 ready_timeout;
	bool elsewhere;
	enum instinct_vfio_bus_port bus_port;
};

/**
 * struct instinct_reset - one reset
 * @cause: who asks
 * @terms: those of the whole hive, if @hive is one
 * @forced: even if the device is clean
 * @hive: reset of the hive that this one is part of already, or NULL
 * @requester: process that asks, or NULL
 * @held: completed once the device is held, or NULL; set to NULL then
 * @zapped: no user of the device has it mapped meanwhile
 * @method: set to the last method tried, AUTO if none was
 * @coalesced: set if the device was clean and nothing was done
 * @duration: set to the time it took, in ns
 * @why: set to the reason, for people, on failure
 */
struct instinct_reset {
	enum instinct_vfio_cause cause;
	struct instinct_terms terms;
	bool forced;
	struct instinct_hive *hive;
	struct pid *requester;
	struct instinct_held *held;
	bool zapped;
	enum instinct_vfio_method method;
	bool coalesced;
	u64 duration;
	char why[INSTINCT_REASON_BYTES];
};

void instinct_reset_plan(struct instinct_device *dev, enum instinct_vfio_method wanted,
			 struct instinct_plan *plan);
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset);
bool instinct_reset_spare(struct instinct_device *dev, enum instinct_vfio_cause cause);
void instinct_reset_survey(struct instinct_device *dev);

#endif /* _INSTINCT_RESET_H */
