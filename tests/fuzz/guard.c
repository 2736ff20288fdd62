// SPDX-License-Identifier: GPL-2.0-only
/*
 * The linker puts the __wrap_ functions in place of the C library's for all of instinctctl.
 * While a command runs, each file that it opens must be /dev/null, a file passed to the command
 * or, unless the host is in memory, a file below the captured host's root; the check resolves
 * links. The command must start no program and open no socket, and its clock stands still.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"
#include "guard.h"
#include "say.h"

#define OWN_FILES	"/proc/self/fd/"

static bool guarding;			/* a command runs */
static const char *inside;		/* root of the captured host; NULL if it is in memory */
static const char *given_folder;	/* folder of the files passed to the command */

/**
 * guard_begin() - confine file accesses from now on
 * @root: root of the captured host; NULL if it is in memory
 * @given: folder of further files that may be opened
 */
void guard_begin(const char *root, const char *given)
{
	inside = root;
	given_folder = given;
	guarding = true;
}

/**
 * guard_end() - lift the restrictions
 */
void guard_end(void)
{
	guarding = false;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* Checks only the name; require_inside() checks the opened file. */
static bool is_allowed(const char *path)
{
	return !guarding || !strncmp(path, OWN_FILES, strlen(OWN_FILES)) ||
	       !strcmp(path, "/dev/null") || is_below(path, given_folder) ||
	       !strcmp(path, opt_sysroot);
}

static int require_inside(int fd)
{
	char own[32], path[PATH_MAX];
	ssize_t n;

	if (!guarding || fd < 0)
		return fd;
	snprintf(own, sizeof(own), OWN_FILES "%d", fd);
	n = __real_readlink(own, path, sizeof(path) - 1);
	REQUIRE(n > 0);
	path[n] = '\0';
	REQUIRE((inside && is_below(path, inside)) || is_below(path, given_folder) ||
		!strcmp(path, "/dev/null"));
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	REQUIRE(is_allowed(path));
	REQUIRE(!guarding || !(flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)));
	return require_inside(__real_open(path, flags, mode));
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
	REQUIRE(!guarding);
	return __real_syscall(SYS_openat, folder, path, flags, 0644);
}

/* The helper calls openat2() this way, because the C library has no function for it. */
long __wrap_syscall(long number, long a, long b, long c, long d)
{
	long ret = __real_syscall(number, a, b, c, d);

	if (guarding && number == SYS_openat2)
		require_inside(ret);
	return ret;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	REQUIRE(!guarding);
	return __real_fopen(path, mode);
}

DIR *__wrap_opendir(const char *path)
{
	REQUIRE(!guarding);
	return __real_opendir(path);
}

int __wrap_access(const char *path, int mode)
{
	REQUIRE(is_allowed(path));
	return __real_access(path, mode);
}

int __wrap_stat(const char *path, struct stat *st)
{
	REQUIRE(is_allowed(path));
	return __real_stat(path, st);
}

ssize_t __wrap_readlink(const char *path, char *target, size_t size)
{
	REQUIRE(is_allowed(path));
	return __real_readlink(path, target, size);
}

char *__wrap_realpath(const char *path, char *real)
{
	REQUIRE(!guarding);
	return __real_realpath(path, real);
}

int __wrap_socket(int domain, int type, int protocol)
{
	REQUIRE(!guarding);
	return __real_socket(domain, type, protocol);
}

pid_t __wrap_fork(void)
{
	REQUIRE(!guarding);
	return __real_fork();
}

int __wrap_posix_spawn(void)
{
	REQUIRE(!"the command starts a program");
	return -1;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
	if (!guarding)
		return __real_clock_gettime(id, time);
	*time = (struct timespec) { .tv_sec = 1000000000 };
	return 0;
}
