// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sizes.h>
#include <linux/slab.h>

#include "netlink_reply.h"
#include "netlink_stats.h"

/*
 * A message takes as much room as it could ever need: a device's, if all 150
 * combinations of method, cause and result had occurred, and all kinds of events.
 */
#define STATS_BYTES	SZ_16K

/**
 * instinct_netlink_stats_start() - STATS_GET begins
 * @cb: the dump
 *
 * Return: 0.
 */
int instinct_netlink_stats_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = STATS_BYTES;
	return 0;
}

static int put_u64(struct sk_buff *skb, int type, u64 val, int pad)
{
	return nla_put_u64_64bit(skb, type, val, pad);
}

static int put_histogram(struct sk_buff *skb, int type, u32 of,
			 const struct instinct_histogram *histogram)
{
	struct nlattr *nest;
	unsigned int i;

	if (!histogram->count)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest || nla_put_u32(skb, A(HISTOGRAM_OF), of) ||
	    put_u64(skb, A(HISTOGRAM_COUNT), histogram->count, A(HISTOGRAM_PAD)) ||
	    put_u64(skb, A(HISTOGRAM_SUM), histogram->sum, A(HISTOGRAM_PAD)))
		return -EMSGSIZE;
	for (i = 0; i < INSTINCT_BUCKETS; i++)
		if (put_u64(skb, A(HISTOGRAM_BUCKET), histogram->bucket[i],
			    A(HISTOGRAM_PAD)))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Of all devices. */
static int put_durations(struct sk_buff *skb)
{
	struct instinct_durations *durations = kmalloc(sizeof(*durations), GFP_KERNEL);
	unsigned int i;
	int ret = 0;

	if (!durations)
		return -ENOMEM;
	instinct_durations_get(durations);
	for (i = 0; i < INSTINCT_BUCKETS - 1 && !ret; i++)
		ret = put_u64(skb, A(STATS_BOUND), instinct_bounds[i], A(STATS_PAD));
	for (i = 0; i < INSTINCT_METHODS && !ret; i++)
		ret = put_histogram(skb, A(STATS_DURATION), i, &durations->method[i]);
	for (i = 0; i < INSTINCT_PHASES && !ret; i++)
		ret = put_histogram(skb, A(STATS_PHASE), i, &durations->phase[i]);
	kfree(durations);
	return ret;
}

static int put_reset_count(struct sk_buff *skb, u32 method, u32 cause, u32 result,
			   u64 count)
{
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, A(STATS_RESET));
	if (!nest || nla_put_u32(skb, A(TALLY_METHOD), method) ||
	    nla_put_u32(skb, A(TALLY_CAUSE), cause) ||
	    nla_put_u32(skb, A(TALLY_RESULT), result) ||
	    put_u64(skb, A(TALLY_COUNT), count, A(TALLY_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_event_count(struct sk_buff *skb, u32 kind, u64 count)
{
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, A(STATS_EVENT));
	if (!nest || nla_put_u32(skb, A(TALLY_EVENT), kind) ||
	    put_u64(skb, A(TALLY_COUNT), count, A(TALLY_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_tally(struct sk_buff *skb, const char *bdf,
		     const struct instinct_tally *tally)
{
	unsigned int method, cause, result, kind;
	int ret = nla_put_string(skb, A(STATS_BDF), bdf);

	for (method = 0; method < INSTINCT_METHODS; method++)
		for (cause = 0; cause < INSTINCT_CAUSES; cause++)
			for (result = 0; result < INSTINCT_RESULTS && !ret; result++)
				ret = put_reset_count(skb, method, cause, result,
						      tally->reset[method][cause][result]);
	for (kind = 0; kind < INSTINCT_EVENT_KINDS && !ret; kind++)
		ret = put_event_count(skb, kind, tally->event[kind]);
	if (!ret && tally->policy_time)
		ret = put_u64(skb, A(STATS_POLICY_TIME), tally->policy_time, A(STATS_PAD));
	return ret;
}

static int put_counts(struct sk_buff *skb, struct instinct_device *dev)
{
	struct instinct_tally *tally = kmalloc(sizeof(*tally), GFP_KERNEL);
	int ret;

	if (!tally)
		return -ENOMEM;
	instinct_tally_get(&dev->tally, tally);
	ret = put_tally(skb, pci_name(dev->pdev), tally);
	kfree(tally);
	return ret;
}

static int put_next(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (!cb->args[0])
		return put_durations(skb);
	return instinct_reply_put_nth(skb, cb->args[0] - 1, put_counts);
}

/**
 * instinct_netlink_stats_dump() - STATS_GET
 * @skb: answer
 * @cb: the dump; cb->args[0] is 0 before the message of all devices, and then one
 *	more than the index of the next one
 *
 * Return: bytes, 0 at the end, or a negative errno.
 */
int instinct_netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return instinct_reply_dump(skb, cb, INSTINCT_VFIO_CMD_STATS_GET, 0, put_next);
}
