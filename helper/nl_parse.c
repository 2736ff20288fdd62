// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdio.h>

#include "nl_parse.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define TYPES_MAX	32

/*
 * The attributes of a message or a nest, by type. What is newer than this
 * helper is passed over, what does not hold what it should is treated as
 * absent, so that the caller's check for what must be there finds it.
 */
struct attrs {
	const struct nlattr *of[TYPES_MAX];
};

static int collect(const struct nlattr *attr, void *data)
{
	struct attrs *attrs = data;
	unsigned int type = mnl_attr_get_type(attr);

	if (type < TYPES_MAX)
		attrs->of[type] = attr;
	return MNL_CB_OK;
}

static int attrs_of_message(const struct nlmsghdr *nlh, struct attrs *attrs)
{
	*attrs = (struct attrs) { 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
		return -EBADMSG;
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), collect, attrs) <
	       0 ? -EBADMSG : 0;
}

static int attrs_of_nest(const struct nlattr *nest, struct attrs *attrs)
{
	*attrs = (struct attrs) { 0 };
	return mnl_attr_parse_nested(nest, collect, attrs) < 0 ? -EBADMSG : 0;
}

static bool get_u32(const struct attrs *attrs, int type, uint32_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
		return false;
	*val = mnl_attr_get_u32(attr);
	return true;
}

static bool get_u64(const struct attrs *attrs, int type, uint64_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U64) < 0)
		return false;
	*val = mnl_attr_get_u64(attr);
	return true;
}

static bool get_text(const struct attrs *attrs, int type, char *text, size_t size)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return false;
	snprintf(text, size, "%s", mnl_attr_get_str(attr));
	return true;
}

