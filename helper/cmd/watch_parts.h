/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the watch, and their interfaces to each other. */
#ifndef WATCH_PARTS_H
#define WATCH_PARTS_H

#include <systemd/sd-device.h>
#include <systemd/sd-event.h>

#include "conf.h"
#include "link.h"
#include "loop.h"
#include "stream.h"

/**
 * struct watch - the state of instinctctl apply --watch
 * @loop: event loop
 * @file: policy file, or NULL for the installed policy
 * @conf: the policy in force, as last read
 * @stream: the module's events
 * @link: link to the module
 * @hosts: udev monitor of new PCI functions
 * @soon: timer until the next run, which collects devices that appear together
 * @soonest: time of the first reason for the next run, which bounds the delay, ms; 0: none
 * @retry: time until a failed run is tried again, s
 * @why: reason for the next run, human-readable
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

/* watch_apply.c: the runs. */
int watch_apply(struct conf *conf, const char *why, bool *written);
int watch_again(struct watch *watch);
int watch_soon(struct watch *watch, const char *why);
void watch_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* watch_link.c: reactions to events and to the module's load and unload. */
void watch_link_init(struct watch *watch);

/* watch_hosts.c: GPUs that appear on the bus. */
int watch_hosts_open(struct watch *watch);

#endif /* WATCH_PARTS_H */
