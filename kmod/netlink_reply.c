// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/netlink.h>
#include <linux/sched.h>

#include "netlink_reply.h"

/**
 * instinct_reply_may_change() - may the sender of a request change anything?
 * @request: request
 *
 * Context: process, the sender's.
 *
 * Return: true if the sender, and the process that opened its socket, have CAP_SYS_ADMIN in
 * the initial user namespace.
 */
bool instinct_reply_may_change(struct sk_buff *request)
{
	return netlink_capable(request, CAP_SYS_ADMIN);
}

/**
 * instinct_reply_log() - write to the kernel log which process asked for something
 * @dev: device
 * @asked: what the process asked for
 *
 * Context: process, the sender's.
 */
void instinct_reply_log(struct instinct_device *dev, const char *asked)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, current);
	/* A process names itself: a line break in its name must not begin a line of the log. */
	pci_info(dev->pdev, "%s asked for by netlink: pid %d, uid %u, comm \"%*pE\"\n", asked,
		 task_tgid_nr(current), from_kuid(&init_user_ns, current_uid()),
		 (int)strlen(comm), comm);
}

/**
 * instinct_reply_refuse() - say why a request is refused
 * @info: request
 * @why: for people; to stay until the answer is sent, which netlink does after the handler
 */
void instinct_reply_refuse(struct genl_info *info, const char *why)
{
	if (info->extack)
		info->extack->_msg = why;
}

/**
 * instinct_reply_device() - the device that a request names
 * @info: request
 * @attr: attribute with its address
 *
 * Return: the device, referenced, or ERR_PTR(-EINVAL), ERR_PTR(-ENODEV) and then it
 * is said why.
 */
struct instinct_device *instinct_reply_device(struct genl_info *info, int attr)
{
	struct instinct_device *dev;

	if (!info->attrs[attr]) {
		instinct_reply_refuse(info, "the device is missing: give its bdf, such as 0000:c1:00.0");
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

/**
 * instinct_reply_new() - begin an answer
 * @info: request
 * @cmd: command of the answer
 * @head: set, for instinct_reply_send()
 *
 * Return: the message or NULL.
 */
struct sk_buff *instinct_reply_new(struct genl_info *info, u8 cmd, void **head)
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

/**
 * instinct_reply_send() - send an answer, or drop it
 * @info: request
 * @skb: answer
 * @head: of it
 * @ret: whether it could be filled in: 0, or a negative errno
 *
 * Return: 0 or a negative errno.
 */
int instinct_reply_send(struct genl_info *info, struct sk_buff *skb, void *head,
			int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

/**
 * instinct_reply_get() - answer with one device
 * @info: request
 * @cmd: command of the answer
 * @bdf: attribute with its address
 * @put: fills the answer in
 *
 * Return: 0 or a negative errno.
 */
int instinct_reply_get(struct genl_info *info, u8 cmd, int bdf,
		       int (*put)(struct sk_buff *skb, struct instinct_device *dev))
{
	struct instinct_device *dev = instinct_reply_device(info, bdf);
	struct sk_buff *skb;
	void *head;
	int ret = -ENOMEM;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	skb = instinct_reply_new(info, cmd, &head);
	if (skb)
		ret = instinct_reply_send(info, skb, head, put(skb, dev));
	instinct_device_put(dev);
	return ret;
}

/**
 * instinct_reply_dump() - answer with all of something
 * @skb: answer
 * @cb: the dump
 * @cmd: command of the answers
 * @cursor: which of its args says what comes next; counted up for each that is put
 * @put: fills the next one in; 0, -ENOENT past the last, or -EMSGSIZE. Sets cb->seq to 0
 *	if the cursor is no index, of which those who come and go would make another's
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_reply_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			unsigned int cursor,
			int (*put)(struct sk_buff *skb, struct netlink_callback *cb))
{
	for (;;) {
		void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
					 cb->nlh->nlmsg_seq, &instinct_family,
					 NLM_F_MULTI, cmd);
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
 * instinct_reply_put_nth() - fill a device in, of those that a dump walks
 * @skb: answer
 * @index: of the device, from 0
 * @put: fills it in
 *
 * Return: 0, -ENOENT past the last, or what @put returns.
 */
int instinct_reply_put_nth(struct sk_buff *skb, unsigned int index,
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
