// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "daemon_parts.h"
#include "hook.h"
#include "journal.h"
#include "sink.h"

#define WAITING_MAX	16	/* the module keeps further events */
#define KINDS_MAX	64
#define AGAIN_MS	1000
#define MS_PER_S	1000.0

/**
 * struct hooks - the sink that runs hooks, one at a time, in the order of the events
 * @sink: the sink
 * @loop: event loop that reports their end
 * @folder: folder of the hooks
 * @timeout: longest time of a hook, ms
 * @waiting: ring of events with a hook; the hook of the first one runs
 * @first: index of the first event in @waiting
 * @count: number of events in @waiting
 * @hook: the hook that runs, or NULL
 * @path: path of that hook
 * @again: timer until the next try to start it
 * @put_off: number of the event whose hook is started again
 * @refused: kinds whose hook was reported as refused
 */
struct hooks {
	struct sink sink;
	sd_event *loop;
	char *folder;
	uint32_t timeout;
	struct event waiting[WAITING_MAX];
	unsigned int first;
	unsigned int count;
	struct hook *hook;
	char path[PATH_MAX];
	sd_event_source *again;
	uint64_t put_off;
	bool refused[KINDS_MAX];
};

static struct hooks *of(struct sink *sink)
{
	return (struct hooks *)sink;
}

/* HOOK_EPOCH and HOOK_SEQ keep these entries apart from the event's own entry. */
static void add_event(struct fields *fields, const struct event *event, const char *path)
{
	fields_add(fields, FIELDS_PREFIX "BDF=%s", event->bdf);
	fields_add(fields, FIELDS_PREFIX "HOOK=%s", path);
	fields_add(fields, FIELDS_PREFIX "HOOK_EPOCH=%" PRIu64, event->epoch);
	fields_add(fields, FIELDS_PREFIX "HOOK_SEQ=%" PRIu64, event->seq);
}

/* Report a refusal once, until the hook passes the checks again. */
static void tell_refused(struct hooks *hooks, const struct event *event,
			 const char *path, const char *why, int error)
{
	bool *refused = &hooks->refused[event->kind % KINDS_MAX];
	struct fields fields = { 0 };

	if (!*refused) {
		add_event(&fields, event, path);
		journal_tell(OWN_HOOK_REFUSED, &fields, "%s is not run: %s%s", path,
			     why ? "it " : "", why ? why : strerror(-error));
	}
	*refused = true;
}

/* Find the hook of an event; false if none may run. */
static bool find(struct hooks *hooks, const struct event *event, char *path, size_t size)
{
	const char *name = name_of(&event_names, event->kind), *why = NULL;
	int ret = hook_find(hooks->folder, name, path, size, &why);

	if (!ret)
		hooks->refused[event->kind % KINDS_MAX] = false;
	else if (ret != -ENOENT)
		tell_refused(hooks, event, path, why, ret);
	return !ret;
}

