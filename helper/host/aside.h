/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work done by a process that may be left behind, for what the kernel may hold up. */
#ifndef ASIDE_H
#define ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ASIDE_PATIENCE_MS	1000	/* for what takes no time if nothing holds it up */
#define ASIDE_BUSY_MS		10000	/* more, if it is only that the host is busy */

/**
 * struct aside - such a process
 * @pid: it
 * @fd: pipe on which it answers
 */
struct aside {
	pid_t pid;
	int fd;
};

bool aside_start(struct aside *aside, void (*work)(int fd, const void *data),
		 const void *data);
bool aside_take(const struct aside *aside, void *data, size_t size, int64_t end);
void aside_put(int fd, const void *data, size_t size);
void aside_stop(const struct aside *aside);
bool aside_call(void (*work)(void *data), void *data, size_t size);

#endif /* ASIDE_H */
