// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

bool opt_json;
bool opt_color;
bool opt_debug;
const char *opt_sysroot = "";

static char last_error[512];
static bool hushed;

/**
 * say_error() - what went wrong, and what to do
 * @format: as for printf(), without a newline
 */
void say_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	if (hushed)
		return;
	fflush(stdout);
	fprintf(stderr, "instinctctl: %s\n", last_error);
}

/**
 * say_hush() - be silent, or no more
 * @hush: for who looks at something that others are to tell of
 */
void say_hush(bool hush)
{
	hushed = hush;
}

/**
 * say_is_hushed() - is nothing to be said now?
 *
 * Return: true if so.
 */
bool say_is_hushed(void)
{
	return hushed;
}

/**
 * say_last_error() - what say_error() said last, for --json
 *
 * Return: its text.
 */
const char *say_last_error(void)
{
	return last_error;
}

/**
 * say_warning() - what may be wrong
 * @format: as for printf(), without a newline
 */
void say_warning(const char *format, ...)
{
	va_list args;

	if (hushed)
		return;
	fflush(stdout);
	fputs("instinctctl: warning: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/**
 * exit_code_of() - the exit code for an errno
 * @error: positive errno, or 0
 *
 * Return: one of enum exit_code.
 */
int exit_code_of(int error)
{
	switch (error) {
	case 0:
		return EXIT_OK;
	case EPERM:
	case EACCES:
		return EXIT_PERMISSION;
	case EOPNOTSUPP:
		return EXIT_UNSUPPORTED;
	default:
		return EXIT_ERROR;
	}
}

/**
 * say_refused() - the module refused something; in the kernel's own words
 * @what: was asked
 * @message: they, "" without
 * @error: negative errno
 *
 * Return: the exit code.
 */
int say_refused(const char *what, const char *message, int error)
{
	if (error == -EBADMSG)
		say_error("%s: the module's answer is not understood: module and instinctctl do not match",
			  what);
	else if (exit_code_of(-error) == EXIT_PERMISSION && !*message)
		say_error("%s: not permitted: it needs CAP_SYS_ADMIN, run this as root of the host", what);
	else
		say_error("%s: %s (%s)", what, *message ? message : "refused by the module",
			  strerror(-error));
	return exit_code_of(-error);
}

/**
 * plural() - the end of a word
 * @count: of what it names
 *
 * Return: "s" or "".
 */
const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/**
 * is_terminal() - can who reads go back to the beginning of a line?
 * @fd: that he reads from
 *
 * Return: true if it is a terminal, and no dumb one.
 */
bool is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !(term && !strcmp(term, "dumb"));
}
