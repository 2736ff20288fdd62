// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <net/netlink.h>

#include "core/stats.h"

#define BUCKETS	16
#define MS(n)	((n) * (u64)NSEC_PER_MSEC)

/**
 * struct histogram - distribution of a duration
 * @count: number of measurements
 * @sum: sum of the measurements, ns
 * @bucket: number of measurements up to the bucket's bound and above the bound of the bucket
 *	before; the last bucket has no bound
 */
struct histogram {
	u64 count;
	u64 sum;
	u64 bucket[BUCKETS];
};

/* Upper bounds of the buckets, in ns. The longest is the longest deadline that policy can set. */
static const u64 bounds[BUCKETS - 1] = {
	MS(1), MS(5), MS(10), MS(50), MS(100), MS(250), MS(500), MS(1000), MS(2500),
	MS(5000), MS(10000), MS(30000), MS(60000), MS(120000), MS(600000),
};

/* Guards all statistics and the durations. Innermost lock. */
static DEFINE_SPINLOCK(stats_lock);

/**
 * struct durations - durations of resets that ended well, of all devices since the module load
 * @method: whole resets, by method
 * @phase: phases of these resets
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

/* instinct_stats_count() computes a result from the kind of an event. */
static_assert(INSTINCT_VFIO_EVENT_RESET_FAILED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_FAILED &&
	      INSTINCT_VFIO_EVENT_RESET_COALESCED - INSTINCT_VFIO_EVENT_RESET_DONE ==
	      (int)INSTINCT_VFIO_RESULT_COALESCED);

/**
 * instinct_stats_count() - count an event
 * @stats: statistics of the device
 * @event: the event
 *
 * Context: process.
 */
void instinct_stats_count(struct instinct_stats *stats, const struct instinct_event *event)
{
	unsigned int i, result = event->kind - INSTINCT_VFIO_EVENT_RESET_DONE;

	spin_lock(&stats_lock);
	stats->event[event->kind]++;
	if (result < INSTINCT_RESULTS)
		stats->reset[event->method][event->cause][result]++;
	if (result == INSTINCT_VFIO_RESULT_DONE)
		measure(&durations.method[event->method], event->duration);
	for (i = 0; result == INSTINCT_VFIO_RESULT_DONE && i < INSTINCT_PHASES; i++)
		if (event->phases_passed & BIT(i))
			measure(&durations.phase[i], event->phase[i]);
	if (event->kind == INSTINCT_VFIO_EVENT_POLICY_APPLIED)
		stats->policy_time = ktime_get_real_seconds();
	spin_unlock(&stats_lock);
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
 * instinct_stats_put_durations() - put the A_STATS_* of all devices: durations of resets
 * @skb: message to put the attributes into
 *
 * Context: process.
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_stats_put_durations(struct sk_buff *skb)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(bounds) && !ret; i++)
		ret = nla_put_u64_64bit(skb, A(STATS_BOUND), bounds[i], A(STATS_PAD));
	spin_lock(&stats_lock);
	for (i = 0; i < INSTINCT_METHODS && !ret; i++)
		ret = put_histogram(skb, A(STATS_DURATION), i, &durations.method[i]);
	for (i = 0; i < INSTINCT_PHASES && !ret; i++)
		ret = put_histogram(skb, A(STATS_PHASE), i, &durations.phase[i]);
	spin_unlock(&stats_lock);
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
 * instinct_stats_put() - put the A_STATS_* of one device: counts of resets and events
 * @skb: message to put the attributes into
 * @stats: statistics of the device
 *
 * Context: process.
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_stats_put(struct sk_buff *skb, const struct instinct_stats *stats)
{
	unsigned int method, cause, result, kind;
	int ret = 0;

	spin_lock(&stats_lock);
	for (method = 0; method < INSTINCT_METHODS; method++)
		for (cause = 0; cause < INSTINCT_CAUSES; cause++)
			for (result = 0; result < INSTINCT_RESULTS && !ret; result++)
				ret = put_reset_count(skb, method, cause, result,
						      stats->reset[method][cause][result]);
	for (kind = 0; kind < INSTINCT_EVENT_KINDS && !ret; kind++)
		ret = put_event_count(skb, kind, stats->event[kind]);
	if (!ret && stats->policy_time)
		ret = nla_put_u64_64bit(skb, A(STATS_POLICY_TIME), stats->policy_time,
					A(STATS_PAD));
	spin_unlock(&stats_lock);
	return ret;
}
