// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include "compat/genetlink.h"
#include "claim.h"
#include "message.h"
#include "netlink.h"
#include "netlink_device.h"
#include "netlink_policy.h"
#include "netlink_reply.h"
#include "netlink_reset.h"
#include "netlink_stats.h"
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
			      A(INFO_PAD)) ||
	    nla_put_u32(skb, A(INFO_CAPACITY), INSTINCT_EVENTS_KEPT) ||
	    (instinct_claim_needs_policy() &&
	     nla_put_flag(skb, A(INFO_POLICY_REQUIRED))))
		ret = -EMSGSIZE;
	return instinct_reply_send(info, skb, head, ret);
}

static int put_event(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_event event;

	/* They have numbers. */
	cb->seq = 0;
	if (!instinct_event_read(cb->args[0], &event))
		return -ENOENT;
	/* Those before it that are wanted are not kept any more. */
	cb->args[0] = event.seq;
	return instinct_message_put_event(skb, &event, instinct_event_epoch());
}

/* cb->args[0] is the number of the next event. */
static int event_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *from = instinct_dump_attrs(cb)[A(EVENT_SEQ)];

	if (!cb->args[0])
		cb->args[0] = from ? nla_get_u64(from) ?: 1 : 1;
	return instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_EVENT_GET, 0, put_event);
}

