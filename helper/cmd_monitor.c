// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "module.h"
#include "out.h"
#include "say.h"

/**
 * struct monitor - where a subscriber is
 * @next: number of the next event to print, 0 before the first
 * @left: events still to print, if @limited
 * @limited: --count was given
 */
struct monitor {
	uint64_t next;
	uint64_t left;
	bool limited;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* Each event once, in order; what is missing is said with its numbers. */
static void print(const struct event *event, void *data)
{
	struct monitor *monitor = data;

	if (event->seq < monitor->next || stop)
		return;
	if (monitor->next && event->seq > monitor->next)
		say_warning("events %" PRIu64 " to %" PRIu64 " are lost",
			    monitor->next, event->seq - 1);
	monitor->next = event->seq + 1;
	if (opt_json)
		out_event_json(event);
	else
		out_event_text(event);
	if (monitor->limited && !--monitor->left)
		stop = 1;
}

static int replay(struct nl *nl, struct monitor *monitor)
{
	int ret = nl_events_replay(nl, monitor->next, print, monitor);

	return ret ? cmd_failed(nl, "read", "events", ret) : EXIT_OK;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/*
 * A number that jumps, or a receive buffer that overran, is made good from the
 * kernel's ring before the next event is printed.
 */
struct live {
	struct nl *ask;
	struct monitor *monitor;
	int code;
};

static void take(const struct event *event, void *data)
{
	struct live *live = data;

	if (live->monitor->next && event->seq > live->monitor->next)
		live->code = replay(live->ask, live->monitor);
	print(event, live->monitor);
}

static int follow(struct nl *listen, struct nl *ask, struct monitor *monitor,
		  int64_t timeout)
{
	struct live live = { .ask = ask, .monitor = monitor };
	int64_t end = now_ms() + timeout * 1000;

	while (!stop && !live.code) {
		struct pollfd fd = { .fd = nl_fd(listen), .events = POLLIN };
		int64_t left = timeout ? end - now_ms() : -1;
		int ret;

		if (timeout && left <= 0)
			break;
		ret = poll(&fd, 1, left);
		if (ret < 0 && errno != EINTR)
			return cmd_failed(listen, "wait for", "events", -errno);
		if (ret <= 0)
			continue;
		ret = nl_events_read(listen, take, &live);
		if (ret == -ENOBUFS)
			live.code = replay(ask, monitor);
		else if (ret && ret != -EINTR)
			return cmd_failed(listen, "read", "events", ret);
	}
	return live.code;
}

static int monitor_run(struct monitor *monitor, bool kept, int64_t timeout)
{
	struct nl *ask, *listen;
	struct nl_info info;
	int code, ret, error;

	ask = module_open(true, &code);
	if (!ask)
		return code;
	listen = nl_open(&error);
	if (!listen) {
		nl_close(ask);
		say_error("cannot listen: %s", strerror(error));
		return exit_code_of(error);
	}
	/* Joined first, so that nothing falls between. */
	ret = nl_events_join(listen);
	if (!ret)
		ret = nl_info_get(ask, &info);
	if (ret) {
		code = cmd_failed(ask, "subscribe to", "events", ret);
	} else {
		if (!kept)
			monitor->next = info.newest + 1;
		code = kept ? replay(ask, monitor) : EXIT_OK;
		if (!code)
			code = follow(listen, ask, monitor, timeout);
	}
	nl_close(listen);
	nl_close(ask);
	return code;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/**
 * cmd_monitor() - instinctctl monitor
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_monitor(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "since", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'c' },
		{ "timeout", required_argument, NULL, 't' },
		{ 0 },
	};
	struct sigaction action = { .sa_handler = on_signal };
	struct monitor monitor = { 0 };
	uint64_t value, timeout = 0;
	bool kept = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':')
			return cmd_usage("%s needs a value", argv[optind - 1]);
		if (option == '?')
			return cmd_usage("unknown option %s", argv[optind - 1]);
		if (!number(optarg, &value) || (option != 's' && !value))
			return cmd_usage("\"%s\" is not a number that %s takes",
					 optarg, argv[optind - 2]);
		if (option == 's') {
			monitor.next = value ? value : 1;
			kept = true;
		} else if (option == 'c') {
			monitor.left = value;
			monitor.limited = true;
		} else {
			timeout = value;
		}
	}
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return monitor_run(&monitor, kept, timeout);
}
