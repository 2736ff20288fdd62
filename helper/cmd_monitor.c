// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "module.h"
#include "out.h"
#include "say.h"

#define TIMEOUT_MAX_S	1000000000ull

/**
 * struct monitor - where a subscriber is
 * @ask: socket for requests
 * @listen: socket that events come by
 * @epoch: of the last event, or of the module
 * @next: number of the next event to print
 * @left: events still to print, if @limited
 * @limited: --count was given
 * @end: when to stop, on CLOCK_MONOTONIC in ms; 0 for never
 * @code: exit code, once something has failed
 */
struct monitor {
	struct nl *ask;
	struct nl *listen;
	uint64_t epoch;
	uint64_t next;
	uint64_t left;
	bool limited;
	int64_t end;
	int code;
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

	if (event->epoch != monitor->epoch) {
		say_warning("the module has been loaded anew: events count from 1 again");
		monitor->epoch = event->epoch;
		monitor->next = 1;
	}
	if (event->seq < monitor->next || stop)
		return;
	if (event->seq > monitor->next)
		say_warning("events %" PRIu64 " to %" PRIu64 " are lost: the module no longer has them",
			    monitor->next, event->seq - 1);
	monitor->next = event->seq + 1;
	if (opt_json)
		out_json(out_event_json(event), JSON_COMPACT);
	else
		out_event_text(event);
	/* The reader has left: an end like any other. */
	if (ferror(stdout) || (monitor->limited && !--monitor->left))
		stop = 1;
}

static void replay(struct monitor *monitor)
{
	int ret = nl_events_replay(monitor->ask, monitor->next, print, monitor);

	if (ret)
		monitor->code = cmd_failed(monitor->ask, "read", "events", ret);
}

/*
 * A number that jumps is made good from the kernel's ring before this event
 * is printed, which is then in there too.
 */
static void take(const struct event *event, void *data)
{
	struct monitor *monitor = data;

	if (event->epoch == monitor->epoch && event->seq > monitor->next && !stop)
		replay(monitor);
	print(event, monitor);
}

static void hear(struct monitor *monitor)
{
	int ret = nl_events_read(monitor->listen, take, monitor);

	if (!ret || ret == -EINTR || ret == -EAGAIN)
		return;
	if (ret == -ENOBUFS) {
		replay(monitor);
	} else if (ret == -ENODEV) {
		say_error("the module has been unloaded: no more events");
		monitor->code = EXIT_ERROR;
	} else {
		monitor->code = cmd_failed(monitor->listen, "read", "events", ret);
	}
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Until a signal, the time, the count, a failure, or the reader's end. */
static void follow(struct monitor *monitor, const sigset_t *unblocked)
{
	struct pollfd fds[] = {
		{ .fd = nl_fd(monitor->listen), .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	while (!stop && !monitor->code) {
		int64_t left = monitor->end - now_ms();
		struct timespec wait = {
			.tv_sec = left / 1000,
			.tv_nsec = left % 1000 * 1000000,
		};

		if (monitor->end && left <= 0)
			return;
		if (ppoll(fds, 2, monitor->end ? &wait : NULL, unblocked) < 0) {
			if (errno == EINTR)
				continue;
			say_error("cannot wait for events: %s", strerror(errno));
			monitor->code = EXIT_ERROR;
			return;
		}
		if (fds[1].revents & (POLLERR | POLLNVAL))
			return;
		if (fds[0].revents)
			hear(monitor);
	}
}

/* Subscribe first and look back then, so that nothing falls between. */
static int begin(struct monitor *monitor, bool kept)
{
	struct nl_info info;
	int ret;

	ret = nl_events_join(monitor->listen);
	if (!ret)
		ret = nl_info_get(monitor->ask, &info);
	if (ret)
		return cmd_failed(monitor->ask, "subscribe to", "events", ret);
	monitor->epoch = info.epoch;
	if (kept && monitor->next > info.newest + 1)
		say_warning("there is no event %" PRIu64 " yet, the newest is %" PRIu64 " (the module may have been loaded anew)",
			    monitor->next, info.newest);
	if (!kept || monitor->next > info.newest + 1)
		monitor->next = info.newest + 1;
	if (kept)
		replay(monitor);
	return monitor->code;
}

static int run(struct monitor *monitor, bool kept, const sigset_t *unblocked)
{
	int code, error;

	monitor->ask = module_open(MODULE_LOAD, &code);
	if (!monitor->ask)
		return code;
	monitor->listen = nl_open(&error);
	if (!monitor->listen) {
		nl_close(monitor->ask);
		say_error("cannot listen for events: %s", strerror(error));
		return exit_code_of(error);
	}
	code = begin(monitor, kept);
	if (!code) {
		follow(monitor, unblocked);
		code = monitor->code;
	}
	nl_close(monitor->listen);
	nl_close(monitor->ask);
	return code;
}

/* Signals arrive in ppoll() only, so that none is missed before it. */
static void catch_signals(sigset_t *before)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t caught;

	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigprocmask(SIG_BLOCK, &caught, before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
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
	struct monitor monitor = { 0 };
	sigset_t before;
	uint64_t value;
	int option;

	while ((option = args_option(argc, argv, options)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (!args_number(optarg, &value) || (option != 's' && !value) ||
		    (option == 't' && value > TIMEOUT_MAX_S))
			return cmd_usage("\"%s\" is not a number that --%s takes",
					 optarg, option == 's' ? "since" :
					 option == 'c' ? "count" : "timeout");
		if (option == 's')
			monitor.next = value ? value : 1;
		else if (option == 'c')
			monitor.left = value;
		else
			monitor.end = now_ms() + value * 1000;
	}
	if (optind < argc)
		return cmd_usage("takes no devices, found \"%s\"", argv[optind]);
	monitor.limited = monitor.left;
	catch_signals(&before);
	return run(&monitor, monitor.next, &before);
}
