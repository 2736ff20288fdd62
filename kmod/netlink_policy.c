// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>

#include "isolation.h"
#include "message.h"
#include "netlink_policy.h"
#include "netlink_reply.h"
#include "policy_message.h"

static int put_policy(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return instinct_policy_message_put(skb, pci_name(dev->pdev),
					   &status.policy, false);
}

static bool is_endpoint(const char *bdf)
{
	unsigned int domain, bus, slot, function;
	struct pci_dev *pdev;
	bool found;

	if (sscanf(bdf, "%x:%x:%x.%u", &domain, &bus, &slot, &function) != 4 ||
	    bus > 0xff || slot > 31 || function > 7)
		return false;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	found = pdev && !strcmp(pci_name(pdev), bdf) && !pdev->subordinate;
	pci_dev_put(pdev);
	return found;
}

static int put_plain(struct genl_info *info, const char *bdf)
{
	struct instinct_policy policy = { };
	struct sk_buff *skb;
	void *head;

	instinct_isolation_get(bdf, &policy.isolation);
	skb = instinct_reply_new(info, INSTINCT_VFIO_CMD_POLICY_GET, &head);
	if (!skb)
		return -ENOMEM;
	return instinct_reply_send(info, skb, head,
			  instinct_policy_message_put(skb, bdf, &policy, true));
}

/* Is it there, and nobody's that this driver has? */
static bool is_plain(struct genl_info *info)
{
	struct nlattr *bdf = info->attrs[A(POLICY_BDF)];
	struct instinct_device *dev = bdf ? instinct_device_find(nla_data(bdf)) : NULL;

	if (!dev)
		return bdf && is_endpoint(nla_data(bdf));
	instinct_device_put(dev);
	return false;
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
	if (is_plain(info))
		return put_plain(info, nla_data(info->attrs[A(POLICY_BDF)]));
	return instinct_reply_get(info, INSTINCT_VFIO_CMD_POLICY_GET, A(POLICY_BDF),
			put_policy);
}

static int put_next(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_put_nth(skb, cb->args[0], put_policy);
}

static int put_next_plain(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_policy policy = { };
	char bdf[INSTINCT_BDF_BYTES];

	if (!instinct_isolation_plain(cb->args[1], bdf, &policy.isolation))
		return -ENOENT;
	return instinct_policy_message_put(skb, bdf, &policy, true);
}

/**
 * instinct_netlink_policy_dump() - POLICY_GET, of all
 * @skb: answer
 * @cb: the dump; cb->args[0] is the index of the next managed device, cb->args[1]
 *	that of the next endpoint that somebody else drives
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	int ret = instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_POLICY_GET, 0, put_next);
	struct instinct_device *more;

	if (ret < 0)
		return ret;
	more = instinct_device_nth(cb->args[0]);
	if (!more)
		return instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_POLICY_GET, 1,
					   put_next_plain);
	instinct_device_put(more);
	return ret;
}

/* Guards a policy between being read and being set; taken before nothing. */
static DEFINE_MUTEX(policy_lock);

static int policy_set_managed(struct genl_info *info, struct instinct_device *dev,
			      const char **why)
{
	struct instinct_status status;
	int ret;

	instinct_device_status(dev, &status);
	ret = instinct_policy_message_merge(&status.policy, info->attrs, why);
	return ret ?: instinct_device_set_policy(dev, &status.policy, why);
}

/* An endpoint that somebody else drives: its isolation only. */
static int policy_set_plain(struct genl_info *info, const char *bdf, const char **why)
{
	const struct nlattr *foreign = instinct_policy_message_foreign(info->attrs);
	struct instinct_policy policy = { };
	int ret;

	if (foreign) {
		NL_SET_BAD_ATTR(info->extack, foreign);
		*why = "of a device that is not bound to instinct_vfio_pci (see instinctctl bind) only ACS and ATS can be ruled";
		return -ENODEV;
	}
	instinct_isolation_get(bdf, &policy.isolation);
	ret = instinct_policy_message_merge(&policy, info->attrs, why);
	ret = ret ?: instinct_isolation_policy_check(&policy.isolation, why);
	return ret ?: instinct_isolation_set(bdf, &policy.isolation, why);
}

/**
 * instinct_netlink_policy_set() - POLICY_SET
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_set(struct sk_buff *skb, struct genl_info *info)
{
	bool plain = is_plain(info);
	struct instinct_device *dev = plain ? NULL : instinct_reply_device(info, A(POLICY_BDF));
	const char *why = NULL;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	mutex_lock(&policy_lock);
	ret = plain ? policy_set_plain(info, nla_data(info->attrs[A(POLICY_BDF)]), &why) :
		      policy_set_managed(info, dev, &why);
	mutex_unlock(&policy_lock);
	if (ret)
		instinct_reply_refuse(info, why);
	if (dev)
		instinct_device_put(dev);
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
