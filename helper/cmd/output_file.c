// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"
#include "say.h"

/**
 * output_file_check() - can files be made in the folder of a file?
 * @file: it, which need not be there
 *
 * For who would work for nothing, or put something at risk, if it cannot be written then.
 *
 * Return: 0, or an exit code, and then it has said why.
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
	say_error("cannot write %s: %s", file, strerror(error));
	return exit_code_of(error);
}
