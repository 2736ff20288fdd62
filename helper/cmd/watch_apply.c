// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "apply.h"
#include "module.h"
#include "now.h"
#include "out.h"
#include "out_apply.h"
#include "out_change.h"
#include "say.h"
#include "watch_parts.h"

#define SOON_MS		200
#define SOON_MAX_MS	2000	/* limit while more devices keep appearing */
#define MS_PER_S	1000
#define PATIENCE_MS	5000	/* the event loop stands still for this time */

static const char *time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return out_time(now.tv_sec * NS_PER_S + now.tv_nsec);
}

/**
 * watch_tell() - print a line with the time, unless --json was given
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

static void changed(const struct apply *apply)
{
	if (!opt_json)
		out_changes(&apply->changes);
}

static void report(const struct apply *apply, int code, const char *why,
		   int64_t began)
{
	json_t *json;

	if (opt_json) {
		json = out_apply_json(apply);
		json_object_set_new(json, "time", json_string(time_now()));
		json_object_set_new(json, "reason", json_string(why));
		out_json(json, JSON_COMPACT);
	} else if (!code || code == EXIT_ABSENT) {
		out_apply_text(apply, now_ms() - began);
	}
	fflush(stdout);
	sd_notifyf(0, "STATUS=%s: %s", why,
		   code && code != EXIT_ABSENT ? say_last_error() : "policy in force");
}

/**
 * watch_apply() - apply a policy; without the module do nothing, and do not load it
 * @conf: policy
 * @why: the reason, for people and for the journal
 * @written: set to true if the module has taken the policy, even if it failed elsewhere
 *
 * Return: exit code.
 */
int watch_apply(struct conf *conf, const char *why, bool *written)
{
	struct apply apply = {
		.calls = &apply_live, .conf = conf, .changed = changed,
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
	/* The errors were about the host as it is now; the next run checks again. */
	conf_forgive(conf);
	return code;
}

static int on_soon(sd_event_source *source, uint64_t at, void *data);

/**
 * watch_again() - apply the policy once more after a delay that grows
 * @watch: the watch
 *
 * A busy GPU or a changing host may take the policy later.
 *
 * Return: 0 or a negative errno.
 */
int watch_again(struct watch *watch)
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
	if (watch_apply(&watch->conf, watch->why, &written) == EXIT_ERROR)
		return loop_go_on(watch->loop, watch_again(watch));
	watch->retry = 0;
	return 0;
}

/**
 * watch_soon() - apply the policy after a short delay, which collects further reasons
 * @watch: the watch
 * @why: the reason; the first one of a run is reported
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
