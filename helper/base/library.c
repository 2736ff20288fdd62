// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <string.h>

#include "library.h"

/**
 * library_open() - load a library and find its functions
 * @name: name of the library with its version
 * @calls: the functions
 * @count: number of functions
 * @into: struct that receives their addresses
 * @missing: set to the name of a function that the library lacks, or to NULL if it cannot be
 *	loaded at all; dlerror() tells why not
 *
 * Return: the library for dlclose(), or NULL.
 */
void *library_open(const char *name, const struct library_call calls[], size_t count, void *into,
		   const char **missing)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	*missing = NULL;
	for (i = 0; library && i < count; i++) {
		void *call = dlsym(library, calls[i].name);

		if (!call) {
			*missing = calls[i].name;
			dlclose(library);
			return NULL;
		}
		memcpy((char *)into + calls[i].offset, &call, sizeof(call));
	}
	return library;
}
