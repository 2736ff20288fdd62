/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family. */
#ifndef _INSTINCT_NETLINK_H
#define _INSTINCT_NETLINK_H

#include "event.h"

int instinct_netlink_init(void);
void instinct_netlink_exit(void);
void instinct_netlink_multicast(const struct instinct_event *event, u64 epoch);

#endif /* _INSTINCT_NETLINK_H */
