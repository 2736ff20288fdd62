// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "apply.h"
#include "module.h"
#include "now.h"
#include "out.h"
#include "out_apply.h"
#include "out_change.h"
#include "say.h"
#include "watch.h"
#include "watch_parts.h"

#define SOON_MS		200
#define SOON_MAX_MS	2000	/* though more and more comes */
#define MS_PER_S	1000
#define PATIENCE_MS	5000	/* nothing else is heard of meanwhile */

static const char *time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return out_time(now.tv_sec * NS_PER_S + now.tv_nsec);
}

/**
 * watch_tell() - a line on what happens, for people
 * @format: as for printf(), without a newline
 */
void watch_tell(const char *format, ...)
{
	va_list args;

	if (opt_json)
		return;
	printf("%s ", time_now());
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static void planned(const struct apply *apply)
{
	if (!opt_json)
		out_changes(&apply->changes);
}

static void report(const struct apply *apply, int code, const char *why,
		   int64_t began)
{
	json_t *json;

	if (opt_json) {
		json = out_apply_json(apply, code);
		json_object_set_new(json, "time", json_string(time_now()));
		json_object_set_new(json, "reason", json_string(why));
		out_json(json, JSON_COMPACT);
	} else if (!code) {
		out_apply_text(apply, now_ms() - began);
	}
	fflush(stdout);
	sd_notifyf(0, "STATUS=%s: %s", why, code ? say_last_error() : "policy in force");
}

/* Without the module nothing is done, and it is not loaded. */
static int run(struct conf *conf, const char *why, bool *written)
{
	struct apply apply = {
		.calls = &apply_live, .conf = conf, .planned = planned,
		.patience = PATIENCE_MS,
	};
	int64_t began;
	int code;

	*written = false;
	apply.nl = module_open(MODULE_IF_LOADED, &code);
	if (!apply.nl)
		return code;
	began = now_ms();
	watch_tell("%s:", why);
	code = apply_run(&apply);
	report(&apply, code, why, began);
	*written = apply.written;
	apply_free(&apply);
	nl_close(apply.nl);
	/* Of this host as it was now; the next run looks again. */
	conf_forgive(conf);
	return code;
}

static int on_soon(sd_event_source *source, uint64_t at, void *data);

/* A GPU that is busy, or a host that changes all the time: later it may do. */
static int run_again(struct watch *watch)
{
	watch->retry = loop_delay_next(watch->retry);
	snprintf(watch->why, sizeof(watch->why), "once more after %u s", watch->retry);
	return loop_timer(watch->loop, &watch->soon, watch->retry * MS_PER_S, on_soon, watch);
}

static int on_soon(sd_event_source *source, uint64_t at, void *data)
{
	struct watch *watch = data;
	bool written;

	(void)source;
	(void)at;
	watch->soonest = 0;
	if (run(&watch->conf, watch->why, &written) == EXIT_ERROR)
		return loop_go_on(watch->loop, run_again(watch));
	watch->retry = 0;
	return 0;
}

/**
 * watch_soon() - apply the policy in a moment
 * @watch: it
 * @why: something has come; the first that has is told
 *
 * Return: 0 or a negative errno.
 */
int watch_soon(struct watch *watch, const char *why)
{
	int64_t now = now_ms();

	if (!watch->soonest) {
		snprintf(watch->why, sizeof(watch->why), "%s", why);
		watch->soonest = now;
	}
	if (now - watch->soonest >= SOON_MAX_MS)
		return 0;
	return loop_timer(watch->loop, &watch->soon, SOON_MS, on_soon, watch);
}

static void notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		   now.tv_sec * 1000000ll + now.tv_nsec / 1000);
}

/* What is written is in force, though it may not be so everywhere: it is tried again. */
static int take_new(struct watch *watch, struct conf *conf)
{
	bool written = false;
	int code = conf_open(conf, watch->file);

	if (!code)
		code = conf->errors ? EXIT_ERROR :
		       run(conf, "told to read the policy again", &written);
	if (code && !written)
		return code;
	conf_free(&watch->conf);
	watch->conf = *conf;
	return code == EXIT_ERROR ? run_again(watch) : 0;
}

/* What the module refuses is wrong, too: it has undone it. */
static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct watch *watch = data;
	struct conf conf;
	int code;

	(void)source;
	(void)info;
	notify_reloading();
	code = take_new(watch, &conf);
	if (code > 0) {
		say_warning("the policy is not read again: the old one stays in force");
		conf_free(&conf);
	}
	sd_notify(0, "READY=1");
	return loop_go_on(watch->loop, code > 0 ? 0 : code);
}

static int begin(struct watch *watch)
{
	int ret = sd_event_new(&watch->loop);

	if (ret >= 0)
		ret = loop_signals(watch->loop, on_reload, watch);
	if (ret >= 0)
		ret = watch_hosts_open(watch);
	if (ret < 0)
		return ret;
	watch_link_init(watch);
	return link_open(&watch->link);
}

static void end(struct watch *watch)
{
	link_free(&watch->link);
	sd_event_source_disable_unref(watch->soon);
	sd_device_monitor_unref(watch->hosts);
	sd_event_unref(watch->loop);
}

/* As apply does it, which is the only time that the module is loaded. */
static int prepare(struct watch *watch)
{
	bool needed = false;
	int code = conf_open(&watch->conf, watch->file);
	struct nl *nl;

	if (!code)
		code = apply_needs_module(&watch->conf, &needed);
	if (code || !needed)
		return code;
	nl = module_open(MODULE_LOAD, &code);
	if (nl)
		nl_close(nl);
	return code;
}

/* With all that came before; what is wrong from the start is not watched. */
static int first(struct watch *watch)
{
	bool written;

	loop_timer_off(watch->soon);
	watch->soonest = 0;
	return run(&watch->conf, "started", &written);
}

/**
 * watch_run() - instinctctl apply --watch
 * @file: policy, NULL for the installed one
 *
 * Return: exit code.
 */
int watch_run(const char *file)
{
	struct watch watch = { .file = file };
	int code = prepare(&watch), ret = 0;

	if (!code) {
		ret = begin(&watch);
		code = ret < 0 ? EXIT_ERROR : first(&watch);
	}
	if (!code) {
		sd_notify(0, "READY=1");
		ret = sd_event_loop(watch.loop);
	}
	end(&watch);
	conf_free(&watch.conf);
	if (ret >= 0)
		return code;
	say_error("the watch cannot go on: %s", strerror(-ret));
	return EXIT_ERROR;
}
