// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "conf_key.h"
#include "nl_parse.h"
#include "topology.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define TYPES_MAX	64

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

/*
 * libmnl's own loops over a message round its length up, and so may read
 * what comes after it.
 */
#define for_each_attr(_attr, _nlh, _skip)				\
	for ((_attr) = (const void *)((const char *)			\
		       mnl_nlmsg_get_payload(_nlh) + (_skip));		\
	     mnl_attr_ok(_attr, (const char *)(_nlh) + (_nlh)->nlmsg_len - \
			 (const char *)(_attr));			\
	     (_attr) = mnl_attr_next(_attr))

static int attrs_of_message(const struct nlmsghdr *nlh, struct attrs *attrs)
{
	const struct nlattr *attr;

	*attrs = (struct attrs) { 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
		return -EBADMSG;
	for_each_attr(attr, nlh, sizeof(struct genlmsghdr))
		collect(attr, attrs);
	return 0;
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

/* What a terminal or JSON could stumble over is replaced. */
static void copy_text(const struct nlattr *attr, char *text, size_t size)
{
	snprintf(text, size, "%s", mnl_attr_get_str(attr));
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static bool get_text(const struct attrs *attrs, int type, char *text, size_t size)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return false;
	copy_text(attr, text, size);
	return true;
}

/**
 * nl_parse_end() - NLMSG_ERROR, which is also the ACK, or NLMSG_DONE
 * @nlh: message
 * @message: set to the kernel's own words, left alone if there are none
 * @size: of @message in bytes
 *
 * Return: 0 or a negative errno, the kernel's or -EBADMSG.
 */
int nl_parse_end(const struct nlmsghdr *nlh, char *message, size_t size)
{
	bool done = nlh->nlmsg_type == NLMSG_DONE;
	size_t skip = done ? sizeof(int) : sizeof(struct nlmsgerr);
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(nlh) < skip)
		return -EBADMSG;
	/* Both begin with the error. */
	if (err->error > 0)
		return -EBADMSG;
	if (!err->error || !(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return err->error;
	if (!done && !(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < sizeof(err->msg) ||
		    err->msg.nlmsg_len > mnl_nlmsg_get_payload_len(nlh))
			return err->error;
		skip += NLMSG_ALIGN(err->msg.nlmsg_len) - sizeof(err->msg);
	}
	if (skip > mnl_nlmsg_get_payload_len(nlh))
		return err->error;
	for_each_attr(attr, nlh, skip)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0)
			copy_text(attr, message, size);
	return err->error;
}

static bool get_u16(const struct attrs *attrs, int type, uint16_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U16) < 0)
		return false;
	*val = mnl_attr_get_u16(attr);
	return true;
}

static int get_group(const struct nlattr *groups, uint32_t *group)
{
	const struct nlattr *at;
	struct attrs nest;
	char name[GENL_NAMSIZ];
	uint32_t id;

	mnl_attr_for_each_nested(at, groups) {
		if (attrs_of_nest(at, &nest) ||
		    !get_text(&nest, CTRL_ATTR_MCAST_GRP_NAME, name, sizeof(name)) ||
		    !get_u32(&nest, CTRL_ATTR_MCAST_GRP_ID, &id))
			return -EBADMSG;
		if (!strcmp(name, INSTINCT_VFIO_MCGRP_EVENTS))
			*group = id;
	}
	return 0;
}

/**
 * nl_parse_family() - a reply to CTRL_CMD_GETFAMILY
 * @nlh: message
 * @family: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_family(const struct nlmsghdr *nlh, struct nl_family *family)
{
	struct attrs attrs;

	*family = (struct nl_family) { 0 };
	if (attrs_of_message(nlh, &attrs) ||
	    !get_u16(&attrs, CTRL_ATTR_FAMILY_ID, &family->id) ||
	    !get_u32(&attrs, CTRL_ATTR_VERSION, &family->version))
		return -EBADMSG;
	if (!attrs.of[CTRL_ATTR_MCAST_GROUPS])
		return 0;
	return get_group(attrs.of[CTRL_ATTR_MCAST_GROUPS], &family->group);
}

/**
 * nl_parse_is_gone() - the controller's notice that the family is no more
 * @nlh: message
 * @family: which
 *
 * Return: true if it is that.
 */
