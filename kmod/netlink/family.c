// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "compat/genetlink.h"
#include "device/owner.h"
#include "isolation/isolation.h"
#include "netlink/family.h"

/*
 * A message of STATS_GET has room for its largest possible content: a device with all 150
 * combinations of method, cause and result, and all kinds of events.
 */
#define STATS_BYTES	SZ_16K

/* The internal_flags of requests that change something */
#define NEEDS_ADMIN	BIT(0)

static struct genl_family instinct_family;

/**
 * instinct_netlink_log() - write the process that sent a request to the kernel log
 * @dev: device
 * @asked: name of the request
 *
 * Context: process, the sender's.
 */
void instinct_netlink_log(struct instinct_device *dev, const char *asked)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, current);
	/* A process chooses its name, so a line break in it must not begin a line of the log. */
	pci_info(dev->pdev, "%s asked for by netlink: pid %d, uid %u, comm \"%*pE\"\n", asked,
		 task_tgid_nr(current), from_kuid(&init_user_ns, current_uid()),
		 (int)strlen(comm), comm);
}

/**
 * instinct_netlink_refuse() - put the reason for a refusal into the extended ack
 * @info: request
 * @blamed: attribute that is to blame, or NULL
 * @why: reason, for the user; netlink reads it after the handler has returned
 * @ret: negative errno
 *
 * Return: @ret.
 */
int instinct_netlink_refuse(struct genl_info *info, const struct nlattr *blamed, const char *why,
			    int ret)
{
	NL_SET_BAD_ATTR(info->extack, blamed);
	if (info->extack)
		info->extack->_msg = why;
	return ret;
}

/**
 * instinct_netlink_device() - find the device that a request names
 * @info: request
 * @attr: attribute with the device's address
 *
 * Context: may sleep.
 *
 * Return: the device, referenced; or ERR_PTR(-EINVAL) or ERR_PTR(-ENODEV), with the reason in the
 * extended ack.
 */
struct instinct_device *instinct_netlink_device(struct genl_info *info, int attr)
{
	const struct nlattr *bdf = info->attrs[attr];
	struct instinct_device *dev = bdf ? instinct_device_find(nla_data(bdf)) : NULL;

	if (dev)
		return dev;
	return ERR_PTR(bdf ? instinct_netlink_refuse(info, bdf, "no such device is bound to instinct_vfio_pci (see instinctctl bind)",
						     -ENODEV) :
			     instinct_netlink_refuse(info, NULL, "the device is missing: give its bdf, such as 0000:c1:00.0",
						     -EINVAL));
}

/**
 * instinct_netlink_reply() - begin the answer to a request
 * @info: request, whose command the answer repeats
 *
 * Context: may sleep.
 *
 * Return: the message for instinct_netlink_send(), or NULL.
 */
struct sk_buff *instinct_netlink_reply(struct genl_info *info)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (skb && !genlmsg_put_reply(skb, info, &instinct_family, 0, info->genlhdr->cmd)) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/**
 * instinct_netlink_send() - send an answer, or drop it
 * @info: request
 * @skb: answer, which this function consumes
 * @ret: 0; or the negative errno of a failed put, and then the function drops @skb
 *
 * Context: may sleep.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_send(struct genl_info *info, struct sk_buff *skb, int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	nlmsg_end(skb, nlmsg_hdr(skb));
	return genlmsg_reply(skb, info);
}

/**
 * instinct_netlink_get() - answer with one device
 * @info: request
 * @dev: device, whose reference this function puts, or the ERR_PTR() of instinct_netlink_device()
 * @put: fills in the answer
 *
 * Context: may sleep.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_get(struct genl_info *info, struct instinct_device *dev,
			 int (*put)(struct sk_buff *skb, struct instinct_device *dev))
{
	struct sk_buff *skb;
	int ret = -ENOMEM;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	skb = instinct_netlink_reply(info);
	if (skb)
		ret = instinct_netlink_send(info, skb, put(skb, dev));
	instinct_device_put(dev);
	return ret;
}

/**
 * instinct_netlink_dump() - answer with all objects of a kind, one message for each
 * @skb: answer
 * @cb: the dump
 * @cursor: index of the cursor in cb->args[]; this function adds 1 to the cursor for each message
 * @put: fills in the object at the cursor; returns 0, -ENOENT past the last object, or -EMSGSIZE.
 *	It sets cb->seq to 0 if the cursor is an object's own number, not its place in a list that
 *	can change
 *
 * Context: may sleep.
 *
 * Return: number of bytes in @skb, 0 at the end, or a negative errno.
 */
