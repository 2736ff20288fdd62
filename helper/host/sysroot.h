/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of this host, or below --sysroot, whose links lead nowhere else. */
#ifndef SYSROOT_H
#define SYSROOT_H

#include <dirent.h>
#include <stdbool.h>

int sysroot_open(const char *path, int flags);
int sysroot_open_file(const char *path);
int sysroot_open_in(int folder, const char *name);
bool sysroot_realpath(const char *path, char *real);
int sysroot_scandir(const char *path, struct dirent ***entries,
		    int (*filter)(const struct dirent *),
		    int (*compare)(const struct dirent **, const struct dirent **));

#endif /* SYSROOT_H */
