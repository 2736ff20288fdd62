/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family: its requests, its events, and the helpers that requests share. */
#ifndef _INSTINCT_NETLINK_H
#define _INSTINCT_NETLINK_H

#include <net/genetlink.h>

#include "device/device.h"

/* Short form of an attribute's name. */
#define A(name)		INSTINCT_VFIO_A_##name

extern struct genl_family instinct_family;
extern const struct nla_policy instinct_policy_attrs[A(POLICY_MAX) + 1];

int instinct_netlink_init(void);
void instinct_netlink_exit(void);

void instinct_netlink_log(struct instinct_device *dev, const char *asked);
int instinct_netlink_refuse(struct genl_info *info, const struct nlattr *blamed, const char *why,
			    int ret);
int instinct_netlink_answer(struct genl_info *info, int (*put)(struct sk_buff *skb, void *object),
			    void *object);

int instinct_netlink_policy_apply(struct sk_buff *skb, struct genl_info *info);
int instinct_netlink_reset(struct sk_buff *skb, struct genl_info *info);

#endif /* _INSTINCT_NETLINK_H */
