// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "conf_key.h"
#include "isolation/plan.h"
#include "nl_attrs.h"
#include "nl_parse.h"
#include "peers.h"

#define A(name)		INSTINCT_VFIO_A_##name

/**
 * nl_parse_end() - parse the end of an answer: NLMSG_ERROR, which is also the ACK, or NLMSG_DONE
 * @nlh: message
 * @message: receives the message of the extended ack, unchanged without one
 * @size: size of @message in bytes
 * @offset: receives the offset of the refused attribute in the request, unchanged without one
 *
 * Return: 0 or a negative errno, the kernel's or -EBADMSG.
 */
int nl_parse_end(const struct nlmsghdr *nlh, char *message, size_t size,
		 uint32_t *offset)
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
	nl_for_each_attr(attr, nlh, skip)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0)
			nl_copy_text(attr, message, size);
		else if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_OFFS &&
			 mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			*offset = mnl_attr_get_u32(attr);
	return err->error;
}

static int get_group(const struct nlattr *groups, uint32_t *group)
{
	const struct nlattr *at;
	struct nl_attrs nest;
	char name[GENL_NAMSIZ];
	uint32_t id;

	mnl_attr_for_each_nested(at, groups) {
		if (nl_attrs_of_nest(at, &nest) ||
		    !nl_get_text(&nest, CTRL_ATTR_MCAST_GRP_NAME, name, sizeof(name)) ||
		    !nl_get_u32(&nest, CTRL_ATTR_MCAST_GRP_ID, &id))
			return -EBADMSG;
		if (!strcmp(name, INSTINCT_VFIO_MCGRP_EVENTS))
			*group = id;
	}
	return 0;
}

/**
 * nl_parse_family() - parse a reply to CTRL_CMD_GETFAMILY
 * @nlh: message
 * @family: receives the family's numbers
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_family(const struct nlmsghdr *nlh, struct nl_family *family)
{
	struct nl_attrs attrs;

	*family = (struct nl_family) { 0 };
	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_u16(&attrs, CTRL_ATTR_FAMILY_ID, &family->id) ||
	    !nl_get_u32(&attrs, CTRL_ATTR_VERSION, &family->version))
		return -EBADMSG;
	if (!attrs.of[CTRL_ATTR_MCAST_GROUPS])
		return 0;
	return get_group(attrs.of[CTRL_ATTR_MCAST_GROUPS], &family->group);
}

/**
 * nl_parse_is_gone() - recognise the controller's notice that the family was removed
 * @nlh: message
 * @family: family
 *
 * Return: true if @nlh is that notice.
 */
bool nl_parse_is_gone(const struct nlmsghdr *nlh, const struct nl_family *family)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct nl_attrs attrs;
	uint16_t id;

	return nlh->nlmsg_type == GENL_ID_CTRL &&
	       !nl_attrs_of_message(nlh, &attrs) &&
	       genl->cmd == CTRL_CMD_DELFAMILY &&
	       nl_get_u16(&attrs, CTRL_ATTR_FAMILY_ID, &id) && id == family->id;
}

/**
 * nl_parse_is_new() - recognise the controller's notice that the family was registered
 * @nlh: message
 *
 * Return: true if @nlh is that notice.
 */
bool nl_parse_is_new(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	char name[GENL_NAMSIZ];
	struct nl_attrs attrs;

	return nlh->nlmsg_type == GENL_ID_CTRL &&
	       !nl_attrs_of_message(nlh, &attrs) &&
	       genl->cmd == CTRL_CMD_NEWFAMILY &&
	       nl_get_text(&attrs, CTRL_ATTR_FAMILY_NAME, name, sizeof(name)) &&
	       !strcmp(name, INSTINCT_VFIO_FAMILY_NAME);
}

