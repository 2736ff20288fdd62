// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "compat/genetlink.h"
#include "device/record.h"
#include "device/owner.h"
#include "isolation/isolation.h"
#include "netlink/family.h"
#include "reset/reset.h"

/*
 * A message of STATS_GET has room for its largest possible content: a device with all 150
 * combinations of method, cause and result, and all kinds of events.
 */
#define STATS_BYTES	SZ_16K

/* internal_flags: the request changes something; the request names a device. */
#define NEEDS_ADMIN	BIT(0)
#define NAMES_DEVICE	BIT(1)

/* Differs after each module load. */
static u64 epoch __ro_after_init;

/**
 * instinct_netlink_log() - write the process that sent a request to the kernel log
 * @dev: device
 * @asked: name of the request
 *
 * Context: process, the sender's.
 */
void instinct_netlink_log(struct instinct_device *dev, const char *asked)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, current);
	/* A process chooses its name, so a line break in it must not begin a line of the log. */
	pci_info(dev->pdev, "%s asked for by netlink: pid %d, uid %u, comm \"%*pE\"\n", asked,
		 task_tgid_nr(current), from_kuid(&init_user_ns, current_uid()),
		 (int)strlen(comm), comm);
}

/**
 * instinct_netlink_refuse() - put the reason for a refusal into the extended ack
 * @info: request
 * @blamed: attribute that is to blame, or NULL
 * @why: reason, for the user; netlink reads it after the handler has returned
 * @ret: negative errno
 *
 * Return: @ret.
 */
int instinct_netlink_refuse(struct genl_info *info, const struct nlattr *blamed, const char *why,
			    int ret)
{
	NL_SET_BAD_ATTR(info->extack, blamed);
	if (info->extack)
		info->extack->_msg = why;
	return ret;
}

/**
 * instinct_netlink_answer() - send the answer to a request
 * @info: request, whose command the answer repeats
 * @put: fills in the answer; returns 0 or -EMSGSIZE
 * @object: argument of @put
 *
 * Context: may sleep.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_answer(struct genl_info *info, int (*put)(struct sk_buff *skb, void *object),
			    void *object)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	int ret;

	if (!skb || !genlmsg_put_reply(skb, info, &instinct_family, 0, info->genlhdr->cmd)) {
		nlmsg_free(skb);
		return -ENOMEM;
	}
	ret = put(skb, object);
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	nlmsg_end(skb, nlmsg_hdr(skb));
	return genlmsg_reply(skb, info);
}

/* Fills in the device with the number @index, from 0. Returns -ENOENT past the last. */
static int put_nth(struct sk_buff *skb, unsigned int index,
		   int (*put)(struct sk_buff *skb, void *dev))
{
	struct instinct_device *dev = NULL;
	int ret;

	mutex_lock(&instinct_devices_lock);
	do {
		dev = instinct_device_next(dev);
	} while (dev && index--);
	if (dev)
		kref_get(&dev->ref);
	mutex_unlock(&instinct_devices_lock);
	if (!dev)
		return -ENOENT;
	ret = put(skb, dev);
	instinct_device_put(dev);
	return ret;
}

static int put_info(struct sk_buff *skb, void *unused)
{
	return nla_put_string(skb, A(INFO_VERSION), INSTINCT_VFIO_VERSION) ||
	       nla_put_u64_64bit(skb, A(INFO_EPOCH), epoch, A(INFO_PAD)) ||
	       nla_put_u64_64bit(skb, A(INFO_NEWEST_SEQ), instinct_event_newest(), A(INFO_PAD)) ||
	       nla_put_u32(skb, A(INFO_CAPACITY), INSTINCT_EVENTS_KEPT) ||
	       (READ_ONCE(instinct_require_policy) && nla_put_flag(skb, A(INFO_POLICY_REQUIRED))) ?
	       -EMSGSIZE : 0;
}

static int info_get_doit(struct sk_buff *req, struct genl_info *info)
{
	return instinct_netlink_answer(info, put_info, NULL);
}

