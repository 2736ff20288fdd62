// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"
#include "sysroot.h"
#include "tree_path.h"

#define TRIES	100	/* openat2() fails with EAGAIN when a rename races with it */

static const struct tree *tree;	/* captured host in memory; NULL if opt_sysroot is a folder */

/**
 * sysroot_set() - read a captured host in place of this one
 * @name: name that the user gave it, with which paths begin; not copied
 * @in_memory: its sorted files, not copied; NULL if @name is a folder
 */
void sysroot_set(const char *name, const struct tree *in_memory)
{
	opt_sysroot = name;
	tree = in_memory;
}

/* Resolve a path in the host in memory; @real has no slash at its beginning. */
static int resolve(const char *path, bool follow, char *real)
{
	return tree_resolve(tree, path + strlen(opt_sysroot), follow, real);
}

/* The error for anything but a file is that of sysroot_open_file() on a folder. */
static int find_file_at(const char *real, const struct tree_entry **entry)
{
	*entry = tree_find(tree, real);
	if (*entry)
		return (*entry)->kind == TREE_FILE ? 0 : -EINVAL;
	return tree_is_folder(tree, real) ? -EINVAL : tree_absent(tree, real);
}

static int find_file(const char *path, const struct tree_entry **entry)
{
	char real[PATH_MAX];

	return resolve(path, true, real) ?: find_file_at(real, entry);
}

/* A captured tree is untrusted: its links resolve within it, as they did on its host. */
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

static int open_at(const char *path, int flags)
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

