// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "archive_library.h"
#include "say.h"

#define LIBRARY	"libarchive.so.13"

static const struct {
	const char *name;
	size_t offset;
} calls_known[] = {
#define ARCHIVE_CALL(call)	{ "archive_" #call, offsetof(struct archive_calls, call) },
	ARCHIVE_CALLS(ARCHIVE_CALL)
#undef ARCHIVE_CALL
	{ "archive_errno", offsetof(struct archive_calls, error_number) },
};

/**
 * archive_library() - load libarchive, for as long as this process lives
 * @calls: set
 *
 * Return: false if it is not there, which has been said.
 */
bool archive_library(struct archive_calls *calls)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;
	size_t i;

	for (i = 0; library && i < sizeof(calls_known) / sizeof(calls_known[0]); i++) {
		found = dlsym(library, calls_known[i].name);
		if (!found)
			library = NULL;
		memcpy((char *)calls + calls_known[i].offset, &found, sizeof(found));
	}
	if (!library)
		say_error("archives need libarchive (" LIBRARY "), which cannot be loaded: install it (Debian: libarchive13, Fedora: libarchive)");
	return library;
}
