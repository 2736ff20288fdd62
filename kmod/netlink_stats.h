/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module has counted: STATS_GET. */
#ifndef _INSTINCT_NETLINK_STATS_H
#define _INSTINCT_NETLINK_STATS_H

struct netlink_callback;
struct sk_buff;

int instinct_netlink_stats_start(struct netlink_callback *cb);
int instinct_netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _INSTINCT_NETLINK_STATS_H */
