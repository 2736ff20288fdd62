/* SPDX-License-Identifier: GPL-2.0-only */
/* Confines a command's file accesses. */
#ifndef GUARD_H
#define GUARD_H

#include <dirent.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

void guard_begin(const char *root, const char *given);
void guard_end(void);

/* The linker puts __wrap_ functions in place of the C library's, which keep the name __real_. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
ssize_t __real_readlink(const char *path, char *target, size_t size);
ssize_t __wrap_readlink(const char *path, char *target, size_t size);
char *__real_realpath(const char *path, char *real);
char *__wrap_realpath(const char *path, char *real);
int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __wrap_posix_spawn(void);
int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);

#endif /* GUARD_H */
