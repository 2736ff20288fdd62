// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "archive_library.h"
#include "library.h"
#include "say.h"

#define LIBRARY	"libarchive.so.13"

LIBRARY_NOTE("archives", "recommended", "\"" LIBRARY "\"");

static const struct library_call calls_known[] = {
#define ARCHIVE_CALL(call)	{ "archive_" #call, offsetof(struct archive_calls, call) },
	ARCHIVE_CALLS(ARCHIVE_CALL)
#undef ARCHIVE_CALL
	{ "archive_errno", offsetof(struct archive_calls, error_number) },
};

/**
 * archive_library() - load libarchive for the lifetime of this process
 * @calls: receives the addresses of the functions
 *
 * Return: false if libarchive is not installed or lacks a function, after printing the error.
 */
bool archive_library(struct archive_calls *calls)
{
	const char *missing;

	if (library_open(LIBRARY, calls_known, sizeof(calls_known) / sizeof(calls_known[0]), calls,
			 &missing))
		return true;
	say_error(ERROR_NO_LIBRARY, "archives need libarchive (" LIBRARY "), which cannot be loaded: install it (Debian: libarchive13, Fedora: libarchive)");
	return false;
}