int instinct_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb, unsigned int cursor,
			  int (*put)(struct sk_buff *skb, struct netlink_callback *cb))
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);

	for (;;) {
		void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					 &instinct_family, NLM_F_MULTI, request->cmd);
		int ret;

		cb->seq = instinct_device_walk();
		ret = head ? put(skb, cb) : -EMSGSIZE;
		if (ret) {
			if (head)
				genlmsg_cancel(skb, head);
			return skb->len || ret == -ENOENT ? skb->len : ret;
		}
		genl_dump_check_consistent(cb, head);
		genlmsg_end(skb, head);
		cb->args[cursor]++;
	}
}

/**
 * instinct_netlink_put_nth() - fill in one of the devices that a dump walks
 * @skb: answer
 * @index: number of the device, from 0
 * @put: fills in the device
 *
 * Context: may sleep.
 *
 * Return: the value of @put, or -ENOENT past the last device.
 */
int instinct_netlink_put_nth(struct sk_buff *skb, unsigned int index,
			     int (*put)(struct sk_buff *skb, struct instinct_device *dev))
{
	struct instinct_device *dev = instinct_device_nth(index);
	int ret;

	if (!dev)
		return -ENOENT;
	ret = put(skb, dev);
	instinct_device_put(dev);
	return ret;
}

static int info_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct sk_buff *skb = instinct_netlink_reply(info);
	u64 oldest, newest;
	int ret = 0;

	if (!skb)
		return -ENOMEM;
	instinct_event_bounds(&oldest, &newest);
	if (nla_put_string(skb, A(INFO_VERSION), INSTINCT_VFIO_VERSION) ||
	    nla_put_u64_64bit(skb, A(INFO_EPOCH), instinct_event_epoch(), A(INFO_PAD)) ||
	    nla_put_u64_64bit(skb, A(INFO_OLDEST_SEQ), oldest, A(INFO_PAD)) ||
	    nla_put_u64_64bit(skb, A(INFO_NEWEST_SEQ), newest, A(INFO_PAD)) ||
	    nla_put_u32(skb, A(INFO_CAPACITY), INSTINCT_EVENTS_KEPT) ||
	    (READ_ONCE(instinct_require_policy) && nla_put_flag(skb, A(INFO_POLICY_REQUIRED))))
		ret = -EMSGSIZE;
	return instinct_netlink_send(info, skb, ret);
}

static int dev_get_doit(struct sk_buff *req, struct genl_info *info)
{
	return instinct_netlink_get(info, instinct_netlink_device(info, A(DEV_BDF)),
				    instinct_message_put_device);
}

static int put_next_device(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_put_nth(skb, cb->args[0], instinct_message_put_device);
}

static int dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_dump(skb, cb, 0, put_next_device);
}

static int release_doit(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_device *dev = instinct_netlink_device(info, A(DEV_BDF));
	const char *why;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	instinct_netlink_log(dev, "release");
	ret = instinct_device_release(dev, &why);
	if (ret)
		instinct_netlink_refuse(info, NULL, why, ret);
	instinct_device_put(dev);
	return ret;
}

static int put_next_event(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_event event;

	/* The cursor is an event's number, so a dump of events stays consistent. */
	cb->seq = 0;
	if (!instinct_event_read(cb->args[0], &event))
		return -ENOENT;
	/* The ring may have dropped events before this one. */
	cb->args[0] = event.seq;
	return instinct_message_put_event(skb, &event);
}

/* cb->args[0] is the number of the next event. */
static int event_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *from = instinct_dump_attrs(cb)[A(EVENT_SEQ)];

	if (!cb->args[0])
		cb->args[0] = from ? nla_get_u64(from) ?: 1 : 1;
	return instinct_netlink_dump(skb, cb, 0, put_next_event);
}

static int isolation_check_doit(struct sk_buff *req, struct genl_info *info)
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

static int isolation_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_dump(skb, cb, 0, put_next_item);
}

static int stats_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = STATS_BYTES;
	return 0;
}

static int put_stats(struct sk_buff *skb, struct instinct_device *dev)
{
	return nla_put_string(skb, A(STATS_BDF), pci_name(dev->pdev)) ?:
	       instinct_stats_put(skb, &dev->stats);
}

/* cb->args[0] is 0 for the message about all devices, and n + 1 for the one about device n. */
static int put_next_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	return cb->args[0] ? instinct_netlink_put_nth(skb, cb->args[0] - 1, put_stats) :
			     instinct_stats_put_durations(skb);
}

static int stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_netlink_dump(skb, cb, 0, put_next_stats);
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

static const struct nla_policy event_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_SEQ)] = { .type = NLA_U64 },
};

