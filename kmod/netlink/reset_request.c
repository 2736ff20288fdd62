// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler of RESET checks the request, starts the reset in the background, and returns; the
 * background work sends the answer. A handler holds the list of all generic netlink families for
 * as long as it runs, and a reset can take minutes.
 */
#include <linux/iopoll.h>
#include <linux/netlink.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "device/owner.h"
#include "netlink/family.h"
#include "reset/reset.h"

#define LOCK_RETRY_US	(20 * USEC_PER_MSEC)
#define LOCK_WAIT_US	USEC_PER_SEC
/* No host has more GPUs, and the limit keeps senders from filling the memory. */
#define PENDING_MAX	32

/**
 * struct pending - a request that is being served
 * @work: resets the device, and answers
 * @dev: device, referenced
 * @reset: the reset asked for, and its outcome
 * @request: the message, referenced, as is its sender's socket, which the answer needs
 * @header: header of the message in @request; netlink moves the buffer's start past it later
 */
struct pending {
	struct work_struct work;
	struct instinct_device *dev;
	struct instinct_reset reset;
	struct sk_buff *request;
	struct nlmsghdr *header;
};

static atomic_t pending_count = ATOMIC_INIT(0);

static int put_outcome(struct sk_buff *skb, void *object)
{
	const struct pending *pending = object;
	const struct instinct_reset *reset = &pending->reset;

	return nla_put_string(skb, A(RESET_BDF), pci_name(pending->dev->pdev)) ||
	       nla_put_u32(skb, A(RESET_METHOD), reset->method) ||
	       nla_put_u64_64bit(skb, A(RESET_DURATION), reset->duration, A(RESET_PAD)) ||
	       (reset->coalesced && nla_put_flag(skb, A(RESET_COALESCED))) ? -EMSGSIZE : 0;
}

/* Puts a step, with the reason if a reset would skip it now. */
static int put_step(struct sk_buff *skb, struct instinct_device *dev,
		    enum instinct_vfio_scope scope, const struct instinct_plan_step *step)
{
	struct nlattr *nest = nla_nest_start(skb, A(RESET_STEP));
	const char *refusal = step->refusal;
	char why[INSTINCT_REASON_BYTES];

	if (!refusal && instinct_hive_wide(scope, step->method) &&
	    instinct_hive_verdict(dev, INSTINCT_VFIO_CAUSE_NETLINK,
				  &(struct instinct_user) { }, NULL, why) >= INSTINCT_HIVE_NEVER)
		refusal = why;

