/* SPDX-License-Identifier: GPL-2.0-only */
/* A policy in netlink messages: A_POLICY_*. */
#ifndef _INSTINCT_POLICY_MESSAGE_H
#define _INSTINCT_POLICY_MESSAGE_H

#include <net/netlink.h>

#include "policy.h"

extern const struct nla_policy instinct_policy_attrs[INSTINCT_VFIO_A_POLICY_MAX + 1];

int instinct_policy_message_put(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool plain,
				bool ruled);
int instinct_policy_message_merge(struct instinct_policy *policy,
				  struct nlattr **attrs, const char **why);
const struct nlattr *instinct_policy_message_foreign(struct nlattr **attrs);

#endif /* _INSTINCT_POLICY_MESSAGE_H */
