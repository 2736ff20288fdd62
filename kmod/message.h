/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of netlink messages, filled in. */
#ifndef _INSTINCT_MESSAGE_H
#define _INSTINCT_MESSAGE_H

#include <linux/skbuff.h>

#include "device.h"
#include "event.h"

struct instinct_isolation_item;

int instinct_message_put_device(struct sk_buff *skb,
				struct instinct_device *dev);
size_t instinct_message_event_size(const struct instinct_event *event);
int instinct_message_put_event(struct sk_buff *skb,
			       const struct instinct_event *event, u64 epoch);
int instinct_message_put_item(struct sk_buff *skb,
			      const struct instinct_isolation_item *item);

#endif /* _INSTINCT_MESSAGE_H */
