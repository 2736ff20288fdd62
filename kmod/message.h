/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of netlink messages, filled in. */
#ifndef _INSTINCT_MESSAGE_H
#define _INSTINCT_MESSAGE_H

#include "device.h"

struct instinct_isolation_item;
struct sk_buff;

int instinct_message_put_device(struct sk_buff *skb, struct instinct_device *dev);
int instinct_message_put_policy(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool plain, bool ruled);
size_t instinct_message_event_size(const struct instinct_event *event);
int instinct_message_put_event(struct sk_buff *skb, const struct instinct_event *event);
int instinct_message_put_item(struct sk_buff *skb, const struct instinct_isolation_item *item);

#endif /* _INSTINCT_MESSAGE_H */
