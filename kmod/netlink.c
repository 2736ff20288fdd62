// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>

#include "compat/genetlink.h"
#include "claim.h"
#include "guard.h"
#include "hive.h"
#include "message.h"
#include "netlink.h"
#include "plan.h"
#include "reset.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define LOCK_TRIES	50
#define LOCK_RETRY_MS	20

static struct genl_family instinct_family;

/* Every string that gets here is a literal, so it outlives the message. */
static void refuse(struct genl_info *info, const char *why)
{
	if (info->extack)
		info->extack->_msg = why;
}

static struct instinct_device *device_of(struct genl_info *info, int attr)
{
	struct instinct_device *dev;

	if (!info->attrs[attr]) {
		refuse(info, "the device is missing: give its bdf, such as 0000:c1:00.0");
		return ERR_PTR(-EINVAL);
	}
	dev = instinct_device_find(nla_data(info->attrs[attr]));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "no such device is bound to instinct_vfio_pci (see instinctctl bind)");
		return ERR_PTR(-ENODEV);
	}
	return dev;
}

static struct sk_buff *reply_new(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*head = genlmsg_put_reply(skb, info, &instinct_family, 0, cmd);
	if (*head)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static int reply_send(struct genl_info *info, struct sk_buff *skb, void *head,
		      int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

static int info_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_event_bounds bounds;
	struct sk_buff *skb;
	void *head;
	int ret = 0;

	skb = reply_new(info, INSTINCT_VFIO_CMD_INFO_GET, &head);
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
	return reply_send(info, skb, head, ret);
}

static int put_state(struct sk_buff *skb, struct instinct_device *dev)
{
	return instinct_message_put_device(skb, dev);
}

static int put_policy(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return instinct_message_put_policy(skb, pci_name(dev->pdev),
					   &status.policy);
}

static int get_doit(struct genl_info *info, u8 cmd, int bdf,
		    int (*put)(struct sk_buff *skb, struct instinct_device *dev))
{
	struct instinct_device *dev = device_of(info, bdf);
	struct sk_buff *skb;
	void *head;
	int ret = -ENOMEM;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	skb = reply_new(info, cmd, &head);
	if (skb)
		ret = reply_send(info, skb, head, put(skb, dev));
	instinct_device_put(dev);
	return ret;
}

/* cb->args[0] is the index of the next device. */
static int get_dumpit(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int (*put)(struct sk_buff *skb, struct instinct_device *dev))
{
	struct instinct_device *dev;

	while ((dev = instinct_device_nth(cb->args[0]))) {
		void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
					 cb->nlh->nlmsg_seq, &instinct_family,
					 NLM_F_MULTI, cmd);
		int ret = head ? put(skb, dev) : -EMSGSIZE;

		instinct_device_put(dev);
		if (ret) {
			if (head)
				genlmsg_cancel(skb, head);
			return skb->len ? skb->len : ret;
		}
		genlmsg_end(skb, head);
		cb->args[0]++;
	}
	return skb->len;
}

static int dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return get_doit(info, INSTINCT_VFIO_CMD_DEV_GET, A(DEV_BDF), put_state);
}

static int dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return get_dumpit(skb, cb, INSTINCT_VFIO_CMD_DEV_GET, put_state);
}

static int policy_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return get_doit(info, INSTINCT_VFIO_CMD_POLICY_GET, A(POLICY_BDF),
			put_policy);
}

static int policy_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return get_dumpit(skb, cb, INSTINCT_VFIO_CMD_POLICY_GET, put_policy);
}

static u32 value_or(struct nlattr *attr, u32 value)
{
	return attr ? nla_get_u32(attr) : value;
}

static void policy_merge(struct instinct_policy *policy, struct nlattr **attrs)
{
	if (attrs[A(POLICY_DEFAULTS)])
		instinct_policy_defaults(policy);
	policy->method = value_or(attrs[A(POLICY_METHOD)], policy->method);
	policy->tenancy = value_or(attrs[A(POLICY_TENANCY)], policy->tenancy);
	policy->bus_port = value_or(attrs[A(POLICY_BUS_PORT)],
				    policy->bus_port);
	policy->ready_timeout = value_or(attrs[A(POLICY_READY_TIMEOUT)],
					 policy->ready_timeout);
	policy->mailbox = value_or(attrs[A(POLICY_MAILBOX)], policy->mailbox);
	policy->overlap = value_or(attrs[A(POLICY_OVERLAP)], policy->overlap);
	policy->scope = value_or(attrs[A(POLICY_SCOPE)], policy->scope);
	policy->hive = value_or(attrs[A(POLICY_HIVE)], policy->hive);
	policy->rescan = value_or(attrs[A(POLICY_RESCAN)], policy->rescan);
	policy->guard = value_or(attrs[A(POLICY_GUARD)], policy->guard);
	policy->guard_verify = value_or(attrs[A(POLICY_GUARD_VERIFY)],
					policy->guard_verify);
	policy->guard_keep = value_or(attrs[A(POLICY_GUARD_KEEP)],
				      policy->guard_keep);
	policy->guard_force = value_or(attrs[A(POLICY_GUARD_FORCE)],
				       policy->guard_force);
	policy->guard_unblock = value_or(attrs[A(POLICY_GUARD_UNBLOCK)],
					 policy->guard_unblock);
	policy->guard_timeout = value_or(attrs[A(POLICY_GUARD_TIMEOUT)],
					 policy->guard_timeout);
}

