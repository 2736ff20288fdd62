// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pm_runtime.h>

#include "claim.h"
#include "guard.h"
#include "hive.h"
#include "message.h"
#include "netlink_device.h"
#include "netlink_reply.h"
#include "plan.h"
#include "reset.h"

#define LOCK_TRIES	50
#define LOCK_RETRY_MS	20

static int put_state(struct sk_buff *skb, struct instinct_device *dev)
{
	return instinct_message_put_device(skb, dev);
}

/**
 * instinct_netlink_device_get() - DEV_GET, of one device
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_device_get(struct sk_buff *skb, struct genl_info *info)
{
	return instinct_reply_get(info, INSTINCT_VFIO_CMD_DEV_GET, A(DEV_BDF), put_state);
}

static int put_next(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_put_nth(skb, cb->args[0], put_state);
}

/**
 * instinct_netlink_device_dump() - DEV_GET, of all
 * @skb: answer
 * @cb: the dump
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_netlink_device_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_DEV_GET, 0, put_next);
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

	skb = instinct_reply_new(info, INSTINCT_VFIO_CMD_RESET, &head);
	if (!skb)
		return -ENOMEM;
	if (nla_put_string(skb, A(RESET_BDF), pci_name(dev->pdev)) ||
	    nla_put_u32(skb, A(RESET_METHOD), reset->method) ||
	    nla_put_u64_64bit(skb, A(RESET_DURATION), reset->duration,
			      A(RESET_PAD)) ||
	    (reset->coalesced && nla_put_flag(skb, A(RESET_COALESCED))))
		ret = -EMSGSIZE;
	return instinct_reply_send(info, skb, head, ret);
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
	skb = instinct_reply_new(info, INSTINCT_VFIO_CMD_RESET, &head);
	if (!skb)
		return -ENOMEM;
	if (nla_put_string(skb, A(RESET_BDF), pci_name(dev->pdev)))
		ret = -EMSGSIZE;
	for (i = 0; i < plan.steps && !ret; i++)
		ret = put_step(skb, plan.step[i].method,
			       step_refusal(dev, &status, &plan.step[i]));
	return instinct_reply_send(info, skb, head, ret);
}

static int reset_allows(const struct nlattr *attr, enum instinct_policy_key_number number,
			struct instinct_reset *reset)
{
	const struct instinct_policy_key *key = &instinct_policy_keys[number];

	if (!attr || instinct_policy_key_allows(key, nla_get_u32(attr)))
		return 0;
	reset->why = key->refusal;
	return -ERANGE;
}

static int take_reset(struct nlattr **attrs, struct instinct_reset *reset)
{
	const struct nlattr *method = attrs[A(RESET_METHOD)];
	const struct nlattr *ready_timeout = attrs[A(RESET_READY_TIMEOUT)];
	const struct nlattr *bus_port = attrs[A(RESET_BUS_PORT)];

	if (reset_allows(method, INSTINCT_KEY_METHOD, reset) ||
	    reset_allows(ready_timeout, INSTINCT_KEY_READY_TIMEOUT, reset) ||
	    reset_allows(bus_port, INSTINCT_KEY_BUS_PORT, reset))
		return -ERANGE;
	reset->forced = method;
	reset->wanted = method ? nla_get_u32(method) : INSTINCT_VFIO_METHOD_AUTO;
	reset->ready_timeout = ready_timeout ? nla_get_u32(ready_timeout) : 0;
	reset->elsewhere = bus_port;
	reset->bus_port = bus_port ? nla_get_u32(bus_port) : INSTINCT_VFIO_BUS_PORT_SWDS;
	return 0;
}

/**
 * instinct_netlink_device_reset() - RESET
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_device_reset(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_NETLINK };
	struct instinct_device *dev = instinct_reply_device(info, A(RESET_BDF));
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = take_reset(info->attrs, &reset);
	if (ret)
		goto out;
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
	/* The text has to outlast the device. */
	if (ret && reset.why == dev->blocked_why)
		instinct_reply_refuse(info, "a config write did not land; status and the kernel log say which");
	else if (ret)
		instinct_reply_refuse(info, reset.why);
	else
		ret = reset_reply(info, dev, &reset);
	instinct_device_put(dev);
	return ret;
}

/**
 * instinct_netlink_device_release() - RELEASE
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_device_release(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_device *dev = instinct_reply_device(info, A(DEV_BDF));
	const char *why;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = instinct_device_release(dev, &why);
	if (ret)
		instinct_reply_refuse(info, why);
	instinct_device_put(dev);
	return ret;
}

/**
 * instinct_netlink_sample() - SAMPLE
 * @skb: request
 * @info: the same
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_sample(struct sk_buff *skb, struct genl_info *info)
{
	struct instinct_device *dev = instinct_reply_device(info, A(SAMPLE_BDF));
	s32 temperature;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = -EINVAL;
	if (!info->attrs[A(SAMPLE_SENSOR)] || !info->attrs[A(SAMPLE_SOURCE)] ||
	    !info->attrs[A(SAMPLE_TEMPERATURE)]) {
		instinct_reply_refuse(info, "a sample needs sensor, source and temperature");
		goto out;
	}
	temperature = nla_get_s32(info->attrs[A(SAMPLE_TEMPERATURE)]);
	if (temperature < INSTINCT_VFIO_TEMPERATURE_MIN ||
	    temperature > INSTINCT_VFIO_TEMPERATURE_MAX) {
		instinct_reply_refuse(info, "a temperature must be -60000 to 250000 millidegrees Celsius");
		ret = -ERANGE;
		goto out;
	}
	ret = instinct_thermal_push(dev, nla_get_u32(info->attrs[A(SAMPLE_SENSOR)]),
				    nla_get_u32(info->attrs[A(SAMPLE_SOURCE)]),
				    temperature);
	if (ret)
		instinct_reply_refuse(info, "the device has just been unbound");
out:
	instinct_device_put(dev);
	return ret;
}
