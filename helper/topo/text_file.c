// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "text_file.h"

#define BYTES_MAX	(16u << 20)
#define STEP		65536u

static char *grow(char *text, size_t size)
{
	char *more = realloc(text, size);

	if (!more) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return more;
}

/*
 * Reads a whole file, but stops soon after BYTES_MAX. Returns the number of bytes, or a
 * negative errno.
 */
static ssize_t read_all(int fd, char **text)
{
	size_t size = 0;
	ssize_t n;

	do {
		*text = grow(*text, size + STEP + 1);
		n = read(fd, *text + size, STEP);
		if (n > 0)
			size += n;
	} while ((n > 0 && size <= BYTES_MAX) || (n < 0 && errno == EINTR));
	if (n < 0)
		return -errno;
	(*text)[size] = '\0';
	return size;
}

/**
 * text_file_title() - get the name under which messages refer to a file
 * @name: name on the command line, "-" for standard input
 *
 * Return: the name.
 */
const char *text_file_title(const char *name)
{
	return strcmp(name, "-") ? name : "standard input";
}

/**
 * text_file_read() - read a file that is named on the command line
 * @name: name of the file, "-" for standard input
 * @size: set to its size in bytes, without the NUL that is added
 *
 * Return: the text, to be freed by the caller; NULL after printing the reason.
 */
char *text_file_read(const char *name, size_t *size)
{
	int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	char *text = NULL;
	ssize_t n;

	if (fd < 0) {
		say_error(error_code_of(errno, ERROR_IO), "cannot open %s: %s", text_file_title(name), strerror(errno));
		return NULL;
	}
	n = read_all(fd, &text);
	close(fd);
	if (n >= 0 && n <= BYTES_MAX) {
		*size = n;
		return text;
	}
	if (n < 0)
		say_error(error_code_of(-n, ERROR_IO), "cannot read %s: %s", text_file_title(name), strerror(-n));
	else
		say_error(ERROR_INPUT, "%s is longer than %u MiB", text_file_title(name), BYTES_MAX >> 20);
	free(text);
	return NULL;
}
