// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl_send.h"
#include "progress.h"

static int send_now(const struct mnl_socket *socket, const struct nlmsghdr *nlh)
{
	while (mnl_socket_sendto(socket, nlh, nlh->nlmsg_len) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* The child must not hold our output or locks: other programs wait for their end. */
static void keep_only(int fd)
{
	if (fd)
		close_range(0, fd - 1, 0);
	close_range(fd + 1, ~0u, 0);
}

static int wait_for(pid_t child, int fd, nl_tick_t tick)
{
	struct pollfd reply = { .fd = fd, .events = POLLIN };
	int status, ready = 0;
	pid_t ended = 0;

	while (!ready && !ended) {
		ended = waitpid(child, &status, WNOHANG);
		if (!ended)
			ready = poll(&reply, 1, PROGRESS_TICK_MS);
		if (!ended && !ready)
			tick(true);
	}
	tick(false);
	/* With SIGCHLD ignored the exit status is unknown; the reply carries the error then. */
	if (ended < 0)
		return 0;
	/* The kernel replies at the end of the send, so this wait is short. */
	if (ready && waitpid(child, &status, 0) != child)
		return 0;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/**
 * nl_send() - send a request
 * @socket: libmnl's socket
 * @nlh: request
 * @tick: called every PROGRESS_TICK_MS during the send, and with false at its end; or NULL
 *
 * The kernel executes most requests in the context of the sender, which therefore cannot call
 * @tick. With @tick a child sends the request through the same socket, and this process
 * receives the replies. The kernel executes a reset in another context and replies later, see
 * nl_await().
 *
 * Return: 0 or a negative errno.
 */
int nl_send(const struct mnl_socket *socket, const struct nlmsghdr *nlh, nl_tick_t tick)
{
	int fd = mnl_socket_get_fd(socket);
	pid_t child;

	if (!tick)
		return send_now(socket, nlh);
	fflush(NULL);
	child = fork();
	if (child < 0)
		return send_now(socket, nlh);
	if (!child) {
		keep_only(fd);
		_exit(-send_now(socket, nlh));
	}
	return wait_for(child, fd, tick);
}

/**
 * nl_await() - wait for a reply
 * @socket: libmnl's socket
 * @tick: as for nl_send()
 */
void nl_await(const struct mnl_socket *socket, nl_tick_t tick)
{
	struct pollfd reply = { .fd = mnl_socket_get_fd(socket), .events = POLLIN };

	while (!poll(&reply, 1, PROGRESS_TICK_MS))
		tick(true);
	tick(false);
}
