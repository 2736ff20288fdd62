// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>

#include "identity.h"
#include "isolation.h"
#include "netlink.h"
#include "record.h"

const struct nla_policy instinct_policy_attrs[A(POLICY_MAX) + 1] = {
	[A(POLICY_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(POLICY_DEFAULTS)] = { .type = NLA_FLAG },
	[A(POLICY_METHOD) ... A(POLICY_CHECK_INTERVAL)] = { .type = NLA_U32 },
	[A(POLICY_PEER)] = { .type = NLA_NUL_STRING, .len = INSTINCT_PEERS_BYTES - 1 },
	[A(POLICY_WAITING)] = { .type = NLA_FLAG },
};

static int put_managed(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_policy policy;
	bool ruled = instinct_device_policy(dev, &policy);

	return instinct_message_put_policy(skb, pci_name(dev->pdev), &policy, false, ruled);
}

static int put_waiting(struct sk_buff *skb, const struct instinct_identity *identity,
		       const struct instinct_policy *policy, bool ruled)
{
	return instinct_message_put_policy(skb, identity->bdf, policy, false, ruled) ?:
	       nla_put_flag(skb, A(POLICY_WAITING));
}

static bool is_managed(const char *bdf)
{
	struct instinct_device *dev = instinct_device_find(bdf);

	if (dev)
		instinct_device_put(dev);
	return dev;
}

static int reply_unmanaged(struct genl_info *info, const struct nlattr *bdf)
{
	const struct nlattr *waiting = info->attrs[A(POLICY_WAITING)];
	struct instinct_identity identity;
	struct instinct_policy policy = { };
	const char *why = NULL;
	struct sk_buff *skb;
	bool ruled;
	int ret;

	ret = waiting ? instinct_identity_find(&identity, nla_data(bdf), &why) : 0;
	if (ret)
		return instinct_netlink_refuse(info, bdf, why, ret);
	skb = instinct_netlink_reply(info);
	if (!skb)
		return -ENOMEM;
	if (waiting) {
		instinct_record_policy(&identity, &policy, &ruled);
		ret = put_waiting(skb, &identity, &policy, ruled);
	} else {
		ruled = instinct_isolation_get(nla_data(bdf), &policy.isolation);
		ret = instinct_message_put_policy(skb, nla_data(bdf), &policy, true, ruled);
	}
	return instinct_netlink_send(info, skb, ret);
}

/**
 * instinct_netlink_policy_get() - POLICY_GET, of one device
 * @skb: request
 * @info: request, parsed
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_get(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *waiting = info->attrs[A(POLICY_WAITING)];
	const struct nlattr *bdf = info->attrs[A(POLICY_BDF)];

	if (!bdf || is_managed(nla_data(bdf)) || !instinct_identity_is_endpoint(nla_data(bdf)))
		return instinct_netlink_get(info, A(POLICY_BDF), put_managed);
	/* The request may turn away others that need the GPU's config space, to reset it. */
	if (waiting && !netlink_capable(skb, CAP_SYS_ADMIN))
		return instinct_netlink_refuse(info, waiting, "asking a GPU for its identity needs CAP_SYS_ADMIN in the initial user namespace; send the request as root of the host",
					       -EPERM);
	return reply_unmanaged(info, bdf);
}

/* What a dump walks, one after the other; each has the cursor of its number. */
enum { DUMP_MANAGED, DUMP_PLAIN, DUMP_WAITING, DUMP_KINDS };

static int put_next_managed(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_put_nth(skb, cb->args[DUMP_MANAGED], put_managed);
}

static int put_next_plain(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_policy policy = { };
	char bdf[INSTINCT_BDF_BYTES];

	if (!instinct_isolation_plain(cb->args[DUMP_PLAIN], bdf, &policy.isolation))
		return -ENOENT;
	return instinct_message_put_policy(skb, bdf, &policy, true, true);
}

static int put_next_waiting(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_identity identity;
	struct instinct_policy policy;
	bool ruled, latest;

	/* A record may be of a GPU that is gone, or that the driver has again. */
	for (; instinct_record_nth(cb->args[DUMP_WAITING], &identity, &policy, &ruled, &latest);
	     cb->args[DUMP_WAITING]++)
		if (!is_managed(identity.bdf) &&
		    instinct_identity_is_there(&identity, netlink_capable(cb->skb, CAP_SYS_ADMIN),
					       latest))
			return put_waiting(skb, &identity, &policy, ruled);
	return -ENOENT;
}

/**
 * instinct_netlink_policy_dump() - POLICY_GET, of all
 * @skb: answer
 * @cb: the dump; cb->args[] are the indices of the next of each kind, and after them
 *	the kind itself
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	static int (*const put_next[DUMP_KINDS])(struct sk_buff *, struct netlink_callback *) = {
		[DUMP_MANAGED] = put_next_managed,
		[DUMP_PLAIN] = put_next_plain,
		[DUMP_WAITING] = put_next_waiting,
	};
	long *kind = &cb->args[DUMP_KINDS];
	int ret = 0;

	for (; *kind < DUMP_KINDS && !ret; *kind += !ret)
		ret = instinct_netlink_dump(skb, cb, *kind, put_next[*kind]);
	return ret;
}
