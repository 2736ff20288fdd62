/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policies over generic netlink: a list of those in force, and one request that sets several. */
#ifndef NL_POLICY_H
#define NL_POLICY_H

#include <linux/netlink.h>

#include "conf_key.h"
#include "nl.h"
#include "plan.h"

/**
 * struct nl_blame - part of a plan that the kernel refuses
 * @change: index of the change in the plan, or the plan's count if unknown
 * @key: key of its policy, or NULL if unknown
 */
struct nl_blame {
	size_t change;
	const struct conf_key *key;
};

int nl_policies_get(struct nl *nl, struct devices *devices);
int nl_policies_apply(struct nl *nl, const struct changes *changes,
		      struct nl_blame *blame);

/* Parts of nl_policies_apply(), which tests use, too. */
size_t nl_policies_bytes(const struct changes *changes);
int nl_policies_put(struct nlmsghdr *nlh, size_t size, const struct changes *changes);
void nl_policies_blame(const struct nlmsghdr *nlh, uint32_t offset,
		       struct nl_blame *blame);

#endif /* NL_POLICY_H */
