// SPDX-License-Identifier: GPL-2.0-only
#include "identity.h"
#include "isolation.h"
#include "message.h"
#include "netlink_policy.h"
#include "netlink_reply.h"
#include "policy_change.h"
#include "policy_message.h"
#include "record.h"

static int put_managed(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return instinct_policy_message_put(skb, pci_name(dev->pdev), &status.policy, false,
					   status.ruled);
}

static int put_plain(struct sk_buff *skb, const char *bdf)
{
	struct instinct_policy policy = { };
	bool ruled = instinct_isolation_get(bdf, &policy.isolation);

	return instinct_policy_message_put(skb, bdf, &policy, true, ruled);
}

static int put_waiting(struct sk_buff *skb, const struct instinct_identity *identity,
		       const struct instinct_policy *policy, bool ruled)
{
	return instinct_policy_message_put(skb, identity->bdf, policy, false, ruled) ?:
	       nla_put_flag(skb, A(POLICY_WAITING));
}

/* Is it there, and nobody's that this driver has? */
static bool is_unmanaged(struct genl_info *info)
{
	struct nlattr *bdf = info->attrs[A(POLICY_BDF)];
	struct instinct_device *dev = bdf ? instinct_device_find(nla_data(bdf)) : NULL;

	if (!dev)
		return bdf && instinct_identity_is_endpoint(nla_data(bdf));
	instinct_device_put(dev);
	return false;
}

static int reply_unmanaged(struct genl_info *info, const char *bdf)
{
	bool waiting = info->attrs[A(POLICY_WAITING)], ruled = false;
	const struct instinct_profile *profile;
	struct instinct_identity identity;
	struct instinct_policy policy;
	const char *why = NULL;
	struct sk_buff *skb;
	void *head;
	int ret;

	ret = waiting ? instinct_identity_find(&identity, bdf, &profile, &why) : 0;
	if (ret) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[A(POLICY_BDF)]);
		instinct_reply_refuse(info, why);
		return ret;
	}
	skb = instinct_reply_new(info, INSTINCT_VFIO_CMD_POLICY_GET, &head);
	if (!skb)
		return -ENOMEM;
	if (waiting) {
		instinct_record_policy(&identity, &policy, &ruled);
		ret = put_waiting(skb, &identity, &policy, ruled);
	} else {
		ret = put_plain(skb, bdf);
	}
	return instinct_reply_send(info, skb, head, ret);
}

/**
 * instinct_netlink_policy_get() - POLICY_GET, of one device
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_get(struct sk_buff *skb, struct genl_info *info)
{
	if (!is_unmanaged(info))
		return instinct_reply_get(info, INSTINCT_VFIO_CMD_POLICY_GET, A(POLICY_BDF),
					  put_managed);
	/* Others who want its config space, to reset it, may be turned away meanwhile. */
	if (info->attrs[A(POLICY_WAITING)] && !instinct_reply_may_change(skb)) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[A(POLICY_WAITING)]);
		instinct_reply_refuse(info, "asking a GPU for its identity needs CAP_SYS_ADMIN in the initial user namespace; send the request as root of the host");
		return -EPERM;
	}
	return reply_unmanaged(info, nla_data(info->attrs[A(POLICY_BDF)]));
}

/* What a dump walks, one after the other; each has the cursor of its number. */
enum { DUMP_MANAGED, DUMP_PLAIN, DUMP_WAITING, DUMP_KINDS };

static int put_next_managed(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_put_nth(skb, cb->args[DUMP_MANAGED], put_managed);
}

static int put_next_plain(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_policy policy = { };
	char bdf[INSTINCT_BDF_BYTES];

	if (!instinct_isolation_plain(cb->args[DUMP_PLAIN], bdf, &policy.isolation))
		return -ENOENT;
	return instinct_policy_message_put(skb, bdf, &policy, true, true);
}

/* A record may be of a GPU that is gone, or that the driver has again. */
static bool is_waiting(const struct instinct_identity *identity, bool look, bool latest)
{
	struct instinct_device *dev = instinct_device_find(identity->bdf);

	if (!dev)
		return instinct_identity_is_there(identity, look, latest);
	instinct_device_put(dev);
	return false;
}

static int put_next_waiting(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_identity identity;
	struct instinct_policy policy;
	bool ruled, latest;

	for (; instinct_record_nth(cb->args[DUMP_WAITING], &identity, &policy, &ruled,
				   &latest);
	     cb->args[DUMP_WAITING]++)
		if (is_waiting(&identity, instinct_reply_may_change(cb->skb), latest))
			return put_waiting(skb, &identity, &policy, ruled);
	return -ENOENT;
}

static int (*const put_next[DUMP_KINDS])(struct sk_buff *skb,
					 struct netlink_callback *cb) = {
	[DUMP_MANAGED] = put_next_managed,
	[DUMP_PLAIN] = put_next_plain,
	[DUMP_WAITING] = put_next_waiting,
};

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
	int ret;

	for (; cb->args[DUMP_KINDS] < DUMP_KINDS; cb->args[DUMP_KINDS]++) {
		ret = instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_POLICY_GET,
					  cb->args[DUMP_KINDS],
					  put_next[cb->args[DUMP_KINDS]]);
		if (ret)
			return ret;
	}
	return 0;
}

