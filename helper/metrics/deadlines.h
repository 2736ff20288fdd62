/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections that have so long and no longer, however much they keep saying. */
#ifndef DEADLINES_H
#define DEADLINES_H

#include <stdint.h>

#define DEADLINES_MAX	16
#define DEADLINE_MS	10000

/**
 * struct deadlines - connections
 * @fd: of each its socket
 * @end: when its time is up, in ms; -1 if it has been
 * @count: how many
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
