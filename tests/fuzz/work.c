// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "work.h"

static char top[32];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/**
 * work_remove() - remove a file, or a folder with its contents
 * @path: path of the file or folder
 */
void work_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A finding kills this process without exit handlers, so a child removes the folder. */
static void remove_after_us(void)
{
	int ends[2];
	char byte;
	int fd;

	REQUIRE(!pipe2(ends, O_CLOEXEC));
	if (fork()) {
		close(ends[0]);
		return;
	}
	/* In a session of its own the child gets no signals from the terminal. */
	setsid();
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	work_remove(top);
	_exit(0);
}

/**
 * work_make_folders() - make the folders that lead to a file
 * @path: path of the file, below work_folder()
 */
void work_make_folders(const char *path)
{
	char part[PATH_MAX], *slash;

	snprintf(part, sizeof(part), "%s", path);
	for (slash = strchr(part + strlen(top), '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		REQUIRE(!mkdir(part, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

/**
 * work_write() - create a file
 * @path: path of the file, which must not exist
 * @data: contents
 * @size: of @data in bytes
 */
void work_write(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/**
 * work_folder() - get the temporary folder, which the first call creates
 *
 * Return: its path.
 */
const char *work_folder(void)
{
	if (*top)
		return top;
	snprintf(top, sizeof(top), "%s/fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	REQUIRE(mkdtemp(top));
	remove_after_us();
	return top;
}

/**
 * work_given_folder() - get the folder of the files passed to commands
 *
 * Return: its path.
 */
const char *work_given_folder(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/given", work_folder());
	return path;
}

/**
 * work_given() - write a file to pass to a command
 * @name: name of the file
 * @data: contents
 * @size: of @data in bytes
 *
 * Return: path of the file; the caller frees it.
 */
char *work_given(const char *name, const void *data, size_t size)
{
	char *path;

	REQUIRE(asprintf(&path, "%s/%s", work_given_folder(), name) > 0);
	work_make_folders(path);
	unlink(path);
	work_write(path, data, size);
	return path;
}