/* The members of these structs are in the order of their attributes, of which the first is 1. */
static_assert(offsetof(struct instinct_resets, failed) == (A(RESETS_FAILED) - 1) * sizeof(u64) &&
	      offsetof(struct instinct_config_counts, longest) ==
	      (A(CONFIG_LONGEST) - 1) * sizeof(u64));

static int put_counts(struct sk_buff *skb, int type, const u64 *count, int last, int pad)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	int attr;

	if (!nest)
		return -EMSGSIZE;
	for (attr = 1; attr <= last; attr++)
		if (nla_put_u64_64bit(skb, attr, *count++, pad))
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

/* Puts only the keys that any endpoint has for an @endpoint that this driver does not have. */
static int put_policy(struct sk_buff *skb, const struct instinct_policy *policy, bool endpoint,
		      bool policy_set)
{
	const struct instinct_peers *peers = &policy->isolation.peers;
	const struct instinct_policy_key *key;

	instinct_policy_for_each_key(key)
		if ((!endpoint || key->isolation) &&
		    (key->text ? nla_put(skb, key->attr, peers->count * sizeof(*peers->item),
					 peers->item) :
				 nla_put_u32(skb, key->attr, instinct_policy_get(policy, key))))
			return -EMSGSIZE;
	return policy_set ? nla_put_flag(skb, A(POLICY_SET)) : 0;
}

static int put_gpu(struct sk_buff *skb, void *device)
{
	/* Any user that has no GPU open yet. */
	static const struct instinct_user anybody = { .number = U64_MAX };
	struct instinct_device *dev = device;
	const struct instinct_profile *profile = dev->profile;
	/* A reset under way may add to the numbers; each number for itself is right. */
	struct instinct_config_counts counts = data_race(dev->reconcile.counts);
	char why[INSTINCT_REASON_BYTES];
	struct instinct_status status;
	struct nlattr *nest;

	instinct_device_status(dev, &status);
	/* Once reset work has claimed the device, readers see the reset as begun. */
	if (status.borrowed & INSTINCT_BORROWED_WORKER && status.state == INSTINCT_VFIO_STATE_READY)
		status.state = INSTINCT_VFIO_STATE_RESETTING;
	if (status.state == INSTINCT_VFIO_STATE_READY && status.owner == INSTINCT_OWNER_NONE &&
	    instinct_reset_blocks(dev, &status, &anybody, why)) {
		status.state = INSTINCT_VFIO_STATE_BLOCKED;
		strscpy(status.reason, why, sizeof(status.reason));
	}
	if (nla_put_string(skb, A(DEV_BDF), pci_name(dev->pdev)) ||
	    nla_put_u64_64bit(skb, A(DEV_SERIAL), READ_ONCE(dev->serial), A(DEV_PAD)) ||
	    nla_put_string(skb, A(DEV_MODEL), profile->model) ||
	    nla_put_string(skb, A(DEV_FAMILY), profile->family->name) ||
	    nla_put_u32(skb, A(DEV_STATE), status.state) ||
	    nla_put_string(skb, A(DEV_REASON), status.reason) ||
	    nla_put_u32(skb, A(DEV_OPEN), !!status.user.number) ||
	    nla_put_u32(skb, A(DEV_LOST_BY), status.lost_by) || put_seen(skb, &status.seen))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, A(DEV_POLICY));
	if (!nest || put_policy(skb, &status.policy, false, status.policy_set))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return put_counts(skb, A(DEV_RESETS), &status.resets.hardware, A(RESETS_FAILED),
			  A(RESETS_PAD)) ?:
	       put_counts(skb, A(DEV_CONFIG), &counts.blocked, A(CONFIG_LONGEST), A(CONFIG_PAD));
}

static int dev_get_doit(struct sk_buff *req, struct genl_info *info)
{
	return instinct_netlink_answer(info, put_gpu, info->user_ptr[0]);
}

static int put_next_device(struct sk_buff *skb, struct netlink_callback *cb)
{
	return put_nth(skb, cb->args[0], put_gpu);
}