bool nl_parse_is_gone(const struct nlmsghdr *nlh, const struct nl_family *family)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct attrs attrs;
	uint16_t id;

	return nlh->nlmsg_type == GENL_ID_CTRL &&
	       !attrs_of_message(nlh, &attrs) &&
	       genl->cmd == CTRL_CMD_DELFAMILY &&
	       get_u16(&attrs, CTRL_ATTR_FAMILY_ID, &id) && id == family->id;
}

/**
 * nl_parse_is_new() - the controller's notice that the family has come
 * @nlh: message
 *
 * Return: true if it is that.
 */
bool nl_parse_is_new(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	char name[GENL_NAMSIZ];
	struct attrs attrs;

	return nlh->nlmsg_type == GENL_ID_CTRL &&
	       !attrs_of_message(nlh, &attrs) &&
	       genl->cmd == CTRL_CMD_NEWFAMILY &&
	       get_text(&attrs, CTRL_ATTR_FAMILY_NAME, name, sizeof(name)) &&
	       !strcmp(name, INSTINCT_VFIO_FAMILY_NAME);
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
	    !get_u64(&attrs, A(INFO_NEWEST_SEQ), &info->newest) ||
	    !get_u32(&attrs, A(INFO_CAPACITY), &info->capacity))
		return -EBADMSG;
	return 0;
}

static bool get_value(const struct attrs *attrs, const struct conf_key *key,
		      uint32_t *value)
{
	char text[INSTINCT_PEERS_BYTES];

	if (!key->text)
		return get_u32(attrs, key->attr, value);
	if (!get_text(attrs, key->attr, text, sizeof(text)))
		return false;
	*value = text_intern(text);
	return true;
}

/* Of an endpoint that the driver has not there is less. */
static bool is_plain(const struct attrs *attrs)
{
	size_t i;

	for (i = 0; i < CONF_KEYS; i++)
		if (!conf_keys[i].isolation && conf_keys[i].attr &&
		    attrs->of[conf_keys[i].attr])
			return false;
	return true;
}

static bool get_policy(const struct attrs *attrs, struct policy *policy)
{
	bool plain = is_plain(attrs);
	uint32_t value;
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		value = key->fallback;
		if (key->attr && !(plain && !key->isolation) &&
		    !get_value(attrs, key, &value))
			return false;
		conf_key_set(key, policy, value);
	}
	return true;
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