static void tell_end(const struct event *event, const char *path, uint32_t timeout,
		     int status, bool timed_out)
{
	struct fields fields = { 0 };

	add_event(&fields, event, path);
	if (WIFEXITED(status))
		fields_add(&fields, FIELDS_PREFIX "HOOK_STATUS=%d", WEXITSTATUS(status));
	else
		fields_add(&fields, FIELDS_PREFIX "HOOK_SIGNAL=%d", WTERMSIG(status));
	if (timed_out)
		journal_tell(OWN_HOOK_TIMEOUT, &fields, "%s for event %" PRIu64 " of %s took longer than %g s and was killed",
			     path, event->seq, event->bdf, timeout / MS_PER_S);
	else if (!status)
		journal_tell(OWN_HOOK_DONE, &fields, "%s for event %" PRIu64 " of %s ended well",
			     path, event->seq, event->bdf);
	else
		journal_tell(OWN_HOOK_FAILED, &fields, "%s for event %" PRIu64 " of %s ended with %s %d",
			     path, event->seq, event->bdf,
			     WIFEXITED(status) ? "status" : "signal",
			     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void done(struct hooks *hooks, bool failed)
{
	hooks->first = (hooks->first + 1) % WAITING_MAX;
	hooks->count--;
	hooks->sink.done++;
	hooks->sink.failed += failed;
}

static void on_end(int status, bool timed_out, void *data);
static int on_again(sd_event_source *source, uint64_t now, void *data);

/* These errors pass: a lack of memory or processes, or a file that is being written. */
static bool passes(int error)
{
	return error == -EAGAIN || error == -ENOMEM || error == -EMFILE ||
	       error == -ENFILE || error == -ETXTBSY;
}

/* After an error that passes try again, and report it once; give up after any other. */
static void not_started(struct hooks *hooks, const struct event *event, int error)
{
	bool again = passes(error) &&
		     loop_timer(hooks->loop, &hooks->again, AGAIN_MS, on_again, hooks) >= 0;
	struct fields fields = { 0 };

	if (!again || hooks->put_off != event->seq) {
		add_event(&fields, event, hooks->path);
		journal_tell(OWN_HOOK_FAILED, &fields, "%s for event %" PRIu64 " of %s does not start: %s%s",
			     hooks->path, event->seq, event->bdf, strerror(-error),
			     again ? "; the service tries again" : "");
	}
	hooks->put_off = event->seq;
	if (!again)
		done(hooks, true);
}

/* Start the hook of the first waiting event; skip hooks that may not run. */
static void run(struct hooks *hooks)
{
	int error;

	while (hooks->count && !hooks->hook && !loop_timer_is_on(hooks->again)) {
		const struct event *event = &hooks->waiting[hooks->first];

		if (!find(hooks, event, hooks->path, sizeof(hooks->path))) {
			done(hooks, false);
			continue;
		}
		hooks->hook = hook_start(hooks->loop, hooks->path, event, hooks->timeout,
					 on_end, hooks, &error);
		if (!hooks->hook)
			not_started(hooks, event, error);
	}
	if (!hooks->count)
		hooks->sink.busy = false;
}

static int on_again(sd_event_source *source, uint64_t now, void *data)
{
	struct hooks *hooks = data;

	(void)source;
	(void)now;
	run(hooks);
	if (hooks->sink.wake)
		hooks->sink.wake(hooks->sink.data);
	return 0;
}

static void on_end(int status, bool timed_out, void *data)
{
	struct hooks *hooks = data;

	hooks->hook = NULL;
	tell_end(&hooks->waiting[hooks->first], hooks->path, hooks->timeout, status,
		 timed_out);
	done(hooks, timed_out || status);
	run(hooks);
	if (hooks->sink.wake)
		hooks->sink.wake(hooks->sink.data);
}

/* An event without a hook counts as done at once, so that it needs no place in the ring. */
static int take(struct sink *sink, const struct event *event)
{
	struct hooks *hooks = of(sink);
	char path[PATH_MAX];

	if (!find(hooks, event, path, sizeof(path))) {
		sink->done++;
		return 0;
	}
	hooks->waiting[(hooks->first + hooks->count++) % WAITING_MAX] = *event;
	sink->busy = hooks->count == WAITING_MAX;
	run(hooks);
	return 0;
}

static int take_gap(struct sink *sink, const struct gap *gap)
{
	(void)sink;
	(void)gap;
	return 0;
}

/* An event counts as arrived when its hook has ended. */
static int flush(struct sink *sink, uint64_t epoch, uint64_t *next)
{
	struct hooks *hooks = of(sink);
	unsigned int i;

	for (i = 0; i < hooks->count; i++) {
		const struct event *event =
			&hooks->waiting[(hooks->first + i) % WAITING_MAX];

		if (event->epoch == epoch) {
			*next = event->seq;
			break;
		}
	}
	return 0;
}

static void sink_close(struct sink *sink)
{
	hook_stop(of(sink)->hook);
	sd_event_source_disable_unref(of(sink)->again);
	free(of(sink)->folder);
	free(sink);
}

/**
 * sink_hooks_set() - change the settings of the sink
 * @sink: the sink from sink_hooks_new()
 * @folder: folder of the hooks
 * @timeout: longest time of a hook that starts from now on, ms
 */
void sink_hooks_set(struct sink *sink, const char *folder, uint32_t timeout)
{
	struct hooks *hooks = of(sink);
	char *copy = strdup(folder);

	if (!copy)
		return;
	free(hooks->folder);
	hooks->folder = copy;
	hooks->timeout = timeout;
	memset(hooks->refused, 0, sizeof(hooks->refused));
}

/**
 * sink_hooks_new() - create the sink that runs hooks
 * @loop: event loop that reports their end; SIGCHLD must be blocked
 * @folder: folder of the hooks, named after kinds of events
 * @timeout: longest time of a hook, ms
 *
 * Return: the sink, or NULL without memory.
 */
struct sink *sink_hooks_new(sd_event *loop, const char *folder, uint32_t timeout)
{
	static const struct sink_calls calls = {
		.take = take,
		.gap = take_gap,
		.flush = flush,
		.close = sink_close,
	};
	struct hooks *hooks = calloc(1, sizeof(*hooks));

	if (!hooks)
		return NULL;
	hooks->sink.name = "hooks";
	hooks->sink.calls = &calls;
	hooks->loop = loop;
	sink_hooks_set(&hooks->sink, folder, timeout);
	if (hooks->folder)
		return &hooks->sink;
	free(hooks);
	return NULL;
}