static int put_nth_endpoint(struct sk_buff *skb, unsigned int index)
{
	struct instinct_policy policy = { };
	char bdf[INSTINCT_BDF_BYTES];

	if (!instinct_isolation_unmanaged(index, bdf, &policy.isolation))
		return -ENOENT;
	return nla_put_string(skb, A(POLICY_BDF), bdf) ?: put_policy(skb, &policy, true, true);
}

static int put_nth_pending(struct sk_buff *skb, unsigned int index)
{
	struct instinct_identity identity;
	struct instinct_policy policy;
	bool policy_set;

	if (!instinct_record_nth(index, &identity, &policy, &policy_set))
		return -ENOENT;
	return nla_put_string(skb, A(POLICY_BDF), identity.bdf) ?:
	       put_policy(skb, &policy, false, policy_set) ?: nla_put_flag(skb, A(POLICY_PENDING));
}

/* cb->args[0] is the cursor among the endpoints, and once cb->args[1] is set, among the GPUs. */
static int put_next_policy(struct sk_buff *skb, struct netlink_callback *cb)
{
	int ret;

	if (!cb->args[1]) {
		ret = put_nth_endpoint(skb, cb->args[0]);
		if (ret != -ENOENT)
			return ret;
		cb->args[1] = true;
		cb->args[0] = 0;
	}
	return put_nth_pending(skb, cb->args[0]);
}

static int release_doit(struct sk_buff *req, struct genl_info *info)
{
	const struct nlattr *methods = info->attrs[A(DEV_LOST_BY)];
	struct instinct_device *dev = info->user_ptr[0];
	const char *why;
	int ret;

	instinct_netlink_log(dev, "release");
	ret = instinct_device_release(dev, methods ? nla_get_u32(methods) : 0, &why);
	return ret ? instinct_netlink_refuse(info, NULL, why, ret) : 0;
}

static int isolation_check_doit(struct sk_buff *req, struct genl_info *info)
{
	instinct_isolation_look(true);
	return 0;
}

static int put_next_item(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct instinct_isolation_item item;

	if (!instinct_isolation_item(cb->args[0], &item))
		return -ENOENT;
	if (nla_put_string(skb, A(ISO_BDF), item.bdf) ||
	    nla_put_u64_64bit(skb, A(ISO_DRIFTS), item.drifts, A(ISO_PAD)) ||
	    (item.looked && nla_put_u64_64bit(skb, A(ISO_LOOKED), item.looked, A(ISO_PAD))))
		return -EMSGSIZE;
	if (item.ats != INSTINCT_VFIO_ATS_IGNORE)
		return nla_put_string(skb, A(ISO_OF), item.of) ||
		       nla_put_u32(skb, A(ISO_ATS), item.ats) ||
		       nla_put_u32(skb, A(ISO_ATS_STATE), item.ats_state) ?
		       -EMSGSIZE : 0;
	return nla_put_u32(skb, A(ISO_ROLE), item.role) ||
	       nla_put_u32(skb, A(ISO_CAPABLE), item.capable) ||
	       nla_put_u32(skb, A(ISO_FOUND), item.found) ||
	       nla_put_u32(skb, A(ISO_WANTED), item.wanted) ||
	       nla_put_u32(skb, A(ISO_MASK), item.mask) ||
	       nla_put_u32(skb, A(ISO_BEFORE), item.before) ? -EMSGSIZE : 0;
}

static int stats_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = STATS_BYTES;
	return 0;
}

