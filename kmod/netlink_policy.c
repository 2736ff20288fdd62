// SPDX-License-Identifier: GPL-2.0-only
#include "identity.h"
#include "isolation.h"
#include "message.h"
#include "netlink.h"
#include "policy_change.h"
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
	const struct instinct_profile *profile;
	struct instinct_identity identity;
	struct instinct_policy policy = { };
	const char *why = NULL;
	struct sk_buff *skb;
	bool ruled;
	int ret;

	ret = waiting ? instinct_identity_find(&identity, nla_data(bdf), &profile, &why) : 0;
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
	if (waiting && !instinct_netlink_may_change(skb))
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
		    instinct_identity_is_there(&identity, instinct_netlink_may_change(cb->skb),
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

/* The @index-th policy of POLICY_APPLY, or NULL; a POLICY_SET is a policy itself. */
static struct nlattr *policy_nth(struct genl_info *info, unsigned int index)
{
	struct nlattr *nest;
	int rest;

	if (info->genlhdr->cmd == INSTINCT_VFIO_CMD_POLICY_SET)
		return NULL;
	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rest)
		if (nla_type(nest) == A(APPLY_POLICY) && !index--)
			return nest;
	return NULL;
}

static int policy_parse(struct genl_info *info, const struct nlattr *nest, struct nlattr **attrs)
{
	if (nest)
		return nla_parse_nested(attrs, A(POLICY_MAX), nest, instinct_policy_attrs,
					info->extack);
	memcpy(attrs, info->attrs, (A(POLICY_MAX) + 1) * sizeof(*attrs));
	return 0;
}

static int add_policy(struct genl_info *info, const struct nlattr *nest,
		      struct instinct_policy_changes *changes)
{
	struct nlattr *attrs[A(POLICY_MAX) + 1];
	const char *why = NULL;
	int ret = policy_parse(info, nest, attrs);

	if (ret)
		return ret;
	if (!attrs[A(POLICY_BDF)])
		return instinct_netlink_refuse(info, nest, "the device is missing: give its bdf, such as 0000:c1:00.0",
					       -EINVAL);
	ret = instinct_policy_changes_add(changes, nla_data(attrs[A(POLICY_BDF)]),
					  attrs[A(POLICY_WAITING)], &why);
	return ret ? instinct_netlink_refuse(info, attrs[A(POLICY_BDF)], why, ret) : 0;
}

/* Changes a policy as a request says, and checks it. */
static int try_policy(struct instinct_policy_change *change, struct nlattr **attrs,
		      const char **why)
{
	const struct instinct_policy_key *key;
	int ret = 0;

	if (attrs[A(POLICY_DEFAULTS)])
		instinct_policy_defaults(&change->policy);
	instinct_policy_for_each_key(key) {
		const struct nlattr *attr = attrs[key->attr];

		if (attr && key->text)
			ret = instinct_peers_parse(&change->policy.isolation.peers, nla_data(attr),
						   why);
		else if (attr)
			instinct_policy_set(&change->policy, key, nla_get_u32(attr));
		if (ret)
			return ret;
	}
	return instinct_policy_change_check(change, why);
}

/*
 * The attribute that would be refused by itself, and for the same reason, which is the
 * same text then; or else all of them together.
 */
static const struct nlattr *blamed_of(struct instinct_policy_change *change, struct nlattr **attrs,
				      const struct nlattr *nest, const char *reason)
{
	struct nlattr *one[A(POLICY_MAX) + 1] = { };
	const char *why = NULL;
	int i;

	for (i = A(POLICY_DEFAULTS) + 1; i <= A(POLICY_MAX); i++) {
		instinct_policy_defaults(&change->policy);
		one[i] = attrs[i];
		if (attrs[i] && try_policy(change, one, &why) && why == reason)
			return attrs[i];
		one[i] = NULL;
	}
	return nest;
}

static int merge_policy(struct genl_info *info, const struct nlattr *nest,
			struct instinct_policy_change *change)
{
	struct nlattr *attrs[A(POLICY_MAX) + 1];
	const struct instinct_policy_key *key;
	const char *why = NULL;
	int ret = policy_parse(info, nest, attrs);

	if (ret || change->of == INSTINCT_POLICY_OF_NOBODY)
		return ret;
	instinct_policy_for_each_key(key)
		if (change->of == INSTINCT_POLICY_OF_PLAIN && !key->isolation && attrs[key->attr])
			return instinct_netlink_refuse(info, attrs[key->attr], "of a device that is not bound to instinct_vfio_pci (see instinctctl bind) only ACS and ATS can be ruled",
						       -ENODEV);
	ret = try_policy(change, attrs, &why);
	if (!ret)
		return 0;
	instinct_policy_change_reject(change, why);
	return instinct_netlink_refuse(info, blamed_of(change, attrs, nest, why), why, ret);
}

static int change_policies(struct genl_info *info, struct instinct_policy_changes *changes,
			   unsigned int count)
{
	struct instinct_policy_change *culprit;
	const char *why = NULL;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = add_policy(info, policy_nth(info, i), changes);
	if (ret)
		return ret;
	instinct_policy_changes_lock(changes);
	for (i = 0; i < count && !ret; i++)
		ret = merge_policy(info, policy_nth(info, i), &changes->change[i]);
	if (ret)
		return ret;
	ret = instinct_policy_changes_set(changes, &culprit, &why);
	if (!ret)
		return 0;
	if (culprit && ret != -EAGAIN)
		instinct_policy_change_reject(culprit, why);
	return instinct_netlink_refuse(info, culprit ? policy_nth(info, culprit - changes->change) :
						       NULL, why, ret);
}

/**
 * instinct_netlink_policy_change() - POLICY_SET and POLICY_APPLY
 * @skb: request
 * @info: request, parsed
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_change(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_policy_changes changes;
	unsigned int count = info->genlhdr->cmd == INSTINCT_VFIO_CMD_POLICY_SET;
	int ret;

	while (count <= INSTINCT_POLICY_CHANGES_MAX && policy_nth(info, count))
		count++;
	if (!count)
		return instinct_netlink_refuse(info, NULL, "no policy is given: give one for each device",
					       -EINVAL);
	if (count > INSTINCT_POLICY_CHANGES_MAX)
		return instinct_netlink_refuse(info, NULL, "these are more policies than one request can have, which is 256",
					       -E2BIG);
	ret = instinct_policy_changes_begin(&changes, count) ?:
	      change_policies(info, &changes, count);
	instinct_policy_changes_end(&changes);
	return ret;
}