static const struct nla_policy dev_policy[A(DEV_MAX) + 1] = {
	[A(DEV_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
};

static const struct nla_policy reset_policy[A(RESET_MAX) + 1] = {
	[A(RESET_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(RESET_METHOD)] = { .type = NLA_U32 },
	[A(RESET_DRY_RUN)] = { .type = NLA_FLAG },
	[A(RESET_READY_TIMEOUT)] = { .type = NLA_U32 },
	[A(RESET_BUS_PORT)] = { .type = NLA_U32 },
};

static const struct nla_policy sample_policy[A(SAMPLE_MAX) + 1] = {
	[A(SAMPLE_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(SAMPLE_SENSOR)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_SENSOR_BOARD),
	[A(SAMPLE_SOURCE)] = NLA_POLICY_RANGE(NLA_U32, INSTINCT_VFIO_SOURCE_HWMON,
					      INSTINCT_VFIO_SOURCE_OTHER),
	[A(SAMPLE_TEMPERATURE)] = { .type = NLA_S32 },
};

static const struct nla_policy event_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_SEQ)] = { .type = NLA_U64 },
};

static const struct nla_policy apply_policy[A(APPLY_MAX) + 1] = {
	[A(APPLY_POLICY)] = NLA_POLICY_NESTED(instinct_policy_attrs),
};

/* internal_flags of requests that change something */
#define NEEDS_ADMIN	BIT(0)

/*
 * GENL_ADMIN_PERM would ask for CAP_NET_ADMIN, which network plugins have. None of them may
 * hand out a quarantined GPU.
 */
static int check_privilege(const struct instinct_compat_genl_ops *ops, struct sk_buff *skb,
			   struct genl_info *info)
{
	if (!(ops->internal_flags & NEEDS_ADMIN) || instinct_reply_may_change(skb))
		return 0;
	instinct_reply_refuse(info, "the request needs CAP_SYS_ADMIN in the initial user namespace; send it as root of the host");
	return -EPERM;
}

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
		.internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_policy_change,
		.policy = instinct_policy_attrs,
		.maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RESET,
		.internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_reset,
		.policy = reset_policy,
		.maxattr = A(RESET_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RELEASE,
		.internal_flags = NEEDS_ADMIN,
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
		.internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_isolation_check,
	}, {
		.cmd = INSTINCT_VFIO_CMD_ISOLATION_GET,
		.dumpit = instinct_netlink_isolation_dump,
	}, {
		.cmd = INSTINCT_VFIO_CMD_SAMPLE,
		.internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_sample,
		.policy = sample_policy,
		.maxattr = A(SAMPLE_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_STATS_GET,
		.start = instinct_netlink_stats_start,
		.dumpit = instinct_netlink_stats_dump,
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_APPLY,
		.internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_policy_change,
		.policy = apply_policy,
		.maxattr = A(APPLY_MAX),
	},
};

static const struct genl_multicast_group instinct_groups[] = {
	{ .name = INSTINCT_VFIO_MCGRP_EVENTS },
};

/*
 * Not .netnsok: the initial network namespace only. In parallel, so that who looks does not
 * wait for who sets a policy.
 */
struct genl_family instinct_family __ro_after_init = {
	.name = INSTINCT_VFIO_FAMILY_NAME,
	.version = INSTINCT_VFIO_FAMILY_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.pre_doit = check_privilege,
	.ops = instinct_ops,
	.n_ops = ARRAY_SIZE(instinct_ops),
	.mcgrps = instinct_groups,
	.n_mcgrps = ARRAY_SIZE(instinct_groups),
	.resv_start_op = INSTINCT_VFIO_CMD_INFO_GET,
};

static bool family_up;

static bool has_listeners(void)
{
	return READ_ONCE(family_up) && genl_has_listeners(&instinct_family, &init_net, 0);
}

/**
 * instinct_netlink_prepare() - make the message that tells of an event, if anybody
 *	listens
 * @notice: set; to be handed to instinct_netlink_multicast()
 * @event: it, without number and time
 * @epoch: of this module load
 *
 * Does not wait for memory.
 *
 * Context: process.
 */
void instinct_netlink_prepare(struct instinct_notice *notice,
			      const struct instinct_event *event, u64 epoch)
{
	struct sk_buff *skb;
	void *head;

	*notice = (struct instinct_notice) { };
	if (!has_listeners())
		return;
	skb = genlmsg_new(instinct_message_event_size(event), GFP_NOWAIT | __GFP_NOWARN);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &instinct_family, 0, INSTINCT_VFIO_CMD_EVENT);
	if (!head || instinct_message_put_event(skb, event, epoch)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	notice->skb = skb;
	notice->seq = nla_data(nlmsg_find_attr(nlmsg_hdr(skb), GENL_HDRLEN, A(EVENT_SEQ)));
	notice->time = nla_data(nlmsg_find_attr(nlmsg_hdr(skb), GENL_HDRLEN, A(EVENT_TIME)));
}

/**
 * instinct_netlink_multicast() - tell who listens of an event
 * @notice: message, which is consumed
 * @event: with its number and time
 *
 * Does not wait for a receiver: whom it could not tell gets ENOBUFS, as if his
 * socket's buffer were full, and reads the ring. So does one who has begun to listen
 * since the message was prepared.
 *
 * Context: process; the caller orders the events.
 */
void instinct_netlink_multicast(struct instinct_notice *notice,
				const struct instinct_event *event)
{
	if (notice->skb) {
		memcpy(notice->seq, &event->seq, sizeof(event->seq));
		memcpy(notice->time, &event->time, sizeof(event->time));
		genlmsg_multicast(&instinct_family, notice->skb, 0, 0, GFP_NOWAIT);
	} else if (has_listeners()) {
		genl_set_err(&instinct_family, &init_net, 0, 0, -ENOBUFS);
	}
}

/**
 * instinct_netlink_init() - register the family
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_init(void)
{
	int ret = instinct_netlink_reset_init();

	if (ret)
		return ret;
	ret = genl_register_family(&instinct_family);
	WRITE_ONCE(family_up, !ret);
	if (ret)
		instinct_netlink_reset_exit();
	return ret;
}

/**
 * instinct_netlink_exit() - unregister it; waits for requests under way
 */
void instinct_netlink_exit(void)
{
	/* The worker that looks at ACS is still there, and may have something to tell. */
	WRITE_ONCE(family_up, false);
	genl_unregister_family(&instinct_family);
	instinct_netlink_reset_exit();
}
