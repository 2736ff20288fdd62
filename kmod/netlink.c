// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include "compat/genetlink.h"
#include "message.h"
#include "netlink.h"
#include "netlink_device.h"
#include "netlink_policy.h"
#include "netlink_reply.h"
#include "policy_message.h"

static int info_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_event_bounds bounds;
	struct sk_buff *skb;
	void *head;
	int ret = 0;

	skb = instinct_reply_new(info, INSTINCT_VFIO_CMD_INFO_GET, &head);
	if (!skb)
		return -ENOMEM;
	instinct_event_bounds(&bounds);
	if (nla_put_string(skb, A(INFO_VERSION), INSTINCT_VFIO_VERSION) ||
	    nla_put_u64_64bit(skb, A(INFO_EPOCH), bounds.epoch, A(INFO_PAD)) ||
	    nla_put_u64_64bit(skb, A(INFO_OLDEST_SEQ), bounds.oldest,
			      A(INFO_PAD)) ||
	    nla_put_u64_64bit(skb, A(INFO_NEWEST_SEQ), bounds.newest,
			      A(INFO_PAD)))
		ret = -EMSGSIZE;
	return instinct_reply_send(info, skb, head, ret);
}

/* cb->args[0] is the number of the next event. */
static int event_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_event_bounds bounds;
	struct instinct_event event;

	instinct_event_bounds(&bounds);
	if (!cb->args[0]) {
		struct nlattr **attrs = instinct_dump_attrs(cb);

		cb->args[0] = 1;
		if (attrs[A(EVENT_SEQ)])
			cb->args[0] = nla_get_u64(attrs[A(EVENT_SEQ)]) ?: 1;
	}
	while (instinct_event_read(cb->args[0], &event)) {
		void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
					 cb->nlh->nlmsg_seq, &instinct_family,
					 NLM_F_MULTI,
					 INSTINCT_VFIO_CMD_EVENT_GET);
		int ret = -EMSGSIZE;

		if (head)
			ret = instinct_message_put_event(skb, &event,
							 bounds.epoch);
		if (ret) {
			if (head)
				genlmsg_cancel(skb, head);
			return skb->len ? skb->len : ret;
		}
		genlmsg_end(skb, head);
		cb->args[0] = event.seq + 1;
	}
	return skb->len;
}

static const struct nla_policy dev_policy[A(DEV_MAX) + 1] = {
	[A(DEV_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
};

static const struct nla_policy reset_policy[A(RESET_MAX) + 1] = {
	[A(RESET_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(RESET_METHOD)] = { .type = NLA_U32 },
	[A(RESET_DRY_RUN)] = { .type = NLA_FLAG },
};

static const struct nla_policy event_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_SEQ)] = { .type = NLA_U64 },
};

static const struct genl_ops instinct_ops[] = {
	{
		.cmd = INSTINCT_VFIO_CMD_INFO_GET,
		.doit = info_get_doit,
	}, {
		.cmd = INSTINCT_VFIO_CMD_DEV_GET,
		.doit = instinct_netlink_device_get,
		.dumpit = instinct_netlink_device_dump,
		.policy = dev_policy,
		.maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_GET,
		.doit = instinct_netlink_policy_get,
		.dumpit = instinct_netlink_policy_dump,
		.policy = instinct_policy_attrs,
		.maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_SET,
		.flags = GENL_ADMIN_PERM,
		.doit = instinct_netlink_policy_set,
		.policy = instinct_policy_attrs,
		.maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RESET,
		.flags = GENL_ADMIN_PERM,
		.doit = instinct_netlink_device_reset,
		.policy = reset_policy,
		.maxattr = A(RESET_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RELEASE,
		.flags = GENL_ADMIN_PERM,
		.doit = instinct_netlink_device_release,
		.policy = dev_policy,
		.maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_EVENT_GET,
		.dumpit = event_get_dumpit,
		.policy = event_policy,
		.maxattr = A(EVENT_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_ISOLATION_CHECK,
		.flags = GENL_ADMIN_PERM,
		.doit = instinct_netlink_isolation_check,
	}, {
		.cmd = INSTINCT_VFIO_CMD_ISOLATION_GET,
		.dumpit = instinct_netlink_isolation_dump,
	},
};

static const struct genl_multicast_group instinct_groups[] = {
	{ .name = INSTINCT_VFIO_MCGRP_EVENTS },
};

/*
 * Not .netnsok: the initial network namespace only. In parallel, since a reset
 * takes its time and would keep all other families waiting.
 */
struct genl_family instinct_family __ro_after_init = {
	.name = INSTINCT_VFIO_FAMILY_NAME,
	.version = INSTINCT_VFIO_FAMILY_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = instinct_ops,
	.n_ops = ARRAY_SIZE(instinct_ops),
	.mcgrps = instinct_groups,
	.n_mcgrps = ARRAY_SIZE(instinct_groups),
	.resv_start_op = INSTINCT_VFIO_CMD_INFO_GET,
};

/**
 * instinct_netlink_multicast() - tell who listens of an event
 * @event: it
 * @epoch: of this module load
 *
 * Context: may sleep; the caller orders the events.
 */
void instinct_netlink_multicast(const struct instinct_event *event, u64 epoch)
{
	struct sk_buff *skb;
	void *head;

	if (!genl_has_listeners(&instinct_family, &init_net, 0))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &instinct_family, 0,
			   INSTINCT_VFIO_CMD_EVENT);
	if (!head || instinct_message_put_event(skb, event, epoch)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&instinct_family, skb, 0, 0, GFP_KERNEL);
}

/**
 * instinct_netlink_init() - register the family
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_init(void)
{
	return genl_register_family(&instinct_family);
}

/**
 * instinct_netlink_exit() - unregister it; waits for requests under way
 */
void instinct_netlink_exit(void)
{
	genl_unregister_family(&instinct_family);
}
