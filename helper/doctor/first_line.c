// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "first_line.h"
#include "now.h"

#define DEADLINE_MS	2000

static bool start(const char *path, const char *option, int out, pid_t *pid)
{
	char *const argv[] = { (char *)path, (char *)option, NULL };
	char *const env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };
	posix_spawn_file_actions_t actions;
	bool ok;

	if (posix_spawn_file_actions_init(&actions))
		return false;
	ok = !posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
					       0) &&
	     !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					       O_WRONLY, 0) &&
	     !posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) &&
	     !posix_spawn(pid, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return ok;
}

/* Read until the first newline, the end of the output or the deadline. */
static void listen_to(int fd, char *line, size_t size)
{
	int64_t end = now_ms() + DEADLINE_MS, left;
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	size_t at = 0;
	ssize_t n;

	while (at + 1 < size && (left = end - now_ms()) > 0 && poll(&poller, 1, left) > 0) {
		n = read(fd, line + at, size - 1 - at);
		if (n <= 0)
			break;
		at += n;
		if (memchr(line, '\n', at))
			break;
	}
	line[at] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

/**
 * first_line_of() - run a program for at most two seconds, and read its first line
 * @path: path of the program
 * @option: its only argument
 * @line: receives the first line of its output, "" without output
 * @size: bytes of @line
 *
 * Return: false if the program printed nothing.
 */
bool first_line_of(const char *path, const char *option, char *line, size_t size)
{
	int ends[2], status;
	pid_t pid;

	*line = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return false;
	if (start(path, option, ends[1], &pid)) {
		close(ends[1]);
		listen_to(ends[0], line, size);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	} else {
		close(ends[1]);
	}
	close(ends[0]);
	return *line;
}
