/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the daemon, and their interfaces to each other. */
#ifndef DAEMON_PARTS_H
#define DAEMON_PARTS_H

#include <systemd/sd-event.h>

#include "feed.h"
#include "heat.h"
#include "link.h"
#include "loop.h"
#include "monitor_conf.h"
#include "place.h"
#include "sample_line.h"
#include "stream.h"

/* The sinks; an event goes to them in this order. */
enum {
	FEED_JOURNAL,
	FEED_JSON,
	FEED_HOOKS,
	DAEMON_FEEDS
};

struct daemon_heat;
struct daemon_metrics;
struct daemon_samples;

/**
 * struct daemon_feed - a feed of the daemon
 * @feed: the feed; switched off if it has no sink
 * @retry: timer until the next try
 * @daemon: the daemon
 */
struct daemon_feed {
	struct feed feed;
	sd_event_source *retry;
	struct daemon *daemon;
};

/**
 * struct daemon - the state of instinctctl monitor --daemon
 * @loop: event loop
 * @conf_file: monitor.conf of the command line, or NULL
 * @conf: settings in force
 * @place: position of each sink, and counters
 * @stored: @place as the state file has it
 * @lock: lock on the state file, or a negative errno
 * @store_error: why the state file cannot be written, a negative errno; or 0
 * @feeds: the sinks
 * @batch: number of events since the last store
 * @stream: the module's events
 * @link: link to the module
 * @metrics: the text file and the page of metrics
 * @heat: temperatures and their alarms
 * @samples: the processes that read temperatures
 */
struct daemon {
	sd_event *loop;
	const char *conf_file;
	struct monitor_conf conf;
	struct place place;
	struct place stored;
	int lock;
	int store_error;
	struct daemon_feed feeds[DAEMON_FEEDS];
	unsigned int batch;
	struct stream stream;
	struct link link;
	struct daemon_metrics *metrics;
	struct daemon_heat *heat;
	struct daemon_samples *samples;
};

/* daemon_link.c: reactions to the module's load and unload. */
void daemon_link_init(struct daemon *daemon);

/* daemon_sinks.c: delivery of events to the sinks. */
int daemon_sinks_lock(struct daemon *daemon, const char *state);
void daemon_sinks_load(struct daemon *daemon);
int daemon_sinks_set(struct daemon *daemon, const struct monitor_conf *conf);
void daemon_sinks_event(struct daemon *daemon, const struct event *event);
void daemon_sinks_end_epoch(struct daemon *daemon);
uint64_t daemon_sinks_begin(struct daemon *daemon, const struct nl_info *info);
void daemon_sinks_settle(struct daemon *daemon);
void daemon_sinks_close(struct daemon *daemon);

/* daemon_metrics.c: the text file and the page of metrics. */
struct daemon_metrics *daemon_metrics_new(const struct daemon *daemon);
void daemon_metrics_set(struct daemon_metrics *metrics, const struct monitor_conf *conf);
void daemon_metrics_changed(struct daemon_metrics *metrics);
void daemon_metrics_free(struct daemon_metrics *metrics);

/* daemon_heat.c: compares temperatures with thresholds, and sends alarms to the module. */
struct daemon_heat *daemon_heat_new(struct daemon *daemon);
void daemon_heat_begin(struct daemon_heat *heat, const struct nl_info *info);
const char *daemon_heat_take(struct daemon_heat *heat, const struct sample_line *line);
const struct heat *daemon_heat_get(const struct daemon_heat *heat);
void daemon_heat_event(struct daemon_heat *heat, const struct event *event);
void daemon_heat_fill(const struct daemon_heat *heat, struct devices *devices);
void daemon_heat_stop(struct daemon_heat *heat);
void daemon_heat_free(struct daemon_heat *heat);

/* daemon_samples.c: passes temperatures from the samplers to daemon_heat.c. */
struct daemon_samples *daemon_samples_new(struct daemon *daemon);
void daemon_samples_set(struct daemon_samples *samples, const struct monitor_conf *conf);
void daemon_samples_start(struct daemon_samples *samples);
void daemon_samples_stop(struct daemon_samples *samples);
void daemon_samples_free(struct daemon_samples *samples);

#endif /* DAEMON_PARTS_H */