/* Get the path of an open file; return the length of the path, or 0. */
static size_t path_of(int fd, char *path)
{
	char own[32];
	ssize_t n;

	own_path(fd, own, sizeof(own));
	n = readlink(own, path, PATH_MAX - 1);
	path[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : n;
}

/* Make an open file in memory that holds @data. */
static int make_file(const void *data, size_t size)
{
	int fd = memfd_create("captured", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -ENOMEM;
}

static int open_entry(const struct tree_entry *entry)
{
	return make_file(entry->data.data, entry->data.size);
}

static ssize_t read_entry(const struct tree_entry *entry, void *data, size_t size)
{
	size = entry->data.size < size ? entry->data.size : size;
	if (size)
		memcpy(data, entry->data.data, size);
	return size;
}

static ssize_t read_fd(int fd, void *data, size_t size)
{
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, data, size);
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

/**
 * sysroot_open_file() - open a file for reading
 * @path: path of the file, which begins with opt_sysroot
 *
 * Below --sysroot only regular files are opened, since opening a device may have effects.
 *
 * Return: a file descriptor or a negative errno.
 */
int sysroot_open_file(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	const struct tree_entry *entry;
	struct stat st;
	char own[32];
	int at, fd;

	if (tree)
		return find_file(path, &entry) ?: open_entry(entry);
	if (!*opt_sysroot)
		return open_at(path, flags);
	at = open_at(path, O_PATH);
	if (at < 0)
		return at;
	own_path(at, own, sizeof(own));
	if (fstat(at, &st)) {
		fd = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		fd = -EINVAL;
	} else {
		fd = open(own, flags);
		if (fd < 0)
			fd = -errno;
	}
	close(at);
	return fd;
}

/**
 * sysroot_read() - read the beginning of a file
 * @path: path of the file, which begins with opt_sysroot
 * @data: receives the bytes, without a terminating NUL
 * @size: size of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysroot_read(const char *path, void *data, size_t size)
{
	const struct tree_entry *entry;

	if (tree)
		return find_file(path, &entry) ?: read_entry(entry, data, size);
	return read_fd(sysroot_open_file(path), data, size);
}

/**
 * sysroot_open_folder() - open a folder, to read many of its files
 * @path: path of the folder, which begins with opt_sysroot
 *
 * For a host in memory the file descriptor is that of a file that holds the folder's path.
 *
 * Return: a file descriptor, which the caller closes, or a negative errno.
 */
int sysroot_open_folder(const char *path)
{
	char real[PATH_MAX];
	int ret;

	if (!tree)
		return open_at(path, O_PATH | O_DIRECTORY);
	ret = resolve(path, true, real);
	if (!ret && !tree_is_folder(tree, real))
		ret = tree_absent(tree, real);
	return ret ? ret : make_file(real, strlen(real) + 1);
}

/* Make the path of a file in the folder; false for a name with a slash. */
static bool path_in(int folder, const char *name, char *path)
{
	ssize_t n = pread(folder, path, PATH_MAX, 0);

	if (n <= 0 || path[n - 1] || strchr(name, '/'))
		return false;
	snprintf(path + n - 1, NAME_MAX + 2, "/%s", name);
	return true;
}

static int find_file_in(int folder, const char *name, const struct tree_entry **entry)
{
	char path[PATH_MAX + NAME_MAX + 2];

	return path_in(folder, name, path) ? find_file_at(path, entry) : -ENOENT;
}

/**
 * sysroot_open_in() - open a file of an open folder for reading
 * @folder: folder from sysroot_open_folder()
 * @name: name of the file; below --sysroot only a regular file is opened, and no link
 *
 * Return: a file descriptor or a negative errno.
 */
int sysroot_open_in(int folder, const char *name)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK };
	const struct tree_entry *entry;
	struct stat st;
	int fd;

	if (tree)
		return find_file_in(folder, name, &entry) ?: open_entry(entry);
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
 * sysroot_read_in() - read the beginning of a file of an open folder
 * @folder: folder from sysroot_open_folder()
 * @name: name of the file
 * @data: receives the bytes, without a terminating NUL
 * @size: size of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysroot_read_in(int folder, const char *name, void *data, size_t size)
{
	const struct tree_entry *entry;

	if (tree)
		return find_file_in(folder, name, &entry) ?: read_entry(entry, data, size);
	return read_fd(sysroot_open_in(folder, name), data, size);
}

static bool copy_target(const struct tree_entry *entry, char *target)
{
	return entry && entry->kind == TREE_LINK &&
	       snprintf(target, PATH_MAX, "%s", entry->data.data) < PATH_MAX;
}

/**
 * sysroot_readlink_in() - read the target of a link in an open folder
 * @folder: folder from sysroot_open_folder()
 * @name: name of the link
 * @target: buffer of PATH_MAX; receives the target, "" if @name is not a link
 *
 * Return: false if @name is not a link.
 */
bool sysroot_readlink_in(int folder, const char *name, char *target)
{
	char path[PATH_MAX + NAME_MAX + 2];
	ssize_t n;

	*target = '\0';
	if (tree)
		return path_in(folder, name, path) && copy_target(tree_find(tree, path), target);
	n = readlinkat(folder, name, target, PATH_MAX - 1);
	target[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

/**
 * sysroot_stat() - get the status of a file, as stat(2) and lstat(2)
 * @path: path of the file, which begins with opt_sysroot
 * @follow: follow a link
 * @st: receives the status
 *
 * Return: 0 or a negative errno.
 */
int sysroot_stat(const char *path, bool follow, struct stat *st)
{
	char real[PATH_MAX];
	int fd, ret;

	if (tree)
		return resolve(path, follow, real) ?: tree_stat(tree, real, st);
	fd = open_at(path, O_PATH | (follow ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return fd;
	ret = fstat(fd, st) ? -errno : 0;
	close(fd);
	return ret;
}

static bool realpath_in_memory(const char *path, char *real)
{
	char inside[PATH_MAX];
	struct stat st;

	return !resolve(path, true, inside) && !tree_stat(tree, inside, &st) &&
	       snprintf(real, PATH_MAX, "/%s", inside) < PATH_MAX;
}

static bool realpath_below(const char *path, char *real)
{
	int fd = open_at(path, O_PATH), at = open(opt_sysroot, O_PATH | O_CLOEXEC);
	char root[PATH_MAX];
	size_t length = at < 0 ? 0 : path_of(at, root);
	bool found = fd >= 0 && length && path_of(fd, real);

	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
	/* The path of "/" ends with a slash; no other path does. */
	length -= length == 1;
	if (!found || strncmp(real, root, length) || (real[length] && real[length] != '/'))
		return false;
	memmove(real, real + length, strlen(real + length) + 1);
	return true;
}

/**
 * sysroot_realpath() - resolve all links of a path
 * @path: path, which begins with opt_sysroot
 * @real: buffer of PATH_MAX; receives the path as seen from the root of the host
 *
 * Return: false if @path does not exist.
 */
bool sysroot_realpath(const char *path, char *real)
{
	if (tree)
		return realpath_in_memory(path, real);
	return *opt_sysroot ? realpath_below(path, real) : !!realpath(path, real);
}

/**
 * sysroot_readlink() - read the target of a link
 * @path: path of the link, which begins with opt_sysroot
 * @target: buffer of PATH_MAX; receives the target, "" if @path is not a link
 *
 * Return: false if @path is not a link.
 */
bool sysroot_readlink(const char *path, char *target)
{
	char real[PATH_MAX];
	ssize_t n;
	int fd;

	*target = '\0';
	if (tree)
		return !resolve(path, false, real) && copy_target(tree_find(tree, real), target);
	fd = open_at(path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return false;
	n = readlinkat(fd, "", target, PATH_MAX - 1);
	target[n < 0 ? 0 : n] = '\0';
	close(fd);
	return n > 0;
}

static int scan_in_memory(const char *path, struct dirent ***entries,
			  int (*filter)(const struct dirent *),
			  int (*compare)(const struct dirent **, const struct dirent **))
{
	char real[PATH_MAX];
	int ret = resolve(path, true, real);

	if (!ret)
		return tree_scandir(tree, real, entries, filter, compare);
	errno = -ret;
	return -1;
}

/**
 * sysroot_scandir() - list a folder, as scandir(3)
 * @path: path of the folder, which begins with opt_sysroot
 * @entries: receives the entries; the caller frees them and the list
 * @filter: tells which entries to take, or NULL for all
 * @compare: order of the entries, or NULL
 *
 * Return: number of entries, or -1 with errno set.
 */
int sysroot_scandir(const char *path, struct dirent ***entries,
		    int (*filter)(const struct dirent *),
		    int (*compare)(const struct dirent **, const struct dirent **))
{
	int fd, count, error;

	if (tree)
		return scan_in_memory(path, entries, filter, compare);
	fd = open_at(path, O_RDONLY | O_DIRECTORY);
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
