/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PCIe links of a host: what they can do, and what they have trained to. */
#ifndef HOST_LINK_H
#define HOST_LINK_H

#include "host.h"

void host_links_read(struct host *host);
struct host_link host_link_best(const struct host *host, int below);
bool host_link_is_degraded(const struct host *host, int below);
void host_link_speed_text(unsigned int speed, char *text, size_t size);

#endif /* HOST_LINK_H */
