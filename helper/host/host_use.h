/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that the host itself uses, so that an operator should not pass them through unaware. */
#ifndef HOST_USE_H
#define HOST_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

bool host_use_network(const char *bdf, char *why, size_t size);
bool host_use_drive(const char *bdf, char *why, size_t size);
void host_use_list(const char *path, struct bytes *text);
const char *host_use_route6(const char *line);

#endif /* HOST_USE_H */
