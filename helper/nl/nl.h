/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module, over generic netlink. */
#ifndef NL_H
#define NL_H

#include "model.h"

struct nl;

#define NL_METHOD_POLICY	(-1)	/* reset as policy says */
#define NL_BUS_PORT_POLICY	(-1)	/* where policy says */

/**
 * struct nl_info - about the module
 * @version: of the module
 * @epoch: differs after each load
 * @oldest: number of the oldest event kept
 * @newest: number of the newest event
 * @capacity: how many the module keeps
 * @policy_required: a device without a policy is not handed out
 */
struct nl_info {
	char version[TEXT_BYTES];
	uint64_t epoch;
	uint64_t oldest;
	uint64_t newest;
	uint32_t capacity;
	bool policy_required;
};

/**
 * struct nl_reset_step - a method that a reset would try
 * @method: it
 * @refusal: why it would be passed over, or empty
 */
struct nl_reset_step {
	uint32_t method;
	char refusal[TEXT_BYTES];
};

/**
 * struct nl_reset_asked - a reset
 * @method: enum instinct_vfio_method, or NL_METHOD_POLICY
 * @ready_timeout: how long a method has this once, ms; 0: as policy says
 * @bus_port: enum instinct_vfio_bus_port this once, or NL_BUS_PORT_POLICY
 */
struct nl_reset_asked {
	int method;
	uint32_t ready_timeout;
	int bus_port;
};

#define NL_STEPS_MAX	8

/**
 * struct nl_reset_done - the answer to a reset, or to a dry run of one
 * @method: what was done
 * @duration: in ns
 * @coalesced: the GPU was clean, and nothing was done
 * @step: of a dry run, what would be tried, in order
 * @steps: how many
 */
struct nl_reset_done {
	uint32_t method;
	uint64_t duration;
	bool coalesced;
	struct nl_reset_step step[NL_STEPS_MAX];
	unsigned int steps;
};

/* Called as time passes, and with false when the wait is over. */
typedef void (*nl_tick_t)(bool waiting);
typedef void (*nl_event_t)(const struct event *event, void *data);

struct nl *nl_open(int *error);
void nl_close(struct nl *nl);
const char *nl_message(const struct nl *nl);
uint32_t nl_version(const struct nl *nl);
unsigned int nl_requests(const struct nl *nl);
int nl_info_get(struct nl *nl, struct nl_info *info);
int nl_devices_get(struct nl *nl, struct devices *devices);
int nl_isolation_get(struct nl *nl, struct isolation *isolation);
int nl_isolation_check(struct nl *nl);
int nl_reset_plan(struct nl *nl, const char *bdf, int method,
		  struct nl_reset_done *done);
int nl_reset(struct nl *nl, const char *bdf, int method,
	     struct nl_reset_done *done);
int nl_reset_asked(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		   struct nl_reset_done *done);
int nl_release(struct nl *nl, const char *bdf);
int nl_alarm(struct nl *nl, const char *bdf, const struct event *event);
int nl_stats_get(struct nl *nl, struct stats *stats);
int nl_events_join(struct nl *nl);
int nl_events_read(struct nl *nl, nl_event_t call, void *data);
int nl_events_replay(struct nl *nl, uint64_t from, nl_event_t call, void *data);
int nl_fd(const struct nl *nl);
void nl_on_wait(struct nl *nl, nl_tick_t tick);

#endif /* NL_H */
