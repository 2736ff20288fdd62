// SPDX-License-Identifier: GPL-2.0-only
#include "isolation/isolation.h"
#include "netlink/family.h"

static int put_ports(struct sk_buff *skb, const struct instinct_path *path)
{
	unsigned int i;

	for (i = path->count; i-- > 0; ) {
		const struct instinct_port *port = &path->port[i];
		struct nlattr *nest = nla_nest_start(skb, A(DEV_PORT));

		if (!nest || nla_put_string(skb, A(PORT_BDF), pci_name(port->pdev)) ||
		    nla_put_u32(skb, A(PORT_VENDOR), port->pdev->vendor) ||
		    nla_put_u32(skb, A(PORT_DEVICE), port->pdev->device) ||
		    nla_put_u32(skb, A(PORT_ROLE), port->role))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int put_resets(struct sk_buff *skb, const struct instinct_resets *resets)
{
	struct nlattr *nest = nla_nest_start(skb, A(DEV_RESETS));

	if (!nest || nla_put_u64_64bit(skb, A(RESETS_HARDWARE), resets->hardware, A(RESETS_PAD)) ||
	    nla_put_u64_64bit(skb, A(RESETS_COALESCED), resets->coalesced, A(RESETS_PAD)) ||
	    nla_put_u64_64bit(skb, A(RESETS_QUIESCED), resets->quiesced, A(RESETS_PAD)) ||
	    nla_put_u64_64bit(skb, A(RESETS_FAILED), resets->failed, A(RESETS_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_config(struct sk_buff *skb, const struct instinct_config_counts *counts)
{
	struct nlattr *nest = nla_nest_start(skb, A(DEV_CONFIG));

	if (!nest || nla_put_u64_64bit(skb, A(CONFIG_BLOCKED), counts->blocked, A(CONFIG_PAD)) ||
	    nla_put_u64_64bit(skb, A(CONFIG_RETRIED), counts->retried, A(CONFIG_PAD)) ||
	    nla_put_u64_64bit(skb, A(CONFIG_VERIFIED), counts->verified, A(CONFIG_PAD)) ||
	    nla_put_u64_64bit(skb, A(CONFIG_FORCED), counts->forced, A(CONFIG_PAD)) ||
	    nla_put_u64_64bit(skb, A(CONFIG_FAILED), counts->failed, A(CONFIG_PAD)) ||
	    nla_put_u64_64bit(skb, A(CONFIG_LONGEST), counts->longest, A(CONFIG_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_seen(struct sk_buff *skb, const struct instinct_seen *seen)
{
	return nla_put_u32(skb, A(DEV_SECURE_OS), seen->secure_os) ||
	       (seen->hive_nodes && (nla_put_u32(skb, A(DEV_HIVE_NODES), seen->hive_nodes) ||
				     nla_put_u32(skb, A(DEV_HIVE_NODE), seen->hive_node))) ||
	       nla_put_u32(skb, A(DEV_PARTITION), seen->partition) ||
	       (seen->partition_next && nla_put_flag(skb, A(DEV_PARTITION_NEXT))) ||
	       nla_put_u32(skb, A(DEV_COMPUTE), seen->compute) ||
	       nla_put_u32(skb, A(DEV_FINGERPRINT), seen->fingerprint) ||
	       (seen->secure_os && (nla_put_u32(skb, A(DEV_C2PMSG_33), seen->ready) ||
				    nla_put_u32(skb, A(DEV_C2PMSG_35), seen->bootloader)));
}

static int put_value(struct sk_buff *skb, const struct instinct_policy *policy,
		     const struct instinct_policy_key *key)
{
	char text[INSTINCT_PEERS_BYTES];

	if (!key->text)
		return nla_put_u32(skb, key->attr, instinct_policy_get(policy, key));
	instinct_peers_format(&policy->isolation.peers, text);
	return nla_put_string(skb, key->attr, text);
}

/**
 * instinct_message_put_policy() - put a policy as A_POLICY_*
 * @skb: message
 * @bdf: address of the device, or NULL to leave it out
 * @policy: policy in force
 * @unmanaged: this driver does not have the device, so put only the keys that any endpoint has
 * @policy_set: a request has set @policy
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_message_put_policy(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool unmanaged, bool policy_set)
{
	const struct instinct_policy_key *key;

	if (bdf && nla_put_string(skb, A(POLICY_BDF), bdf))
		return -EMSGSIZE;
	instinct_policy_for_each_key(key)
		if ((!unmanaged || key->isolation) && put_value(skb, policy, key))
			return -EMSGSIZE;
	return policy_set ? nla_put_flag(skb, A(POLICY_SET)) : 0;
}

/**
 * instinct_message_put_device() - put a device as A_DEV_*
 * @skb: message
 * @dev: device, registered
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_message_put_device(struct sk_buff *skb, struct instinct_device *dev)
{
	const struct instinct_profile *profile = dev->profile;
	struct instinct_config_counts counts;
	struct instinct_status status;
	struct nlattr *nest;

	instinct_reconcile_counts(dev, &counts);
	instinct_device_status(dev, &status);
	/* Once reset work has claimed the device, readers see the reset as begun. */
	if (status.borrowed & INSTINCT_BORROWED_WORKER && status.state == INSTINCT_VFIO_STATE_READY)
		status.state = INSTINCT_VFIO_STATE_RESETTING;
	if (nla_put_string(skb, A(DEV_BDF), pci_name(dev->pdev)) ||
	    nla_put_u64_64bit(skb, A(DEV_SERIAL), READ_ONCE(dev->serial), A(DEV_PAD)) ||
	    nla_put_u32(skb, A(DEV_VENDOR), dev->pdev->vendor) ||
	    nla_put_u32(skb, A(DEV_DEVICE), dev->pdev->device) ||
	    nla_put_string(skb, A(DEV_MODEL), profile->model) ||
	    nla_put_string(skb, A(DEV_FAMILY), profile->family->name) ||
	    nla_put_u32(skb, A(DEV_STATE), status.state) ||
	    nla_put_string(skb, A(DEV_REASON), status.reason) ||
	    nla_put_s32(skb, A(DEV_NUMA_NODE), dev_to_node(&dev->pdev->dev)) ||
	    nla_put_u32(skb, A(DEV_OPEN), !!status.user.number) ||
	    nla_put_u32(skb, A(DEV_LOST_BY), status.lost_by) || put_ports(skb, &dev->path) ||
	    put_seen(skb, &status.seen))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, A(DEV_POLICY));
	if (!nest || instinct_message_put_policy(skb, NULL, &status.policy, false, status.policy_set))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return put_resets(skb, &status.resets) ?: put_config(skb, &counts);
}

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

/**
 * instinct_message_event_size() - compute the largest size of a message about an event
 * @event: event
 *
 * The message must be no larger, since the kernel charges its size to each subscriber's buffer.
 *
 * Return: size of the message's attributes, in bytes.
 */
size_t instinct_message_event_size(const struct instinct_event *event)
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

/**
 * instinct_message_put_event() - put an event as A_EVENT_*
 * @skb: message
 * @event: event
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_message_put_event(struct sk_buff *skb, const struct instinct_event *event)
{
	if (nla_put_u64_64bit(skb, A(EVENT_SEQ), event->seq, A(EVENT_PAD)) ||
	    nla_put_u64_64bit(skb, A(EVENT_EPOCH), instinct_event_epoch(), A(EVENT_PAD)) ||
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
 * instinct_message_put_item() - put a port or a function as A_ISO_*
 * @skb: message
 * @item: state of the port or function
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_message_put_item(struct sk_buff *skb, const struct instinct_isolation_item *item)
{
	if (nla_put_string(skb, A(ISO_BDF), item->bdf) ||
	    nla_put_u64_64bit(skb, A(ISO_DRIFTS), item->drifts, A(ISO_PAD)) ||
	    (item->looked && nla_put_u64_64bit(skb, A(ISO_LOOKED), item->looked, A(ISO_PAD))))
		return -EMSGSIZE;
	if (item->of[0])
		return nla_put_string(skb, A(ISO_OF), item->of) ||
		       nla_put_u32(skb, A(ISO_ATS), item->ats) ||
		       nla_put_u32(skb, A(ISO_ATS_STATE), item->ats_state) ?
		       -EMSGSIZE : 0;
	return nla_put_u32(skb, A(ISO_ROLE), item->role) ||
	       nla_put_u32(skb, A(ISO_CAPABLE), item->capable) ||
	       nla_put_u32(skb, A(ISO_FOUND), item->found) ||
	       nla_put_u32(skb, A(ISO_WANTED), item->wanted) ||
	       nla_put_u32(skb, A(ISO_MASK), item->mask) ||
	       nla_put_u32(skb, A(ISO_BEFORE), item->before) ? -EMSGSIZE : 0;
}
