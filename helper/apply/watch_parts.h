/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the watch is made of, and what its parts know of each other. */
#ifndef WATCH_PARTS_H
#define WATCH_PARTS_H

#include <systemd/sd-device.h>
#include <systemd/sd-event.h>

#include "conf.h"
#include "link.h"
#include "loop.h"
#include "stream.h"

/**
 * struct watch - all of it
 * @loop: all that happens, happens in it
 * @file: policy, NULL for the installed one
 * @conf: what was read from it last, and is in force
 * @stream: the module's events
 * @link: the tie to it
 * @hosts: tells of PCI functions that are new
 * @soon: the timer until the policy is applied: what comes together is one run
 * @soonest: it is not put off for longer than from then on, ms
 * @retry: s until a run that failed is tried again
 * @why: for people: what has come
 */
struct watch {
	sd_event *loop;
	const char *file;
	struct conf conf;
	struct stream stream;
	struct link link;
	sd_device_monitor *hosts;
	sd_event_source *soon;
	int64_t soonest;
	unsigned int retry;
	char why[TEXT_BYTES];
};

/* watch.c: the work. */
int watch_soon(struct watch *watch, const char *why);
void watch_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* watch_link.c: what it does when the module has come or gone. */
void watch_link_init(struct watch *watch);

/* watch_hosts.c: GPUs that the kernel finds. */
int watch_hosts_open(struct watch *watch);

#endif /* WATCH_PARTS_H */
