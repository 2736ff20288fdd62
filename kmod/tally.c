// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "netlink.h"

#define BUCKETS	16
#define MS(n)	((n) * (u64)NSEC_PER_MSEC)

/**
 * struct histogram - how long something took
 * @count: how often it was measured
 * @sum: ns
 * @bucket: how many were as long as its bound at most, and longer than that of the
 *	one before; the last one has no bound
 */
struct histogram {
	u64 count;
	u64 sum;
	u64 bucket[BUCKETS];
};

/* Upper bounds of the buckets, in ns; the longest is policy's longest deadline. */
static const u64 bounds[BUCKETS - 1] = {
	MS(1), MS(5), MS(10), MS(50), MS(100), MS(250), MS(500), MS(1000), MS(2500),
	MS(5000), MS(10000), MS(30000), MS(60000), MS(120000), MS(600000),
};

/* Guards all tallies and the durations. Innermost. */
static DEFINE_SPINLOCK(tally_lock);

/**
 * struct durations - of all devices, since the module was loaded
 * @method: resets that ended well, by method
 * @phase: their phases
 */
static struct durations {
	struct histogram method[INSTINCT_METHODS];
	struct histogram phase[INSTINCT_PHASES];
} durations;

static void measure(struct histogram *histogram, u64 ns)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(bounds) && ns > bounds[i])
		i++;
	histogram->bucket[i]++;
	histogram->count++;
	histogram->sum += ns;
}

/* By which an event tells its result. */
static_assert(INSTINCT_VFIO_EVENT_RESET_FAILED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_FAILED &&
	      INSTINCT_VFIO_EVENT_RESET_COALESCED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_COALESCED);

/**
 * instinct_tally_count() - count an event
 * @tally: of its device
 * @event: it
 *
 * Context: process.
 */
void instinct_tally_count(struct instinct_tally *tally, const struct instinct_event *event)
{
	unsigned int i, result = event->kind - INSTINCT_VFIO_EVENT_RESET_DONE;

	spin_lock(&tally_lock);
	tally->event[event->kind]++;
	if (result < INSTINCT_RESULTS)
		tally->reset[event->method][event->cause][result]++;
	if (result == INSTINCT_VFIO_RESULT_DONE)
		measure(&durations.method[event->method], event->duration);
	for (i = 0; result == INSTINCT_VFIO_RESULT_DONE && i < INSTINCT_PHASES; i++)
		if (event->phases_passed & BIT(i))
			measure(&durations.phase[i], event->phase[i]);
	if (event->kind == INSTINCT_VFIO_EVENT_POLICY_APPLIED)
		tally->policy_time = ktime_get_real_seconds();
	spin_unlock(&tally_lock);
}

static int put_histogram(struct sk_buff *skb, int type, u32 of, const struct histogram *histogram)
{
	struct nlattr *nest;
	unsigned int i;

	if (!histogram->count)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest || nla_put_u32(skb, A(HISTOGRAM_OF), of) ||
	    nla_put_u64_64bit(skb, A(HISTOGRAM_COUNT), histogram->count, A(HISTOGRAM_PAD)) ||
	    nla_put_u64_64bit(skb, A(HISTOGRAM_SUM), histogram->sum, A(HISTOGRAM_PAD)))
		return -EMSGSIZE;
	for (i = 0; i < BUCKETS; i++)
		if (nla_put_u64_64bit(skb, A(HISTOGRAM_BUCKET), histogram->bucket[i],
				      A(HISTOGRAM_PAD)))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * instinct_tally_put_durations() - A_STATS_* of all devices: how long their resets took
 * @skb: message
 *
 * Context: process.
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_tally_put_durations(struct sk_buff *skb)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(bounds) && !ret; i++)
		ret = nla_put_u64_64bit(skb, A(STATS_BOUND), bounds[i], A(STATS_PAD));
	spin_lock(&tally_lock);
	for (i = 0; i < INSTINCT_METHODS && !ret; i++)
		ret = put_histogram(skb, A(STATS_DURATION), i, &durations.method[i]);
	for (i = 0; i < INSTINCT_PHASES && !ret; i++)
		ret = put_histogram(skb, A(STATS_PHASE), i, &durations.phase[i]);
	spin_unlock(&tally_lock);
	return ret;
}

static int put_reset_count(struct sk_buff *skb, u32 method, u32 cause, u32 result, u64 count)
{
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, A(STATS_RESET));
	if (!nest || nla_put_u32(skb, A(TALLY_METHOD), method) ||
	    nla_put_u32(skb, A(TALLY_CAUSE), cause) || nla_put_u32(skb, A(TALLY_RESULT), result) ||
	    nla_put_u64_64bit(skb, A(TALLY_COUNT), count, A(TALLY_PAD)))
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
	    nla_put_u64_64bit(skb, A(TALLY_COUNT), count, A(TALLY_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * instinct_tally_put() - A_STATS_* of one device: how often what happened
 * @skb: message
 * @tally: of the device
 *
 * Context: process.
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_tally_put(struct sk_buff *skb, const struct instinct_tally *tally)
{
	unsigned int method, cause, result, kind;
	int ret = 0;

	spin_lock(&tally_lock);
	for (method = 0; method < INSTINCT_METHODS; method++)
		for (cause = 0; cause < INSTINCT_CAUSES; cause++)
			for (result = 0; result < INSTINCT_RESULTS && !ret; result++)
				ret = put_reset_count(skb, method, cause, result,
						      tally->reset[method][cause][result]);
	for (kind = 0; kind < INSTINCT_EVENT_KINDS && !ret; kind++)
		ret = put_event_count(skb, kind, tally->event[kind]);
	if (!ret && tally->policy_time)
		ret = nla_put_u64_64bit(skb, A(STATS_POLICY_TIME), tally->policy_time,
					A(STATS_PAD));
	spin_unlock(&tally_lock);
	return ret;
}
