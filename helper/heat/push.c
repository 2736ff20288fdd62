// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A script sends one datagram for each sample, formatted by sample_line_format(). The service
 * sends one back: empty if it accepted the sample, else the reason for the refusal. Without
 * connections, a script cannot hold up the service.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "push.h"

#define BATCH		64	/* per call, since the service has other work */
#define ANSWER_MS	5000

static int address(const char *path, struct sockaddr_un *un)
{
	*un = (struct sockaddr_un) { .sun_family = AF_UNIX };
	return snprintf(un->sun_path, sizeof(un->sun_path), "%s", path) <
	       (int)sizeof(un->sun_path) ? 0 : -ENAMETOOLONG;
}

/**
 * push_open() - open the service's end of the socket
 * @path: of the socket; an existing file is replaced, so only one service may do this
 *
 * Return: a file descriptor that becomes readable when push_receive() has work, or a
 * negative errno.
 */
int push_open(const char *path)
{
	struct sockaddr_un un;
	int ret = address(path, &un), fd;
	mode_t mask;

	if (ret)
		return ret;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(path);
	/* Samples raise alarms, so root alone may push. */
	mask = umask(0177);
	ret = bind(fd, (struct sockaddr *)&un, sizeof(un)) ? -errno : 0;
	umask(mask);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static const char *take(char *text, push_call_t call, void *data)
{
	struct sample_line line;

	if (!sample_line_parse(text, &line) || !line.is_sample || !*line.bdf)
		return "the service does not understand it (another version of instinctctl?)";
	return call(&line, data);
}

/**
 * push_receive() - receive pending samples and answer each
 * @fd: from push_open()
 * @call: called with each sample
 * @data: for @call
 */
void push_receive(int fd, push_call_t call, void *data)
{
	char text[SAMPLE_LINE_BYTES];
	struct sockaddr_un from;
	int tries;

	for (tries = 0; tries < BATCH; tries++) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(fd, text, sizeof(text) - 1, 0,
				     (struct sockaddr *)&from, &length);
		const char *why;

		if (n < 0)
			return;
		text[n] = '\0';
		why = take(text, call, data) ?: "";
		if (length > sizeof(from.sun_family))
			sendto(fd, why, strlen(why), MSG_DONTWAIT | MSG_NOSIGNAL,
			       (struct sockaddr *)&from, length);
	}
}

/**
 * push_connect() - open a script's end of the socket
 * @path: of the socket
 *
 * Return: a file descriptor or a negative errno: -ENOENT or -ECONNREFUSED if no service
 * runs, -EACCES if the user may not push.
 */
int push_connect(const char *path)
{
	struct sockaddr_un un, own = { .sun_family = AF_UNIX };
	int ret = address(path, &un), fd;

	if (ret)
		return ret;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* The kernel chooses a name to which the service can answer. */
	if (!bind(fd, (struct sockaddr *)&own, sizeof(own.sun_family)) &&
	    !connect(fd, (struct sockaddr *)&un, sizeof(un)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

/**
 * push_send() - push a sample, and wait for the answer
 * @fd: from push_connect()
 * @line: the sample
 * @answer: set to the reason for a refusal, or "" if the service accepted the sample
 * @size: of @answer in bytes
 *
 * Return: 0, -ETIMEDOUT, or another negative errno.
 */
int push_send(int fd, const struct sample_line *line, char *answer, size_t size)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char text[SAMPLE_LINE_BYTES];
	ssize_t n;

	sample_line_format(line, text, sizeof(text));
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return -errno;
	if (poll(&wait, 1, ANSWER_MS) <= 0)
		return -ETIMEDOUT;
	n = recv(fd, answer, size - 1, 0);
	if (n < 0)
		return -errno;
	answer[n] = '\0';
	return 0;
}
