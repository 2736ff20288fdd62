// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdio.h>

#include "library.h"
#include "redfish_link.h"

#define LIBRARY	"libcurl.so.4"

LIBRARY_NOTE("redfish", "recommended", "\"" LIBRARY "\"");

static const struct library_call symbols[] = {
#define SYMBOL(_call, _name)	{ "curl_" #_name, offsetof(struct curl_calls, _call) }
	SYMBOL(global_init, global_init),
	SYMBOL(init, easy_init),
	SYMBOL(setopt, easy_setopt),
	SYMBOL(perform, easy_perform),
	SYMBOL(getinfo, easy_getinfo),
	SYMBOL(cleanup, easy_cleanup),
	SYMBOL(strerror, easy_strerror),
};

static bool load(struct curl_calls *calls, char *why, size_t size)
{
	const char *missing;

	if (!library_open(LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0]), calls, &missing)) {
		if (missing)
			snprintf(why, size, "no Redfish: " LIBRARY " has no %s", missing);
		else
			snprintf(why, size, "no Redfish: " LIBRARY " cannot be loaded: install it (Debian: libcurl4; elsewhere: libcurl)");
		return false;
	}
	if (calls->global_init(CURL_GLOBAL_DEFAULT)) {
		snprintf(why, size, "no Redfish: " LIBRARY " does not start");
		return false;
	}
	return true;
}

/**
 * curl_library() - load libcurl
 * @why: set to a message for the log if the library is not usable
 * @size: of @why in bytes
 *
 * The function loads the library at run time, so that hosts without Redfish need not install it.
 * The library stays loaded.
 *
 * Return: the library's calls, or NULL.
 */
const struct curl_calls *curl_library(char *why, size_t size)
{
	static struct curl_calls calls;
	static bool loaded;

	if (!loaded)
		loaded = load(&calls, why, size);
	return loaded ? &calls : NULL;
}
