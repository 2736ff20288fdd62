/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of sections and settings, read line by line. */
#ifndef INI_FILE_H
#define INI_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define INI_FILE_BLANK	" \t"
#define INI_FILE_MAX	262144		/* bytes */

/**
 * struct ini_calls - callbacks for the lines of a file
 * @section: a section begins; its name is NULL if its header is malformed, which @wrong was told
 * @setting: a key and its value, without blanks around them
 * @wrong: an invalid line; the text names what was found and what is allowed
 */
struct ini_calls {
	void (*section)(int line, const char *name, void *data);
	void (*setting)(int line, const char *name, const char *value, void *data);
	void (*wrong)(int line, const char *text, void *data);
};

bool ini_is_text(const char *text);
void ini_text_read(char *text, size_t size, const struct ini_calls *calls, void *data);
int ini_file_read_fd(int fd, const struct ini_calls *calls, void *data);
int ini_file_read(const char *file, const struct ini_calls *calls, void *data);
const char *ini_file_strerror(int error);
const char *ini_maybe(const char *nearest, char *text, size_t size);

#endif /* INI_FILE_H */
