/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policies in force, and all of them set at once, over generic netlink. */
#ifndef NL_POLICY_H
#define NL_POLICY_H

#include <linux/netlink.h>

#include "conf_key.h"
#include "nl.h"
#include "plan.h"

/**
 * struct nl_blame - what the kernel's refusal of a plan points at
 * @change: index in the plan, its count for none of it
 * @key: of that policy, or NULL
 */
struct nl_blame {
	size_t change;
	const struct conf_key *key;
};

int nl_policies_get(struct nl *nl, struct devices *devices);
int nl_policies_apply(struct nl *nl, const struct changes *changes,
		      struct nl_blame *blame);

/* As nl_policies_apply() sends it; for tests too. */
size_t nl_policies_bytes(const struct changes *changes);
int nl_policies_put(struct nlmsghdr *nlh, size_t size, const struct changes *changes);
void nl_policies_blame(const struct nlmsghdr *nlh, uint32_t offset,
		       struct nl_blame *blame);

#endif /* NL_POLICY_H */