/**
 * nl_parse_policy_of() - the same, and whose it is
 * @nlh: message
 * @bdf: set
 * @size: of @bdf in bytes
 * @policy: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_policy_of(const struct nlmsghdr *nlh, char *bdf, size_t size,
		       struct policy *policy)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs) || !get_policy(&attrs, policy) ||
	    !get_text(&attrs, A(POLICY_BDF), bdf, size))
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

static bool get_config(const struct attrs *attrs, struct config *config)
{
	return get_u64(attrs, A(CONFIG_BLOCKED), &config->blocked) &&
	       get_u64(attrs, A(CONFIG_RETRIED), &config->retried) &&
	       get_u64(attrs, A(CONFIG_REPLAYED), &config->replayed) &&
	       get_u64(attrs, A(CONFIG_FORCED), &config->forced) &&
	       get_u64(attrs, A(CONFIG_FAILED), &config->failed) &&
	       get_u64(attrs, A(CONFIG_LONGEST), &config->longest);
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

	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != A(DEV_PORT))
			continue;
		if (dev->ports == PORTS_MAX || attrs_of_nest(attr, &nest) ||
		    !get_port(&nest, &dev->port[dev->ports++]))
			return -EBADMSG;
	}
	return 0;
}

static bool get_sensor(const struct attrs *attrs, struct sensor *sensor)
{
	uint32_t temperature = 0;

	sensor->known = get_u32(attrs, A(SENSOR_TEMPERATURE), &temperature);
	sensor->temperature = temperature;
	sensor->stale = attrs->of[A(SENSOR_STALE)];
	return get_u32(attrs, A(SENSOR_KIND), &sensor->kind) &&
	       get_u32(attrs, A(SENSOR_SOURCE), &sensor->source) &&
	       get_u32(attrs, A(SENSOR_ALARM), &sensor->alarm) &&
	       (!sensor->known || get_u64(attrs, A(SENSOR_AGE), &sensor->age));
}

static int get_sensors(const struct nlmsghdr *nlh, struct device *dev)
{
	const struct nlattr *attr;
	struct attrs nest;

	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != A(DEV_SENSOR))
			continue;
		if (dev->sensors == SENSORS_MAX || attrs_of_nest(attr, &nest) ||
		    !get_sensor(&nest, &dev->sensor[dev->sensors++]))
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
	    get_ports(nlh, dev) || get_sensors(nlh, dev))
		return -EBADMSG;
	dev->state = state > INT_MAX ? INT_MAX : (int)state;
	dev->numa_node = (int32_t)node;

	if (!attrs.of[A(DEV_POLICY)] || !attrs.of[A(DEV_RESETS)] ||
	    attrs_of_nest(attrs.of[A(DEV_POLICY)], &nest) ||
	    !get_policy(&nest, &dev->policy) ||
	    attrs_of_nest(attrs.of[A(DEV_RESETS)], &nest) ||
	    !get_resets(&nest, &dev->resets) || !attrs.of[A(DEV_CONFIG)] ||
	    attrs_of_nest(attrs.of[A(DEV_CONFIG)], &nest) ||
	    !get_config(&nest, &dev->config))
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
	done->coalesced = attrs.of[A(RESET_COALESCED)];
	return 0;
}

static bool get_step(const struct attrs *attrs, struct nl_reset_step *step)
{
	return get_u32(attrs, A(STEP_METHOD), &step->method) &&
	       (!attrs->of[A(STEP_REFUSAL)] ||
		get_text(attrs, A(STEP_REFUSAL), step->refusal,
			 sizeof(step->refusal)));
}

/**
 * nl_parse_plan() - a reply to a dry run of RESET
 * @nlh: message
 * @done: zeroed, its steps are set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_plan(const struct nlmsghdr *nlh, struct nl_reset_done *done)
{
	const struct nlattr *attr;
	struct attrs nest;

	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != A(RESET_STEP))
			continue;
		if (done->steps == NL_STEPS_MAX || attrs_of_nest(attr, &nest) ||
		    !get_step(&nest, &done->step[done->steps++]))
			return -EBADMSG;
	}
	return 0;
}

static int get_phases(const struct nlmsghdr *nlh, struct event *event)
{
	const struct nlattr *attr;
	struct attrs nest;

	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
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

static bool get_heat(const struct attrs *attrs, struct event *event)
{
	uint32_t temperature, threshold;

	if (!get_u32(attrs, A(EVENT_SOURCE), &event->source) ||
	    !get_u32(attrs, A(EVENT_TEMPERATURE), &temperature) ||
	    !get_u32(attrs, A(EVENT_ALARM), &event->alarm) ||
	    !get_u32(attrs, A(EVENT_THRESHOLD), &threshold))
		return false;
	event->temperature = temperature;
	event->threshold = threshold;
	return true;
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
	if (attrs.of[A(EVENT_PORT)] &&
	    (!get_text(&attrs, A(EVENT_PORT), event->port, sizeof(event->port)) ||
	     !get_u32(&attrs, A(EVENT_FOUND), &event->found) ||
	     !get_u32(&attrs, A(EVENT_WANTED), &event->wanted)))
		return -EBADMSG;
	event->thermal = get_u32(&attrs, A(EVENT_SENSOR), &event->sensor);
	if (event->thermal && !get_heat(&attrs, event))
		return -EBADMSG;
	event->has_register = get_u32(&attrs, A(EVENT_REGISTER),
				      &event->config_register);
	return get_phases(nlh, event);
}

/**
 * nl_parse_isolated() - a reply to ISOLATION_GET
 * @nlh: message
 * @item: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_isolated(const struct nlmsghdr *nlh, struct isolated *item)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs) ||
	    !get_text(&attrs, A(ISO_BDF), item->bdf, sizeof(item->bdf)) ||
	    !get_u64(&attrs, A(ISO_DRIFTS), &item->drifts))
		return -EBADMSG;
	if (attrs.of[A(ISO_OF)])
		return get_text(&attrs, A(ISO_OF), item->of, sizeof(item->of)) &&
		       get_u32(&attrs, A(ISO_ATS), &item->ats) &&
		       get_u32(&attrs, A(ISO_ATS_STATE), &item->ats_state) ?
		       0 : -EBADMSG;
	return get_u32(&attrs, A(ISO_ROLE), &item->role) &&
	       get_u32(&attrs, A(ISO_CAPABLE), &item->capable) &&
	       get_u32(&attrs, A(ISO_FOUND), &item->found) &&
	       get_u32(&attrs, A(ISO_WANTED), &item->wanted) &&
	       get_u32(&attrs, A(ISO_MASK), &item->mask) &&
	       get_u32(&attrs, A(ISO_BEFORE), &item->before) ? 0 : -EBADMSG;
}

static int get_histogram(const struct nlattr *nest, struct histogram *histogram)
{
	const struct nlattr *attr;
	struct attrs attrs;

	if (attrs_of_nest(nest, &attrs) ||
	    !get_u32(&attrs, A(HISTOGRAM_OF), &histogram->of) ||
	    !get_u64(&attrs, A(HISTOGRAM_COUNT), &histogram->count) ||
	    !get_u64(&attrs, A(HISTOGRAM_SUM), &histogram->sum))
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) != A(HISTOGRAM_BUCKET))
			continue;
		if (histogram->buckets == BUCKETS_MAX ||
		    mnl_attr_validate(attr, MNL_TYPE_U64) < 0)
			return -EBADMSG;
		histogram->bucket[histogram->buckets++] = mnl_attr_get_u64(attr);
	}
	return 0;
}

/* What is not there is 0: a reset has no kind of event, an event no method. */
static int get_tally(const struct nlattr *nest, struct tally *tally)
{
	struct attrs attrs;

	if (attrs_of_nest(nest, &attrs) ||
	    !get_u64(&attrs, A(TALLY_COUNT), &tally->count))
		return -EBADMSG;
	get_u32(&attrs, A(TALLY_METHOD), &tally->method);
	get_u32(&attrs, A(TALLY_CAUSE), &tally->cause);
	get_u32(&attrs, A(TALLY_RESULT), &tally->result);
	get_u32(&attrs, A(TALLY_EVENT), &tally->event);
	return 0;
}

