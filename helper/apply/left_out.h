/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs that cannot be put under policy, and do not keep the others from it. */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "conf.h"

/**
 * enum left_out - why a device is
 * @LEFT_OUT_NOT: it is not
 * @LEFT_OUT_SILENT: it does not answer, and the driver does not have it
 * @LEFT_OUT_UNSURE: its serial number cannot be read, by which a section may name it
 */
enum left_out {
	LEFT_OUT_NOT,
	LEFT_OUT_SILENT,
	LEFT_OUT_UNSURE,
};

enum left_out left_out(const struct conf *conf, const struct device *dev);
void left_out_warn(const struct conf *conf, const struct device *dev);

#endif /* LEFT_OUT_H */
