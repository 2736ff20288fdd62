// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>

#include "device/record.h"
#include "isolation/isolation.h"
#include "netlink/family.h"

const struct nla_policy instinct_policy_attrs[A(POLICY_MAX) + 1] = {
	[A(POLICY_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(POLICY_DEFAULTS)] = { .type = NLA_FLAG },
	[A(POLICY_METHOD) ... A(POLICY_CHECK_INTERVAL)] = { .type = NLA_U32 },
	[A(POLICY_PARTITION)] = { .type = NLA_U32 },
	[A(POLICY_PEER)] = { .type = NLA_NUL_STRING, .len = INSTINCT_PEERS_BYTES - 1 },
	[A(POLICY_PENDING)] = { .type = NLA_FLAG },
};

static int put_managed(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return instinct_message_put_policy(skb, pci_name(dev->pdev), &status.policy, false,
					   status.policy_set);
}

static int put_pending(struct sk_buff *skb, const struct instinct_identity *identity,
		       const struct instinct_policy *policy, bool policy_set)
{
	return instinct_message_put_policy(skb, identity->bdf, policy, false, policy_set) ?:
	       nla_put_flag(skb, A(POLICY_PENDING));
}

static int reply_unmanaged(struct genl_info *info, const struct nlattr *bdf)
{
	const struct nlattr *pending = info->attrs[A(POLICY_PENDING)];
	struct instinct_identity identity;
	struct instinct_policy policy = { };
	const char *why = NULL;
	struct sk_buff *skb;
	bool policy_set;
	int ret;

	ret = pending ? instinct_identity_find(&identity, nla_data(bdf), &why) : 0;
	if (ret)
		return instinct_netlink_refuse(info, bdf, why, ret);
	skb = instinct_netlink_reply(info);
	if (!skb)
		return -ENOMEM;
	if (pending) {
		policy_set = instinct_record_policy(&identity, &policy);
		ret = put_pending(skb, &identity, &policy, policy_set);
	} else {
		policy_set = instinct_isolation_get(nla_data(bdf), &policy.isolation);
		ret = instinct_message_put_policy(skb, nla_data(bdf), &policy, true, policy_set);
	}
	return instinct_netlink_send(info, skb, ret);
}

/**
 * instinct_netlink_policy_get() - serve POLICY_GET for one device
 * @skb: request
 * @info: request, parsed
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_get(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *pending = info->attrs[A(POLICY_PENDING)];
	const struct nlattr *bdf = info->attrs[A(POLICY_BDF)];
	struct instinct_device *dev = bdf ? instinct_device_find(nla_data(bdf)) : NULL;

	/* A bound GPU can be unbound meanwhile, and then the device that was found answers. */
	if (dev || !bdf || !instinct_identity_is_endpoint(nla_data(bdf)))
		return instinct_netlink_get(info, dev ?: instinct_netlink_device(info, A(POLICY_BDF)),
					    put_managed);
	/* This request can turn away tasks that need the GPU's config space for a reset. */
	if (pending && !netlink_capable(skb, CAP_SYS_ADMIN))
		return instinct_netlink_refuse(info, pending, "asking a GPU for its identity needs CAP_SYS_ADMIN in the initial user namespace; send the request as root of the host",
					       -EPERM);
	return reply_unmanaged(info, bdf);
}

/* A dump walks these kinds of policies in order; each kind's cursor has the kind's index. */
enum { DUMP_MANAGED, DUMP_UNMANAGED, DUMP_PENDING, DUMP_KINDS };

static int put_next_managed(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_put_nth(skb, cb->args[DUMP_MANAGED], put_managed);
}

static int put_next_unmanaged(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_policy policy = { };
	char bdf[INSTINCT_BDF_BYTES];

	if (!instinct_isolation_unmanaged(cb->args[DUMP_UNMANAGED], bdf, &policy.isolation))
		return -ENOENT;
	return instinct_message_put_policy(skb, bdf, &policy, true, true);
}

static int put_next_pending(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_identity identity;
	struct instinct_policy policy;
	bool policy_set;

	if (!instinct_record_nth(cb->args[DUMP_PENDING], &identity, &policy, &policy_set))
		return -ENOENT;
	return put_pending(skb, &identity, &policy, policy_set);
}

/**
 * instinct_netlink_policy_dump() - serve POLICY_GET for all devices
 * @skb: answer
 * @cb: the dump; cb->args[] holds a cursor for each kind of policy, and then the current kind
 *
 * Return: number of bytes in @skb, 0 at the end, or a negative errno.
 */
int instinct_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	static int (*const put_next[DUMP_KINDS])(struct sk_buff *, struct netlink_callback *) = {
		[DUMP_MANAGED] = put_next_managed,
		[DUMP_UNMANAGED] = put_next_unmanaged,
		[DUMP_PENDING] = put_next_pending,
	};
	long *kind = &cb->args[DUMP_KINDS];
	int ret = 0;

	for (; *kind < DUMP_KINDS && !ret; *kind += !ret)
		ret = instinct_netlink_dump(skb, cb, *kind, put_next[*kind]);
	return ret;
}