/**
 * nl_parse_info() - a reply to INFO_GET
 * @nlh: message
 * @info: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_info(const struct nlmsghdr *nlh, struct nl_info *info)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs) ||
	    !get_text(&attrs, A(INFO_VERSION), info->version,
		      sizeof(info->version)) ||
	    !get_u64(&attrs, A(INFO_EPOCH), &info->epoch) ||
	    !get_u64(&attrs, A(INFO_OLDEST_SEQ), &info->oldest) ||
	    !get_u64(&attrs, A(INFO_NEWEST_SEQ), &info->newest))
		return -EBADMSG;
	return 0;
}

static bool get_policy(const struct attrs *attrs, struct policy *policy)
{
	return get_u32(attrs, A(POLICY_METHOD), &policy->method) &&
	       get_u32(attrs, A(POLICY_TENANCY), &policy->tenancy) &&
	       get_u32(attrs, A(POLICY_BUS_PORT), &policy->bus_port) &&
	       get_u32(attrs, A(POLICY_READY_TIMEOUT), &policy->ready_timeout) &&
	       get_u32(attrs, A(POLICY_MAILBOX), &policy->mailbox);
}

/**
 * nl_parse_policy() - a reply to POLICY_GET
 * @nlh: message
 * @policy: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_policy(const struct nlmsghdr *nlh, struct policy *policy)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs) || !get_policy(&attrs, policy))
		return -EBADMSG;
	return 0;
}

static bool get_resets(const struct attrs *attrs, struct resets *resets)
{
	return get_u64(attrs, A(RESETS_HARDWARE), &resets->hardware) &&
	       get_u64(attrs, A(RESETS_COALESCED), &resets->coalesced) &&
	       get_u64(attrs, A(RESETS_QUIESCED), &resets->quiesced) &&
	       get_u64(attrs, A(RESETS_FAILED), &resets->failed) &&
	       get_u64(attrs, A(RESETS_FLR_HELD), &resets->flr_held);
}

static bool get_port(const struct attrs *attrs, struct port *port)
{
	return get_text(attrs, A(PORT_BDF), port->bdf, sizeof(port->bdf)) &&
	       get_u32(attrs, A(PORT_VENDOR), &port->vendor) &&
	       get_u32(attrs, A(PORT_DEVICE), &port->device) &&
	       get_u32(attrs, A(PORT_ROLE), &port->role);
}

static int get_ports(const struct nlmsghdr *nlh, struct device *dev)
{
	const struct nlattr *attr;
	struct attrs nest;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != A(DEV_PORT))
			continue;
		if (dev->ports == PORTS_MAX || attrs_of_nest(attr, &nest) ||
		    !get_port(&nest, &dev->port[dev->ports++]))
			return -EBADMSG;
	}
	return 0;
}

/**
 * nl_parse_device() - a reply to DEV_GET
 * @nlh: message
 * @dev: zeroed, set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_device(const struct nlmsghdr *nlh, struct device *dev)
{
	struct attrs attrs, nest;
	uint32_t state, node;

	if (attrs_of_message(nlh, &attrs) ||
	    !get_text(&attrs, A(DEV_BDF), dev->bdf, sizeof(dev->bdf)) ||
	    !get_u64(&attrs, A(DEV_SERIAL), &dev->serial) ||
	    !get_u32(&attrs, A(DEV_VENDOR), &dev->vendor) ||
	    !get_u32(&attrs, A(DEV_DEVICE), &dev->device) ||
	    !get_text(&attrs, A(DEV_MODEL), dev->model, sizeof(dev->model)) ||
	    !get_text(&attrs, A(DEV_FAMILY), dev->family, sizeof(dev->family)) ||
	    !get_u32(&attrs, A(DEV_STATE), &state) ||
	    !get_text(&attrs, A(DEV_REASON), dev->reason, sizeof(dev->reason)) ||
	    !get_u32(&attrs, A(DEV_NUMA_NODE), &node) ||
	    !get_u32(&attrs, A(DEV_OPEN), &dev->open) ||
	    !get_u32(&attrs, A(DEV_LOST_BY), &dev->lost_by) ||
	    get_ports(nlh, dev))
		return -EBADMSG;
	dev->state = state;
	dev->numa_node = (int32_t)node;

	if (!attrs.of[A(DEV_POLICY)] || !attrs.of[A(DEV_RESETS)] ||
	    attrs_of_nest(attrs.of[A(DEV_POLICY)], &nest) ||
	    !get_policy(&nest, &dev->policy) ||
	    attrs_of_nest(attrs.of[A(DEV_RESETS)], &nest) ||
	    !get_resets(&nest, &dev->resets))
		return -EBADMSG;
	return 0;
}

/**
 * nl_parse_reset() - a reply to RESET
 * @nlh: message
 * @done: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_reset(const struct nlmsghdr *nlh, struct nl_reset_done *done)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs) ||
	    !get_u32(&attrs, A(RESET_METHOD), &done->method) ||
	    !get_u64(&attrs, A(RESET_DURATION), &done->duration))
		return -EBADMSG;
	return 0;
}

static int get_phases(const struct nlmsghdr *nlh, struct event *event)
{
	const struct nlattr *attr;
	struct attrs nest;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint32_t name;
		uint64_t duration;

		if (mnl_attr_get_type(attr) != A(EVENT_PHASE))
			continue;
		if (event->phases == PHASES_MAX || attrs_of_nest(attr, &nest) ||
		    !get_u32(&nest, A(PHASE_NAME), &name) ||
		    !get_u64(&nest, A(PHASE_DURATION), &duration))
			return -EBADMSG;
		event->phase[event->phases].name = name;
		event->phase[event->phases].duration = duration;
		event->phases++;
	}
	return 0;
}

/**
 * nl_parse_event() - an event, sent or replayed
 * @nlh: message
 * @event: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_event(const struct nlmsghdr *nlh, struct event *event)
{
	struct attrs attrs;

	*event = (struct event) { 0 };
	if (attrs_of_message(nlh, &attrs) ||
	    !get_u64(&attrs, A(EVENT_SEQ), &event->seq) ||
	    !get_u64(&attrs, A(EVENT_EPOCH), &event->epoch) ||
	    !get_u64(&attrs, A(EVENT_TIME), &event->time) ||
	    !get_u32(&attrs, A(EVENT_KIND), &event->kind) ||
	    !get_text(&attrs, A(EVENT_BDF), event->bdf, sizeof(event->bdf)) ||
	    !get_u64(&attrs, A(EVENT_SERIAL), &event->serial) ||
	    !get_u32(&attrs, A(EVENT_STATE), &event->state) ||
	    !get_u32(&attrs, A(EVENT_CAUSE), &event->cause) ||
	    !get_u32(&attrs, A(EVENT_METHOD), &event->method) ||
	    !get_u64(&attrs, A(EVENT_DURATION), &event->duration))
		return -EBADMSG;
	get_u32(&attrs, A(EVENT_ERROR), &event->error);
	get_text(&attrs, A(EVENT_REASON), event->reason, sizeof(event->reason));
	return get_phases(nlh, event);
}
