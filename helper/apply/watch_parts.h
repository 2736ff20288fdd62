/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the watch is made of, and what its parts know of each other. */
#ifndef WATCH_PARTS_H
#define WATCH_PARTS_H

#include <systemd/sd-device.h>
#include <systemd/sd-event.h>

#include "conf.h"
#include "nl_watch.h"
#include "stream.h"

/**
 * struct watch - all of it
 * @loop: all that happens, happens in it
 * @file: policy, NULL for the installed one
 * @conf: what was read from it last, and is in force
 * @stream: the module's events
 * @events: tells of them
 * @come: waits for the module, NULL while it is there
 * @comes: tells of it
 * @again: the timer until the module is tried again, after a failure
 * @delay: ms until then
 * @hosts: tells of PCI functions that are new
 * @soon: the timer until the policy is applied: what comes together is one run
 * @soonest: it is not put off for longer than from then on, ms
 * @retry: ms until a run that failed is tried again
 * @why: for people: what has come
 */
struct watch {
	sd_event *loop;
	const char *file;
	struct conf conf;
	struct stream stream;
	sd_event_source *events;
	struct nl_watch *come;
	sd_event_source *comes;
	sd_event_source *again;
	unsigned int delay;
	sd_device_monitor *hosts;
	sd_event_source *soon;
	int64_t soonest;
	unsigned int retry;
	char why[TEXT_BYTES];
};

/* watch.c: what a handler returns, from what has come of it; and the work. */
int watch_go_on(struct watch *watch, int ret);
int watch_soon(struct watch *watch, const char *why);
void watch_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* watch_link.c: the module, there or not. */
int watch_link_open(struct watch *watch);
void watch_link_close(struct watch *watch);

/* watch_hosts.c: GPUs that the kernel finds. */
int watch_hosts_open(struct watch *watch);

#endif /* WATCH_PARTS_H */
