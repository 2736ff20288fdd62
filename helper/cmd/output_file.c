// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"
#include "say.h"

/**
 * output_file_check() - check that the folder of a file is writable
 * @file: name of the file, which need not exist
 *
 * A caller checks this before long or risky work whose result it could not write otherwise.
 *
 * Return: 0, or an exit code after it has reported the reason.
 */
int output_file_check(const char *file)
{
	const char *base = strrchr(file, '/');
	char folder[PATH_MAX];
	int error;

	snprintf(folder, sizeof(folder), "%.*s/.", base ? (int)(base - file) : 1,
		 base ? file : ".");
	if (!access(folder, W_OK | X_OK))
		return EXIT_OK;
	error = errno;
	say_error(error_code_of(error, ERROR_IO), "cannot write %s: %s", file, strerror(error));
	return exit_code_of(error);
}
