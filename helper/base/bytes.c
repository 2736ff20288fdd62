// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "say.h"

#define CHUNK	65536

static void make_room(struct bytes *bytes, size_t size)
{
	size_t room = bytes->room ? bytes->room : 256;

	while (room - bytes->size <= size)
		room *= 2;
	if (room == bytes->room)
		return;
	bytes->data = realloc(bytes->data, room);
	if (!bytes->data) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	bytes->room = room;
}

/**
 * bytes_add() - append data to a buffer
 * @bytes: buffer
 * @data: data to append
 * @size: length of @data, bytes
 */
void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	make_room(bytes, size);
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
	bytes->data[bytes->size] = '\0';
}

/**
 * bytes_print() - append formatted text to a buffer
 * @bytes: buffer
 * @format: as for printf()
 */
void bytes_print(struct bytes *bytes, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	bytes_add(bytes, text, length);
	free(text);
}

/**
 * bytes_read() - append a whole file to a buffer
 * @bytes: buffer
 * @fd: file, read up to its end
 * @limit: largest file that is accepted, bytes
 *
 * Return: bytes appended, or a negative errno; -EFBIG if the file is larger than @limit.
 */
ssize_t bytes_read(struct bytes *bytes, int fd, size_t limit)
{
	size_t before = bytes->size;

	for (;;) {
		ssize_t n;

		make_room(bytes, CHUNK);
		n = read(fd, bytes->data + bytes->size, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes->size += n;
		bytes->data[bytes->size] = '\0';
		if (bytes->size - before > limit)
			return -EFBIG;
		if (!n)
			return bytes->size - before;
	}
}

/**
 * bytes_free() - free the contents of a buffer and leave it empty
 * @bytes: buffer
 */
void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes) { 0 };
}
