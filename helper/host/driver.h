/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver that a device is bound to, and moving the device to another one. */
#ifndef DRIVER_H
#define DRIVER_H

#include "model.h"

#define DRIVER_BYTES	64

bool driver_of(const char *bdf, char *driver);
bool driver_is_ours(const char *bdf);
int driver_check_unused(const char *bdf, int open);
int driver_override_get(const char *bdf, char *driver);
int driver_override(const char *bdf, const char *driver);
int driver_unbind(const char *bdf);
int driver_probe(const char *bdf);
int driver_put_back(const char *bdf, const char *driver, const char *override);

#endif /* DRIVER_H */
