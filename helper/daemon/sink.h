/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the daemon's events go: the journal, a file of JSON lines, hooks. */
#ifndef SINK_H
#define SINK_H

#include <systemd/sd-event.h>

#include "model.h"

struct sink;

/**
 * struct sink_calls - what a sink does
 * @begin: optional: the module's epoch and the newest number that it has now
 * @take: an event, the next one; 0 or a negative errno, and then it has not got it,
 *	maybe because it has become busy
 * @gap: the same for events that it cannot get any more
 * @flush: see to it that what was taken is where it belongs; lowers @next to the
 *	number of the first event of @epoch that is not there yet. A negative errno:
 *	nothing is that was taken since the last flush
 * @close: let go of it
 */
struct sink_calls {
	void (*begin)(struct sink *sink, uint64_t epoch, uint64_t newest);
	int (*take)(struct sink *sink, const struct event *event);
	int (*gap)(struct sink *sink, const struct gap *gap);
	int (*flush)(struct sink *sink, uint64_t epoch, uint64_t *next);
	void (*close)(struct sink *sink);
};

/**
 * struct sink - one of them
 * @name: in the state file
 * @calls: what it does
 * @busy: it can take nothing until it calls @wake
 * @done: events that have arrived since somebody set this to 0
 * @failed: those of them that came to grief there
 * @why: what is wrong and what to do, for an error that does not say so itself; or ""
 * @wake: called when it has got on by itself
 * @data: for @wake
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
