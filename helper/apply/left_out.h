/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds GPUs that cannot be put under policy, so that the others still can. */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "conf.h"

/**
 * enum left_out - the reason for leaving a device out
 * @LEFT_OUT_NOT: the device is not left out
 * @LEFT_OUT_SILENT: the device does not answer, and the driver does not have it
 * @LEFT_OUT_UNSURE: a section may name the device by its serial number, which cannot be read
 */
enum left_out {
	LEFT_OUT_NOT,
	LEFT_OUT_SILENT,
	LEFT_OUT_UNSURE,
};

enum left_out left_out(const struct conf *conf, const struct device *dev);
void left_out_warn(const struct conf *conf, const struct device *dev);

#endif /* LEFT_OUT_H */