static int put_duration(struct sk_buff *skb, int type, u32 of, struct instinct_duration *duration)
{
	u64 count = atomic64_read(&duration->count);
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest || nla_put_u32(skb, A(DURATION_OF), of) ||
	    nla_put_u64_64bit(skb, A(DURATION_COUNT), count, A(DURATION_PAD)) ||
	    nla_put_u64_64bit(skb, A(DURATION_SUM), atomic64_read(&duration->sum), A(DURATION_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_durations(struct sk_buff *skb)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < INSTINCT_METHODS && !ret; i++)
		ret = put_duration(skb, A(STATS_DURATION), i, &instinct_durations.method[i]);
	for (i = 0; i < INSTINCT_PHASES && !ret; i++)
		ret = put_duration(skb, A(STATS_PHASE), i, &instinct_durations.phase[i]);
	return ret;
}

/* @of: values of the attributes from @first to @last */
static int put_tally(struct sk_buff *skb, int type, const u32 *of, int first, int last, u64 count)
{
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest || nla_put_u64_64bit(skb, A(TALLY_COUNT), count, A(TALLY_PAD)))
		return -EMSGSIZE;
	for (; first <= last; first++)
		if (nla_put_u32(skb, first, *of++))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_stats(struct sk_buff *skb, void *device)
{
	struct instinct_device *dev = device;
	const atomic64_t *reset = &dev->stats.reset[0][0][0];
	u64 policy_time = atomic64_read(&dev->stats.policy_time);
	int ret = nla_put_string(skb, A(STATS_BDF), pci_name(dev->pdev));
	u32 kind, of[3];

	for (of[0] = 0; of[0] < INSTINCT_METHODS; of[0]++)
		for (of[1] = 0; of[1] < INSTINCT_CAUSES; of[1]++)
			for (of[2] = 0; of[2] < INSTINCT_RESULTS && !ret; of[2]++)
				ret = put_tally(skb, A(STATS_RESET), of, A(TALLY_METHOD),
						A(TALLY_RESULT), atomic64_read(reset++));
	for (kind = 0; kind < INSTINCT_EVENT_KINDS && !ret; kind++)
		ret = put_tally(skb, A(STATS_EVENT), &kind, A(TALLY_EVENT), A(TALLY_EVENT),
				atomic64_read(&dev->stats.event[kind]));
	if (!ret && policy_time)
		ret = nla_put_u64_64bit(skb, A(STATS_POLICY_TIME), policy_time, A(STATS_PAD));
	return ret;
}

/* cb->args[0] is 0 for the message about all devices, and n + 1 for the one about device n. */
static int put_next_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	return cb->args[0] ? put_nth(skb, cb->args[0] - 1, put_stats) :
			     put_durations(skb);
}

/*
 * Room for the attributes of any event. Every event has 5 u64 and at most 5 u32. An event about a
 * port, a temperature or a secure OS has at most 5 u32 more.
 */
#define EVENT_BYTES \
	(2 * nla_total_size(INSTINCT_BDF_BYTES) + nla_total_size(INSTINCT_REASON_BYTES) + \
	 5 * nla_total_size_64bit(sizeof(u64)) + (5 + 5) * nla_total_size(sizeof(u32)) + \
	 nla_total_size(INSTINCT_PHASES * sizeof(u64)))

static int put_event(struct sk_buff *skb, const struct instinct_event *event)
{
	if (nla_put_u64_64bit(skb, A(EVENT_SEQ), event->seq, A(EVENT_PAD)) ||
	    nla_put_u64_64bit(skb, A(EVENT_EPOCH), epoch, A(EVENT_PAD)) ||
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
	    (event->config_register &&
	     nla_put_u32(skb, A(EVENT_REGISTER), event->config_register)) ||
	    (event->port[0] && (nla_put_string(skb, A(EVENT_PORT), event->port) ||
				nla_put_u32(skb, A(EVENT_FOUND), event->found) ||
				nla_put_u32(skb, A(EVENT_WANTED), event->wanted))) ||
	    (event->kind >= INSTINCT_VFIO_EVENT_THERMAL_WARNING &&
	     event->kind <= INSTINCT_VFIO_EVENT_THERMAL_FRESH &&
	     (nla_put_u32(skb, A(EVENT_SENSOR), event->sensor) ||
	      nla_put_u32(skb, A(EVENT_SOURCE), event->source) ||
	      nla_put_s32(skb, A(EVENT_TEMPERATURE), event->temperature) ||
	      nla_put_u32(skb, A(EVENT_ALARM), event->alarm) ||
	      nla_put_s32(skb, A(EVENT_THRESHOLD), event->threshold))) ||
	    (event->duration && nla_put(skb, A(EVENT_PHASES), sizeof(event->phase), event->phase)))
		return -EMSGSIZE;
	return 0;
}

