/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PCIe links of a host: the speed and width that they support, and have trained to. */
#ifndef HOST_LINK_H
#define HOST_LINK_H

#include "host.h"

/* File of a function in a capture of lstopo, which knows a product of speed and width: GB/s. */
#define HOST_LINK_LSTOPO	"lstopo_link_speed"

void host_link_read(struct host_link *link, int folder);
void host_links_read(struct host *host);
void host_link_limit(struct host_link *link, const struct host_link *other);
struct host_link host_link_best(const struct host *host, int below);
bool host_link_is_degraded(const struct host *host, int below);
void host_link_speed_text(unsigned int speed, char *text, size_t size);

#endif /* HOST_LINK_H */
