/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit codes, options that all commands share, words to people. */
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
};

extern bool opt_json;
extern bool opt_color;
extern bool opt_debug;
extern const char *opt_sysroot;

void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *say_last_error(void);
void say_hush(bool hush);
bool say_is_hushed(void);
int say_refused(const char *what, const char *message, int error);
int exit_code_of(int error);
const char *plural(size_t count);
bool is_terminal(int fd);

#endif /* SAY_H */