/**
 * nl_parse_info() - parse a reply to INFO_GET
 * @nlh: message
 * @info: receives the facts about the module
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_info(const struct nlmsghdr *nlh, struct nl_info *info)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_text(&attrs, A(INFO_VERSION), info->version,
		      sizeof(info->version)) ||
	    !nl_get_u64(&attrs, A(INFO_EPOCH), &info->epoch) ||
	    !nl_get_u64(&attrs, A(INFO_NEWEST_SEQ), &info->newest) ||
	    !nl_get_u32(&attrs, A(INFO_CAPACITY), &info->capacity))
		return -EBADMSG;
	info->oldest = info->newest > info->capacity ? info->newest - info->capacity + 1 : 1;
	info->policy_required = attrs.of[A(INFO_POLICY_REQUIRED)];
	return 0;
}

static bool get_value(const struct nl_attrs *attrs, const struct conf_key *key,
		      uint32_t *value)
{
	const struct nlattr *attr = attrs->of[key->attr];
	struct instinct_peers peers;
	char text[PEERS_BYTES];

	if (!key->text)
		return nl_get_u32(attrs, key->attr, value);
	if (!attr || !peers_take(&peers, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr)))
		return false;
	peers_format(&peers, text);
	*value = text_intern(text);
	return true;
}

/* The module reports only the ACS and ATS keys of an unmanaged endpoint. */
static bool is_unmanaged(const struct nl_attrs *attrs)
{
	size_t i;

	for (i = 0; i < CONF_KEYS; i++)
		if (!conf_keys[i].isolation && conf_keys[i].attr &&
		    attrs->of[conf_keys[i].attr])
			return false;
	return true;
}

static bool get_policy(const struct nl_attrs *attrs, struct policy *policy)
{
	bool unmanaged = is_unmanaged(attrs);
	uint32_t value;
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		value = key->fallback;
		if (key->attr && !(unmanaged && !key->isolation) &&
		    !get_value(attrs, key, &value))
			return false;
		conf_key_set(key, policy, value);
	}
	return true;
}

/**
 * nl_parse_policy() - parse a reply to POLICY_GET
 * @nlh: message
 * @dev: receives the address, the policy and its flags; other members are unchanged
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_policy(const struct nlmsghdr *nlh, struct device *dev)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_message(nlh, &attrs) || !get_policy(&attrs, &dev->policy) ||
	    !nl_get_text(&attrs, A(POLICY_BDF), dev->bdf, sizeof(dev->bdf)))
		return -EBADMSG;
	dev->pending = attrs.of[A(POLICY_PENDING)];
	dev->policy_set = attrs.of[A(POLICY_SET)];
	dev->unmanaged = is_unmanaged(&attrs);
	/* A pending policy is for a GPU, and so must have all keys; no other has them. */
	return dev->pending == dev->unmanaged ? -EBADMSG : 0;
}

static bool get_resets(const struct nl_attrs *attrs, struct resets *resets)
{
	return nl_get_u64(attrs, A(RESETS_HARDWARE), &resets->hardware) &&
	       nl_get_u64(attrs, A(RESETS_COALESCED), &resets->coalesced) &&
	       nl_get_u64(attrs, A(RESETS_QUIESCED), &resets->quiesced) &&
	       nl_get_u64(attrs, A(RESETS_FAILED), &resets->failed);
}

static bool get_config(const struct nl_attrs *attrs, struct config *config)
{
	return nl_get_u64(attrs, A(CONFIG_BLOCKED), &config->blocked) &&
	       nl_get_u64(attrs, A(CONFIG_RETRIED), &config->retried) &&
	       nl_get_u64(attrs, A(CONFIG_VERIFIED), &config->verified) &&
	       nl_get_u64(attrs, A(CONFIG_FAILED), &config->failed) &&
	       nl_get_u64(attrs, A(CONFIG_LONGEST), &config->longest);
}

static bool get_seen(const struct nl_attrs *attrs, struct device *dev)
{
	/* The module omits these attributes if the hardware does not report them. */
	nl_get_u32(attrs, A(DEV_HIVE_NODES), &dev->hive_nodes);
	nl_get_u32(attrs, A(DEV_HIVE_NODE), &dev->hive_node);
	dev->has_bootloader = nl_get_u32(attrs, A(DEV_C2PMSG_33), &dev->c2pmsg_33) &&
			      nl_get_u32(attrs, A(DEV_C2PMSG_35), &dev->c2pmsg_35);
	dev->partition_next = attrs->of[A(DEV_PARTITION_NEXT)];
	return nl_get_u32(attrs, A(DEV_SECURE_OS), &dev->secure_os) &&
	       nl_get_u32(attrs, A(DEV_PARTITION), &dev->partition) &&
	       nl_get_u32(attrs, A(DEV_COMPUTE), &dev->compute) &&
	       nl_get_u32(attrs, A(DEV_FINGERPRINT), &dev->fingerprint);
}