/* Guards a policy between being read and being set; taken before nothing. */
static DEFINE_MUTEX(policy_lock);

static int policy_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_device *dev = device_of(info, A(POLICY_BDF));
	struct instinct_status status;
	const char *why;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	mutex_lock(&policy_lock);
	instinct_device_status(dev, &status);
	policy_merge(&status.policy, info->attrs);
	ret = instinct_device_set_policy(dev, &status.policy, &why);
	mutex_unlock(&policy_lock);
	if (ret)
		refuse(info, why);
	instinct_device_put(dev);
	return ret;
}

/*
 * The device lock keeps the driver bound. Its holder may be remove(), which
 * waits for users without limit, so do not wait for it without limit.
 */
static int reset_lock_device(struct instinct_device *dev)
{
	int ret, i;

	ret = instinct_claim_wait_idle(dev);
	if (ret == -ERESTARTSYS)
		return -EINTR;
	for (i = 0; i < LOCK_TRIES; i++) {
		if (pci_dev_trylock(dev->pdev))
			return 0;
		msleep(LOCK_RETRY_MS);
	}
	return -EBUSY;
}

static int reset_locked(struct instinct_device *dev,
			struct instinct_reset *reset)
{
	struct instinct_status status;
	int ret;

	instinct_device_status(dev, &status);
	if (status.open) {
		reset->why = "the device is open; stop its guest, or let the guest reset it";
		return -EBUSY;
	}
	if (status.gone) {
		reset->why = "the device has just been unbound";
		return -ENODEV;
	}
	instinct_guard_own_begin(dev->guard);
	pm_runtime_get_sync(&dev->pdev->dev);
	instinct_guard_own_end(dev->guard);
	ret = instinct_reset_run(dev, reset);
	pm_runtime_put(&dev->pdev->dev);
	return ret;
}

static int reset_reply(struct genl_info *info, struct instinct_device *dev,
		       const struct instinct_reset *reset)
{
	struct sk_buff *skb;
	void *head;
	int ret = 0;

	skb = reply_new(info, INSTINCT_VFIO_CMD_RESET, &head);
	if (!skb)
		return -ENOMEM;
	if (nla_put_string(skb, A(RESET_BDF), pci_name(dev->pdev)) ||
	    nla_put_u32(skb, A(RESET_METHOD), reset->method) ||
	    nla_put_u64_64bit(skb, A(RESET_DURATION), reset->duration,
			      A(RESET_PAD)) ||
	    (reset->coalesced && nla_put_flag(skb, A(RESET_COALESCED))))
		ret = -EMSGSIZE;
	return reply_send(info, skb, head, ret);
}

