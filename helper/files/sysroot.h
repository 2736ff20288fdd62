/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of this host or of a captured host (--sysroot), whose links cannot leave the capture. */
#ifndef SYSROOT_H
#define SYSROOT_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct tree;

void sysroot_set(const char *name, const struct tree *in_memory);
int sysroot_open_file(const char *path);
ssize_t sysroot_read(const char *path, void *data, size_t size);
int sysroot_stat(const char *path, bool follow, struct stat *st);
int sysroot_open_folder(const char *path);
int sysroot_open_in(int folder, const char *name);
ssize_t sysroot_read_in(int folder, const char *name, void *data, size_t size);
bool sysroot_readlink_in(int folder, const char *name, char *target);
bool sysroot_realpath(const char *path, char *real);
bool sysroot_readlink(const char *path, char *target);
int sysroot_scandir(const char *path, struct dirent ***entries,
		    int (*filter)(const struct dirent *),
		    int (*compare)(const struct dirent **, const struct dirent **));

#endif /* SYSROOT_H */
