/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the helper's tests: an empty folder, and captured output. */
#ifndef HELPER_UTIL_H
#define HELPER_UTIL_H

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char util_folder[] = "/tmp/helper_unit.XXXXXX";
static char util_caught[65536];
static int util_saved = -1, util_stream = -1;

static int util_remove(const char *path, const struct stat *st, int flag,
		       struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void util_end(void)
{
	if (chdir("/") || nftw(util_folder, util_remove, 16, FTW_DEPTH | FTW_PHYS))
		perror(util_folder);
}

/* Changes to an empty folder, which the end of the test removes. */
static inline void util_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(util_folder) || chdir(util_folder)) {
		perror(util_folder);
		exit(1);
	}
	atexit(util_end);
}

static inline void util_write_bytes(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "w");

	if (!out || fwrite(data, 1, size, out) != size || fclose(out)) {
		perror(path);
		exit(1);
	}
}

static inline void util_write(const char *path, const char *text)
{
	util_write_bytes(path, text, strlen(text));
}

/* Captures the output to @stream (STDOUT_FILENO, STDERR_FILENO) from now on. */
static inline void util_catch(int stream)
{
	int fd = open("caught", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fflush(NULL);
	util_stream = stream;
	util_saved = dup(stream);
	dup2(fd, stream);
	close(fd);
}

/* Ends the capture, and returns the output. */
static inline const char *util_caught_text(void)
{
	ssize_t n;
	int fd;

	fflush(NULL);
	dup2(util_saved, util_stream);
	close(util_saved);
	fd = open("caught", O_RDONLY | O_CLOEXEC);
	n = read(fd, util_caught, sizeof(util_caught) - 1);
	util_caught[n < 0 ? 0 : n] = '\0';
	close(fd);
	return util_caught;
}

/* Replaces the digits of dates by 0, so that a test can compare their format. */
static inline const char *util_undated(char *text)
{
	char *at, *end;

	for (at = text; (end = strchr(at, 'Z')); at = end + 1) {
		const char *wanted = "0000-00-00T00:00:00.000";
		char *c = end - strlen(wanted);

		for (; c >= at && c < end && *wanted; c++, wanted++)
			if (*wanted == '0' && *c >= '0' && *c <= '9')
				*c = '0';
	}
	return text;
}

#endif /* HELPER_UTIL_H */
