/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module, over generic netlink. */
#ifndef NL_H
#define NL_H

#include "model.h"

struct nl;

#define NL_METHOD_POLICY	(-1)	/* the method of the device's policy */
#define NL_BUS_PORT_POLICY	(-1)	/* the bus_port of the device's policy */

/**
 * struct nl_info - facts about the loaded module
 * @version: version of the module
 * @epoch: number that differs after each load of the module
 * @oldest: number of the oldest event that the module keeps
 * @newest: number of the newest event
 * @capacity: number of events that the module keeps
 * @policy_required: the module does not hand out a device without a policy
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
 * struct nl_reset_step - a step of the method list of a reset
 * @method: enum instinct_vfio_method
 * @refusal: reason why the module would skip the method, "" if it would try it
 */
struct nl_reset_step {
	uint32_t method;
	char refusal[TEXT_BYTES];
};

/**
 * struct nl_reset_asked - options of one reset, which override policy
 * @method: enum instinct_vfio_method, or NL_METHOD_POLICY
 * @ready_timeout: time that a method has, ms; 0 for that of policy
 * @bus_port: enum instinct_vfio_bus_port, or NL_BUS_PORT_POLICY
 * @fatal: a RAS fatal error has come before
 */
struct nl_reset_asked {
	int method;
	uint32_t ready_timeout;
	int bus_port;
	bool fatal;
};

#define NL_STEPS_MAX	8

/**
 * struct nl_reset_done - the answer to a reset, or to a dry run of one
 * @method: method that has reset the GPU
 * @duration: time that the reset took, ns
 * @coalesced: the GPU was clean already, and the module did nothing
 * @step: method list that a dry run reports, in order
 * @steps: number of steps
 */
struct nl_reset_done {
	uint32_t method;
	uint64_t duration;
	bool coalesced;
	struct nl_reset_step step[NL_STEPS_MAX];
	unsigned int steps;
};

/* Called with true at intervals during a wait, and with false at its end. */
typedef void (*nl_tick_t)(bool waiting);
typedef void (*nl_event_t)(const struct event *event, void *data);

struct nl *nl_open(int *error);
void nl_close(struct nl *nl);
int nl_refused(struct nl *nl, const char *what, const char *bdf, int error);
const char *nl_message(const struct nl *nl);
uint32_t nl_version(const struct nl *nl);
unsigned int nl_requests(const struct nl *nl);
int nl_info_get(struct nl *nl, struct nl_info *info);
int nl_devices_get(struct nl *nl, struct devices *devices);
int nl_isolation_get(struct nl *nl, struct isolation *isolation);
int nl_isolation_check(struct nl *nl);
int nl_reset_plan(struct nl *nl, const char *bdf, int method,
		  struct nl_reset_done *done);
int nl_reset_asked(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		   struct nl_reset_done *done);
int nl_release(struct nl *nl, const char *bdf, uint32_t methods);
int nl_alarm(struct nl *nl, const char *bdf, const struct event *event);
int nl_stats_get(struct nl *nl, struct stats *stats);
int nl_events_join(struct nl *nl);
int nl_events_read(struct nl *nl, nl_event_t call, void *data);
int nl_events_replay(struct nl *nl, uint64_t from, nl_event_t call, void *data);
int nl_fd(const struct nl *nl);
void nl_on_wait(struct nl *nl, nl_tick_t tick);

#endif /* NL_H */
