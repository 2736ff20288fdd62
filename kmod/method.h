/* SPDX-License-Identifier: GPL-2.0-only */
/* How each reset method tells the hardware to reset, and shows it has. */
#ifndef _INSTINCT_METHOD_H
#define _INSTINCT_METHOD_H

#include "device.h"

/**
 * struct instinct_mark - by which is seen whether a function was reset
 * @set: it holds @val
 * @val: what was written
 */
struct instinct_mark {
	bool set;
	u8 val;
};

void instinct_method_arm(struct instinct_device *dev,
			 enum instinct_vfio_method method,
			 struct instinct_mark *mark);
bool instinct_method_marked(struct instinct_device *dev,
			    struct instinct_mark *mark);
int instinct_method_prepare(struct instinct_device *dev,
			    enum instinct_vfio_method method, const char **why);
int instinct_method_trigger(struct instinct_device *dev,
			    enum instinct_vfio_method method,
			    enum instinct_vfio_bus_port where,
			    const char **why);
int instinct_method_done(struct instinct_device *dev,
			 enum instinct_vfio_method method, const char **why);

#endif /* _INSTINCT_METHOD_H */
