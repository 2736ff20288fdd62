/* SPDX-License-Identifier: GPL-2.0-only */
/* Policy files in memory, in place of the host's. */
#ifndef POLICY_FILES_H
#define POLICY_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define POLICY_SEPARATOR	'\x1c'	/* ASCII's file separator */

void policy_files_begin(void);
bool policy_files_add(const char *text, size_t size);
long policy_files_lines(const char *path);
const char *policy_files_only(const char *text, size_t size);

/* The linker puts these in place of the helper's functions. */
bool __wrap_sysfs_exists(const char *bdf, const char *file);
int __wrap_sysroot_open_file(const char *path);
ssize_t __wrap_sysroot_read(const char *path, void *data, size_t size);
int __wrap_sysroot_stat(const char *path, bool follow, struct stat *st);
bool __wrap_sysroot_readlink(const char *path, char *target);
int __wrap_sysroot_scandir(const char *path, struct dirent ***entries,
			   int (*filter)(const struct dirent *),
			   int (*compare)(const struct dirent **, const struct dirent **));

#endif /* POLICY_FILES_H */
