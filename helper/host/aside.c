// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who reads the config space of a function that is being reset, or takes its device lock,
 * waits in the kernel until that is over, minutes with some drivers, and cannot be killed.
 * A process of its own does so, which nobody needs to wait for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aside.h"
#include "now.h"
#include "say.h"
#include "sysroot.h"

#define ASIDE_LOOK_MS	50	/* between two looks at one that is late */

/* Who waits for the end of our output does not wait for who is left behind. */
static void let_go_of_output(void)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (none < 0 || dup2(none, fd) < 0)
			_exit(EXIT_FAILURE);
}

/**
 * aside_start() - have a process work
 * @aside: set
 * @work: what it does; it answers by aside_put(), and ends when this returns
 * @data: for it
 *
 * Return: false, with errno, if there is no room for one more.
 */
bool aside_start(struct aside *aside, void (*work)(int fd, const void *data), const void *data)
{
	int fds[2], error;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	fflush(NULL);
	aside->pid = fork();
	error = errno;
	if (!aside->pid) {
		signal(SIGPIPE, SIG_DFL);
		let_go_of_output();
		close(fds[0]);
		work(fds[1], data);
		_exit(EXIT_SUCCESS);
	}
	close(fds[1]);
	aside->fd = fds[0];
	if (aside->pid > 0)
		return true;
	close(aside->fd);
	errno = error;
	return false;
}

/**
 * aside_put() - answer
 * @fd: that the process was given
 * @data: what
 * @size: of it in bytes
 */
void aside_put(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			_exit(EXIT_FAILURE);
		at += n < 0 ? 0 : n;
		size -= n < 0 ? 0 : n;
	}
}

/* It is the host that is busy: nothing holds it up, it has not had its turn. */
static bool is_runnable(const struct aside *aside)
{
	char path[64], said[256] = "", *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", aside->pid);
	sysroot_read(path, said, sizeof(said) - 1);
	name_end = strrchr(said, ')');
	return name_end && !strncmp(name_end, ") R", 3);
}

/**
 * aside_take() - a part of the answer
 * @aside: started
 * @data: set
 * @size: of it in bytes
 * @end: when not to wait any longer, as now_ms(); longer by ASIDE_BUSY_MS at most for one
 *	that only waits for its turn
 *
 * Return: true; false if it has ended before that, or takes too long.
 */
bool aside_take(const struct aside *aside, void *data, size_t size, int64_t end)
{
	char *at = data;

	while (size) {
		struct pollfd fd = { .fd = aside->fd, .events = POLLIN };
		int64_t left = end - now_ms();
		ssize_t n;

		if (poll(&fd, 1, left > 0 ? left : ASIDE_LOOK_MS) <= 0 && now_ms() >= end &&
		    (!is_runnable(aside) || now_ms() >= end + ASIDE_BUSY_MS))
			return false;
		if (!fd.revents)
			continue;
		n = read(aside->fd, at, size);
		if (!n || (n < 0 && errno != EINTR))
			return false;
		at += n < 0 ? 0 : n;
		size -= n < 0 ? 0 : n;
	}
	return true;
}

/**
 * aside_stop() - have it end
 * @aside: started
 *
 * One that the kernel holds dies when it lets go of it, and nobody waits for that.
 */
void aside_stop(const struct aside *aside)
{
	close(aside->fd);
	kill(aside->pid, SIGKILL);
	waitpid(aside->pid, NULL, WNOHANG);
}

/**
 * struct call - what is to be worked on
 * @work: by this
 * @data: it
 * @size: of it in bytes
 */
struct call {
	void (*work)(void *data);
	void *data;
	size_t size;
};

static void answer(int fd, const void *data)
{
	const struct call *call = data;

	call->work(call->data);
	aside_put(fd, call->data, call->size);
}

/**
 * aside_call() - have something done unless the kernel holds it up
 * @work: does it; a process of its own calls it, so that all that comes of it is @data
 * @data: worked on, without pointers to what @work makes
 * @size: of it in bytes
 *
 * Return: true, and @data is as @work has left it; false if it was not done in a second,
 * though it had its turn, and then @data is as it was.
 */
bool aside_call(void (*work)(void *data), void *data, size_t size)
{
	const struct call call = { .work = work, .data = data, .size = size };
	struct aside aside;
	void *result;
	bool done;

	/* Nobody resets a captured host; and without one more process it is done by this one. */
	if (*opt_sysroot || !aside_start(&aside, answer, &call)) {
		work(data);
		return true;
	}
	result = malloc(size);
	done = result && aside_take(&aside, result, size, now_ms() + ASIDE_PATIENCE_MS);
	if (done)
		memcpy(data, result, size);
	free(result);
	aside_stop(&aside);
	return done;
}
