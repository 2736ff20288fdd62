/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests about policies, and about the isolation that they rule. */
#ifndef _INSTINCT_NETLINK_POLICY_H
#define _INSTINCT_NETLINK_POLICY_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

int instinct_netlink_policy_get(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb);
int instinct_netlink_policy_change(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_isolation_check(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_isolation_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _INSTINCT_NETLINK_POLICY_H */
