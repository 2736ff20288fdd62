/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that the kernel may block for long, done by a process that the caller can abandon. */
#ifndef ASIDE_H
#define ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ASIDE_PATIENCE_MS	1000	/* enough for work that the kernel does not block */
#define ASIDE_BUSY_MS		10000	/* extra while the process waits for a CPU */

#define ASIDE_LEFT_MAX		4	/* with so many abandoned ones of a device aside_call() starts no other */
#define ASIDE_NAME_BYTES	24	/* a PCI address */

/**
 * struct aside - a child process at work
 * @pid: process ID of the child
 * @fd: read end of the pipe on which the child answers
 * @bdf: aside_call(): the device that the child reads, else ""
 */
struct aside {
	pid_t pid;
	int fd;
	char bdf[ASIDE_NAME_BYTES];
};

bool aside_start(struct aside *aside, void (*work)(int fd, const void *data),
		 const void *data);
bool aside_take(const struct aside *aside, void *data, size_t size, int64_t end);
void aside_put(int fd, const void *data, size_t size);
void aside_stop(const struct aside *aside);
bool aside_call(const char *bdf, void (*work)(void *data), void *data, size_t size);

#endif /* ASIDE_H */
