/* SPDX-License-Identifier: GPL-2.0-only */
/* What requests of the family have in common: whom they concern, how they are answered. */
#ifndef _INSTINCT_NETLINK_REPLY_H
#define _INSTINCT_NETLINK_REPLY_H

#include <net/genetlink.h>

#include "device.h"

#define A(name)		INSTINCT_VFIO_A_##name

extern struct genl_family instinct_family;

bool instinct_reply_may_change(struct sk_buff *request);
void instinct_reply_log(struct instinct_device *dev, const char *asked);
void instinct_reply_refuse(struct genl_info *info, const char *why);
struct instinct_device *instinct_reply_device(struct genl_info *info, int attr);
struct sk_buff *instinct_reply_new(struct genl_info *info, u8 cmd, void **head);
int instinct_reply_send(struct genl_info *info, struct sk_buff *skb, void *head,
			int ret);
int instinct_reply_get(struct genl_info *info, u8 cmd, int bdf,
		       int (*put)(struct sk_buff *skb, struct instinct_device *dev));
int instinct_reply_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			unsigned int cursor,
			int (*put)(struct sk_buff *skb, struct netlink_callback *cb));
int instinct_reply_put_nth(struct sk_buff *skb, unsigned int index,
			   int (*put)(struct sk_buff *skb, struct instinct_device *dev));

#endif /* _INSTINCT_NETLINK_REPLY_H */
