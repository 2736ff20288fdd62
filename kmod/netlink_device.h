/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests about devices: how they are, and what is to be done with them. */
#ifndef _INSTINCT_NETLINK_DEVICE_H
#define _INSTINCT_NETLINK_DEVICE_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

int instinct_netlink_device_get(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_device_dump(struct sk_buff *skb, struct netlink_callback *cb);
int instinct_netlink_device_release(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_sample(struct sk_buff *skb, struct genl_info *info);

#endif /* _INSTINCT_NETLINK_DEVICE_H */
