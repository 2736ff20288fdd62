// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "policy_files.h"
#include "core/pure.h"

/* The last one belongs to policy_files_only(). */
static struct file {
	const char *path;
	bool there;
	int fd;
	long lines;
} files[] = {
	/* An input fills these in order. Files of the same name override two of them. */
	{ .path = "/etc/instinct-vfio/policy.conf" },
	{ .path = "/etc/instinct-vfio/policy.d/10-a.conf" },
	{ .path = "/run/instinct-vfio/policy.d/20-b.conf" },
	{ .path = "/usr/lib/instinct-vfio/policy.d/10-a.conf" },
	{ .path = "/usr/lib/instinct-vfio/policy.d/05-c.conf" },
	{ .path = "/run/instinct-vfio/policy.conf" },
	{ .path = NULL },
};

#define ONLY	(ARRAY_SIZE(files) - 1)

static long lines_of(const char *text, size_t size)
{
	long lines = size && text[size - 1] != '\n';

	while (size)
		lines += text[--size] == '\n';
	return lines;
}

static void fill(struct file *file, const char *text, size_t size)
{
	if (!file->fd)
		file->fd = memfd_create("policy", MFD_CLOEXEC);
	REQUIRE(file->fd >= 0 && !ftruncate(file->fd, 0));
	REQUIRE(pwrite(file->fd, text, size, 0) == (ssize_t)size);
	file->lines = lines_of(text, size);
	file->there = true;
}

/**
 * policy_files_begin() - remove all files
 */
void policy_files_begin(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		files[i].there = false;
}

/**
 * policy_files_add() - add a file to the installed policy
 * @text: contents
 * @size: of @text in bytes
 *
 * Return: false if all paths are in use.
 */
bool policy_files_add(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < ONLY; i++)
		if (!files[i].there) {
			fill(&files[i], text, size);
			return true;
		}
	return false;
}

/**
 * policy_files_only() - provide a file to name instead of the installed policy
 * @text: contents
 * @size: of @text in bytes
 *
 * Return: its path.
 */
const char *policy_files_only(const char *text, size_t size)
{
	static char path[32];

	fill(&files[ONLY], text, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", files[ONLY].fd);
	files[ONLY].path = path;
	return path;
}

static struct file *find(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].there && !strcmp(files[i].path, path))
			return &files[i];
	return NULL;
}

/**
 * policy_files_lines() - count the lines of a file
 * @path: path of the file
 *
 * Return: number of lines, or -1 if there is no such file.
 */
long policy_files_lines(const char *path)
{
	const struct file *file = find(path);

	return file ? file->lines : -1;
}

int __wrap_sysroot_open_file(const char *path)
{
	const struct file *file = find(path);

	if (!file)
		return -ENOENT;
	REQUIRE(!lseek(file->fd, 0, SEEK_SET));
	return fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
}

ssize_t __wrap_sysroot_read(const char *path, void *data, size_t size)
{
	const struct file *file = find(path);

	return file ? pread(file->fd, data, size, 0) : -ENOENT;
}

int __wrap_sysroot_stat(const char *path, bool follow, struct stat *st)
{
	const struct file *file = find(path);

	(void)follow;
	if (!file)
		return -ENOENT;
	REQUIRE(!fstat(file->fd, st));
	return 0;
}

/* No file here is a link. */
bool __wrap_sysroot_readlink(const char *path, char *target)
{
	(void)path;
	(void)target;
	return false;
}

int __wrap_sysroot_scandir(const char *path, struct dirent ***entries,
			   int (*filter)(const struct dirent *),
			   int (*compare)(const struct dirent **, const struct dirent **))
{
	size_t length = strlen(path), i;
	int count = 0;

	(void)compare;
	*entries = calloc(ARRAY_SIZE(files), sizeof(**entries));
	REQUIRE(*entries);
	for (i = 0; i < ONLY; i++) {
		struct dirent *entry = calloc(1, sizeof(*entry));

		REQUIRE(entry);
		if (files[i].there && !strncmp(files[i].path, path, length) &&
		    files[i].path[length] == '/') {
			snprintf(entry->d_name, sizeof(entry->d_name), "%s",
				 files[i].path + length + 1);
			if (filter(entry)) {
				(*entries)[count++] = entry;
				continue;
			}
		}
		free(entry);
	}
	return count;
}
