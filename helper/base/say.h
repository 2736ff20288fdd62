/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit codes, options that all commands share, and messages to the user. */
#ifndef SAY_H
#define SAY_H

#include <stdbool.h>
#include <stddef.h>

enum exit_code {
	EXIT_OK = 0,
	EXIT_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_DRIFT = 3,
	EXIT_UNSUPPORTED = 4,
	EXIT_PERMISSION = 5,
	EXIT_ABSENT = 6,
};

/* The kinds of errors, by which programs tell them apart in JSON. */
enum error_code {
	ERROR_USAGE,
	ERROR_INPUT,
	ERROR_IO,
	ERROR_PERMISSION,
	ERROR_NO_DEVICE,
	ERROR_NO_MODULE,
	ERROR_NO_SERVICE,
	ERROR_NO_LIBRARY,
	ERROR_MISMATCH,
	ERROR_BUSY,
	ERROR_REFUSED,
	ERROR_UNSUPPORTED,
	ERROR_FAILED,
	ERROR_CODES,
};

/**
 * struct said - an error that say_error() has printed
 * @code: kind of the error
 * @text: its text, one line
 */
struct said {
	enum error_code code;
	char text[1024];
};

extern bool opt_json;
extern bool opt_color;
extern bool opt_debug;
extern const char *opt_sysroot;

void say_error(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *say_last_error(void);
enum error_code say_last_code(void);
const struct said *say_unreported(size_t *count);
void say_reported(void);
const char *error_code_name(enum error_code code);
enum error_code error_code_of(int error, enum error_code otherwise);
void say_hush(bool hush);
bool say_is_hushed(void);
int say_refused(const char *what, const char *message, int error);
int exit_code_of(int error);
const char *plural(size_t count);
bool is_terminal(int fd);

#endif /* SAY_H */
