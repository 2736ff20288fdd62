// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that reads the config space of a function in reset, or takes its device lock,
 * blocks in the kernel until the reset ends: for minutes with some drivers, and unkillably.
 * A child does such work here, so that instinctctl can go on without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "now.h"
#include "say.h"
#include "sysroot.h"

#define ASIDE_LOOK_MS	50	/* poll interval for a child that is late */
#define DEATH_MS	100	/* a killed child that takes longer blocks in the kernel */
#define LEFT_NOTED	128	/* abandoned children that are reaped when they end */

/* Children that blocked in the kernel when they were killed. */
static struct aside left_behind[LEFT_NOTED];

/* Reaps the children in left_behind that have ended since. */
static void reap(void)
{
	unsigned int i;

	for (i = 0; i < LEFT_NOTED; i++)
		if (left_behind[i].pid && waitpid(left_behind[i].pid, NULL, WNOHANG))
			left_behind[i].pid = 0;
}

/*
 * A caller that asks again and again must not fill the host with processes that the kernel blocks.
 * A device that does not answer must not keep the others from being read.
 */
static bool has_room(const char *bdf)
{
	unsigned int left = 0, all = 0, i;

	reap();
	for (i = 0; i < LEFT_NOTED; i++) {
		all += left_behind[i].pid != 0;
		left += left_behind[i].pid && !strcmp(left_behind[i].bdf, bdf);
	}
	return left < ASIDE_LEFT_MAX && all < LEFT_NOTED;
}

static void leave_behind(const struct aside *aside)
{
	unsigned int i;

	for (i = 0; i < LEFT_NOTED && left_behind[i].pid; i++)
		;
	if (i < LEFT_NOTED)
		left_behind[i] = *aside;
}

/* A program that reads our output to its end must not wait for an abandoned child. */
static void let_go_of_output(void)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (none < 0 || dup2(none, fd) < 0)
			_exit(EXIT_FAILURE);
}

/**
 * aside_start() - start a child process
 * @aside: receives the child
 * @work: called in the child, which answers with aside_put() and exits when @work returns
 * @data: passed to @work
 *
 * Return: false, with errno set, if the process cannot be created.
 */
bool aside_start(struct aside *aside, void (*work)(int fd, const void *data), const void *data)
{
	int fds[2], error;

	reap();
	*aside->bdf = '\0';
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
 * aside_put() - send a part of the answer from the child
 * @fd: pipe that the child's work was given
 * @data: bytes to send
 * @size: size of @data in bytes
 *
 * Context: child only; the child exits if it cannot write.
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

/* A runnable child is late only because the host is busy; the kernel does not block it. */
static bool is_runnable(const struct aside *aside)
{
	char path[64], said[256] = "", *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", aside->pid);
	sysroot_read(path, said, sizeof(said) - 1);
	name_end = strrchr(said, ')');
	return name_end && !strncmp(name_end, ") R", 3);
}

/**
 * aside_take() - receive a part of the answer
 * @aside: child that was started
 * @data: receives the bytes
 * @size: size of @data in bytes
 * @end: deadline on the clock of now_ms(); a child that waits for a CPU gets up to
 *	ASIDE_BUSY_MS more
 *
 * Return: false if the child has ended before it answered, or has missed the deadline.
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
 * aside_stop() - kill a child, and wait until it has gone unless the kernel blocks it
 * @aside: child that was started
 *
 * A child that blocks in the kernel dies when the kernel lets it continue; a later aside_start() or
 * aside_stop() reaps it, so that a program that runs for long leaves no zombies.
 */
void aside_stop(const struct aside *aside)
{
	const struct timespec look = { .tv_nsec = 1000000 };
	int64_t end = now_ms() + DEATH_MS;

	close(aside->fd);
	kill(aside->pid, SIGKILL);
	reap();
	while (!waitpid(aside->pid, NULL, WNOHANG)) {
		if (now_ms() >= end) {
			leave_behind(aside);
			return;
		}
		nanosleep(&look, NULL);
	}
}

/**
 * struct call - arguments of aside_call()
 * @work: function that the child calls
 * @data: data that @work reads and changes
 * @size: size of @data in bytes
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
 * aside_call() - call a function that the kernel may block, but wait a second at most
 * @bdf: address of the device that may block it
 * @work: function; a child calls it, so only its changes to @data reach the caller
 * @data: data that @work reads and changes; @work must not store pointers in it
 * @size: size of @data in bytes
 *
 * Return: true if @work has returned, and @data holds its result; false if the child was not
 * done in a second although it had a CPU, or if too many such children of the device are left, and
 * @data is unchanged.
 */
bool aside_call(const char *bdf, void (*work)(void *data), void *data, size_t size)
{
	const struct call call = { .work = work, .data = data, .size = size };
	struct aside aside;
	void *result;
	bool done;

	if (!has_room(bdf))
		return false;
	/* A captured host has no resets to wait for. If fork() fails, this process must do it. */
	if (*opt_sysroot || !aside_start(&aside, answer, &call)) {
		work(data);
		return true;
	}
	snprintf(aside.bdf, sizeof(aside.bdf), "%s", bdf);
	result = malloc(size);
	done = result && aside_take(&aside, result, size, now_ms() + ASIDE_PATIENCE_MS);
	if (done)
		memcpy(data, result, size);
	free(result);
	aside_stop(&aside);
	return done;
}
