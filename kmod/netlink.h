/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family. */
#ifndef _INSTINCT_NETLINK_H
#define _INSTINCT_NETLINK_H

#include "event.h"

struct sk_buff;

/**
 * struct instinct_notice - the message that tells of an event
 * @skb: it, or NULL if nobody listens or there was no memory
 * @seq: where in it the number goes
 * @time: where the time goes
 */
struct instinct_notice {
	struct sk_buff *skb;
	void *seq;
	void *time;
};

int instinct_netlink_init(void);
void instinct_netlink_exit(void);
void instinct_netlink_prepare(struct instinct_notice *notice,
			      const struct instinct_event *event, u64 epoch);
void instinct_netlink_multicast(struct instinct_notice *notice,
				const struct instinct_event *event);

#endif /* _INSTINCT_NETLINK_H */
