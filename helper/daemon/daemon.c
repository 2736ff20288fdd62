// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon.h"
#include "daemon_parts.h"
#include "journal.h"
#include "say.h"

static void on_event(const struct event *event, void *data)
{
	struct daemon *daemon = data;

	daemon_sinks_event(daemon, event);
	daemon_heat_event(daemon->heat, event);
	daemon_metrics_changed(daemon->metrics);
}

static void on_epoch(uint64_t epoch, void *data)
{
	(void)epoch;
	daemon_sinks_end_epoch(data);
}

static int set(struct daemon *daemon, const struct monitor_conf *conf)
{
	int ret = daemon_sinks_set(daemon, conf);

	daemon->conf = *conf;
	daemon_metrics_set(daemon->metrics, conf);
	daemon_samples_set(daemon->samples, conf);
	return ret;
}

static bool read_again(struct daemon *daemon, struct monitor_conf *conf)
{
	if (monitor_conf_read(daemon->conf_file, conf))
		return false;
	if (!strcmp(conf->state, daemon->conf.state) ||
	    !daemon_sinks_lock(daemon, conf->state))
		return true;
	say_error(ERROR_BUSY, "another monitor uses %s", conf->state);
	return false;
}

/* After a reload all sinks catch up as at the start; a wrong file changes nothing. */
static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct daemon *daemon = data;
	struct monitor_conf conf;
	int ret;

	(void)source;
	(void)info;
	sd_notify(0, "RELOADING=1");
	if (!read_again(daemon, &conf)) {
		say_warning("the configuration is not read again: the old one stays in force");
		sd_notify(0, "READY=1");
		return 0;
	}
	ret = set(daemon, &conf);
	return loop_go_on(daemon->loop, ret ? ret : link_open(&daemon->link));
}

/* sd-event reports the end of hooks and needs SIGCHLD blocked for that. */
static int catch_signals(struct daemon *daemon)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
	return loop_signals(daemon->loop, on_reload, daemon);
}

static int begin(struct daemon *daemon)
{
	/* No .gap: each sink finds its own gap at the next event. */
	static const struct stream_calls calls = {
		.event = on_event,
		.epoch = on_epoch,
	};
	struct monitor_conf conf = daemon->conf;
	int ret = sd_event_new(&daemon->loop);

	if (ret >= 0)
		ret = catch_signals(daemon);
	if (ret >= 0)
		ret = sd_event_set_watchdog(daemon->loop, true);
	if (ret < 0)
		return ret;
	daemon->metrics = daemon_metrics_new(daemon);
	daemon->heat = daemon_heat_new(daemon);
	daemon->samples = daemon_samples_new(daemon);
	if (!daemon->metrics || !daemon->heat || !daemon->samples)
		return -ENOMEM;
	stream_init(&daemon->stream, &calls, daemon);
	daemon_link_init(daemon);
	daemon_sinks_load(daemon);
	ret = set(daemon, &conf);
	return ret ? ret : link_open(&daemon->link);
}

static void end(struct daemon *daemon)
{
	link_free(&daemon->link);
	daemon_sinks_close(daemon);
	if (daemon->samples)
		daemon_samples_free(daemon->samples);
	daemon_heat_free(daemon->heat);
	if (daemon->metrics)
		daemon_metrics_free(daemon->metrics);
	sd_event_unref(daemon->loop);
}

/**
 * daemon_run() - run instinctctl monitor --daemon
 * @conf_file: monitor.conf, or NULL for the installed file, which may be missing
 *
 * Return: exit code.
 */
int daemon_run(const char *conf_file)
{
	struct daemon daemon = { .conf_file = conf_file, .lock = -ENOLCK };
	int code = monitor_conf_read(conf_file, &daemon.conf), ret;

	if (code)
		return code;
	if (daemon_sinks_lock(&daemon, daemon.conf.state)) {
		say_error(ERROR_BUSY, "another monitor uses %s (systemctl status instinct-vfio-monitor)",
			  daemon.conf.state);
		return EXIT_ERROR;
	}
	journal_unblock_stderr();
	ret = begin(&daemon);
	if (ret >= 0)
		ret = sd_event_loop(daemon.loop);
	end(&daemon);
	if (ret >= 0)
		return EXIT_OK;
	say_error(error_code_of(-ret, ERROR_IO), "the daemon cannot go on: %s", strerror(-ret));
	return EXIT_ERROR;
}
