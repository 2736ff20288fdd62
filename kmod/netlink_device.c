// SPDX-License-Identifier: GPL-2.0-only
#include "message.h"
#include "netlink_device.h"
#include "netlink_reply.h"

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
	instinct_reply_log(dev, "release");
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
