/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of some devices during a stretch of time. */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_LOG_LINES	100

/**
 * struct kernel_log - lines of the kernel log
 * @fd: open at what comes next, or -1 if it may not be read
 * @line: they, the message alone; made plain
 * @count: how many
 * @dropped: more than that were to be kept, or the kernel has dropped some
 */
struct kernel_log {
	int fd;
	char *line[KERNEL_LOG_LINES];
	size_t count;
	bool dropped;
};

void kernel_log_begin(struct kernel_log *log);
void kernel_log_end(struct kernel_log *log, const char *const words[], size_t count,
		    bool serials);
void kernel_log_free(struct kernel_log *log);

void kernel_log_mask(char *line);

#endif /* KERNEL_LOG_H */
