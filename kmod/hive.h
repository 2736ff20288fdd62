/* SPDX-License-Identifier: GPL-2.0-only */
/* Resets that the GPUs of an XGMI hive enter together. */
#ifndef _INSTINCT_HIVE_H
#define _INSTINCT_HIVE_H

#include "device.h"
#include "hive_rule.h"

struct instinct_hive;
struct instinct_reset;

struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method,
		    enum instinct_hive_verdict *verdict, const char **why);
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      struct pid *requester, const char **why);
int instinct_hive_sync(struct instinct_hive *hive, char *why);
void instinct_hive_end(struct instinct_hive *hive, const char *why);
void instinct_hive_get(struct instinct_hive *hive);
void instinct_hive_adopt(const struct instinct_hive *hive, struct instinct_reset *reset);

#endif /* _INSTINCT_HIVE_H */
