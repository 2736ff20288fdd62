/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor.conf: what `instinctctl monitor --daemon` does with events. */
#ifndef MONITOR_CONF_H
#define MONITOR_CONF_H

#include <stdbool.h>
#include <stdint.h>

#define MONITOR_CONF_INSTALLED	"/etc/instinct-vfio/monitor.conf"
#define MONITOR_PATH_BYTES	256

/**
 * struct monitor_conf - its keys
 * @journal: events go to the journal
 * @json: file of JSON lines; "" in this and the next: none
 * @textfile: where metrics are written
 * @listen: where metrics are served: 127.0.0.1:PORT, [::1]:PORT or unix:PATH
 * @hooks: folder with an executable per kind of event
 * @hook_timeout: in ms
 * @state: the state file
 * @sample_interval: how often temperatures are read, in ms
 * @metrics_interval: how often metrics are written, in ms
 */
struct monitor_conf {
	bool journal;
	char json[MONITOR_PATH_BYTES];
	char textfile[MONITOR_PATH_BYTES];
	char listen[MONITOR_PATH_BYTES];
	char hooks[MONITOR_PATH_BYTES];
	uint32_t hook_timeout;
	char state[MONITOR_PATH_BYTES];
	uint32_t sample_interval;
	uint32_t metrics_interval;
};

int monitor_conf_read(const char *file, struct monitor_conf *conf);

#endif /* MONITOR_CONF_H */
