// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_log.h"
#include "model.h"
#include "sysfs.h"

#define RECORD_BYTES	8192
#define SERIAL_WORD	"serial "

/**
 * kernel_log_begin() - open the kernel log at its end
 * @log: receives the descriptor
 */
void kernel_log_begin(struct kernel_log *log)
{
	*log = (struct kernel_log) { .fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	if (log->fd >= 0)
		lseek(log->fd, 0, SEEK_END);
}

/**
 * kernel_log_mask() - replace digits of serial numbers by "x"
 * @line: line, changed in place
 */
void kernel_log_mask(char *line)
{
	char *at = line;

	while ((at = strstr(at, SERIAL_WORD))) {
		at += strlen(SERIAL_WORD);
		if (!strncmp(at, "0x", 2))
			at += 2;
		for (; isxdigit((unsigned char)*at); at++)
			*at = 'x';
	}
}

static bool concerns(const char *line, const char *const words[], size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

/* A record of /dev/kmsg: "LEVEL,NUMBER,TIME,FLAGS;MESSAGE", then " KEY=VALUE" lines. */
static void take(struct kernel_log *log, char *record, const char *const words[], size_t count,
		 bool serials)
{
	char *message = strchr(record, ';');

	if (!message)
		return;
	message++;
	message[strcspn(message, "\n")] = '\0';
	if (!concerns(message, words, count))
		return;
	if (log->count == KERNEL_LOG_LINES) {
		log->dropped = true;
		return;
	}
	sysfs_make_plain(message);
	if (!serials)
		kernel_log_mask(message);
	log->line[log->count++] = text_copy(message);
}

/**
 * kernel_log_read() - collect lines that the kernel has logged since the last call
 * @log: log between kernel_log_begin() and kernel_log_end(); receives the lines
 * @words: lines with any of these words are collected
 * @count: number of words
 * @serials: do not mask serial numbers
 */
void kernel_log_read(struct kernel_log *log, const char *const words[], size_t count,
		     bool serials)
{
	char record[RECORD_BYTES];
	ssize_t n;

	if (log->fd < 0)
		return;
	while ((n = read(log->fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE ||
	       errno == EINTR) {
		if (n < 0) {
			log->dropped |= errno == EPIPE;
			continue;
		}
		record[n] = '\0';
		take(log, record, words, count, serials);
	}
}

/**
 * kernel_log_end() - close the kernel log
 * @log: log, whose lines stay
 */
void kernel_log_end(struct kernel_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/**
 * kernel_log_free() - free the lines of a log
 * @log: log, ended or zeroed
 */
void kernel_log_free(struct kernel_log *log)
{
	while (log->count)
		free(log->line[--log->count]);
}
