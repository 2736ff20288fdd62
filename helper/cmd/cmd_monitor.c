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
#include "bdf.h"
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
 * @gpus: GPUs whose events are wanted; empty for all
 * @kinds: kinds that are wanted, a flag for each enum instinct_vfio_event
 * @picks: @kinds counts
 * @fold: events that are not printed yet
 * @left: number of events still to print, if @limited
 * @limited: the command line has --count
 * @end: time to stop at, on CLOCK_MONOTONIC in ms; 0 for never
 * @code: exit code after a failure
 */
struct monitor {
	struct stream stream;
	struct targets gpus;
	bool kinds[__INSTINCT_VFIO_EVENT_MAX];
	bool picks;
	struct fold fold;
	uint64_t left;
	bool limited;
	int64_t end;
	int code;
};

static bool is_wanted(const struct monitor *monitor, const struct event *event)
{
	return (!monitor->gpus.count || targets_have(&monitor->gpus, event->bdf)) &&
	       (!monitor->picks ||
		(event->kind < __INSTINCT_VFIO_EVENT_MAX && monitor->kinds[event->kind]));
}

static void on_event(const struct event *event, void *data)
{
	struct monitor *monitor = data;

	if (stop || !is_wanted(monitor, event))
		return;
	if (opt_json)
		out_json(out_event_json(event), JSON_COMPACT);
	else if (monitor->gpus.count || monitor->picks)
		out_event_text(event);
	else
		out_fold_event(&monitor->fold, event);
	/* A reader that has closed the pipe ends monitor without an error. */
	if (ferror(stdout) || (monitor->limited && !--monitor->left))
		stop = 1;
}

static void on_gap(const struct gap *gap, void *data)
{
	struct monitor *monitor = data;

	if (stop)
		return;
	out_fold_end(&monitor->fold);
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
		int64_t due = out_fold_due(&monitor->fold);
		int64_t next = due && (!monitor->end || due < monitor->end) ? due : monitor->end;
		int64_t left = next - now_ms();
		struct timespec wait = {
			.tv_sec = left / 1000,
			.tv_nsec = left % 1000 * 1000000,
		};

		if (next && left <= 0 && next != due)
			return;
		if (next && left <= 0) {
			out_fold_late(&monitor->fold);
			continue;
		}
		if (ppoll(fds, 2, next ? &wait : NULL, unblocked) < 0) {
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
	out_fold_end(&monitor->fold);
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
	out_fold_end(&monitor->fold);
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

static int watch(struct monitor *monitor, uint64_t since)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t before;

	monitor->limited = monitor->left;
	if (*opt_sysroot)
		return of_capture(monitor, since);
	stop_on(signals, sizeof(signals) / sizeof(signals[0]), &before);
	return run(monitor, since, &before);
}

static int take_gpus(struct monitor *monitor)
{
	struct words words = { 0 };
	char bdf[BDF_BYTES];
	int code = EXIT_OK;
	size_t i;

	args_split(&words, 1, &optarg);
	for (i = 0; i < words.count && !code; i++) {
		if (bdf_parse(words.word[i], bdf))
			targets_add(&monitor->gpus, bdf);
		else
			code = cmd_usage("--gpu: \"%s\" is not a PCI address, such as 0000:c1:00.0", words.word[i]);
	}
	if (!words.count)
		code = cmd_usage("--gpu needs a PCI address, such as 0000:c1:00.0");
	free(words.word);
	return code;
}

static int kind_complain(const char *word)
{
	char list[640] = "";
	size_t at = 0, i;

	for (i = 0; i < event_names.count && at < sizeof(list); i++)
		if (event_names.name[i])
			at += snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "", event_names.name[i]);
	return cmd_usage("--kind: \"%s\" is no kind of event; allowed: %s", word, list);
}

static int take_kinds(struct monitor *monitor)
{
	struct words words = { 0 };
	int code = EXIT_OK, kind;
	size_t i;

	args_split(&words, 1, &optarg);
	for (i = 0; i < words.count && !code; i++) {
		kind = name_find(&event_names, words.word[i]);
		if (kind < 0)
			code = kind_complain(words.word[i]);
		else
			monitor->kinds[kind] = true;
	}
	if (!words.count)
		code = kind_complain("");
	monitor->picks = true;
	free(words.word);
	return code;
}

/* @operand and @option are what the command line has beside --daemon, or NULL. */
static int check(const char *operand, bool as_daemon, const char *option, const char *conf_file)
{
	if (operand)
		return cmd_usage("takes no devices, found \"%s\" (--gpu takes one)", operand);
	if (conf_file && !as_daemon)
		return cmd_usage("--config needs --daemon");
	if (as_daemon && (option || opt_json))
		return cmd_usage("--daemon and --%s do not go together", option ? option : "json");
	if (as_daemon && *opt_sysroot)
		return cmd_usage("--daemon and --sysroot do not go together");
	return EXIT_OK;
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
	struct monitor monitor = { 0 };
	const char *conf_file = NULL, *name = NULL;
	bool as_daemon = false;
	uint64_t since = 0;
	int option, code = EXIT_OK;

	while (!code && (option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG) {
			code = EXIT_USAGE;
		} else if (option == 'd') {
			as_daemon = true;
		} else if (option == 'f') {
			conf_file = optarg;
		} else if (option == 'g') {
			name = "gpu";
			code = take_gpus(&monitor);
		} else if (option == 'k') {
			name = "kind";
			code = take_kinds(&monitor);
		} else {
			name = option == 's' ? "since" : option == 'c' ? "count" : "timeout";
			if (!take_number(&monitor, option, &since))
				code = cmd_usage("\"%s\" is not a number that --%s takes",
						 optarg, name);
		}
	}
	if (!code)
		code = check(argv[optind], as_daemon, name, conf_file);
	if (!code)
		code = as_daemon ? daemon_run(conf_file) : watch(&monitor, since);
	targets_free(&monitor.gpus);
	return code;
}
