/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open folder of a PCI function, for callers that read many of its files. */
#ifndef SYSFS_FOLDER_H
#define SYSFS_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

int sysfs_folder_open(const char *bdf);
ssize_t sysfs_folder_read(int folder, const char *file, void *data, size_t size);
bool sysfs_folder_number(int folder, const char *file, long long *val);
bool sysfs_folder_link(int folder, const char *link, char *name, size_t size);

#endif /* SYSFS_FOLDER_H */