/* The @index-th policy of a request; of POLICY_SET, the request is the policy. */
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

static unsigned int policy_count(struct genl_info *info)
{
	unsigned int count = 0;
	struct nlattr *nest;
	int rest;

	if (info->genlhdr->cmd == INSTINCT_VFIO_CMD_POLICY_SET)
		return 1;
	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rest)
		count += nla_type(nest) == A(APPLY_POLICY);
	return count;
}

static int policy_parse(struct genl_info *info, const struct nlattr *nest,
			struct nlattr **attrs)
{
	if (nest)
		return nla_parse_nested(attrs, A(POLICY_MAX), nest, instinct_policy_attrs,
					info->extack);
	memcpy(attrs, info->attrs, (A(POLICY_MAX) + 1) * sizeof(*attrs));
	return 0;
}

/* @blamed: an attribute, a whole policy, or NULL of POLICY_SET as a whole. */
static int refuse(struct genl_info *info, const struct nlattr *blamed, const char *why,
		  int ret)
{
	NL_SET_BAD_ATTR(info->extack, blamed);
	instinct_reply_refuse(info, why);
	return ret;
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
		return refuse(info, nest, "the device is missing: give its bdf, such as 0000:c1:00.0",
			      -EINVAL);
	ret = instinct_policy_changes_add(changes, nla_data(attrs[A(POLICY_BDF)]),
					  attrs[A(POLICY_WAITING)], &why);
	return ret ? refuse(info, attrs[A(POLICY_BDF)], why, ret) : 0;
}

static int try_policy(struct instinct_policy_change *change, struct nlattr **attrs,
		      const char **why)
{
	return instinct_policy_message_merge(&change->policy, attrs, why) ?:
	       instinct_policy_change_check(change, why);
}

/*
 * The attribute that would be refused by itself, and for the same reason, which is the
 * same text then; or else all of them together.
 */
static const struct nlattr *blamed_of(struct instinct_policy_change *change,
				      struct nlattr **attrs, const struct nlattr *nest,
				      const char *reason)
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
	const struct nlattr *foreign;
	const char *why = NULL;
	int ret = policy_parse(info, nest, attrs);

	if (ret || change->of == INSTINCT_POLICY_OF_NOBODY)
		return ret;
	foreign = change->of == INSTINCT_POLICY_OF_PLAIN ?
		  instinct_policy_message_foreign(attrs) : NULL;
	if (foreign)
		return refuse(info, foreign, "of a device that is not bound to instinct_vfio_pci (see instinctctl bind) only ACS and ATS can be ruled",
			      -ENODEV);
	ret = try_policy(change, attrs, &why);
	if (!ret)
		return 0;
	instinct_policy_change_reject(change, why);
	return refuse(info, blamed_of(change, attrs, nest, why), why, ret);
}

static int set_policies(struct genl_info *info, struct instinct_policy_changes *changes)
{
	struct instinct_policy_change *culprit;
	const char *why = NULL;
	int ret = instinct_policy_changes_set(changes, &culprit, &why);

	if (!ret)
		return 0;
	if (!culprit)
		return refuse(info, NULL, why, ret);
	if (ret != -EAGAIN)
		instinct_policy_change_reject(culprit, why);
	return refuse(info, policy_nth(info, culprit - changes->change), why, ret);
}

static int change_policies(struct genl_info *info, struct instinct_policy_changes *changes,
			   unsigned int count)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = add_policy(info, policy_nth(info, i), changes);
	if (ret)
		return ret;
	instinct_policy_changes_lock(changes);
	for (i = 0; i < count && !ret; i++)
		ret = merge_policy(info, policy_nth(info, i), &changes->change[i]);
	return ret ?: set_policies(info, changes);
}

/**
 * instinct_netlink_policy_change() - POLICY_SET and POLICY_APPLY
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_change(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int count = policy_count(info);
	struct instinct_policy_changes changes;
	int ret;

	if (!count)
		return refuse(info, NULL, "no policy is given: give one for each device", -EINVAL);
	if (count > INSTINCT_POLICY_CHANGES_MAX)
		return refuse(info, NULL, "these are more policies than one request can have, which is 256",
			      -E2BIG);
	ret = instinct_policy_changes_begin(&changes, count);
	ret = ret ?: change_policies(info, &changes, count);
	instinct_policy_changes_end(&changes);
	return ret;
}

/**
 * instinct_netlink_isolation_check() - ISOLATION_CHECK
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_isolation_check(struct sk_buff *skb, struct genl_info *info)
{
	instinct_isolation_look();
	return 0;
}

static int put_next_item(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_isolation_item item;

	if (!instinct_isolation_item(cb->args[0], &item))
		return -ENOENT;
	return instinct_message_put_item(skb, &item);
}

/**
 * instinct_netlink_isolation_dump() - ISOLATION_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_netlink_isolation_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_ISOLATION_GET, 0,
				   put_next_item);
}
