// SPDX-License-Identifier: GPL-2.0-only
#include "compat/genetlink.h"
#include "netlink/family.h"

static int put_phases(struct sk_buff *skb, const struct instinct_event *event)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_PHASES; i++) {
		struct nlattr *nest;

		if (!(event->phases_passed & BIT(i)))
			continue;
		nest = nla_nest_start(skb, A(EVENT_PHASE));
		if (!nest || nla_put_u32(skb, A(PHASE_NAME), i) ||
		    nla_put_u64_64bit(skb, A(PHASE_DURATION), event->phase[i], A(PHASE_PAD)))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int put_heat(struct sk_buff *skb, const struct instinct_event *event)
{
	return event->thermal && (nla_put_u32(skb, A(EVENT_SENSOR), event->sensor) ||
				  nla_put_u32(skb, A(EVENT_SOURCE), event->source) ||
				  nla_put_s32(skb, A(EVENT_TEMPERATURE), event->temperature) ||
				  nla_put_u32(skb, A(EVENT_ALARM), event->alarm) ||
				  nla_put_s32(skb, A(EVENT_THRESHOLD), event->threshold));
}

static int put_register(struct sk_buff *skb, const struct instinct_event *event)
{
	if (event->port[0])
		return nla_put_string(skb, A(EVENT_PORT), event->port) ||
		       nla_put_u32(skb, A(EVENT_FOUND), event->found) ||
		       nla_put_u32(skb, A(EVENT_WANTED), event->wanted);
	if (event->kind != INSTINCT_VFIO_EVENT_CONFIG_BLOCKED &&
	    event->kind != INSTINCT_VFIO_EVENT_CONFIG_VERIFIED &&
	    event->kind != INSTINCT_VFIO_EVENT_CONFIG_FAILED)
		return 0;
	return nla_put_u32(skb, A(EVENT_REGISTER), event->config_register);
}

#define U32_BYTES	nla_total_size(sizeof(u32))
#define U64_BYTES	nla_total_size_64bit(sizeof(u64))
#define PHASE_BYTES	nla_total_size(U32_BYTES + U64_BYTES)

/*
 * Computes the largest size of the attributes of a message about an event, in bytes. The message
 * must be no larger, since the kernel charges its size to each subscriber's buffer.
 */
static size_t event_size(const struct instinct_event *event)
{
	size_t strings = nla_total_size(strlen(event->bdf) + 1) +
			 nla_total_size(strlen(event->reason) + 1) +
			 nla_total_size(strlen(event->port) + 1);

	/*
	 * Every event has 5 u64 and at most 5 u32. An event about a port, a temperature or a
	 * secure OS has at most 5 u32 more.
	 */
	return strings + 5 * U64_BYTES + (5 + 5) * U32_BYTES +
	       hweight32(event->phases_passed) * PHASE_BYTES;
}

static int put_event(struct sk_buff *skb, const struct instinct_event *event)
{
	if (nla_put_u64_64bit(skb, A(EVENT_SEQ), event->seq, A(EVENT_PAD)) ||
	    nla_put_u64_64bit(skb, A(EVENT_EPOCH), instinct_netlink_epoch, A(EVENT_PAD)) ||
	    nla_put_u64_64bit(skb, A(EVENT_TIME), event->time, A(EVENT_PAD)) ||
	    nla_put_u32(skb, A(EVENT_KIND), event->kind) ||
	    nla_put_string(skb, A(EVENT_BDF), event->bdf) ||
	    nla_put_u64_64bit(skb, A(EVENT_SERIAL), event->serial, A(EVENT_PAD)) ||
	    nla_put_u32(skb, A(EVENT_STATE), event->state) ||
	    nla_put_u32(skb, A(EVENT_CAUSE), event->cause) ||
	    nla_put_u32(skb, A(EVENT_METHOD), event->method) ||
	    (event->error && nla_put_u32(skb, A(EVENT_ERROR), event->error)) ||
	    nla_put_u64_64bit(skb, A(EVENT_DURATION), event->duration, A(EVENT_PAD)) ||
	    nla_put_string(skb, A(EVENT_REASON), event->reason) ||
	    ((event->kind == INSTINCT_VFIO_EVENT_RESET_DONE ||
	      event->kind == INSTINCT_VFIO_EVENT_RESET_COALESCED) &&
	     nla_put_u32(skb, A(EVENT_SECURE_OS), event->secure_os)) ||
	    put_register(skb, event) || put_heat(skb, event))
		return -EMSGSIZE;
	return put_phases(skb, event);
}

/**
 * instinct_netlink_multicast() - send an event to the subscribers
 * @event: event
 *
 * The function waits neither for memory nor for a receiver. A subscriber that misses the message
 * gets ENOBUFS, as if its socket's buffer were full, and then reads the ring.
 *
 * Context: may sleep; under the lock of the ring.
 */
void instinct_netlink_multicast(const struct instinct_event *event)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&instinct_family, &init_net, 0))
		return;
	skb = genlmsg_new(event_size(event), GFP_NOWAIT | __GFP_NOWARN);
	if (!skb || !genlmsg_put(skb, 0, 0, &instinct_family, 0, INSTINCT_VFIO_CMD_EVENT) ||
	    put_event(skb, event)) {
		nlmsg_free(skb);
		genl_set_err(&instinct_family, &init_net, 0, 0, -ENOBUFS);
		return;
	}
	nlmsg_end(skb, nlmsg_hdr(skb));
	genlmsg_multicast(&instinct_family, skb, 0, 0, GFP_NOWAIT);
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
	return put_event(skb, &event);
}

/**
 * instinct_netlink_event_dump() - serve EVENT_GET
 * @skb: answer
 * @cb: the dump; cb->args[0] is the number of the next event
 *
 * Context: may sleep.
 *
 * Return: number of bytes in @skb, 0 at the end, or a negative errno.
 */
int instinct_netlink_event_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *from = instinct_dump_attrs(cb)[A(EVENT_SEQ)];

	if (!cb->args[0])
		cb->args[0] = from ? nla_get_u64(from) ?: 1 : 1;
	return instinct_netlink_dump(skb, cb, put_next_event);
}

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
 * Context: may sleep.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_alarm(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_device *dev = info->user_ptr[0];
	struct instinct_event event = { };
	int ret = alarm_read(info, &event);

	if (ret)
		return ret;
	mutex_lock(&instinct_devices_lock);
	if (dev->status.life == INSTINCT_LIFE_PRESENT)
		instinct_device_emit(dev, &event);
	else
		ret = instinct_netlink_refuse(info, NULL, "the device has just been unbound",
					      -ENODEV);
	mutex_unlock(&instinct_devices_lock);
	return ret;
}
