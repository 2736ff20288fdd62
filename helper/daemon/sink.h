/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sinks of the daemon's events: the journal, a file of JSON lines, hooks. */
#ifndef SINK_H
#define SINK_H

#include <systemd/sd-event.h>

#include "model.h"

struct sink;

/**
 * struct sink_calls - the functions of a sink
 * @begin: optional; takes the module's epoch and the number of its newest event
 * @take: takes the next event; on a negative errno the sink has not taken it, maybe because
 *	it has become busy
 * @gap: takes a gap, under the same rule
 * @flush: delivers all taken events; lowers @next to the number of the first event of @epoch
 *	that has not arrived yet. On a negative errno no event since the last flush has arrived
 * @close: frees the sink
 */
struct sink_calls {
	void (*begin)(struct sink *sink, uint64_t epoch, uint64_t newest);
	int (*take)(struct sink *sink, const struct event *event);
	int (*gap)(struct sink *sink, const struct gap *gap);
	int (*flush)(struct sink *sink, uint64_t epoch, uint64_t *next);
	void (*close)(struct sink *sink);
};

/**
 * struct sink - a sink of events
 * @name: name in the state file
 * @calls: functions of the sink
 * @busy: the sink can take nothing until it calls @wake
 * @done: number of events that have arrived since the feed set this to 0
 * @failed: number of these whose hook failed
 * @why: reason and remedy of an error whose errno does not explain it; or ""
 * @wake: called when the sink can go on
 * @data: passed to @wake
 */
struct sink {
	const char *name;
	const struct sink_calls *calls;
	bool busy;
	uint64_t done;
	uint64_t failed;
	char why[512];
	void (*wake)(void *data);
	void *data;
};

struct sink *sink_journal_new(sd_event *loop);
struct sink *sink_json_new(const char *path);
struct sink *sink_hooks_new(sd_event *loop, const char *folder, uint32_t timeout);
void sink_hooks_set(struct sink *sink, const char *folder, uint32_t timeout);

#endif /* SINK_H */
