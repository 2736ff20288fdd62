// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"
#include "sysroot.h"

#define TRIES	100	/* each rename on the host may spoil one */

/* The captured tree is somebody else's: its links are taken as they were there. */
static int open_below(const char *path, int flags)
{
	struct open_how how = {
		.flags = flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = open(opt_sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, tries = TRIES;

	if (root < 0)
		return -errno;
	do {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd < 0)
			fd = -errno;
	} while (fd == -EAGAIN && --tries);
	close(root);
	return fd;
}

/**
 * sysroot_open() - open a file or a folder
 * @path: of it, which begins with opt_sysroot
 * @flags: as for open(2)
 *
 * Return: a file descriptor or a negative errno.
 */
int sysroot_open(const char *path, int flags)
{
	int fd;

	if (*opt_sysroot)
		return open_below(path + strlen(opt_sysroot), flags | O_CLOEXEC);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void own_path(int fd, char *path, size_t size)
{
	snprintf(path, size, "/proc/self/fd/%d", fd);
}

/**
 * sysroot_open_file() - open a file to read it
 * @path: of it, which begins with opt_sysroot
 *
 * What is no regular file is not opened there: opening a device may do something.
 *
 * Return: a file descriptor or a negative errno.
 */
int sysroot_open_file(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	struct stat st;
	char own[32];
	int at, fd;

	if (!*opt_sysroot)
		return sysroot_open(path, flags);
	at = sysroot_open(path, O_PATH);
	if (at < 0)
		return at;
	own_path(at, own, sizeof(own));
	if (fstat(at, &st))
		fd = -errno;
	else if (!S_ISREG(st.st_mode))
		fd = -EINVAL;
	else if ((fd = open(own, flags)) < 0)
		fd = -errno;
	close(at);
	return fd;
}

/**
 * sysroot_open_in() - open a file of an open folder to read it
 * @folder: the folder
 * @name: of the file; below --sysroot a link is refused, as what is no regular file
 *
 * Return: a file descriptor or a negative errno.
 */
int sysroot_open_in(int folder, const char *name)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK };
	struct stat st;
	int fd;

	if (*opt_sysroot) {
		how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
		if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
			return -errno;
		if (!S_ISREG(st.st_mode))
			return -EINVAL;
	}
	fd = syscall(SYS_openat2, folder, name, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/**
 * sysroot_realpath() - where a path leads in the end
 * @path: it, which begins with opt_sysroot
 * @real: of PATH_MAX, set
 *
 * Return: false if it leads nowhere.
 */
bool sysroot_realpath(const char *path, char *real)
{
	char own[32];
	ssize_t n;
	int fd;

	if (!*opt_sysroot)
		return realpath(path, real);
	fd = sysroot_open(path, O_PATH);
	if (fd < 0)
		return false;
	own_path(fd, own, sizeof(own));
	n = readlink(own, real, PATH_MAX - 1);
	close(fd);
	real[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

/**
 * sysroot_scandir() - what is in a folder
 * @path: of it, which begins with opt_sysroot
 * @entries: set, as by scandir(3)
 * @filter: likewise
 * @compare: likewise
 *
 * Return: how many, or -1 and errno.
 */
int sysroot_scandir(const char *path, struct dirent ***entries,
		    int (*filter)(const struct dirent *),
		    int (*compare)(const struct dirent **, const struct dirent **))
{
	int fd = sysroot_open(path, O_RDONLY | O_DIRECTORY), count, error;

	if (fd < 0) {
		errno = -fd;
		return -1;
	}
	count = scandirat(fd, ".", entries, filter, compare);
	error = errno;
	close(fd);
	errno = error;
	return count;
}