/**
 * nl_parse_device() - parse a reply to DEV_GET
 * @nlh: message
 * @dev: zeroed device, which receives the module's facts
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_device(const struct nlmsghdr *nlh, struct device *dev)
{
	struct nl_attrs attrs, nest;
	uint32_t state;

	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_text(&attrs, A(DEV_BDF), dev->bdf, sizeof(dev->bdf)) ||
	    !nl_get_u64(&attrs, A(DEV_SERIAL), &dev->serial) ||
	    !nl_get_text(&attrs, A(DEV_MODEL), dev->model, sizeof(dev->model)) ||
	    !nl_get_text(&attrs, A(DEV_FAMILY), dev->family, sizeof(dev->family)) ||
	    !nl_get_u32(&attrs, A(DEV_STATE), &state) ||
	    !nl_get_text(&attrs, A(DEV_REASON), dev->reason, sizeof(dev->reason)) ||
	    !nl_get_u32(&attrs, A(DEV_OPEN), &dev->open) ||
	    !nl_get_u32(&attrs, A(DEV_LOST_BY), &dev->lost_by))
		return -EBADMSG;
	dev->state = state > INT_MAX ? INT_MAX : (int)state;

	if (!attrs.of[A(DEV_POLICY)] || !attrs.of[A(DEV_RESETS)] ||
	    nl_attrs_of_nest(attrs.of[A(DEV_POLICY)], &nest) ||
	    !get_policy(&nest, &dev->policy))
		return -EBADMSG;
	dev->policy_set = nest.of[A(POLICY_SET)];
	if (nl_attrs_of_nest(attrs.of[A(DEV_RESETS)], &nest) ||
	    !get_resets(&nest, &dev->resets) || !attrs.of[A(DEV_CONFIG)] ||
	    nl_attrs_of_nest(attrs.of[A(DEV_CONFIG)], &nest) ||
	    !get_config(&nest, &dev->config) || !get_seen(&attrs, dev))
		return -EBADMSG;
	return 0;
}

/**
 * nl_parse_reset() - parse a reply to RESET
 * @nlh: message
 * @done: receives the outcome
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_reset(const struct nlmsghdr *nlh, struct nl_reset_done *done)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_u32(&attrs, A(RESET_METHOD), &done->method) ||
	    !nl_get_u64(&attrs, A(RESET_DURATION), &done->duration))
		return -EBADMSG;
	done->coalesced = attrs.of[A(RESET_COALESCED)];
	return 0;
}

static bool get_step(const struct nl_attrs *attrs, struct nl_reset_step *step)
{
	return nl_get_u32(attrs, A(STEP_METHOD), &step->method) &&
	       (!attrs->of[A(STEP_REFUSAL)] ||
		nl_get_text(attrs, A(STEP_REFUSAL), step->refusal,
			    sizeof(step->refusal)));
}

/**
 * nl_parse_plan() - parse a reply to a dry run of RESET
 * @nlh: message
 * @done: zeroed outcome, which receives the steps
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_plan(const struct nlmsghdr *nlh, struct nl_reset_done *done)
{
	const struct nlattr *attr;
	struct nl_attrs nest;

	nl_for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != A(RESET_STEP))
			continue;
		if (done->steps == NL_STEPS_MAX || nl_attrs_of_nest(attr, &nest) ||
		    !get_step(&nest, &done->step[done->steps++]))
			return -EBADMSG;
	}
	return 0;
}

/* The attribute has the durations of all phases that the module knows, in the order of their numbers. */
static int get_phases(const struct nl_attrs *attrs, struct event *event)
{
	const struct nlattr *attr = attrs->of[A(EVENT_PHASES)];
	uint64_t duration;
	uint32_t name;

	if (!attr)
		return 0;
	if (mnl_attr_get_payload_len(attr) % sizeof(duration) ||
	    mnl_attr_get_payload_len(attr) / sizeof(duration) > PHASES_MAX)
		return -EBADMSG;
	for (name = 0; name < mnl_attr_get_payload_len(attr) / sizeof(duration); name++) {
		memcpy(&duration, (const char *)mnl_attr_get_payload(attr) + name * sizeof(duration),
		       sizeof(duration));
		if (!duration)
			continue;
		event->phase[event->phases].name = name;
		event->phase[event->phases].duration = duration;
		event->phases++;
	}
	return 0;
}

