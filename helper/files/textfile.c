// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textfile.h"

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		length -= done;
	}
	return fchmod(fd, 0644) ? -errno : 0;
}

/**
 * textfile_may_replace() - tell whether textfile_write() may write a file
 * @path: path of the file, which need not exist
 *
 * The rename in textfile_write() would replace a device or a link with a file.
 *
 * Return: 0 if it may, or a negative errno; -EISDIR for a folder, -EINVAL for anything else
 * that is not a regular file.
 */
int textfile_may_replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* The name is in the folder of @path, and one that node_exporter does not read. */
static int temporary_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = snprintf(name, size, "%.*s.%s.XXXXXX", (int)(base - path), path, base);
	if (!*base)
		return -EISDIR;
	return length < size ? 0 : -ENAMETOOLONG;
}

/**
 * textfile_write() - replace a file atomically
 * @path: path of the file, which need not exist; its mode becomes 0644
 * @text: new contents
 * @length: length of @text in bytes
 *
 * The text is not flushed to the disk: after a crash of the host the old file or none may be
 * there, unless the caller uses textfile_flush().
 *
 * Return: 0, or a negative errno with the old file unchanged; see textfile_may_replace().
 */
int textfile_write(const char *path, const char *text, size_t length)
{
	char name[PATH_MAX];
	int fd, ret;

	ret = textfile_may_replace(path) ?: temporary_name(path, name, sizeof(name));
	if (ret)
		return ret;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, length);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(name, path))
		ret = -errno;
	if (ret)
		unlink(name);
	return ret;
}

static int flush(const char *path, int flags)
{
	int fd = open(path, flags | O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

/**
 * textfile_flush() - flush a file, and its name in its folder, to the disk
 * @path: path of the file
 *
 * Return: 0 or a negative errno.
 */
int textfile_flush(const char *path)
{
	const char *end = strrchr(path, '/');
	char folder[PATH_MAX] = ".";

	if (end)
		snprintf(folder, sizeof(folder), "%.*s", (int)(end - path) ?: 1, path);
	return flush(path, 0) ?: flush(folder, O_DIRECTORY);
}

/**
 * textfile_store() - replace a file for good, and make its folder if that is missing
 * @path: path of the file with its folder, whose own folder exists
 * @text: new contents
 *
 * Return: 0 or a negative errno.
 */
int textfile_store(const char *path, const char *text)
{
	char folder[PATH_MAX];
	int ret;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	ret = mkdir(folder, 0755) && errno != EEXIST ? -errno : 0;
	return ret ?: textfile_write(path, text, strlen(text)) ?: textfile_flush(path);
}
