/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which driver has a device, and giving it to another. */
#ifndef DRIVER_H
#define DRIVER_H

#include "model.h"

#define DRIVER_BYTES	64

bool driver_of(const char *bdf, char *driver);
bool driver_is_ours(const char *bdf);
int driver_check_unused(const char *bdf);
bool driver_is_overridden(const char *bdf);
int driver_override(const char *bdf, const char *driver);
int driver_unbind(const char *bdf);
int driver_probe(const char *bdf);

#endif /* DRIVER_H */
