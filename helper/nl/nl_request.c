// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>

#include "nl.h"
#include "nl_parse.h"
#include "nl_talk.h"
#include "sysfs.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define DUMP_TRIES	5

static int take_info(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_info(nlh, data);
}

/**
 * nl_info_get() - get the facts about the module
 * @nl: socket
 * @info: receives the facts
 *
 * Return: 0 or a negative errno.
 */
int nl_info_get(struct nl *nl, struct nl_info *info)
{
	*info = (struct nl_info) { 0 };
	return nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_INFO_GET, NLM_F_ACK),
		       take_info, info);
}

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_device(nlh, devices_add(data));
}

/**
 * nl_devices_get() - list the managed devices
 * @nl: socket
 * @devices: empty list, which receives the devices, with their place on the bus from sysfs
 *
 * Return: 0 or a negative errno.
 */
int nl_devices_get(struct nl *nl, struct devices *devices)
{
	int tries = DUMP_TRIES, ret;
	size_t i;

	do {
		devices_free(devices);
		ret = nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_DEV_GET,
					     NLM_F_DUMP), take_device, devices);
	} while (ret == -EAGAIN && --tries);
	for (i = 0; !ret && i < devices->count; i++)
		sysfs_place(&devices->list[i]);
	return ret;
}

static int take_isolated(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_isolated(nlh, isolation_add(data));
}

/**
 * nl_isolation_get() - list the ports and functions whose ACS and ATS policy covers
 * @nl: socket
 * @isolation: empty list, which receives the items
 *
 * Return: 0 or a negative errno.
 */
int nl_isolation_get(struct nl *nl, struct isolation *isolation)
{
	int tries = DUMP_TRIES, ret;

	do {
		isolation_free(isolation);
		ret = nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_ISOLATION_GET,
					     NLM_F_DUMP), take_isolated, isolation);
	} while (ret == -EAGAIN && --tries);
	return ret;
}

/**
 * nl_isolation_check() - have the module check ACS and ATS now
 * @nl: socket
 *
 * Return: 0 or a negative errno.
 */
int nl_isolation_check(struct nl *nl)
{
	return nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_ISOLATION_CHECK,
				      NLM_F_ACK), NULL, NULL);
}

static int take_reset(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_reset(nlh, data);
}

/**
 * nl_reset_asked() - reset a device with options that override policy, and wait
 * @nl: socket
 * @bdf: address of the device
 * @asked: options
 * @done: receives the outcome
 *
 * Return: 0 or a negative errno.
 */
int nl_reset_asked(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		   struct nl_reset_done *done)
{
	struct nlmsghdr *nlh = nl_request(nl, INSTINCT_VFIO_CMD_RESET,
					  NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(RESET_BDF), bdf);
	if (asked->method != NL_METHOD_POLICY)
		mnl_attr_put_u32(nlh, A(RESET_METHOD), asked->method);
	if (asked->ready_timeout)
		mnl_attr_put_u32(nlh, A(RESET_READY_TIMEOUT), asked->ready_timeout);
	if (asked->bus_port != NL_BUS_PORT_POLICY)
		mnl_attr_put_u32(nlh, A(RESET_BUS_PORT), asked->bus_port);
	if (asked->fatal)
		mnl_attr_put(nlh, A(RESET_FATAL), 0, NULL);
	return nl_talk(nl, nlh, take_reset, done);
}

static int take_plan(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_plan(nlh, data);
}

/**
 * nl_reset_plan() - get the method list that a reset would try
 * @nl: socket
 * @bdf: address of the device
 * @method: enum instinct_vfio_method, or NL_METHOD_POLICY
 * @done: zeroed outcome, which receives the steps
 *
 * Return: 0 or a negative errno.
 */
