// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon_parts.h"
#include "http.h"
#include "journal.h"
#include "metrics.h"
#include "snapshot.h"
#include "textfile.h"

#define SETTLE_MS	1000	/* collects events that come together */

/**
 * struct daemon_metrics - the text file and the page of metrics
 * @daemon: the daemon
 * @textfile: name of the text file, or "" for none
 * @listen: address of the page, or "" for none
 * @interval: time between writes, ms
 * @timer: timer until the next write
 * @soon: an event has brought the next write forward
 * @error: why the last write failed, a negative errno; or 0
 * @page_error: why the last request failed, a negative errno; or 0
 * @http: HTTP server, or NULL
 * @requests: event source of requests
 * @idle: timer that @http has asked for
 */
struct daemon_metrics {
	const struct daemon *daemon;
	char textfile[MONITOR_PATH_BYTES];
	char listen[MONITOR_PATH_BYTES];
	uint32_t interval;
	sd_event_source *timer;
	bool soon;
	int error;
	int page_error;
	struct http *http;
	sd_event_source *requests;
	sd_event_source *idle;
};

/**
 * daemon_metrics_new() - create the state, without writing or serving metrics
 * @daemon: the daemon
 *
 * Return: the state, or NULL without memory.
 */
struct daemon_metrics *daemon_metrics_new(const struct daemon *daemon)
{
	struct daemon_metrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->daemon = daemon;
	return metrics;
}

/* The metrics as of now; the caller frees the text. */
static char *text_now(const struct daemon_metrics *metrics, size_t *length, int *error)
{
	const struct daemon *daemon = metrics->daemon;
	struct snapshot snapshot;
	char *text = NULL;

	*error = snapshot_take(daemon->stream.ask, &daemon->place, &snapshot);
	if (*error)
		return NULL;
	daemon_heat_fill(daemon->heat, &snapshot.devices);
	snapshot.heat = daemon_heat_get(daemon->heat);
	text = metrics_text(&snapshot, length);
	snapshot_free(&snapshot);
	if (!text)
		*error = -ENOMEM;
	return text;
}

static void tell(struct daemon_metrics *metrics, int error)
{
	if (error && error != metrics->error)
		journal_tell(OWN_METRICS_FAILED, NULL, "metrics are not written to %s: %s",
			     metrics->textfile, strerror(-error));
	metrics->error = error;
}

static int on_write(sd_event_source *source, uint64_t now, void *data);

static void arm(struct daemon_metrics *metrics, uint32_t ms)
{
	loop_timer(metrics->daemon->loop, &metrics->timer, ms, on_write, metrics);
}

static int on_write(sd_event_source *source, uint64_t now, void *data)
{
	struct daemon_metrics *metrics = data;
	size_t length;
	int error;
	char *text = text_now(metrics, &length, &error);

	(void)source;
	(void)now;
	if (text)
		error = textfile_write(metrics->textfile, text, length);
	free(text);
	tell(metrics, error);
	metrics->soon = false;
	arm(metrics, metrics->interval);
	return 0;
}

static void serve(struct daemon_metrics *metrics);

static int on_idle(sd_event_source *source, uint64_t now, void *data)
{
	(void)source;
	(void)now;
	serve(data);
	return 0;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *data)
{
	(void)source;
	(void)fd;
	(void)events;
	serve(data);
	return 0;
}

static void serve(struct daemon_metrics *metrics)
{
	int ms;

	http_run(metrics->http);
	ms = http_timeout_ms(metrics->http);
	if (ms < 0)
		loop_timer_off(metrics->idle);
	else
		loop_timer(metrics->daemon->loop, &metrics->idle, ms, on_idle, metrics);
}

static char *page(size_t *length, void *data)
{
	struct daemon_metrics *metrics = data;
	int error;
	char *text = text_now(metrics, length, &error);

	if (error && error != metrics->page_error)
		journal_tell(OWN_METRICS_FAILED, NULL, "metrics are not served at %s: the module does not answer: %s",
			     metrics->listen, strerror(-error));
	metrics->page_error = error;
	return text;
}

static void stop_serving(struct daemon_metrics *metrics)
{
	metrics->requests = sd_event_source_disable_unref(metrics->requests);
	metrics->idle = sd_event_source_disable_unref(metrics->idle);
	if (metrics->http)
		http_close(metrics->http);
	metrics->http = NULL;
}

static void start_serving(struct daemon_metrics *metrics)
{
	char why[256] = "";

	stop_serving(metrics);
	if (!*metrics->listen)
		return;
	metrics->http = http_open(metrics->listen, page, metrics, why, sizeof(why));
	if (!metrics->http)
		journal_tell(OWN_METRICS_FAILED, NULL, "metrics are not served at %s: %s",
			     metrics->listen, why);
	else
		sd_event_add_io(metrics->daemon->loop, &metrics->requests,
				http_fd(metrics->http), EPOLLIN, on_request, metrics);
}

/**
 * daemon_metrics_set() - put new settings in force
 * @metrics: the metrics
 * @conf: the settings
 */
void daemon_metrics_set(struct daemon_metrics *metrics, const struct monitor_conf *conf)
{
	bool elsewhere = strcmp(metrics->listen, conf->listen);

	/* A reader would take an abandoned text file for current metrics. */
	if (*metrics->textfile && strcmp(metrics->textfile, conf->textfile) &&
	    !textfile_may_replace(metrics->textfile))
		unlink(metrics->textfile);
	memcpy(metrics->textfile, conf->textfile, sizeof(metrics->textfile));
	memcpy(metrics->listen, conf->listen, sizeof(metrics->listen));
	metrics->interval = conf->metrics_interval;
	/* An address that could not be used before may be free now. */
	if (elsewhere || !metrics->http)
		start_serving(metrics);
	metrics->soon = *metrics->textfile;
	if (metrics->soon)
		arm(metrics, SETTLE_MS);
	else
		loop_timer_off(metrics->timer);
}

/**
 * daemon_metrics_changed() - write the text file soon, after an event
 * @metrics: the metrics
 */
void daemon_metrics_changed(struct daemon_metrics *metrics)
{
	if (metrics->soon || !*metrics->textfile)
		return;
	metrics->soon = true;
	arm(metrics, SETTLE_MS);
}

/**
 * daemon_metrics_free() - stop serving, keep the text file, and free the state
 * @metrics: the metrics
 */
void daemon_metrics_free(struct daemon_metrics *metrics)
{
	stop_serving(metrics);
	sd_event_source_disable_unref(metrics->timer);
	free(metrics);
}
