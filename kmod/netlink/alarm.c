// SPDX-License-Identifier: GPL-2.0-only
#include "netlink/family.h"

static bool is_temperature(s32 temperature)
{
	return temperature >= INSTINCT_VFIO_TEMPERATURE_MIN &&
	       temperature <= INSTINCT_VFIO_TEMPERATURE_MAX;
}

/* An event's kind determines its alarm, unless the event clears one. */
static bool is_alarm_of(enum instinct_vfio_event kind, enum instinct_vfio_alarm alarm)
{
	switch (kind) {
	case INSTINCT_VFIO_EVENT_THERMAL_WARNING:
		return alarm == INSTINCT_VFIO_ALARM_WARNING;
	case INSTINCT_VFIO_EVENT_THERMAL_CRITICAL:
		return alarm == INSTINCT_VFIO_ALARM_CRITICAL;
	case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
		return alarm != INSTINCT_VFIO_ALARM_NONE;
	default:
		return alarm == INSTINCT_VFIO_ALARM_NONE;
	}
}

static int alarm_read(struct genl_info *info, struct instinct_event *event)
{
	static const int needed[] = {
		A(EVENT_KIND), A(EVENT_SENSOR), A(EVENT_SOURCE), A(EVENT_TEMPERATURE),
		A(EVENT_ALARM), A(EVENT_THRESHOLD),
	};
	const struct nlattr *reason = info->attrs[A(EVENT_REASON)];
	const char *text = reason ? nla_data(reason) : "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (!info->attrs[needed[i]])
			return instinct_netlink_refuse(info, NULL, "an alarm needs kind, sensor, source, temperature, alarm and threshold",
						       -EINVAL);
	event->thermal = true;
	event->kind = nla_get_u32(info->attrs[A(EVENT_KIND)]);
	event->sensor = nla_get_u32(info->attrs[A(EVENT_SENSOR)]);
	event->source = nla_get_u32(info->attrs[A(EVENT_SOURCE)]);
	event->temperature = nla_get_s32(info->attrs[A(EVENT_TEMPERATURE)]);
	event->alarm = nla_get_u32(info->attrs[A(EVENT_ALARM)]);
	event->threshold = nla_get_s32(info->attrs[A(EVENT_THRESHOLD)]);
	if (event->kind < INSTINCT_VFIO_EVENT_THERMAL_WARNING ||
	    event->kind > INSTINCT_VFIO_EVENT_THERMAL_FRESH)
		return instinct_netlink_refuse(info, NULL, "an alarm must be of a thermal kind",
					       -EINVAL);
	if (!is_alarm_of(event->kind, event->alarm))
		return instinct_netlink_refuse(info, NULL, "kind and alarm do not go together",
					       -EINVAL);
	if (!is_temperature(event->temperature) || !is_temperature(event->threshold))
		return instinct_netlink_refuse(info, NULL, "temperature and threshold must be -60000 to 250000 millidegrees Celsius",
					       -ERANGE);
	/* Terminals and logs show the reason, so it must not hold control characters. */
	while (*text >= ' ' && *text <= '~')
		text++;
	if (*text)
		return instinct_netlink_refuse(info, NULL, "a reason must be printable ASCII",
					       -EINVAL);
	if (reason)
		nla_strscpy(event->reason, reason, sizeof(event->reason));
	return 0;
}

/**
 * instinct_netlink_alarm() - serve ALARM: emit the thermal event that the service sends
 * @req: request
 * @info: request, parsed
 *
 * The registry's lock keeps the device from going meanwhile, so no alarm follows its removal.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_alarm(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_device *dev = instinct_netlink_device(info, A(EVENT_BDF));
	struct instinct_event event = { };
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = alarm_read(info, &event);
	if (!ret) {
		mutex_lock(&instinct_devices_lock);
		if (dev->status.life == INSTINCT_LIFE_PRESENT)
			instinct_device_emit(dev, &event);
		else
			ret = instinct_netlink_refuse(info, NULL, "the device has just been unbound",
						      -ENODEV);
		mutex_unlock(&instinct_devices_lock);
	}
	instinct_device_put(dev);
	return ret;
}