	if (!nest || nla_put_u32(skb, A(STEP_METHOD), step->method) ||
	    (refusal && nla_put_string(skb, A(STEP_REFUSAL), refusal)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_plan(struct sk_buff *skb, void *object)
{
	const struct pending *pending = object;
	struct instinct_status status;
	struct instinct_plan plan;
	unsigned int i;
	int ret;

	instinct_device_status(pending->dev, &status);
	status.policy.method = pending->reset.terms.method ?: status.policy.method;
	instinct_reset_plan(pending->dev, &status, &plan);
	ret = nla_put_string(skb, A(RESET_BDF), pci_name(pending->dev->pdev));
	for (i = 0; i < plan.steps && !ret; i++)
		ret = put_step(skb, pending->dev, status.policy.scope, &plan.step[i]);
	return ret;
}

static int take_value(struct genl_info *info, int attr, enum instinct_policy_key_number number,
		      u32 *value)
{
	const struct instinct_policy_key *key = &instinct_policy_keys[number];

	if (!info->attrs[attr])
		return 0;
	*value = nla_get_u32(info->attrs[attr]);
	return instinct_policy_key_allows(key, *value) ? 0 :
	       instinct_netlink_refuse(info, NULL, key->refusal, -ERANGE);
}

static int take_reset(struct genl_info *info, struct instinct_reset *reset)
{
	u32 method = INSTINCT_VFIO_METHOD_AUTO, bus_port = INSTINCT_VFIO_BUS_PORT_SWDS;
	int ret = take_value(info, A(RESET_METHOD), INSTINCT_KEY_METHOD, &method) ?:
		  take_value(info, A(RESET_READY_TIMEOUT), INSTINCT_KEY_READY_TIMEOUT,
			     &reset->terms.ready_timeout) ?:
		  take_value(info, A(RESET_BUS_PORT), INSTINCT_KEY_BUS_PORT, &bus_port);

	reset->forced = info->attrs[A(RESET_METHOD)];
	reset->terms.method = method;
	reset->terms.elsewhere = info->attrs[A(RESET_BUS_PORT)];
	reset->terms.bus_port = bus_port;
	reset->terms.fatal = info->attrs[A(RESET_FATAL)];
	return ret;
}

/* Has the sender closed its socket? Another socket may have its address by then. */
static bool pending_is_nobodys(const struct pending *pending)
{
	return sock_flag(NETLINK_CB(pending->request).sk, SOCK_DEAD);
}

/*
 * Resets under the device lock, which keeps the driver bound, unless the sender has gone. remove()
 * may hold the lock while it waits for users without a limit, so the wait for the lock has one.
 */
static int pending_reset(struct pending *pending)
{
	struct instinct_device *dev = pending->dev;
	bool killed = instinct_owner_wait_idle(dev) == -ERESTARTSYS;
	struct instinct_status status;
	int ret = 0, got;

	if (killed || read_poll_timeout(pci_dev_trylock, got, got, LOCK_RETRY_US, LOCK_WAIT_US,
					false, dev->pdev)) {
		strscpy(pending->reset.why, "the device is being reset or unbound; try again",
			sizeof(pending->reset.why));
		return killed ? -EINTR : -EBUSY;
	}
	instinct_device_status(dev, &status);
	if (status.user.number) {
		strscpy(pending->reset.why, "the device is open; stop its guest, or let the guest reset it",
			sizeof(pending->reset.why));
		ret = -EBUSY;
	} else if (!pending_is_nobodys(pending)) {
		ret = instinct_reset_run(dev, &pending->reset);
	}
	pci_dev_unlock(dev->pdev);
	return ret;
}

/* Answers in the same way as netlink would after a handler. */
static void pending_answer(struct pending *pending, int ret)
{
	struct netlink_ext_ack extack = { };
	struct genl_info info = {
		.snd_portid = NETLINK_CB(pending->request).portid,
		.snd_seq = pending->header->nlmsg_seq,
		.genlhdr = nlmsg_data(pending->header),
		.extack = &extack,
	};

	if (pending_is_nobodys(pending))
		return;
	genl_info_net_set(&info, &init_net);
	if (ret)
		instinct_netlink_refuse(&info, NULL, pending->reset.why, ret);
	else
		ret = instinct_netlink_answer(&info, put_outcome, pending);
	if (ret || pending->header->nlmsg_flags & NLM_F_ACK)
		netlink_ack(pending->request, pending->header, ret, &extack);
}

static void pending_run(struct work_struct *work)
{
	struct pending *pending = container_of(work, struct pending, work);
	int ret = pending_reset(pending);

	/* The sender may send the next request as soon as it has the answer. */
	atomic_dec(&pending_count);
	pending_answer(pending, ret);
	instinct_device_put(pending->dev);
	sock_put(NETLINK_CB(pending->request).sk);
	consume_skb(pending->request);
	kfree(pending);
}

/* Starts the reset in the background, which takes the reference of the request's device over. */
static int pending_start(struct sk_buff *request, struct genl_info *info,
			 const struct pending *wanted)
{
	struct pending *pending;

	if (!atomic_add_unless(&pending_count, 1, PENDING_MAX))
		return instinct_netlink_refuse(info, NULL, "too many resets are asked for already; wait for one of them",
					       -EBUSY);
	pending = kmalloc(sizeof(*pending), GFP_KERNEL);
	if (!pending) {
		atomic_dec(&pending_count);
		return -ENOMEM;
	}
	*pending = *wanted;
	pending->request = skb_get(request);
	pending->header = nlmsg_hdr(request);
	info->user_ptr[0] = NULL;
	sock_hold(NETLINK_CB(request).sk);
	instinct_netlink_log(pending->dev, "reset");
	INIT_WORK(&pending->work, pending_run);
	queue_work(instinct_wq, &pending->work);
	return 0;
}

/**
 * instinct_netlink_reset() - serve RESET
 * @skb: request
 * @info: request, parsed
 *
 * Context: may sleep.
 *
 * Return: -EINTR if background work does the reset and answers; netlink then sends no answer
 * itself, as for a dump that has begun. 0 after a dry run; or another negative errno.
 */
int instinct_netlink_reset(struct sk_buff *skb, struct genl_info *info)
{
	struct pending wanted = {
		.dev = info->user_ptr[0],
		.reset.cause = INSTINCT_VFIO_CAUSE_NETLINK,
	};
	int ret = take_reset(info, &wanted.reset);

	if (!ret && info->attrs[A(RESET_DRY_RUN)])
		return instinct_netlink_answer(info, put_plan, &wanted);
	return ret ?: pending_start(skb, info, &wanted) ?: -EINTR;
}
