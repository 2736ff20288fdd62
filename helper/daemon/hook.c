// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fields.h"
#include "hook.h"
#include "out.h"

#define KILL_AFTER_US	5000000ull	/* from SIGTERM to SIGKILL */
#define ACCURACY_US	100000ull
#define US_PER_MS	1000ull
#define HOOK_PATH	"PATH=/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * struct hook - a hook that runs
 * @pid: ID of its process and of its process group
 * @child: event source of its end
 * @timer: timer until the next signal
 * @timed_out: the hook got a signal
 * @end: called at its end, or NULL
 * @data: passed to @end
 */
struct hook {
	pid_t pid;
	sd_event_source *child;
	sd_event_source *timer;
	bool timed_out;
	hook_end_t end;
	void *data;
};

/* A user who can change a hook gets the daemon's privileges, so only root may. */
static const char *refusal(const struct stat *st, bool folder)
{
	if (folder ? !S_ISDIR(st->st_mode) : !S_ISREG(st->st_mode))
		return folder ? "is not a folder" : "is not a regular file";
	if (st->st_uid && st->st_uid != geteuid())
		return "does not belong to root";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "can be written by others (chmod go-w)";
	if (!folder && !(st->st_mode & S_IXUSR))
		return "is not executable (chmod +x)";
	return NULL;
}

/**
 * hook_find() - find the hook of a kind of event
 * @folder: folder of the hooks
 * @name: name of the kind
 * @path: set to the path of the hook, or of the refused file or folder
 * @size: bytes of @path
 * @why: set to the reason on -EACCES
 *
 * Return: 0, -ENOENT if the kind has no hook, -EACCES if the hook must not run, or another
 * negative errno.
 */
int hook_find(const char *folder, const char *name, char *path, size_t size,
	      const char **why)
{
	struct stat st;

	if (snprintf(path, size, "%s/%s", folder, name) >= (int)size)
		return -ENAMETOOLONG;
	if (lstat(path, &st))
		return errno == ENOTDIR ? -ENOENT : -errno;
	*why = refusal(&st, false);
	if (*why)
		return -EACCES;
	if (stat(folder, &st))
		return -errno;
	*why = refusal(&st, true);
	if (*why)
		snprintf(path, size, "%s", folder);
	return *why ? -EACCES : 0;
}

/* Put the event into a file for standard input, so that the daemon need not feed a pipe. */
static int event_file(const struct event *event)
{
	json_t *json = out_event_json(event);
	int fd = memfd_create("event", MFD_CLOEXEC), ret;

	if (fd < 0) {
		json_decref(json);
		return -errno;
	}
	ret = json_dumpfd(json, fd, JSON_COMPACT);
	json_decref(json);
	if (!ret && write(fd, "\n", 1) == 1 && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -EIO;
}

/* Start the hook in its own process group, with default signals, and stdout on stderr. */
static int spawn(pid_t *pid, const char *path, char *argv[], char *environment[], int input)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int ret;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawn_file_actions_init(&files);
	ret = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_addchdir_np(&files, "/");
	if (!ret)
		ret = posix_spawn(pid, path, &files, &attr, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -ret;
}

static int start(struct hook *hook, const char *path, const struct event *event)
{
	const char *kind = name_of(&event_names, event->kind);
	char *argv[] = { (char *)path, (char *)kind, (char *)event->bdf, NULL };
	char *environment[FIELDS_MAX + 1];
	struct fields fields = { 0 };
	int input = event_file(event), ret;

	if (input < 0)
		return input;
	fields_add(&fields, HOOK_PATH);
	fields_add_event(&fields, event);
	memcpy(environment, fields.text, fields.count * sizeof(char *));
	environment[fields.count] = NULL;
	ret = spawn(&hook->pid, path, argv, environment, input);
	fields_free(&fields);
	close(input);
	return ret;
}

static void hook_free(struct hook *hook)
{
	sd_event_source_disable_unref(hook->child);
	sd_event_source_disable_unref(hook->timer);
	free(hook);
}

static int on_end(sd_event_source *source, const siginfo_t *info, void *data)
{
	int status = info->si_code == CLD_EXITED ? W_EXITCODE(info->si_status, 0) :
		     W_EXITCODE(0, info->si_status);
	struct hook *hook = data;
	hook_end_t end = hook->end;
	bool timed_out = hook->timed_out;

	(void)source;
	/* Kill processes of its group that have ignored SIGTERM. */
	if (timed_out)
		kill(-hook->pid, SIGKILL);
	data = hook->data;
	hook_free(hook);
	if (end)
		end(status, timed_out, data);
	return 0;
}

/* Send SIGTERM now, and SIGKILL later. */
static void terminate(struct hook *hook)
{
	kill(-hook->pid, SIGTERM);
	hook->timed_out = true;
	sd_event_source_set_time_relative(hook->timer, KILL_AFTER_US);
	sd_event_source_set_enabled(hook->timer, SD_EVENT_ONESHOT);
}

static int on_time(sd_event_source *source, uint64_t now, void *data)
{
	struct hook *hook = data;

	(void)source;
	(void)now;
	if (hook->timed_out)
		kill(-hook->pid, SIGKILL);
	else
		terminate(hook);
	return 0;
}

static int supervise(struct hook *hook, sd_event *loop, uint32_t timeout)
{
	int ret = sd_event_add_child(loop, &hook->child, hook->pid, WEXITED, on_end, hook);

	if (ret < 0)
		return ret;
	return sd_event_add_time_relative(loop, &hook->timer, CLOCK_MONOTONIC,
					  timeout * US_PER_MS, ACCURACY_US, on_time, hook);
}

/**
 * hook_start() - run a hook
 * @loop: event loop that reports its end; SIGCHLD must be blocked
 * @path: path from hook_find()
 * @event: the event, which becomes arguments, environment and standard input
 * @timeout: time until SIGTERM, ms; SIGKILL follows five seconds later
 * @end: called at the end of the hook
 * @data: passed to @end
 * @error: set to a negative errno on failure
 *
 * Return: the hook, until @end is called; or NULL.
 */
struct hook *hook_start(sd_event *loop, const char *path, const struct event *event,
			uint32_t timeout, hook_end_t end, void *data, int *error)
{
	struct hook *hook = calloc(1, sizeof(*hook));

	if (!hook) {
		*error = -ENOMEM;
		return NULL;
	}
	hook->end = end;
	hook->data = data;
	*error = start(hook, path, event);
	if (!*error) {
		*error = supervise(hook, loop, timeout);
		if (*error >= 0)
			return hook;
		kill(-hook->pid, SIGKILL);
		waitpid(hook->pid, NULL, 0);
	}
	hook_free(hook);
	return NULL;
}

/**
 * hook_stop() - end a hook without a call of its @end
 * @hook: the hook or NULL
 *
 * The hook gets SIGTERM now, and SIGKILL later if the loop still runs then.
 */
void hook_stop(struct hook *hook)
{
	if (!hook)
		return;
	hook->end = NULL;
	terminate(hook);
}
