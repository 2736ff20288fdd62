// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "listener.h"

#define BACKLOG		16
#define UNIX_MODE	0660

/* A socket address of one of the three supported families. */
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

/* The address that stands for the socket that systemd has passed. */
static bool is_passed(const char *where)
{
	return !strcmp(where, "systemd");
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&address->in6.sin6_addr);
}

static bool is_local(const char *where, const union address *address, char *why, size_t size)
{
	if (address->any.sa_family == AF_UNIX || is_loopback(address))
		return true;
	snprintf(why, size, "\"%s\" can be reached from other hosts, and this server does not authenticate clients: listen on 127.0.0.1:PORT behind a reverse proxy that does, or use node_exporter's textfile collector",
		 where);
	return false;
}

/* Returns the address's size, or 0 with the reason in @why. */
static socklen_t parse(const char *where, union address *address, char *why, size_t size)
{
	const char *colon = strrchr(where, ':');
	in_port_t port;

	if (!strncmp(where, "unix:", 5))
		return parse_unix(where + 5, address, why, size);
	if (!colon || !parse_port(colon + 1, &port) ||
	    !parse_host(strndupa(where, colon - where), port, address)) {
		snprintf(why, size, "\"%s\" is none of 127.0.0.1:PORT, [::1]:PORT, unix:PATH and systemd",
			 where);
		return 0;
	}
	if (!is_local(where, address, why, size))
		return 0;
	return address->any.sa_family == AF_INET ? sizeof(address->in) : sizeof(address->in6);
}

/**
 * listener_check() - check that an address is one that the server may listen on
 * @where: "127.0.0.1:PORT", "[::1]:PORT", "unix:PATH", or "systemd" for a socket of systemd's
 * @why: set to an error message if not
 * @size: of @why in bytes
 *
 * Return: true if @where is well-formed and only this host can reach it.
 */
bool listener_check(const char *where, char *why, size_t size)
{
	union address address;

	return is_passed(where) || parse(where, &address, why, size);
}

/* Removes the socket file of a server that has ended; fails on any other file. */
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
 * The folder's group may connect. Without the permission to change the socket's group, the
 * socket keeps our own. A process that may write to the folder may have replaced the file,
 * so the file is opened once, without following links, and checked.
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

/*
 * Takes a copy of the one socket that systemd has passed (sd_listen_fds(3)). The socket itself
 * stays open, since monitor.conf may name it again after a reload.
 */
static int take_passed(struct listener *listener, char *why, size_t size)
{
	int count = sd_listen_fds(0), fd = SD_LISTEN_FDS_START;
	union address address = { .un.sun_family = AF_UNSPEC };
	socklen_t bytes = sizeof(address);

	if (count != 1 || sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0 ||
	    getsockname(fd, &address.any, &bytes)) {
		snprintf(why, size, "systemd has passed no socket that listens: run systemctl enable --now instinct-vfio-monitor.socket, then restart the service");
		return -ENOENT;
	}
	if (!is_local("systemd", &address, why, size))
		return -EADDRNOTAVAIL;
	*listener = (struct listener) { .fd = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1) };
	if (listener->fd >= 0 && !fcntl(listener->fd, F_SETFL, O_NONBLOCK))
		return 0;
	snprintf(why, size, "cannot listen on systemd's socket: %s", strerror(errno));
	return -EIO;
}

/**
 * listener_open() - listen on an address
 * @listener: set; the caller closes its @fd and calls listener_remove()
 * @where: as for listener_check()
 * @why: set to an error message on failure
 * @size: of @why in bytes
 *
 * The function replaces the socket file of a server that has ended. It leaves any other file
 * alone, and a socket on which another server answers.
 *
 * Return: 0 or a negative errno.
 */
int listener_open(struct listener *listener, const char *where, char *why, size_t size)
{
	union address address;
	socklen_t bytes;
	int ret;

	if (is_passed(where))
		return take_passed(listener, why, size);
	bytes = parse(where, &address, why, size);
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
		 ret == -ENOTSOCK ? "the path exists and is not a socket" : strerror(-ret));
	if (listener->fd >= 0)
		close(listener->fd);
	listener_remove(listener);
	return ret;
}

/**
 * listener_remove() - delete a Unix socket's file unless another process has replaced it
 * @listener: socket; its @fd may be closed already
 */
void listener_remove(const struct listener *listener)
{
	struct stat st;

	if (*listener->path && !lstat(listener->path, &st) &&
	    st.st_dev == listener->node.st_dev && st.st_ino == listener->node.st_ino)
		unlink(listener->path);
}