int nl_reset_plan(struct nl *nl, const char *bdf, int method,
		  struct nl_reset_done *done)
{
	struct nlmsghdr *nlh = nl_request(nl, INSTINCT_VFIO_CMD_RESET,
					  NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(RESET_BDF), bdf);
	mnl_attr_put(nlh, A(RESET_DRY_RUN), 0, NULL);
	if (method != NL_METHOD_POLICY)
		mnl_attr_put_u32(nlh, A(RESET_METHOD), method);
	return nl_talk(nl, nlh, take_plan, done);
}

/**
 * nl_release() - let a quarantined device be opened once as it is, or forgive methods
 * @nl: socket
 * @bdf: address of the device
 * @methods: 1 << enum instinct_vfio_method of the methods that may be tried again though they have
 *	lost the device; 0 to let the device be opened
 *
 * Return: 0 or a negative errno.
 */
int nl_release(struct nl *nl, const char *bdf, uint32_t methods)
{
	struct nlmsghdr *nlh = nl_request(nl, INSTINCT_VFIO_CMD_RELEASE,
					  NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(DEV_BDF), bdf);
	if (methods)
		mnl_attr_put_u32(nlh, A(DEV_LOST_BY), methods);
	return nl_talk(nl, nlh, NULL, NULL);
}

struct replay {
	nl_event_t call;
	void *data;
};

static int take_event(const struct nlmsghdr *nlh, void *data)
{
	struct replay *replay = data;
	struct event event;
	int ret = nl_parse_event(nlh, &event);

	if (!ret)
		replay->call(&event, replay->data);
	return ret;
}

/**
 * nl_events_replay() - read the events that the module keeps
 * @nl: socket that has not joined
 * @from: number of the first wanted event
 * @call: called for each event
 * @data: passed to @call
 *
 * Return: 0 or a negative errno.
 */
int nl_events_replay(struct nl *nl, uint64_t from, nl_event_t call, void *data)
{
	struct replay replay = { .call = call, .data = data };
	struct nlmsghdr *nlh = nl_request(nl, INSTINCT_VFIO_CMD_EVENT_GET,
					  NLM_F_DUMP);

	mnl_attr_put_u64(nlh, A(EVENT_SEQ), from);
	return nl_talk(nl, nlh, take_event, &replay);
}

/**
 * nl_alarm() - have the module send a thermal event to all subscribers
 * @nl: socket
 * @bdf: address of the device
 * @event: event, of which only the kind, sensor, source, temperature, alarm, threshold and reason
 *	are sent
 *
 * Return: 0 or a negative errno.
 */
int nl_alarm(struct nl *nl, const char *bdf, const struct event *event)
{
	struct nlmsghdr *nlh = nl_request(nl, INSTINCT_VFIO_CMD_ALARM, NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(EVENT_BDF), bdf);
	mnl_attr_put_u32(nlh, A(EVENT_KIND), event->kind);
	mnl_attr_put_u32(nlh, A(EVENT_SENSOR), event->sensor);
	mnl_attr_put_u32(nlh, A(EVENT_SOURCE), event->source);
	mnl_attr_put_u32(nlh, A(EVENT_TEMPERATURE), event->temperature);
	mnl_attr_put_u32(nlh, A(EVENT_ALARM), event->alarm);
	mnl_attr_put_u32(nlh, A(EVENT_THRESHOLD), event->threshold);
	if (*event->reason)
		mnl_attr_put_strz(nlh, A(EVENT_REASON), event->reason);
	return nl_talk(nl, nlh, NULL, NULL);
}

static int take_stats(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_stats(nlh, data);
}

/**
 * nl_stats_get() - get the module's counters
 * @nl: socket
 * @stats: empty statistics, filled; the caller must call stats_free()
 *
 * Return: 0 or a negative errno.
 */
int nl_stats_get(struct nl *nl, struct stats *stats)
{
	int tries = DUMP_TRIES, ret;

	do {
		stats_free(stats);
		ret = nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_STATS_GET,
					     NLM_F_DUMP), take_stats, stats);
	} while (ret == -EAGAIN && --tries);
	return ret;
}