static int get_device_stats(const struct nlmsghdr *nlh, const struct attrs *attrs,
			    struct device_stats *dev)
{
	const struct nlattr *attr;
	int ret = 0;

	if (!get_text(attrs, A(STATS_BDF), dev->bdf, sizeof(dev->bdf)))
		return -EBADMSG;
	get_u64(attrs, A(STATS_POLICY_TIME), &dev->policy_time);
	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == A(STATS_RESET))
			ret = get_tally(attr, list_add((void **)&dev->reset,
						       &dev->resets,
						       sizeof(*dev->reset)));
		else if (mnl_attr_get_type(attr) == A(STATS_EVENT))
			ret = get_tally(attr, list_add((void **)&dev->event,
						       &dev->events,
						       sizeof(*dev->event)));
		if (ret)
			return ret;
	}
	return 0;
}

static int get_host_stats(const struct nlmsghdr *nlh, struct stats *stats)
{
	const struct nlattr *attr;
	int ret = 0;

	for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case A(STATS_BOUND):
			if (stats->bounds == BUCKETS_MAX - 1 ||
			    mnl_attr_validate(attr, MNL_TYPE_U64) < 0)
				return -EBADMSG;
			stats->bound[stats->bounds++] = mnl_attr_get_u64(attr);
			break;
		case A(STATS_DURATION):
			ret = get_histogram(attr, list_add((void **)&stats->duration,
							   &stats->durations,
							   sizeof(*stats->duration)));
			break;
		case A(STATS_PHASE):
			ret = get_histogram(attr, list_add((void **)&stats->phase,
							   &stats->phases,
							   sizeof(*stats->phase)));
			break;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * nl_parse_stats() - a reply to STATS_GET
 * @nlh: message
 * @stats: added to
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_stats(const struct nlmsghdr *nlh, struct stats *stats)
{
	struct attrs attrs;

	if (attrs_of_message(nlh, &attrs))
		return -EBADMSG;
	if (!attrs.of[A(STATS_BDF)])
		return get_host_stats(nlh, stats);
	return get_device_stats(nlh, &attrs,
				list_add((void **)&stats->device, &stats->devices,
					 sizeof(*stats->device)));
}
