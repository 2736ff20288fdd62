// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nl_debug.h"
#include "nl_parse.h"
#include "nl_watch.h"

#define BUFFER_BYTES	8192

/**
 * struct nl_watch - a socket for notices of netlink families that are added and removed
 * @socket: libmnl's socket
 */
struct nl_watch {
	struct mnl_socket *socket;
};

static int watch_join(struct nl_watch *watch)
{
	int group = GENL_ID_CTRL;	/* group of the controller's notices */

	watch->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!watch->socket || mnl_socket_bind(watch->socket, 0, MNL_SOCKET_AUTOPID) ||
	    mnl_socket_setsockopt(watch->socket, NETLINK_ADD_MEMBERSHIP, &group,
				  sizeof(group)) < 0)
		return -errno;
	return 0;
}

/**
 * nl_watch_open() - begin to watch for the module
 * @error: receives a positive errno on failure
 *
 * Return: the watch or NULL.
 */
struct nl_watch *nl_watch_open(int *error)
{
	struct nl_watch *watch = calloc(1, sizeof(*watch));

	*error = watch ? -watch_join(watch) : ENOMEM;
	if (!*error)
		return watch;
	nl_watch_close(watch);
	return NULL;
}

/**
 * nl_watch_fd() - get the file descriptor of a watch, to poll for notices
 * @watch: watch
 *
 * Return: the file descriptor.
 */
int nl_watch_fd(const struct nl_watch *watch)
{
	return mnl_socket_get_fd(watch->socket);
}

/**
 * nl_watch_read() - take the notices that have arrived
 * @watch: watch
 *
 * Return: 1 if the module may have been loaded, else 0, or a negative errno.
 */
int nl_watch_read(struct nl_watch *watch)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[BUFFER_BYTES];
	int come = 0;

	for (;;) {
		ssize_t got = mnl_socket_recvfrom(watch->socket, buffer, sizeof(buffer));
		const struct nlmsghdr *at = (void *)buffer;
		int left;

		/* The notice may be among those that the socket has dropped. */
		if (got < 0 && errno == ENOBUFS)
			come = 1;
		else if (got < 0 && errno != EINTR)
			return errno == EAGAIN ? come : -errno;
		if (got > 0)
			nl_debug(NL_RECEIVED, buffer, got);
		for (left = got; got > 0 && mnl_nlmsg_ok(at, left);
		     at = mnl_nlmsg_next(at, &left))
			come |= nl_parse_is_new(at);
	}
}

/**
 * nl_watch_close() - end a watch
 * @watch: watch or NULL
 */
void nl_watch_close(struct nl_watch *watch)
{
	if (watch && watch->socket)
		mnl_socket_close(watch->socket);
	free(watch);
}
