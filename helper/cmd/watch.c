// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "apply.h"
#include "module.h"
#include "say.h"
#include "watch.h"
#include "watch_parts.h"

static void notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		   now.tv_sec * 1000000ll + now.tv_nsec / 1000);
}

/* A written policy counts as in force; if the run failed elsewhere, try it again. */
static int take_new(struct watch *watch, struct conf *conf)
{
	bool written = false;
	int code = conf_open(conf, watch->file);

	if (!code)
		code = conf->errors ? EXIT_ERROR :
		       watch_apply(conf, "the policy is read again after SIGHUP", &written);
	if (code && !written)
		return code;
	conf_free(&watch->conf);
	watch->conf = *conf;
	return code == EXIT_ERROR ? watch_again(watch) : 0;
}

/* A policy that the module refuses counts as wrong, since the module has undone it. */
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
		say_warning("the new policy is not taken: the old one stays in force");
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

/* Load the module as apply does; the watch loads it at no other time. */
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

/* Apply the policy at the start; the watch ends if that fails. */
static int first(struct watch *watch)
{
	bool written;
	int code;

	loop_timer_off(watch->soon);
	watch->soonest = 0;
	code = watch_apply(&watch->conf, "started", &written);
	/* A device that is absent now may come. */
	return code == EXIT_ABSENT ? EXIT_OK : code;
}

/**
 * watch_run() - run instinctctl apply --watch
 * @file: policy file, or NULL for the installed policy
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
	say_error(error_code_of(-ret, ERROR_IO), "the watch cannot go on: %s", strerror(-ret));
	return EXIT_ERROR;
}
