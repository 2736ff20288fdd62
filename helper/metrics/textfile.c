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
 * textfile_may_replace() - could textfile_write() put a text there?
 * @path: file, which need not be there yet
 *
 * A rename would put a file in the place of a device, a folder or a link.
 *
 * Return: 0, or -EISDIR, -EINVAL or another negative errno.
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

/* Beside @path, with a name that node_exporter does not read. */
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
 * textfile_write() - put a text in the place of a file, whole or not at all
 * @path: file, which need not be there yet; its mode becomes 0644
 * @text: what it is to hold
 * @length: of @text
 *
 * It is not flushed to the disk: after a crash of the host the old file or none
 * may be there, unless textfile_flush() is called.
 *
 * Return: 0 or a negative errno, and then the old file is as it was; -EISDIR or
 * -EINVAL for what is no regular file.
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
 * textfile_flush() - have a file that was written outlive a crash of the host
 * @path: file, and with it its name in its folder
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
