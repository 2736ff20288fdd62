/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to reset a device. */
#ifndef _INSTINCT_NETLINK_RESET_H
#define _INSTINCT_NETLINK_RESET_H

struct genl_info;
struct sk_buff;

int instinct_netlink_reset_init(void);
void instinct_netlink_reset_exit(void);
int instinct_netlink_reset(struct sk_buff *skb, struct genl_info *info);

#endif /* _INSTINCT_NETLINK_RESET_H */
