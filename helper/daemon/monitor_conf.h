/* SPDX-License-Identifier: GPL-2.0-or-later */
/* monitor.conf: the settings of `instinctctl monitor --daemon`. */
#ifndef MONITOR_CONF_H
#define MONITOR_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "redfish_conf.h"

#define MONITOR_CONF_INSTALLED	"/etc/instinct-vfio/monitor.conf"
#define MONITOR_PATH_BYTES	256

/**
 * struct monitor_conf - the keys of monitor.conf
 * @journal: write events to the journal
 * @json: file of JSON lines, or "" for none
 * @textfile: text file of metrics, or "" for none
 * @listen: address of the metrics' page for http_open(), or "" for none
 * @hooks: folder with an executable per kind of event, or "" for none
 * @hook_timeout: longest time of a hook, ms
 * @state: the state file
 * @sample_interval: time between samples of temperatures, ms
 * @metrics_interval: time between writes of metrics, ms
 * @redfish: the BMC's Redfish service
 * @oam: the number of each GPU, "BDF=NUMBER…", see text_of()
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
	struct redfish_conf redfish;
	uint32_t oam;
};

int monitor_conf_read(const char *file, struct monitor_conf *conf);

#endif /* MONITOR_CONF_H */
