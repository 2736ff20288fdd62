// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive_library.h"
#include "dump.h"
#include "now.h"
#include "say.h"

static const struct {
	enum archive_filter filter;
	const char *suffix;
} filters[] = {
	{ ARCHIVE_ZSTD, ".tar.zst" }, { ARCHIVE_XZ, ".tar.xz" }, { ARCHIVE_GZIP, ".tar.gz" },
	{ ARCHIVE_GZIP, ".tgz" }, { ARCHIVE_PLAIN, ".tar" },
};

/**
 * dump_suffix() - look up the suffix of archives with a compression
 * @filter: compression
 *
 * Return: the suffix, such as ".tar.zst".
 */
const char *dump_suffix(enum archive_filter filter)
{
	size_t i = 0;

	while (filters[i].filter != filter)
		i++;
	return filters[i].suffix;
}

/* Can this libarchive compress so without an external program? */
static bool is_at_hand(const struct archive_calls *calls, enum archive_filter filter)
{
	struct archive *archive = calls->write_new();
	bool good;

	if (!archive)
		return false;
	good = (filter == ARCHIVE_ZSTD ? calls->write_add_filter_zstd(archive) :
					 calls->write_add_filter_xz(archive)) == ARCHIVE_OK;
	calls->write_free(archive);
	return good;
}

/* The compression that the suffix of a file name stands for, or -1. */
static int named_filter(const char *file)
{
	size_t length = file ? strlen(file) : 0, suffix, i;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		suffix = strlen(filters[i].suffix);
		if (length > suffix && !strcmp(file + length - suffix, filters[i].suffix))
			return filters[i].filter;
	}
	return -1;
}

/**
 * dump_knows() - check that a file name has the suffix of an archive
 * @file: name of the file, or NULL
 *
 * Return: true if the suffix stands for a compression.
 */
bool dump_knows(const char *file)
{
	return named_filter(file) >= 0;
}

/**
 * dump_filter() - choose the compression of an archive
 * @file: name of the archive, whose suffix decides; NULL or "-" if it has no name
 *
 * Return: the compression; without a name the first of zstd, xz and gzip that libarchive has.
 */
enum archive_filter dump_filter(const char *file)
{
	int filter = named_filter(file);
	struct archive_calls calls;

	if (filter >= 0)
		return filter;
	say_hush(true);
	if (!archive_library(&calls))
		filter = ARCHIVE_GZIP;
	else if (is_at_hand(&calls, ARCHIVE_ZSTD))
		filter = ARCHIVE_ZSTD;
	else
		filter = is_at_hand(&calls, ARCHIVE_XZ) ? ARCHIVE_XZ : ARCHIVE_GZIP;
	say_hush(false);
	return filter;
}

/**
 * dump_write_fd() - write the archive to a descriptor
 * @dump: dump that was taken
 * @fd: descriptor to write to
 * @name: name of the archive in messages
 * @filter: compression
 *
 * Return: 0, or an exit code after printing the error.
 */
int dump_write_fd(const struct dump *dump, int fd, const char *name,
		  enum archive_filter filter)
{
	return archive_write_tree(&dump->tree, dump->top, dump->when.realtime / NS_PER_S, filter,
				  fd, name);
}

/* Open a nameless file in the folder of @file; the kernel deletes it if a write fails. */
static int open_nameless(const char *file)
{
	const char *base = strrchr(file, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s/.", base ? (int)(base - file) : 1,
		 base ? file : ".");
	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/* Some file systems have no O_TMPFILE; open a file with a temporary name there. */
static int open_beside(const char *file, char *name)
{
	const char *base = strrchr(file, '/');

	base = base ? base + 1 : file;
	if (snprintf(name, PATH_MAX, "%.*s.%s.XXXXXX", (int)(base - file), file, base) >= PATH_MAX) {
		*name = '\0';
		errno = ENAMETOOLONG;
		return -1;
	}
	return mkostemp(name, O_CLOEXEC);
}

/* linkat() never replaces a file; rename(), for file systems without links, would. */
static int give_name(int fd, const char *name, const char *file)
{
	char own[32];
	int ret;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	ret = linkat(AT_FDCWD, *name ? name : own, AT_FDCWD, file, AT_SYMLINK_FOLLOW) ?
	      -errno : 0;
	if (*name && ret && ret != -EEXIST && access(file, F_OK))
		return rename(name, file) ? -errno : 0;
	if (*name && !ret)
		unlink(name);
	return ret;
}

static int failed(const char *file, int error)
{
	say_error(error_code_of(error, ERROR_IO), "cannot write %s: %s", file, error == EEXIST ? "it exists already" :
		  strerror(error));
	return exit_code_of(error);
}

/**
 * dump_write() - write the archive to a file, whole or not at all
 * @dump: dump that was taken
 * @file: path to write to; an existing file is an error
 * @filter: compression
 *
 * The archive is synced to disk, since a host that needs a dump may crash soon.
 *
 * Return: 0, or an exit code after printing the error.
 */
int dump_write(const struct dump *dump, const char *file, enum archive_filter filter)
{
	char name[PATH_MAX] = "";
	int fd = open_nameless(file), code, ret = 0;

	if (fd < 0)
		fd = open_beside(file, name);
	if (fd < 0)
		return failed(file, errno);
	code = dump_write_fd(dump, fd, file, filter);
	if (!code && fsync(fd))
		ret = -errno;
	if (!code && !ret)
		ret = give_name(fd, name, file);
	if (ret)
		code = failed(file, -ret);
	if (code && *name)
		unlink(name);
	close(fd);
	return code;
}
