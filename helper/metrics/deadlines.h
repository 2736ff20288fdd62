/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits the total time of each connection, even if its client keeps sending. */
#ifndef DEADLINES_H
#define DEADLINES_H

#include <stdint.h>

#define DEADLINES_MAX	16
#define DEADLINE_MS	10000

/**
 * struct deadlines - open connections
 * @fd: socket of each
 * @end: deadline of each, in ms of now_ms(); -1 once it has been enforced
 * @count: number of connections
 */
struct deadlines {
	int fd[DEADLINES_MAX];
	int64_t end[DEADLINES_MAX];
	unsigned int count;
};

void deadlines_add(struct deadlines *deadlines, int fd, int64_t now);
void deadlines_remove(struct deadlines *deadlines, int fd);
int deadlines_left(const struct deadlines *deadlines, int64_t now);
void deadlines_enforce(struct deadlines *deadlines, int64_t now);

#endif /* DEADLINES_H */
