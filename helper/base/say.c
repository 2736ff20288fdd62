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

/* JSON lists the first errors; the later ones follow from them. */
#define UNREPORTED_MAX	32

static const char *const code_names[ERROR_CODES] = {
	[ERROR_USAGE] = "usage",
	[ERROR_INPUT] = "input",
	[ERROR_IO] = "io",
	[ERROR_PERMISSION] = "permission",
	[ERROR_NO_DEVICE] = "no-device",
	[ERROR_NO_MODULE] = "no-module",
	[ERROR_NO_SERVICE] = "no-service",
	[ERROR_NO_LIBRARY] = "no-library",
	[ERROR_MISMATCH] = "mismatch",
	[ERROR_BUSY] = "busy",
	[ERROR_REFUSED] = "refused",
	[ERROR_UNSUPPORTED] = "unsupported",
	[ERROR_FAILED] = "failed",
};

static struct said last, unreported[UNREPORTED_MAX];
static size_t unreported_count;
static bool hushed;

/**
 * say_error() - print an error: what went wrong, and what to do
 * @code: kind of the error, for programs
 * @format: as for printf(), without a newline
 *
 * The text is kept for say_last_error(), even while say_hush() suppresses the output.
 */
void say_error(enum error_code code, const char *format, ...)
{
	va_list args;

	last.code = code;
	va_start(args, format);
	vsnprintf(last.text, sizeof(last.text), format, args);
	va_end(args);
	if (hushed)
		return;
	if (unreported_count < UNREPORTED_MAX)
		unreported[unreported_count++] = last;
	fflush(stdout);
	fprintf(stderr, "instinctctl: %s\n", last.text);
}

/**
 * say_unreported() - list the errors that no JSON value has reported yet
 * @count: set to their number
 *
 * Return: the first ones, in order, until the next say_error() or say_reported().
 */
const struct said *say_unreported(size_t *count)
{
	*count = unreported_count;
	return unreported;
}

/**
 * say_reported() - forget the errors of say_unreported(), since a JSON value has reported them
 */
void say_reported(void)
{
	unreported_count = 0;
}

/**
 * error_code_name() - get the word for a kind of errors
 * @code: kind
 *
 * Return: the word, which stays the same in later versions.
 */
const char *error_code_name(enum error_code code)
{
	return code_names[code];
}

/**
 * error_code_of() - tell the kind of a system error
 * @error: positive errno
 * @otherwise: kind of an errno that says nothing more
 *
 * Return: the kind.
 */
enum error_code error_code_of(int error, enum error_code otherwise)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return ERROR_PERMISSION;
	case EOPNOTSUPP:
		return ERROR_UNSUPPORTED;
	case EBUSY:
	case EAGAIN:
		return ERROR_BUSY;
	case ENODEV:
	case ENXIO:
		return ERROR_NO_DEVICE;
	case EBADMSG:
		return ERROR_MISMATCH;
	default:
		return otherwise;
	}
}

/**
 * say_hush() - suppress errors and warnings, or stop suppressing them
 * @hush: suppress them, for a caller that reports what it finds in another way
 */
void say_hush(bool hush)
{
	hushed = hush;
}

/**
 * say_is_hushed() - tell whether errors and warnings are suppressed
 *
 * Return: true if they are.
 */
bool say_is_hushed(void)
{
	return hushed;
}

/**
 * say_last_error() - get the text of the last say_error(), for --json
 *
 * Return: the text, "" before the first error.
 */
const char *say_last_error(void)
{
	return last.text;
}

/**
 * say_last_code() - get the kind of the last say_error(), for --json
 *
 * Return: the kind.
 */
enum error_code say_last_code(void)
{
	return last.code;
}

/**
 * say_warning() - print a warning
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
 * exit_code_of() - map an errno to an exit code
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
 * say_refused() - print an error for a request that the module refused
 * @what: request
 * @message: extended ack of the kernel, "" if it gave none
 * @error: negative errno
 *
 * Return: the exit code.
 */
int say_refused(const char *what, const char *message, int error)
{
	if (error == -EBADMSG)
		say_error(ERROR_MISMATCH, "%s: the module's answer is not understood: module and instinctctl do not match",
			  what);
	else if (exit_code_of(-error) == EXIT_PERMISSION && !*message)
		say_error(ERROR_PERMISSION,
			  "%s: not permitted: it needs CAP_SYS_ADMIN, run this as root of the host",
			  what);
	else if (error == -ECANCELED && *message)
		/* The message tells what has called it off. */
		say_error(ERROR_REFUSED, "%s: %s", what, message);
	else
		say_error(error_code_of(-error, ERROR_REFUSED), "%s: %s (%s)", what,
			  *message ? message : "refused by the module", strerror(-error));
	return exit_code_of(-error);
}

/**
 * plural() - get the plural ending of a noun
 * @count: number of things that it names
 *
 * Return: "s" or "".
 */
const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/**
 * is_terminal() - tell whether a line can be overwritten
 * @fd: output
 *
 * Return: true if @fd is a terminal other than a dumb one.
 */
bool is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !(term && !strcmp(term, "dumb"));
}
