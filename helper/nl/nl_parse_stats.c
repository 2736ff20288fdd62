// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "nl_attrs.h"
#include "nl_parse.h"

#define A(name)		INSTINCT_VFIO_A_##name

static int get_duration(const struct nlattr *nest, struct duration *duration)
{
	struct nl_attrs attrs;

	return nl_attrs_of_nest(nest, &attrs) ||
	       !nl_get_u32(&attrs, A(DURATION_OF), &duration->of) ||
	       !nl_get_u64(&attrs, A(DURATION_COUNT), &duration->count) ||
	       !nl_get_u64(&attrs, A(DURATION_SUM), &duration->sum) ? -EBADMSG : 0;
}

/* Absent attributes leave 0: a counter of resets has no event, one of events no method. */
static int get_tally(const struct nlattr *nest, struct tally *tally)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_nest(nest, &attrs) ||
	    !nl_get_u64(&attrs, A(TALLY_COUNT), &tally->count))
		return -EBADMSG;
	nl_get_u32(&attrs, A(TALLY_METHOD), &tally->method);
	nl_get_u32(&attrs, A(TALLY_CAUSE), &tally->cause);
	nl_get_u32(&attrs, A(TALLY_RESULT), &tally->result);
	nl_get_u32(&attrs, A(TALLY_EVENT), &tally->event);
	return 0;
}

static int get_device_stats(const struct nlmsghdr *nlh, const struct nl_attrs *attrs,
			    struct device_stats *dev)
{
	const struct nlattr *attr;
	int ret = 0;

	if (!nl_get_text(attrs, A(STATS_BDF), dev->bdf, sizeof(dev->bdf)))
		return -EBADMSG;
	nl_get_u64(attrs, A(STATS_POLICY_TIME), &dev->policy_time);
	nl_for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
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

	nl_for_each_attr(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == A(STATS_DURATION))
			ret = get_duration(attr, list_add((void **)&stats->duration,
							  &stats->durations,
							  sizeof(*stats->duration)));
		else if (mnl_attr_get_type(attr) == A(STATS_PHASE))
			ret = get_duration(attr, list_add((void **)&stats->phase,
							  &stats->phases,
							  sizeof(*stats->phase)));
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * nl_parse_stats() - parse a reply to STATS_GET, about the module or about one device
 * @nlh: message
 * @stats: statistics that the reply is added to
 *
 * Return: 0 or -EBADMSG.
 */
int nl_parse_stats(const struct nlmsghdr *nlh, struct stats *stats)
{
	struct nl_attrs attrs;

	if (nl_attrs_of_message(nlh, &attrs))
		return -EBADMSG;
	if (!attrs.of[A(STATS_BDF)])
		return get_host_stats(nlh, stats);
	return get_device_stats(nlh, &attrs,
				list_add((void **)&stats->device, &stats->devices,
					 sizeof(*stats->device)));
}
