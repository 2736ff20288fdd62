// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listener.h"

#define BACKLOG		16
#define UNIX_MODE	0660

/* Any of the three. */
union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static bool parse_port(const char *text, in_port_t *port)
{
	unsigned long number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	number = strtoul(text, &end, 10);
	*port = htons(number);
	return !*end && number && number <= 65535;
}

static socklen_t parse_unix(const char *path, union address *address, char *why, size_t size)
{
	if (*path != '/' || strlen(path) >= sizeof(address->un.sun_path)) {
		snprintf(why, size, "\"unix:%s\": the path of a socket begins with / and has at most %zu bytes",
			 path, sizeof(address->un.sun_path) - 1);
		return 0;
	}
	address->un = (struct sockaddr_un) { .sun_family = AF_UNIX };
	memcpy(address->un.sun_path, path, strlen(path) + 1);
	return sizeof(address->un);
}

static bool parse_host(const char *host, in_port_t port, union address *address)
{
	struct in6_addr in6;
	struct in_addr in;

	if (inet_pton(AF_INET, host, &in) == 1) {
		address->in = (struct sockaddr_in) {
			.sin_family = AF_INET, .sin_addr = in, .sin_port = port };
		return true;
	}
	if (*host != '[' || host[strlen(host) - 1] != ']')
		return false;
	if (inet_pton(AF_INET6, strndupa(host + 1, strlen(host) - 2), &in6) != 1)
		return false;
	address->in6 = (struct sockaddr_in6) {
		.sin6_family = AF_INET6, .sin6_addr = in6, .sin6_port = port };
	return true;
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&address->in6.sin6_addr);
}

/* Size of the address, or 0 and why there is none. */
static socklen_t parse(const char *where, union address *address, char *why, size_t size)
{
	const char *colon = strrchr(where, ':');
	in_port_t port;

	if (!strncmp(where, "unix:", 5))
		return parse_unix(where + 5, address, why, size);
	if (!colon || !parse_port(colon + 1, &port) ||
	    !parse_host(strndupa(where, colon - where), port, address)) {
		snprintf(why, size, "\"%s\" is none of 127.0.0.1:PORT, [::1]:PORT and unix:PATH",
			 where);
		return 0;
	}
	if (!is_loopback(address)) {
		snprintf(why, size, "\"%s\" can be reached from other hosts, and this server asks nobody who he is: listen on 127.0.0.1:PORT behind a reverse proxy that does, or use node_exporter's textfile collector",
			 where);
		return 0;
	}
	return address->any.sa_family == AF_INET ? sizeof(address->in) : sizeof(address->in6);
}

/**
 * listener_check() - can one listen there, as far as its name tells?
 * @where: "127.0.0.1:PORT", "[::1]:PORT" or "unix:PATH"
 * @why: set if not, for people
 * @size: of @why
 *
 * Return: whether.
 */
bool listener_check(const char *where, char *why, size_t size)
{
	union address address;

	return parse(where, &address, why, size);
}

/* What a server that has ended left behind; a negative errno if it is not that. */
static int remove_stale(const union address *address, socklen_t bytes)
{
	int fd, error = 0;
	struct stat st;

	if (lstat(address->un.sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, &address->any, bytes))
		error = errno;
	close(fd);
	if (error != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(address->un.sun_path) ? -errno : 0;
}

/*
 * Who is in the group of the folder may connect. Where that is not for us to give, it
 * stays with our own. Whoever may write there may have put another file in its place.
 */
static int take_group(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret = 0;
	char *folder = strndupa(path, strrchr(path, '/') + 1 - path);
	struct stat st, own;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &own) || stat(folder, &st))
		ret = -errno;
	else if (!S_ISSOCK(own.st_mode))
		ret = -ENOTSOCK;
	else if (fchownat(fd, "", -1, st.st_gid, AT_EMPTY_PATH) && errno != EPERM)
		ret = -errno;
	close(fd);
	return ret;
}

static int bind_unix(struct listener *listener, const union address *address, socklen_t bytes)
{
	int ret = remove_stale(address, bytes);
	mode_t mask;

	if (ret)
		return ret;
	mask = umask(0777 & ~UNIX_MODE);
	if (bind(listener->fd, &address->any, bytes))
		ret = -errno;
	umask(mask);
	if (!ret)
		ret = take_group(address->un.sun_path);
	if (!ret && lstat(address->un.sun_path, &listener->node))
		ret = -errno;
	if (!ret)
		memcpy(listener->path, address->un.sun_path, sizeof(listener->path));
	return ret;
}

static int bind_ip(struct listener *listener, const union address *address, socklen_t bytes)
{
	int one = 1;

	setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return bind(listener->fd, &address->any, bytes) ? -errno : 0;
}

/**
 * listener_open() - listen
 * @listener: set; of its @fd somebody takes care, and listener_remove() is owed
 * @where: as for listener_check()
 * @why: set on failure, for people
 * @size: of @why
 *
 * The socket file of a server that has ended is replaced. What is no socket, or a
 * socket at which somebody answers, is left alone.
 *
 * Return: 0 or a negative errno.
 */
int listener_open(struct listener *listener, const char *where, char *why, size_t size)
{
	union address address;
	socklen_t bytes = parse(where, &address, why, size);
	int ret;

	if (!bytes)
		return -EINVAL;
	*listener = (struct listener) {
		.fd = socket(address.any.sa_family,
			     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
	};
	if (listener->fd < 0)
		ret = -errno;
	else if (address.any.sa_family == AF_UNIX)
		ret = bind_unix(listener, &address, bytes);
	else
		ret = bind_ip(listener, &address, bytes);
	if (!ret && listen(listener->fd, BACKLOG))
		ret = -errno;
	if (!ret)
		return 0;
	snprintf(why, size, "cannot listen on %s: %s", where,
		 ret == -ENOTSOCK ? "there is a file that is no socket" : strerror(-ret));
	if (listener->fd >= 0)
		close(listener->fd);
	listener_remove(listener);
	return ret;
}

/**
 * listener_remove() - take a unix socket's file away, if it is still the same
 * @listener: whose @fd may be closed
 */
void listener_remove(const struct listener *listener)
{
	struct stat st;

	if (*listener->path && !lstat(listener->path, &st) &&
	    st.st_dev == listener->node.st_dev && st.st_ino == listener->node.st_ino)
		unlink(listener->path);
}
