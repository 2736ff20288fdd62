/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting lines of the kernel log about some devices during a trial. */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_LOG_LINES	100

/**
 * struct kernel_log - lines of the kernel log
 * @fd: descriptor at the next record, or -1 if /dev/kmsg could not be opened
 * @line: messages of the collected lines, without control characters
 * @count: number of lines
 * @dropped: lines are missing, because they were too many, or the kernel overwrote them
 */
struct kernel_log {
	int fd;
	char *line[KERNEL_LOG_LINES];
	size_t count;
	bool dropped;
};

void kernel_log_begin(struct kernel_log *log);
void kernel_log_read(struct kernel_log *log, const char *const words[], size_t count,
		     bool serials);
void kernel_log_end(struct kernel_log *log);
void kernel_log_free(struct kernel_log *log);

void kernel_log_mask(char *line);

#endif /* KERNEL_LOG_H */