static bool get_heat(const struct nl_attrs *attrs, struct event *event)
{
	uint32_t temperature, threshold;

	if (!nl_get_u32(attrs, A(EVENT_SOURCE), &event->source) ||
	    !nl_get_u32(attrs, A(EVENT_TEMPERATURE), &temperature) ||
	    !nl_get_u32(attrs, A(EVENT_ALARM), &event->alarm) ||
	    !nl_get_u32(attrs, A(EVENT_THRESHOLD), &threshold))
		return false;
	event->temperature = temperature;
	event->threshold = threshold;
	return true;
}

/**
 * nl_parse_event() - parse an event, sent or replayed
 * @nlh: message
 * @event: receives the event
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_event(const struct nlmsghdr *nlh, struct event *event)
{
	struct nl_attrs attrs;

	*event = (struct event) { 0 };
	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_u64(&attrs, A(EVENT_SEQ), &event->seq) ||
	    !nl_get_u64(&attrs, A(EVENT_EPOCH), &event->epoch) ||
	    !nl_get_u64(&attrs, A(EVENT_TIME), &event->time) ||
	    !nl_get_u32(&attrs, A(EVENT_KIND), &event->kind) ||
	    !nl_get_text(&attrs, A(EVENT_BDF), event->bdf, sizeof(event->bdf)) ||
	    !nl_get_u64(&attrs, A(EVENT_SERIAL), &event->serial) ||
	    !nl_get_u32(&attrs, A(EVENT_STATE), &event->state) ||
	    !nl_get_u32(&attrs, A(EVENT_CAUSE), &event->cause) ||
	    !nl_get_u32(&attrs, A(EVENT_METHOD), &event->method) ||
	    !nl_get_u64(&attrs, A(EVENT_DURATION), &event->duration))
		return -EBADMSG;
	nl_get_u32(&attrs, A(EVENT_ERROR), &event->error);
	nl_get_text(&attrs, A(EVENT_REASON), event->reason, sizeof(event->reason));
	if (attrs.of[A(EVENT_PORT)] &&
	    (!nl_get_text(&attrs, A(EVENT_PORT), event->port, sizeof(event->port)) ||
	     !nl_get_u32(&attrs, A(EVENT_FOUND), &event->found) ||
	     !nl_get_u32(&attrs, A(EVENT_WANTED), &event->wanted)))
		return -EBADMSG;
	event->thermal = nl_get_u32(&attrs, A(EVENT_SENSOR), &event->sensor);
	if (event->thermal && !get_heat(&attrs, event))
		return -EBADMSG;
	event->has_secure_os = nl_get_u32(&attrs, A(EVENT_SECURE_OS), &event->secure_os);
	event->has_register = nl_get_u32(&attrs, A(EVENT_REGISTER),
					 &event->config_register);
	return get_phases(&attrs, event);
}

/**
 * nl_parse_isolated() - parse a reply to ISOLATION_GET
 * @nlh: message
 * @item: receives the state of a port or function
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_isolated(const struct nlmsghdr *nlh, struct isolated *item)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_message(nlh, &attrs) ||
	    !nl_get_text(&attrs, A(ISO_BDF), item->bdf, sizeof(item->bdf)) ||
	    !nl_get_u64(&attrs, A(ISO_DRIFTS), &item->drifts) ||
	    (attrs.of[A(ISO_LOOKED)] && !nl_get_u64(&attrs, A(ISO_LOOKED), &item->looked)))
		return -EBADMSG;
	if (attrs.of[A(ISO_OF)])
		return nl_get_text(&attrs, A(ISO_OF), item->of, sizeof(item->of)) &&
		       nl_get_u32(&attrs, A(ISO_ATS), &item->ats) &&
		       nl_get_u32(&attrs, A(ISO_ATS_STATE), &item->ats_state) ?
		       0 : -EBADMSG;
	return nl_get_u32(&attrs, A(ISO_ROLE), &item->role) &&
	       nl_get_u32(&attrs, A(ISO_CAPABLE), &item->capable) &&
	       nl_get_u32(&attrs, A(ISO_FOUND), &item->found) &&
	       nl_get_u32(&attrs, A(ISO_WANTED), &item->wanted) &&
	       nl_get_u32(&attrs, A(ISO_MASK), &item->mask) &&
	       nl_get_u32(&attrs, A(ISO_BEFORE), &item->before) ? 0 : -EBADMSG;
}
