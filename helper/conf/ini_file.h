/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of sections and settings, read line by line. */
#ifndef INI_FILE_H
#define INI_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define INI_FILE_BLANK	" \t"
#define INI_FILE_MAX	262144		/* bytes */

/**
 * struct ini_calls - what becomes of its lines
 * @section: one begins; NULL for one that is malformed, which has been said
 * @setting: a key and its value, neither with blanks around it
 * @wrong: a line that is neither; the text says what was found and is allowed
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
