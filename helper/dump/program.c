// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "now.h"
#include "program.h"

static void __attribute__((noreturn)) become(char *const argv[], int fd)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", words[] = "LC_ALL=C.UTF-8";
	char *environment[] = { path, words, NULL };
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		_exit(127);
	execve(argv[0], argv, environment);
	_exit(127);
}

/* Read the output until its end or the deadline; after an error the caller kills the program. */
static int collect(int fd, int64_t end, size_t limit, struct bytes *output)
{
	struct pollfd reply = { .fd = fd, .events = POLLIN };
	char part[4096];

	for (;;) {
		int64_t left = end - now_ms();
		ssize_t n;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&reply, 1, left) <= 0)
			continue;
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		bytes_add(output, part, n);
		if (output->size > limit)
			return -EFBIG;
	}
}

/* A program may close its output and run on, so wait for its end, too. */
static int wait_for(pid_t child, int64_t end)
{
	struct pollfd ended = { .fd = syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	int ret = ended.fd < 0 ? -errno : -ETIMEDOUT;
	int64_t left;

	while (ret == -ETIMEDOUT && (left = end - now_ms()) > 0)
		if (poll(&ended, 1, left) > 0)
			ret = 0;
	if (ended.fd >= 0)
		close(ended.fd);
	return ret;
}

/* A killed program may hang in the kernel and die later; do not wait for it. */
static int reap(pid_t child, int ret)
{
	int status = 0;

	if (ret) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	if (waitpid(child, &status, WNOHANG) < 0 || ret)
		return ret ?: -errno;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/**
 * program_run() - run a program with a small environment and no input
 * @argv: path and arguments, ending with NULL
 * @timeout_ms: the program is killed after this time, ms
 * @limit: the program is killed if it prints more, bytes
 * @output: standard output and standard error of the program are appended
 *
 * Return: exit status of the program, 128 plus the number of the signal that killed it (as in
 * shells), or a negative errno.
 */
int program_run(char *const argv[], int timeout_ms, size_t limit, struct bytes *output)
{
	int64_t end = now_ms() + timeout_ms;
	int fds[2], ret;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	child = fork();
	if (!child)
		become(argv, fds[1]);
	close(fds[1]);
	ret = child < 0 ? -errno : collect(fds[0], end, limit, output) ?: wait_for(child, end);
	close(fds[0]);
	return child < 0 ? ret : reap(child, ret);
}