static int put_step(struct sk_buff *skb, enum instinct_vfio_method method,
		    const char *refusal)
{
	struct nlattr *nest = nla_nest_start(skb, A(RESET_STEP));

	if (!nest || nla_put_u32(skb, A(STEP_METHOD), method) ||
	    (refusal && nla_put_string(skb, A(STEP_REFUSAL), refusal)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Why a step of the plan would be passed over now, or NULL. */
static const char *step_refusal(struct instinct_device *dev,
				const struct instinct_status *status,
				const struct instinct_plan_step *step)
{
	const char *why;

	if (step->refusal ||
	    !instinct_hive_wide(status->policy.scope, step->method))
		return step->refusal;
	return instinct_hive_verdict(dev, INSTINCT_VFIO_CAUSE_NETLINK, NULL,
				     &why) == INSTINCT_HIVE_NEVER ? why : NULL;
}

static int dry_run(struct genl_info *info, struct instinct_device *dev,
		   enum instinct_vfio_method wanted)
{
	struct instinct_status status;
	struct instinct_plan plan;
	struct sk_buff *skb;
	unsigned int i;
	void *head;
	int ret = 0;

	instinct_device_status(dev, &status);
	instinct_reset_plan(dev, wanted, &plan);
	skb = reply_new(info, INSTINCT_VFIO_CMD_RESET, &head);
	if (!skb)
		return -ENOMEM;
	if (nla_put_string(skb, A(RESET_BDF), pci_name(dev->pdev)))
		ret = -EMSGSIZE;
	for (i = 0; i < plan.steps && !ret; i++)
		ret = put_step(skb, plan.step[i].method,
			       step_refusal(dev, &status, &plan.step[i]));
	return reply_send(info, skb, head, ret);
}

static int reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_NETLINK };
	struct instinct_device *dev = device_of(info, A(RESET_BDF));
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (info->attrs[A(RESET_METHOD)]) {
		reset.wanted = nla_get_u32(info->attrs[A(RESET_METHOD)]);
		reset.forced = true;
	}
	if (reset.wanted > INSTINCT_VFIO_METHOD_FLR) {
		reset.why = "method must be auto, mode1, quiesce, bus or flr";
		ret = -ERANGE;
		goto out;
	}
	if (info->attrs[A(RESET_DRY_RUN)]) {
		ret = dry_run(info, dev, reset.wanted);
		instinct_device_put(dev);
		return ret;
	}
	ret = reset_lock_device(dev);
	if (ret) {
		reset.why = "the device is being reset or unbound; try again";
		goto out;
	}
	ret = reset_locked(dev, &reset);
	pci_dev_unlock(dev->pdev);
out:
	if (ret)
		refuse(info, reset.why);
	else
		ret = reset_reply(info, dev, &reset);
	instinct_device_put(dev);
	return ret;
}

static int release_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_device *dev = device_of(info, A(DEV_BDF));
	const char *why;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = instinct_device_release(dev, &why);
	if (ret)
		refuse(info, why);
	instinct_device_put(dev);
	return ret;
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

static const struct nla_policy policy_policy[A(POLICY_MAX) + 1] = {
	[A(POLICY_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(POLICY_DEFAULTS)] = { .type = NLA_FLAG },
	[A(POLICY_METHOD)] = { .type = NLA_U32 },
	[A(POLICY_TENANCY)] = { .type = NLA_U32 },
	[A(POLICY_BUS_PORT)] = { .type = NLA_U32 },
	[A(POLICY_READY_TIMEOUT)] = { .type = NLA_U32 },
	[A(POLICY_MAILBOX)] = { .type = NLA_U32 },
	[A(POLICY_OVERLAP)] = { .type = NLA_U32 },
	[A(POLICY_SCOPE)] = { .type = NLA_U32 },
	[A(POLICY_HIVE)] = { .type = NLA_U32 },
	[A(POLICY_RESCAN)] = { .type = NLA_U32 },
	[A(POLICY_GUARD)] = { .type = NLA_U32 },
	[A(POLICY_GUARD_VERIFY)] = { .type = NLA_U32 },
	[A(POLICY_GUARD_KEEP)] = { .type = NLA_U32 },
	[A(POLICY_GUARD_FORCE)] = { .type = NLA_U32 },
	[A(POLICY_GUARD_UNBLOCK)] = { .type = NLA_U32 },
	[A(POLICY_GUARD_TIMEOUT)] = { .type = NLA_U32 },
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
		.doit = dev_get_doit,
		.dumpit = dev_get_dumpit,
		.policy = dev_policy,
		.maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_GET,
		.doit = policy_get_doit,
		.dumpit = policy_get_dumpit,
		.policy = policy_policy,
		.maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_POLICY_SET,
		.flags = GENL_ADMIN_PERM,
		.doit = policy_set_doit,
		.policy = policy_policy,
		.maxattr = A(POLICY_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RESET,
		.flags = GENL_ADMIN_PERM,
		.doit = reset_doit,
		.policy = reset_policy,
		.maxattr = A(RESET_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_RELEASE,
		.flags = GENL_ADMIN_PERM,
		.doit = release_doit,
		.policy = dev_policy,
		.maxattr = A(DEV_MAX),
	}, {
		.cmd = INSTINCT_VFIO_CMD_EVENT_GET,
		.dumpit = event_get_dumpit,
		.policy = event_policy,
		.maxattr = A(EVENT_MAX),
	},
};

static const struct genl_multicast_group instinct_groups[] = {
	{ .name = INSTINCT_VFIO_MCGRP_EVENTS },
};

/*
 * Not .netnsok: the initial network namespace only. In parallel, since a reset
 * takes its time and would keep all other families waiting.
 */
static struct genl_family instinct_family __ro_after_init = {
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