static const struct nla_policy alarm_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_KIND)] = { .type = NLA_U32 },
	[A(EVENT_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(EVENT_REASON)] = { .type = NLA_NUL_STRING, .len = INSTINCT_REASON_BYTES - 1 },
	[A(EVENT_SENSOR)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_SENSOR_BOARD),
	[A(EVENT_SOURCE)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_SOURCE_REDFISH),
	[A(EVENT_TEMPERATURE)] = { .type = NLA_S32 },
	[A(EVENT_ALARM)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_ALARM_CRITICAL),
	[A(EVENT_THRESHOLD)] = { .type = NLA_S32 },
};

static const struct nla_policy apply_policy[A(APPLY_MAX) + 1] = {
	[A(APPLY_POLICY)] = NLA_POLICY_NESTED(instinct_policy_attrs),
};

/*
 * GENL_ADMIN_PERM would require CAP_NET_ADMIN, which network plugins have. A network plugin must
 * not be able to release a quarantined GPU.
 */
static int check_privilege(const struct instinct_compat_genl_ops *ops, struct sk_buff *skb,
			   struct genl_info *info)
{
	if (!(ops->internal_flags & NEEDS_ADMIN) || netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	return instinct_netlink_refuse(info, NULL, "the request needs CAP_SYS_ADMIN in the initial user namespace; send it as root of the host",
				       -EPERM);
}

static const struct genl_ops instinct_ops[] = {
	{
		.cmd = INSTINCT_VFIO_CMD_INFO_GET,
		.doit = info_get_doit,
	}, {
		.cmd = INSTINCT_VFIO_CMD_DEV_GET,
		.doit = dev_get_doit, .dumpit = dev_get_dumpit,
		.policy = dev_policy, .maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_GET,
		.doit = instinct_netlink_policy_get, .dumpit = instinct_netlink_policy_dump,
		.policy = instinct_policy_attrs, .maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_SET, .internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_policy_change,
		.policy = instinct_policy_attrs, .maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RESET, .internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_reset,
		.policy = reset_policy, .maxattr = A(RESET_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RELEASE, .internal_flags = NEEDS_ADMIN,
		.doit = release_doit,
		.policy = dev_policy, .maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_EVENT_GET,
		.dumpit = event_get_dumpit,
		.policy = event_policy, .maxattr = A(EVENT_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_ISOLATION_CHECK, .internal_flags = NEEDS_ADMIN,
		.doit = isolation_check_doit,
	}, {
		.cmd = INSTINCT_VFIO_CMD_ISOLATION_GET,
		.dumpit = isolation_get_dumpit,
	}, {
		.cmd = INSTINCT_VFIO_CMD_ALARM, .internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_alarm,
		.policy = alarm_policy, .maxattr = A(EVENT_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_STATS_GET,
		.start = stats_get_start, .dumpit = stats_get_dumpit,
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_APPLY, .internal_flags = NEEDS_ADMIN,
		.doit = instinct_netlink_policy_change,
		.policy = apply_policy, .maxattr = A(APPLY_MAX),
	},
};

static const struct genl_multicast_group instinct_groups[] = {
	{ .name = INSTINCT_VFIO_MCGRP_EVENTS },
};

/*
 * Without .netnsok, only the initial network namespace has the family. Requests run in parallel, so
 * that a read does not wait for a change of policy.
 */
static struct genl_family instinct_family __ro_after_init = {
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

/*
 * Waits neither for memory nor for a receiver. A listener that misses the message gets ENOBUFS, as
 * if its socket's buffer were full, and then reads the ring.
 */
static void multicast(const struct instinct_event *event)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&instinct_family, &init_net, 0))
		return;
	skb = genlmsg_new(instinct_message_event_size(event), GFP_NOWAIT | __GFP_NOWARN);
	if (!skb || !genlmsg_put(skb, 0, 0, &instinct_family, 0, INSTINCT_VFIO_CMD_EVENT) ||
	    instinct_message_put_event(skb, event)) {
		nlmsg_free(skb);
		genl_set_err(&instinct_family, &init_net, 0, 0, -ENOBUFS);
		return;
	}
	nlmsg_end(skb, nlmsg_hdr(skb));
	genlmsg_multicast(&instinct_family, skb, 0, 0, GFP_NOWAIT);
}

/**
 * instinct_netlink_init() - register the family, and begin to multicast events
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_init(void)
{
	int ret = genl_register_family(&instinct_family);

	if (!ret)
		instinct_event_listen(multicast);
	return ret;
}

/**
 * instinct_netlink_exit() - unregister the family, and wait for requests under way
 */
void instinct_netlink_exit(void)
{
	/* Work of resets and of isolation may still run, and emit events. */
	instinct_event_listen(NULL);
	genl_unregister_family(&instinct_family);
}
