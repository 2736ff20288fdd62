// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/socket.h>

#include "deadlines.h"

/**
 * deadlines_add() - a connection begins
 * @deadlines: connections
 * @fd: its socket, somebody else's
 * @now: in ms
 */
void deadlines_add(struct deadlines *deadlines, int fd, int64_t now)
{
	if (deadlines->count == DEADLINES_MAX)
		return;
	deadlines->fd[deadlines->count] = fd;
	deadlines->end[deadlines->count++] = now + DEADLINE_MS;
}

/**
 * deadlines_remove() - a connection has ended
 * @deadlines: connections
 * @fd: its socket
 */
void deadlines_remove(struct deadlines *deadlines, int fd)
{
	unsigned int i;

	for (i = 0; i < deadlines->count; i++) {
		if (deadlines->fd[i] != fd)
			continue;
		deadlines->count--;
		deadlines->fd[i] = deadlines->fd[deadlines->count];
		deadlines->end[i] = deadlines->end[deadlines->count];
		return;
	}
}

/**
 * deadlines_left() - how long until the next one's time is up
 * @deadlines: connections
 * @now: in ms
 *
 * Return: in ms, -1 if there is none.
 */
int deadlines_left(const struct deadlines *deadlines, int64_t now)
{
	int64_t left = -1;
	unsigned int i;

	for (i = 0; i < deadlines->count; i++) {
		int64_t own = deadlines->end[i] - now;

		if (deadlines->end[i] < 0)
			continue;
		if (own < 0)
			own = 0;
		if (left < 0 || own < left)
			left = own;
	}
	return left;
}

/**
 * deadlines_enforce() - shut down those whose time is up
 * @deadlines: connections, which stay there until deadlines_remove()
 * @now: in ms
 */
void deadlines_enforce(struct deadlines *deadlines, int64_t now)
{
	unsigned int i;

	for (i = 0; i < deadlines->count; i++) {
		if (deadlines->end[i] < 0 || deadlines->end[i] > now)
			continue;
		shutdown(deadlines->fd[i], SHUT_RDWR);
		deadlines->end[i] = -1;
	}
}