/*
 * Sends an event to the subscribers, and waits neither for memory nor for a receiver. A subscriber
 * that misses the message gets ENOBUFS, as if its socket's buffer were full, and then reads the
 * ring.
 */
static void event_multicast(const struct instinct_event *event)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&instinct_family, &init_net, 0))
		return;
	skb = genlmsg_new(EVENT_BYTES, GFP_NOWAIT | __GFP_NOWARN);
	if (!skb || !genlmsg_put(skb, 0, 0, &instinct_family, 0, INSTINCT_VFIO_CMD_EVENT) ||
	    put_event(skb, event)) {
		nlmsg_free(skb);
		genl_set_err(&instinct_family, &init_net, 0, 0, -ENOBUFS);
		return;
	}
	nlmsg_end(skb, nlmsg_hdr(skb));
	genlmsg_multicast(&instinct_family, skb, 0, 0, GFP_NOWAIT);
}

/* cb->args[0] is the number of the next event. */
static int put_next_event(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *from = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, A(EVENT_SEQ));
	struct instinct_event event;

	if (!cb->args[0] && from)
		cb->args[0] = nla_get_u64(from);
	/* Since the cursor is an event's number, a dump of events stays consistent. */
	cb->seq = 0;
	if (!instinct_event_read(cb->args[0], &event))
		return -ENOENT;
	/* The ring may have dropped events before this one. */
	cb->args[0] = event.seq;
	return put_event(skb, &event);
}

/*
 * For each command with a dump, the function that fills in the object at the dump's cursor, cb->args[0]. It
 * returns 0, -ENOENT past the last object, or -EMSGSIZE.
 */
static int (*const put_next[])(struct sk_buff *skb, struct netlink_callback *cb) = {
	[INSTINCT_VFIO_CMD_DEV_GET] = put_next_device,
	[INSTINCT_VFIO_CMD_POLICY_GET] = put_next_policy,
	[INSTINCT_VFIO_CMD_EVENT_GET] = put_next_event,
	[INSTINCT_VFIO_CMD_ISOLATION_GET] = put_next_item,
	[INSTINCT_VFIO_CMD_STATS_GET] = put_next_stats,
};

/* Answers with all objects of a kind, one message for each. */
static int get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);

	for (;;) {
		void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					 &instinct_family, NLM_F_MULTI, request->cmd);
		int ret;

		/* Odd, since 0 means that the walk needs no check. */
		cb->seq = (unsigned int)atomic_read(&instinct_list_changes) << 1 | 1;
		ret = head ? put_next[request->cmd](skb, cb) : -EMSGSIZE;
		if (ret) {
			if (head)
				genlmsg_cancel(skb, head);
			return skb->len || ret == -ENOENT ? skb->len : ret;
		}
		genl_dump_check_consistent(cb, head);
		genlmsg_end(skb, head);
		cb->args[0]++;
	}
}

