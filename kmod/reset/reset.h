/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine resets a device. Every way in ends here: resets that a user, the PCI core or an operator
 * asks for, resets in the background, and the recovery of a lost GPU.
 */
#ifndef _INSTINCT_RESET_H
#define _INSTINCT_RESET_H

#include "device/device.h"
#include "reset/plan.h"

enum instinct_vfio_method instinct_reset_plan(struct instinct_device *dev,
					      const struct instinct_status *status,
					      struct instinct_plan *plan);
int instinct_reset_run(struct instinct_device *dev, struct instinct_reset *reset);
void instinct_reset_start(struct instinct_device *dev, const struct instinct_reset *reset);
void instinct_reset_inspect(struct instinct_device *dev);

/* The GPUs of an XGMI hive enter some resets together; these functions are their meeting point. */
struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, char *why);
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      const struct instinct_user *requester, struct instinct_hive *hive, char *why);
bool instinct_hive_join(struct instinct_hive *hive, struct instinct_device *dev);
int instinct_hive_sync(struct instinct_hive *hive, char *why);
void instinct_hive_end(struct instinct_hive *hive, const char *why);

#endif /* _INSTINCT_RESET_H */
