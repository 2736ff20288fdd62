// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "daemon.h"
#include "module.h"
#include "now.h"
#include "out.h"
#include "say.h"
#include "stop.h"
#include "stream.h"

#define TIMEOUT_MAX_S	1000000000ull

/**
 * struct monitor - a subscriber in the foreground
 * @stream: the source of events
 * @left: number of events still to print, if @limited
 * @limited: the command line has --count
 * @end: time to stop at, on CLOCK_MONOTONIC in ms; 0 for never
 * @code: exit code after a failure
 */
struct monitor {
	struct stream stream;
	uint64_t left;
	bool limited;
	int64_t end;
	int code;
};

static void on_event(const struct event *event, void *data)
{
	struct monitor *monitor = data;

	if (stop)
		return;
	if (opt_json)
		out_json(out_event_json(event), JSON_COMPACT);
	else
		out_event_text(event);
	/* A reader that has closed the pipe ends monitor without an error. */
	if (ferror(stdout) || (monitor->limited && !--monitor->left))
		stop = 1;
}

static void on_gap(const struct gap *gap, void *data)
{
	(void)data;
	if (stop)
		return;
	say_warning("events %" PRIu64 " to %" PRIu64 " are lost: the module no longer has them",
		    gap->first, gap->last);
	if (opt_json)
		out_json(out_gap_json(gap), JSON_COMPACT);
}

static const struct stream_calls calls = {
	.event = on_event,
	.gap = on_gap,
};

static void complain(struct monitor *monitor, const char *what, int error)
{
	if (error == -ENODEV) {
		say_error(ERROR_NO_MODULE, "the module has been unloaded: no more events");
		monitor->code = EXIT_ERROR;
	} else {
		monitor->code = nl_refused(monitor->stream.ask, what, "events", error);
	}
}

/* Print events until a signal, --timeout, --count, a failure, or the end of the reader. */
static void follow(struct monitor *monitor, const sigset_t *unblocked)
{
	struct pollfd fds[] = {
		{ .fd = nl_fd(monitor->stream.listen), .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	int ret;

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
			say_error(error_code_of(errno, ERROR_IO), "cannot wait for events: %s", strerror(errno));
			monitor->code = EXIT_ERROR;
			return;
		}
		if (fds[1].revents & (POLLERR | POLLNVAL))
			return;
		ret = fds[0].revents ? stream_read(&monitor->stream) : 0;
		if (ret)
			complain(monitor, "read", ret);
	}
}

/* Subscribe, and begin with event number @since; 0 begins with new events. */
static void begin(struct monitor *monitor, struct nl *ask, uint64_t since)
{
	struct stream *stream = &monitor->stream;
	struct nl_info info;
	int ret;

	stream_init(stream, &calls, monitor);
	ret = stream_open(stream, ask, &info);
	if (ret) {
		complain(monitor, "subscribe to", ret);
		return;
	}
	if (since > info.newest + 1)
		say_warning("there is no event %" PRIu64 " yet, the newest is %" PRIu64 " (the module may have been loaded anew)",
			    since, info.newest);
	stream->next = since && since <= info.newest + 1 ? since : info.newest + 1;
	ret = since ? stream_look_back(stream) : 0;
	if (ret)
		complain(monitor, "read", ret);
}

/* Print the events that the module had at the time of the capture, and end. */
static int of_capture(struct monitor *monitor, uint64_t since)
{
	struct stream *stream = &monitor->stream;
	struct nl_info info;
	int code, ret;

	stream_init(stream, &calls, monitor);
	stream->ask = module_open(MODULE_LOAD, &code);
	if (!stream->ask)
		return code;
	ret = nl_info_get(stream->ask, &info);
	if (!ret) {
		stream_begin(stream, info.epoch);
		stream->next = since ? since : info.oldest;
		ret = stream_look_back(stream);
	}
	if (ret)
		complain(monitor, "read", ret);
	stream_close(stream);
	return monitor->code;
}

static int run(struct monitor *monitor, uint64_t since, const sigset_t *unblocked)
{
	int code;
	struct nl *ask = module_open(MODULE_LOAD, &code);

	if (!ask)
		return code;
	begin(monitor, ask, since);
	if (!monitor->code)
		follow(monitor, unblocked);
	stream_close(&monitor->stream);
	return monitor->code;
}

/* Parse the number of an option; false if the option does not allow it. */
static bool take_number(struct monitor *monitor, int option, uint64_t *since)
{
	uint64_t value;

	if (!args_number(optarg, &value) || (option == 'c' && !value) ||
	    (option == 't' && value > TIMEOUT_MAX_S))
		return false;
	if (option == 's')
		*since = value ? value : 1;
	else if (option == 'c')
		monitor->left = value;
	else
		monitor->end = now_ms() + value * 1000;
	return true;
}

/**
 * cmd_monitor() - run instinctctl monitor
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_monitor(int argc, char *argv[])
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct monitor monitor = { 0 };
	const char *conf_file = NULL, *name = NULL;
	bool as_daemon = false;
	uint64_t since = 0;
	sigset_t before;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'd') {
			as_daemon = true;
		} else if (option == 'f') {
			conf_file = optarg;
		} else {
			name = option == 's' ? "since" : option == 'c' ? "count" : "timeout";
			if (!take_number(&monitor, option, &since))
				return cmd_usage("\"%s\" is not a number that --%s takes",
						 optarg, name);
		}
	}
	if (optind < argc)
		return cmd_usage("takes no devices, found \"%s\"", argv[optind]);
	if (conf_file && !as_daemon)
		return cmd_usage("--config needs --daemon");
	if (as_daemon && (name || opt_json))
		return cmd_usage("--daemon and --%s do not go together",
				 name ? name : "json");
	if (as_daemon && *opt_sysroot)
		return cmd_usage("--daemon and --sysroot do not go together");
	if (as_daemon)
		return daemon_run(conf_file);
	monitor.limited = monitor.left;
	if (*opt_sysroot)
		return of_capture(&monitor, since);
	stop_on(signals, sizeof(signals) / sizeof(signals[0]), &before);
	return run(&monitor, since, &before);
}
