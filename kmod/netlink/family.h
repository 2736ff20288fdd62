/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family: its events, its requests, and the helpers that requests share. */
#ifndef _INSTINCT_NETLINK_H
#define _INSTINCT_NETLINK_H

#include <net/genetlink.h>

#include "device/device.h"

struct instinct_isolation_item;

int instinct_netlink_init(void);
void instinct_netlink_exit(void);

int instinct_message_put_device(struct sk_buff *skb, struct instinct_device *dev);
int instinct_message_put_policy(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool unmanaged, bool policy_set);
size_t instinct_message_event_size(const struct instinct_event *event);
int instinct_message_put_event(struct sk_buff *skb, const struct instinct_event *event);
int instinct_message_put_item(struct sk_buff *skb, const struct instinct_isolation_item *item);

void instinct_netlink_log(struct instinct_device *dev, const char *asked);
int instinct_netlink_refuse(struct genl_info *info, const struct nlattr *blamed, const char *why,
			    int ret);
struct instinct_device *instinct_netlink_device(struct genl_info *info, int attr);
struct sk_buff *instinct_netlink_reply(struct genl_info *info);
int instinct_netlink_send(struct genl_info *info, struct sk_buff *skb, int ret);
int instinct_netlink_get(struct genl_info *info, struct instinct_device *dev,
			 int (*put)(struct sk_buff *skb, struct instinct_device *dev));
int instinct_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb, unsigned int cursor,
			  int (*put)(struct sk_buff *skb, struct netlink_callback *cb));
int instinct_netlink_put_nth(struct sk_buff *skb, unsigned int index,
			     int (*put)(struct sk_buff *skb, struct instinct_device *dev));

extern const struct nla_policy instinct_policy_attrs[A(POLICY_MAX) + 1];

int instinct_netlink_policy_get(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb);
int instinct_netlink_policy_change(struct sk_buff *skb, struct genl_info *info);

int instinct_netlink_reset(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_alarm(struct sk_buff *req, struct genl_info *info);

#endif /* _INSTINCT_NETLINK_H */