/* The registry's lock keeps the device from going meanwhile, so no alarm follows its removal. */
static int alarm_doit(struct sk_buff *req, struct genl_info *info)
{
	struct instinct_device *dev = info->user_ptr[0];
	struct nlattr **attrs = info->attrs;
	struct instinct_event event = { };
	int attr = A(EVENT_SENSOR), ret = 0;

	while (attr <= A(EVENT_THRESHOLD) && attrs[attr])
		attr++;
	if (attr <= A(EVENT_THRESHOLD) || !attrs[A(EVENT_KIND)])
		return instinct_netlink_refuse(info, NULL, "an alarm needs kind, sensor, source, temperature, alarm and threshold",
					       -EINVAL);
	event.kind = nla_get_u32(attrs[A(EVENT_KIND)]);
	event.sensor = nla_get_u32(attrs[A(EVENT_SENSOR)]);
	event.source = nla_get_u32(attrs[A(EVENT_SOURCE)]);
	event.temperature = nla_get_s32(attrs[A(EVENT_TEMPERATURE)]);
	event.alarm = nla_get_u32(attrs[A(EVENT_ALARM)]);
	event.threshold = nla_get_s32(attrs[A(EVENT_THRESHOLD)]);
	if (attrs[A(EVENT_REASON)])
		nla_strscpy(event.reason, attrs[A(EVENT_REASON)], sizeof(event.reason));
	mutex_lock(&instinct_devices_lock);
	if (dev->status.present)
		instinct_device_emit(dev, &event);
	else
		ret = instinct_netlink_refuse(info, NULL, "the device has just been unbound",
					      -ENODEV);
	mutex_unlock(&instinct_devices_lock);
	return ret;
}

static const struct nla_policy dev_policy[A(DEV_MAX) + 1] = {
	[A(DEV_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(DEV_LOST_BY)] = NLA_POLICY_MIN(NLA_U32, 1),
};

static const struct nla_policy reset_policy[A(RESET_MAX) + 1] = {
	[A(RESET_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(RESET_METHOD)] = { .type = NLA_U32 },
	[A(RESET_DRY_RUN)] = { .type = NLA_FLAG },
	[A(RESET_READY_TIMEOUT)] = { .type = NLA_U32 },
	[A(RESET_BUS_PORT)] = { .type = NLA_U32 },
	[A(RESET_FATAL)] = { .type = NLA_FLAG },
};

static const struct nla_policy event_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_SEQ)] = { .type = NLA_U64 },
};

static struct netlink_range_validation_signed temperatures = {
	.min = INSTINCT_VFIO_TEMPERATURE_MIN,
	.max = INSTINCT_VFIO_TEMPERATURE_MAX,
};

