/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer that grows as data is appended. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct bytes - a growing buffer
 * @data: contents, followed by a NUL that @size does not count; NULL while nothing was appended
 * @size: length of the contents, bytes
 * @room: bytes allocated, including the NUL
 */
struct bytes {
	char *data;
	size_t size;
	size_t room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_print(struct bytes *bytes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
ssize_t bytes_read(struct bytes *bytes, int fd, size_t limit);
void bytes_free(struct bytes *bytes);

#endif /* BYTES_H */
