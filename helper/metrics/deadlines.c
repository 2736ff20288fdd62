// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/socket.h>

#include "deadlines.h"

/**
 * deadlines_add() - start the clock of a new connection
 * @deadlines: connections
 * @fd: the connection's socket, which the caller keeps and closes
 * @now: current time, in ms
 */
void deadlines_add(struct deadlines *deadlines, int fd, int64_t now)
{
	if (deadlines->count == DEADLINES_MAX)
		return;
	deadlines->fd[deadlines->count] = fd;
	deadlines->end[deadlines->count++] = now + DEADLINE_MS;
}

/**
 * deadlines_remove() - forget a connection that has ended
 * @deadlines: connections
 * @fd: the connection's socket
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
 * deadlines_left() - get the time until the next deadline
 * @deadlines: connections
 * @now: current time, in ms
 *
 * Return: time in ms, -1 if no connection has a deadline left.
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
 * deadlines_enforce() - shut down the connections whose deadline has passed
 * @deadlines: connections; they stay listed until deadlines_remove()
 * @now: current time, in ms
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