static const struct nla_policy alarm_policy[A(EVENT_MAX) + 1] = {
	[A(EVENT_KIND)] = NLA_POLICY_RANGE(NLA_U32, INSTINCT_VFIO_EVENT_THERMAL_WARNING,
					   INSTINCT_VFIO_EVENT_THERMAL_FRESH),
	[A(EVENT_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(EVENT_REASON)] = { .type = NLA_NUL_STRING, .len = INSTINCT_REASON_BYTES - 1 },
	[A(EVENT_SENSOR)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_SENSOR_BOARD),
	[A(EVENT_SOURCE)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_SOURCE_REDFISH),
	[A(EVENT_TEMPERATURE)] = NLA_POLICY_FULL_RANGE_SIGNED(NLA_S32, &temperatures),
	[A(EVENT_ALARM)] = NLA_POLICY_MAX(NLA_U32, INSTINCT_VFIO_ALARM_CRITICAL),
	[A(EVENT_THRESHOLD)] = NLA_POLICY_FULL_RANGE_SIGNED(NLA_S32, &temperatures),
};

static const struct nla_policy apply_policy[A(APPLY_MAX) + 1] = {
	[A(APPLY_POLICY)] = NLA_POLICY_NESTED(instinct_policy_attrs),
};

/*
 * Checks the sender's privilege, and finds the device that the request names; request_end() puts
 * the device.
 *
 * GENL_ADMIN_PERM would require CAP_NET_ADMIN, which network plugins have. A network plugin must
 * not be able to release a quarantined GPU.
 */
static int request_begin(const struct instinct_compat_genl_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	const struct nlattr *bdf;

	if (ops->internal_flags & NEEDS_ADMIN && !netlink_capable(skb, CAP_SYS_ADMIN))
		return instinct_netlink_refuse(info, NULL, "the request needs CAP_SYS_ADMIN in the initial user namespace; send it as root of the host",
					       -EPERM);
	if (!(ops->internal_flags & NAMES_DEVICE))
		return 0;
	static_assert((int)A(DEV_BDF) == (int)A(RESET_BDF));
	bdf = info->attrs[ops->cmd == INSTINCT_VFIO_CMD_ALARM ? A(EVENT_BDF) : A(DEV_BDF)];
	if (!bdf)
		return instinct_netlink_refuse(info, NULL, "the device is missing: give its bdf, such as 0000:c1:00.0",
					       -EINVAL);
	info->user_ptr[0] = instinct_device_find(nla_data(bdf));
	if (info->user_ptr[0])
		return 0;
	return instinct_netlink_refuse(info, bdf, "no such device is bound to instinct_vfio_pci (see instinctctl bind)",
				       -ENODEV);
}

static void request_end(const struct instinct_compat_genl_ops *ops, struct sk_buff *skb,
			struct genl_info *info)
{
	if (info->user_ptr[0])
		instinct_device_put(info->user_ptr[0]);
}

#define OP(_cmd, _flags, ...) \
	{ .cmd = INSTINCT_VFIO_CMD_##_cmd, .internal_flags = (_flags), __VA_ARGS__ }
#define ATTRS(_policy, _max)	.policy = (_policy), .maxattr = A(_max)

static const struct genl_ops instinct_ops[] = {
	OP(INFO_GET, 0, .doit = info_get_doit),
	OP(DEV_GET, NAMES_DEVICE, ATTRS(dev_policy, DEV_MAX), .doit = dev_get_doit, .dumpit = get_dumpit),
	OP(POLICY_GET, 0, .dumpit = get_dumpit),
	OP(POLICY_APPLY, NEEDS_ADMIN, ATTRS(apply_policy, APPLY_MAX), .doit = instinct_netlink_policy_apply),
	OP(RESET, NEEDS_ADMIN | NAMES_DEVICE, ATTRS(reset_policy, RESET_MAX), .doit = instinct_netlink_reset),
	OP(RELEASE, NEEDS_ADMIN | NAMES_DEVICE, ATTRS(dev_policy, DEV_MAX), .doit = release_doit),
	OP(EVENT_GET, 0, ATTRS(event_policy, EVENT_MAX), .dumpit = get_dumpit),
	OP(ISOLATION_CHECK, NEEDS_ADMIN, .doit = isolation_check_doit),
	OP(ISOLATION_GET, 0, .dumpit = get_dumpit),
	OP(ALARM, NEEDS_ADMIN | NAMES_DEVICE, ATTRS(alarm_policy, EVENT_MAX), .doit = alarm_doit),
	OP(STATS_GET, 0, .start = stats_get_start, .dumpit = get_dumpit),
};

static const struct genl_multicast_group instinct_groups[] = {
	{ .name = INSTINCT_VFIO_MCGRP_EVENTS },
};

/*
 * Without .netnsok, only the initial network namespace has the family. Requests run in parallel, so
 * that a read does not wait for a change of policy.
 */
struct genl_family instinct_family __ro_after_init = {
	.name = INSTINCT_VFIO_FAMILY_NAME,
	.version = INSTINCT_VFIO_FAMILY_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.pre_doit = request_begin,
	.post_doit = request_end,
	.ops = instinct_ops,
	.n_ops = ARRAY_SIZE(instinct_ops),
	.mcgrps = instinct_groups,
	.n_mcgrps = ARRAY_SIZE(instinct_groups),
	.resv_start_op = INSTINCT_VFIO_CMD_INFO_GET,
};

/**
 * instinct_netlink_init() - register the family, and begin to multicast events
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_init(void)
{
	int ret;

	epoch = ktime_get_real_ns();
	ret = genl_register_family(&instinct_family);
	if (!ret)
		instinct_event_listen(event_multicast);
	return ret;
}

/**
 * instinct_netlink_exit() - unregister the family, and wait for requests under way
 */
void instinct_netlink_exit(void)
{
	/* Work of resets and of isolation may still run, and emit events. */
	instinct_event_listen(NULL);
	genl_unregister_family(&instinct_family);
}
